"""The survey loop: bounded, total, and honest about what it could not see."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from release.contract import Effect, Stage, found
from release.domain.errors import CannotTell, InputError, ReleaseError
from release.domain.finding import Finding
from release.domain.plan import NpmPolicy, Plan, Subject
from release.domain.reasons import Who
from release.domain.state import State
from release.ports import Read
from release.survey import WORKERS, subjects_of, survey

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PLAN = Plan(
    name="acme",
    version="1.0.0",
    commit="a" * 40,
    selector="v1.0.0",
    policy="b" * 64,
    remote="origin",
    branches=(),
    tags=(),
    packages=(),
    binaries=(),
    releases=(),
    github=None,
    npm=NpmPolicy(registry="http://127.0.0.1", propagation=timedelta(minutes=10), stable_reads=1),
    checksum_algorithm="sha256",
    changesets=None,
    suites=(),
    acceptances=(),
    required=("one",),
)


@dataclass
class AGate:
    """A gate made of two functions."""

    look: Callable[[Subject], Any]
    names: tuple[str, ...] = ("x",)
    NAME: str = "one"
    CLAIM: str = "A claim."
    NEEDS: tuple[str, ...] = ()
    STAGE: Stage = Stage.PROVE
    EFFECT: Effect = Effect.READ_ONLY
    RECHECK: str = "true"
    seen: list[str] = field(default_factory=list)

    def subjects(self, plan: Plan) -> tuple[Subject, ...]:
        return tuple(Subject(gate=self.NAME, name=name, plan=plan) for name in self.names)

    def observe(self, subject: Subject, read: Read) -> Any:
        self.seen.append(subject.name)
        return self.look(subject)

    def judge(self, subject: Subject, seen: Any, now: datetime) -> Finding:
        return found(subject, "tag.agrees" if seen else "tag.absent", "looked", now)


def run(*gates: AGate, plan: Plan = PLAN, on_done: Callable[..., None] = lambda *_: None) -> Any:
    read = Read(plan=plan, git=None, npm=None, github=None, evidence=None)  # type: ignore[arg-type]
    return survey(plan, gates, read, NOW, on_done)


def fail(error: Exception) -> Callable[[Subject], Any]:
    def look(_: Subject) -> Any:
        raise error

    return look


def test_findings_come_in_the_order_of_gates_and_subjects() -> None:
    """Whatever finishes first, the report's order is the plan's."""
    names = tuple(f"s{n}" for n in range(50))
    result = run(AGate(lambda _: True, names), AGate(lambda _: False, ("z", "a"), NAME="two"))
    assert list(result) == ["one", "two"]
    assert [finding.subject for finding in result["one"]] == list(names)
    assert [finding.subject for finding in result["two"]] == ["z", "a"]


def test_could_not_look_is_pending_and_cannot_tell() -> None:
    """R-CONV-17: an unreachable channel is neither failed nor complete, and its neighbours are still seen."""
    gate = AGate(fail(CannotTell("npm.unreachable", "connection refused")))
    result = run(gate, AGate(lambda _: True, NAME="two"))
    (finding,) = result["one"]
    assert (finding.state, finding.who, finding.reason) == (State.PENDING, Who.CANNOT_TELL, "npm.unreachable")
    assert result["two"][0].state is State.COMPLETE


def test_a_defect_in_a_gate_is_cannot_tell_and_shows_no_traceback() -> None:
    """An unexpected error never looks like a verdict, and its text (which may hold anything) stays out."""
    (finding,) = run(AGate(fail(KeyError("s3cret"))))["one"]
    assert finding.who is Who.CANNOT_TELL
    assert "s3cret" not in finding.message


def test_a_wrong_input_ends_the_survey() -> None:
    """A malformed evidence file is an error of the call, not a finding."""
    with pytest.raises(InputError, match="broken record"):
        run(AGate(fail(InputError("broken record"))))


def test_a_required_gate_without_subjects_is_an_error() -> None:
    """R-CONV-01: nothing to check is never complete."""
    with pytest.raises(ReleaseError, match="the gate one is required and has nothing to check"):
        run(AGate(lambda _: True, ()))


def test_a_plan_without_any_subject_is_an_error() -> None:
    """R-VERDICT-05: an empty plan is not a pass."""
    with pytest.raises(ReleaseError, match="no gates"):
        run(AGate(lambda _: True, ()), plan=replace(PLAN, required=()))


def test_an_optional_gate_without_subjects_is_left_out() -> None:
    """A gate that the plan declares nothing for does not appear at all."""
    assert list(subjects_of(PLAN, (AGate(lambda _: True), AGate(lambda _: True, (), NAME="two")))) == ["one"]


def test_two_subjects_with_one_name_are_refused() -> None:
    """Twins would hide one another in the report."""
    with pytest.raises(ReleaseError, match="two subjects called x"):
        run(AGate(lambda _: True, ("x", "x")))


def test_observation_is_concurrent_and_bounded() -> None:
    """Eight subjects are looked at together, and never more than the bound."""
    barrier = threading.Barrier(WORKERS, timeout=10)
    running, most = [0], [0]
    lock = threading.Lock()

    def look(_: Subject) -> bool:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        barrier.wait()
        with lock:
            running[0] -= 1
        return True

    result = run(AGate(look, tuple(f"s{n}" for n in range(3 * WORKERS))))
    assert len(result["one"]) == 3 * WORKERS
    assert most[0] == WORKERS


def test_progress_counts_every_subject_once() -> None:
    """The progress reaches the total, whatever the order."""
    calls: list[tuple[int, int]] = []
    run(AGate(lambda _: True, ("a", "b", "c")), on_done=lambda _, done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]
