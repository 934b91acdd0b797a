"""The kit for gate tests: values of one small release (acme 1.2.3), and how to look at it.

Every builder takes ``**changes`` for the fields that the test is about. ``look(gate, plan, world)`` does
what a survey does: subjects → observe → judge, with ``CannotTell`` turned into a finding.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from worldkit_facts import (
    COMMIT,
    EARLIER,
    NOW,
    OTHER,
    POLICY,
    UNREACHABLE,
    a_check,
    a_packument,
    a_pull,
    a_record,
    a_release,
    a_tag,
    a_tarball,
    packed,
    sha256,
    stored,
)
from worldkit_ports import World

from release.contract import Gate, found
from release.domain.errors import CannotTell
from release.domain.finding import Finding
from release.domain.plan import (
    Asset,
    AssetKind,
    Binary,
    Changesets,
    GitHubPolicy,
    Latest,
    NpmPolicy,
    Package,
    Plan,
    ReleaseSpec,
    Subject,
    Tag,
)
from release.domain.reasons import reason_of
from release.domain.state import State

__all__ = [
    "COMMIT",
    "EARLIER",
    "NOW",
    "OTHER",
    "POLICY",
    "UNREACHABLE",
    "World",
    "a_check",
    "a_packument",
    "a_pull",
    "a_record",
    "a_release",
    "a_tag",
    "a_tarball",
    "look",
    "only",
    "packed",
    "reasons",
    "sha256",
    "stored",
]


TARGETS = ("linux-x64", "darwin-arm64")


def a_binary(target: str = "linux-x64", **changes: Any) -> Binary:
    archive = f"acme-1.2.3-{target}.tar.gz"
    binary = Binary(
        name="acme", target=target, archive=archive, executable="acme", build=("make",), tag="v1.2.3"
    )
    return replace(binary, **changes)


def an_asset(name: str, kind: AssetKind = AssetKind.EXTRA, **changes: Any) -> Asset:
    return replace(Asset(name=name, kind=kind, tag="v1.2.3"), **changes)


ARCHIVES = tuple(
    an_asset(binary.archive, AssetKind.BINARY, binary=binary)
    for binary in (a_binary(target) for target in TARGETS)
)
SUMS = an_asset("SHA256SUMS", AssetKind.CHECKSUMS)
MANIFEST = an_asset("binary-manifest.json", AssetKind.MANIFEST)


def a_spec(**changes: Any) -> ReleaseSpec:
    spec = ReleaseSpec(
        tag="v1.2.3",
        version="1.2.3",
        prerelease=False,
        latest=Latest.AUTO,
        immutable=False,
        assets=(*ARCHIVES, SUMS, MANIFEST),
    )
    return replace(spec, **changes)


def a_package(name: str = "acme", **changes: Any) -> Package:
    package = Package(
        name=name,
        version="1.2.3",
        expected_version="1.2.3",
        path=".",
        manifest={"name": name, "version": "1.2.3", "main": "index.js"},
        dist_tags=("latest",),
        build=None,
        tag="v1.2.3",
    )
    return replace(package, **changes)


def a_plan(**changes: Any) -> Plan:
    plan = Plan(
        name="acme",
        version="1.2.3",
        commit=COMMIT,
        selector="v1.2.3",
        policy=POLICY,
        remote="https://git.example/acme/acme.git",
        branches=(),
        tags=(Tag(name="v1.2.3", version="1.2.3"),),
        packages=(a_package(),),
        binaries=tuple(a_binary(target) for target in TARGETS),
        releases=(a_spec(),),
        github=GitHubPolicy(
            repository="acme/acme",
            api="https://api.example",
            uploads="https://uploads.example",
            required_checks=("test",),
        ),
        npm=NpmPolicy(registry="https://npm.example", propagation=timedelta(minutes=10), stable_reads=3),
        checksum_algorithm="sha256",
        changesets=Changesets(
            branch="changeset-release/main", title="Version Packages", directory=".changeset"
        ),
        suites=(),
        acceptances=(),
        required=(),
    )
    return replace(plan, **changes)


def look(gate: Gate, plan: Plan, world: World, now: datetime = NOW) -> dict[str, Finding]:
    """Look once at every subject, as a survey does; findings by subject name."""
    findings: dict[str, Finding] = {}
    for subject in gate.subjects(plan):
        try:
            finding = gate.judge(subject, gate.observe(subject, world.read(plan)), now)
        except CannotTell as error:
            finding = found(subject, error.reason, error.message, now, evidence=error.evidence)
        assert subject.name not in findings, f"two subjects named {subject.name}"
        hold(gate, subject, finding, now)
        findings[subject.name] = finding
    return findings


def hold(gate: Gate, subject: Subject, finding: Finding, now: datetime) -> None:
    """Assert what every finding of every gate must be, whatever it says."""
    assert (subject.gate, subject.plan.name, subject.role == str(subject.role)) == (gate.NAME, "acme", True)
    assert (finding.gate, finding.subject, finding.observed_at) == (gate.NAME, subject.name, now)
    assert reason_of(finding.reason).state is finding.state
    texts = (finding.message, *finding.evidence, *(claim.channel for claim in finding.claims))
    assert all(text == str(text) and text for text in (*texts, *(fact.key for fact in finding.seen)))
    assert finding.next == str(finding.next)
    if finding.state is State.COMPLETE:
        assert finding.next == "", f"{finding.reason} is complete and asks for {finding.next}"


def reasons(gate: Gate, plan: Plan, world: World, now: datetime = NOW) -> dict[str, str]:
    """Look, and keep only the reason codes; also proves that every code is in the catalogue."""
    return {name: finding.reason for name, finding in look(gate, plan, world, now).items() if finding.state}


def only(gate: Gate, plan: Plan, world: World, now: datetime = NOW) -> Finding:
    """Look at a gate with exactly one subject."""
    (finding,) = look(gate, plan, world, now).values()
    return finding
