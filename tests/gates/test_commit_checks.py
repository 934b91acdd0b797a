"""commit-checks: only the newest attempt, only success, only on this commit."""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from worldkit import COMMIT, EARLIER, OTHER, UNREACHABLE, World, a_check, a_plan, look, only

from gates import commit_checks
from release.domain.facts.github import CheckFacts
from release.domain.state import State

LATER = EARLIER + timedelta(hours=1)
FAILED = a_check(1, conclusion="failure")
SUCCESS = a_check(2, started_at=LATER)


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    checks: tuple[CheckFacts, ...]
    reason: str


def concluded(conclusion: str | None) -> tuple[CheckFacts, ...]:
    return (a_check(conclusion=conclusion),)


def waiting(status: str) -> tuple[CheckFacts, ...]:
    return (a_check(status=status, conclusion=None),)


STATUS = a_check(9, source="status")
NOT_SUCCESS = ("skipped", "neutral", "cancelled", "stale", "banana", None)
FAILURES = ("failure", "error", "timed_out", "startup_failure")
RUNNING = ("queued", "in_progress", "waiting", "pending", "requested", "banana")

ROWS = (
    Row(name="right", checks=concluded("success"), reason="check.success"),
    Row(name="right, as a status", checks=(STATUS,), reason="check.success"),
    Row(name="right, in both sources", checks=(SUCCESS, STATUS), reason="check.success"),
    Row(name="right, after a re-run", checks=(SUCCESS, FAILED), reason="check.success"),
    Row(name="absent", checks=(), reason="check.missing"),
    Row(name="absent, of a similar name", checks=(a_check(name="test (20)"),), reason="check.missing"),
    Row(name="partial", checks=(SUCCESS, replace(STATUS, conclusion="failure")), reason="check.failed"),
    Row(
        name="partial, status pending",
        checks=(SUCCESS, replace(STATUS, status="in_progress", conclusion=None)),
        reason="check.running",
    ),
    Row(name="another commit", checks=(a_check(head_sha=OTHER),), reason="check.missing"),
    Row(
        name="newer on another commit",
        checks=(FAILED, replace(SUCCESS, head_sha=OTHER)),
        reason="check.failed",
    ),
    Row(
        name="different, re-run failed",
        checks=(a_check(1), replace(FAILED, id=2, started_at=LATER)),
        reason="check.failed",
    ),
    Row(
        name="re-run started in the same second",
        checks=(a_check(1), replace(FAILED, id=2)),
        reason="check.failed",
    ),
    Row(
        name="re-run queued without a start",
        checks=(
            SUCCESS,
            a_check(3, status="queued", conclusion=None, started_at=None, completed_at=None),
        ),
        reason="check.running",
    ),
    Row(
        name="completed without any time is oldest",
        checks=(a_check(3, started_at=None, completed_at=None), FAILED),
        reason="check.failed",
    ),
    Row(
        name="right, the older one ended later",
        checks=(SUCCESS, replace(FAILED, completed_at=LATER + timedelta(hours=1))),
        reason="check.success",
    ),
    Row(
        name="right, without a start, by its end",
        checks=(a_check(1, started_at=None, completed_at=LATER), replace(FAILED, id=2)),
        reason="check.success",
    ),
    Row(
        name="right, without an end, by its start",
        checks=(a_check(1, started_at=LATER, completed_at=None), replace(FAILED, id=2)),
        reason="check.success",
    ),
    Row(name="waits for approval", checks=concluded("action_required"), reason="check.action-required"),
    *(Row(name=f"{one}", checks=concluded(one), reason="check.not-success") for one in NOT_SUCCESS),
    *(Row(name=f"{one}", checks=concluded(one), reason="check.failed") for one in FAILURES),
    *(Row(name=f"status {one}", checks=waiting(one), reason="check.running") for one in RUNNING),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_newest_attempt(row: Row, world: World) -> None:
    """Skipped, neutral, cancelled, stale, missing and re-run are all different from success (G21, K37)."""
    world.github.check_facts[COMMIT] = list(row.checks)
    assert only(commit_checks, a_plan(), world).reason == row.reason


@pytest.mark.parametrize(
    ("checks", "text"),
    [
        ((SUCCESS, STATUS), "check-run 2 of test: success and status 9 of test: success"),
        ((FAILED, STATUS), "check-run 1 of test: failure"),
        (waiting("queued"), "check-run 1 of test: queued"),
        ((), f"no check run or status named test on {COMMIT}"),
        ((a_check(head_sha=OTHER),), f"test ran on {OTHER}, not on {COMMIT}"),
    ],
)
def test_says_which_attempt_decided(checks: tuple[CheckFacts, ...], text: str, world: World) -> None:
    """All that succeeded, or the one that did not, with its outcome."""
    world.github.check_facts[COMMIT] = list(checks)
    assert only(commit_checks, a_plan(), world).message == text


def test_unreachable_is_never_a_verdict(world: World) -> None:
    """An API that cannot be asked is pending, although the check may have succeeded."""
    world.github.check_facts[COMMIT] = [SUCCESS]
    world.break_all(UNREACHABLE)
    finding = only(commit_checks, a_plan(), world)
    assert (finding.reason, finding.state) == ("github.unreachable", State.PENDING)


def test_every_required_check_is_a_subject(world: World) -> None:
    """A required name that no run has is missing, however green the others are (C332)."""
    plan = a_plan()
    assert plan.github is not None
    plan = replace(plan, github=replace(plan.github, required_checks=("test", "lint")))
    world.github.check_facts[COMMIT] = [SUCCESS]
    findings = look(commit_checks, plan, world)
    assert {name: one.reason for name, one in findings.items()} == {
        "test": "check.success",
        "lint": "check.missing",
    }
    assert findings["test"].evidence == (SUCCESS.url,)
    assert findings["test"].commit == COMMIT


def test_no_forge_no_subjects() -> None:
    """A plan without [github] declares no checks."""
    assert commit_checks.subjects(a_plan(github=None)) == ()
