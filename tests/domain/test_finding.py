"""Findings: state and who follow from the reason, and a subject's builder adds nothing of its own."""

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta

import pytest

from release.contract import found
from release.domain.finding import Claim, Finding
from release.domain.plan import NpmPolicy, Plan, Subject
from release.domain.reasons import CATALOGUE

NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
PLAN = Plan(
    name="acme",
    version="1.2.3",
    commit="c" * 40,
    selector="v1.2.3",
    policy="p" * 64,
    remote="origin",
    branches=(),
    tags=(),
    packages=(),
    binaries=(),
    releases=(),
    github=None,
    npm=NpmPolicy(registry="https://npm.example", propagation=timedelta(minutes=10), stable_reads=3),
    checksum_algorithm="sha256",
    changesets=None,
    suites=(),
    acceptances=(),
    required=(),
)
SUBJECT = Subject(gate="npm-publish", name="acme@1.2.3", plan=PLAN)


def finding(reason: str) -> Finding:
    return Finding(gate="npm-publish", subject="acme@1.2.3", reason=reason, message="text", observed_at=NOW)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_state_and_who_are_the_reasons(code: str) -> None:
    """A gate cannot choose a state: one code never means two things."""
    one = finding(code)
    assert (one.state, one.who) == (CATALOGUE[code].state, CATALOGUE[code].who)


def test_an_unknown_reason_has_no_state() -> None:
    """A code outside the catalogue cannot turn into a state."""
    with pytest.raises(KeyError, match=r"npm\.never"):
        _ = finding("npm.never").state


def test_a_finding_cannot_be_changed() -> None:
    """What was judged stays as it was judged."""
    with pytest.raises(FrozenInstanceError, match="reason"):
        finding("npm.absent").reason = "npm.identical"  # type: ignore[misc]


def test_found_takes_gate_and_name_from_the_subject() -> None:
    """The builder of gates copies the subject's identity, and passes the rest on."""
    claim = Claim(channel="tag v1.2.3", commit=None)
    one = found(
        SUBJECT, "npm.absent", "gone", NOW, commit="c" * 40, evidence=("x",), next="do", claims=(claim,)
    )
    assert (one.gate, one.subject, one.reason, one.message) == (
        "npm-publish",
        "acme@1.2.3",
        "npm.absent",
        "gone",
    )
    assert (one.commit, one.evidence, one.next, one.claims) == ("c" * 40, ("x",), "do", (claim,))
    assert one.observed_at is NOW
    assert one.waiver is None


def test_the_printed_command_names_the_release() -> None:
    """What a user copies looks at the same release; an empty selector leaves no gap."""
    assert SUBJECT.command("converge") == "release converge v1.2.3"
    assert SUBJECT.command("status", "--deep") == "release status v1.2.3 --deep"
    bare = Subject(gate="npm-publish", name="acme@1.2.3", plan=replace(PLAN, selector=""))
    assert bare.command("status", "--deep") == "release status --deep"
