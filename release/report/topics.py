"""Which reasons belong to which gate, by the first word of the code."""

from collections.abc import Mapping

from release.domain.reasons import CATALOGUE, Reason

TOPICS: Mapping[str, str] = {
    "version-pr": "version-pr",
    "commit-checks": "check",
    "package-build": "package",
    "evaluation": "evaluation",
    "binary-build": "binary",
    "acceptance": "acceptance",
    "source-tag": "tag",
    "github-release": "release",
    "asset-upload": "asset",
    "checksums": "checksums",
    "npm-publish": "npm",
}


def reasons_of_gate(gate: str) -> tuple[Reason, ...]:
    """Return the gate's own reasons, in the catalogue's order; "could not look" is common to all."""
    topic = TOPICS.get(gate, gate)
    return tuple(reason for reason in CATALOGUE.values() if reason.code.partition(".")[0] == topic)


def gates_of_reason(reason: Reason) -> tuple[str, ...]:
    """Return the gates whose reason this is; empty for one that every gate can give."""
    topic = reason.code.partition(".")[0]
    return tuple(gate for gate, its_topic in TOPICS.items() if its_topic == topic)
