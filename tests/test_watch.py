"""The watch loop: looks again, says what changes, backs off, and ends; on a clock of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from release.domain.changes import Change, changes_between
from release.domain.decision import exit_code
from release.domain.errors import ReleaseError
from release.domain.finding import Finding
from release.domain.report import Budget, GateReport, Report
from release.domain.state import State, join_all
from release.watch import Ending, Rhythm, Watched, Watching, watch

START = datetime(2025, 1, 2, tzinfo=UTC)
RHYTHM = Rhythm(interval=timedelta(seconds=30), timeout=timedelta(hours=1))


def report(now: datetime, *reasons: str, until: datetime | None = None) -> Report:
    """A report of one gate with one subject a reason."""
    findings = tuple(
        Finding(gate="g", subject=f"s{n}", reason=code, message=code, observed_at=now, until=until)
        for n, code in enumerate(reasons)
    )
    state = join_all(finding.state for finding in findings)
    gates = (GateReport(name="g", claim="C.", required=True, state=state, findings=findings),)
    return Report(
        name="acme",
        version="1.0.0",
        tags=("v1.0.0",),
        commit="a" * 40,
        commit_source="",
        repository=None,
        state=state,
        exit=exit_code(state, gates),
        gates=gates,
        commits=(),
        next=(),
        budget=Budget(requests=0, not_modified=0, remaining=None),
        generated_at=now,
        deep=True,
    )


@dataclass
class World:
    """A release whose reasons are a function of how many seconds have passed."""

    reasons: Callable[[float], tuple[str, ...]]
    until: timedelta | None = None
    now: datetime = START
    looks: list[float] = field(default_factory=list)
    said: list[Change] = field(default_factory=list)

    def passed(self) -> float:
        """Seconds since the start."""
        return (self.now - START).total_seconds()

    def look(self) -> Report:
        """Look; a look takes two seconds."""
        self.looks.append(self.passed())
        until = START + self.until if self.until else None
        made = report(self.now, *self.reasons(self.passed()), until=until)
        self.now += timedelta(seconds=2)
        return made

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        assert seconds >= 0
        self.now += timedelta(seconds=seconds)

    def watch(self, rhythm: Rhythm = RHYTHM) -> Watched:
        """Watch this world."""
        return watch(
            Watching(
                look=self.look,
                now=lambda: self.now,
                sleep=self.sleep,
                on_change=self.said.append,
                rhythm=rhythm,
            )
        )


def test_a_complete_release_is_looked_at_once() -> None:
    """Nothing to wait for: one look, no line, exit 0."""
    world = World(lambda _: ("tag.agrees", "npm.identical"))
    watched = world.watch()
    assert (watched.ending, watched.looks, watched.report.exit) == (Ending.COMPLETE, 1, 0)
    assert world.said == []


def test_only_changes_are_said() -> None:
    """The first look says what is not complete, later ones what has another reason: old, new, message."""
    world = World(lambda t: ("tag.agrees", "npm.propagating" if t < 100 else "npm.identical"))
    assert world.watch().ending is Ending.COMPLETE
    lines = [(change.subject, change.before, change.after, change.state) for change in world.said]
    assert lines == [
        ("s1", None, "npm.propagating", State.PENDING),
        ("s1", "npm.propagating", "npm.identical", State.COMPLETE),
    ]
    assert world.said[1].message == "npm.identical"


def test_pauses_grow_while_nothing_changes_and_are_short_after_a_change() -> None:
    """Times 1.5 up to five minutes; back to the interval as soon as something changed."""
    world = World(lambda t: ("tag.absent",) if t < 1500 else ("npm.absent",))
    world.watch(replace(RHYTHM, timeout=timedelta(minutes=40)))
    pauses = [
        round(after - before - 2, 1) for before, after in zip(world.looks, world.looks[1:], strict=False)
    ]
    changed = next(index for index, at in enumerate(world.looks) if at >= 1500)
    assert pauses[:5] == [30, 45, 67.5, 101.2, 151.9]
    assert max(pauses) <= 300
    assert pauses[changed : changed + 2] == [30, 45]


def test_it_looks_right_when_a_window_ends() -> None:
    """A propagation window cuts the pause short; the past end of one does not."""
    world = World(
        lambda t: ("npm.propagating",) if t <= 400 else ("npm.not-visible",), until=timedelta(seconds=400)
    )
    assert world.watch().ending is Ending.FAILED
    assert world.looks[-1] == 401


def test_a_failure_ends_it_unless_told_to_keep_going() -> None:
    """A failure exits 1 at once; with keep-going one that is mended becomes complete."""

    def reasons(t: float) -> tuple[str, ...]:
        return ("check.failed",) if t < 60 else ("check.success",)

    world = World(reasons)
    watched = world.watch()
    assert (watched.ending, watched.looks, watched.report.exit) == (Ending.FAILED, 1, 1)
    again = World(reasons).watch(replace(RHYTHM, keep_going=True))
    assert (again.ending, again.report.exit) == (Ending.COMPLETE, 0)


@pytest.mark.parametrize(
    ("reasons", "code"),
    [
        (("tag.absent",), 3),
        (("tag.agrees", "npm.absent"), 2),
        (("git.unreachable", "tag.agrees"), 4),
        (("check.failed",), 1),
    ],
)
def test_when_time_is_up_the_last_report_decides(reasons: tuple[str, ...], code: int) -> None:
    """Timed out is not a verdict: the code is that of the last look, which is made when time is up."""
    world = World(lambda _: reasons)
    watched = world.watch(replace(RHYTHM, timeout=timedelta(minutes=10), keep_going=True))
    assert (watched.ending, watched.report.exit) == (Ending.TIMED_OUT, code)
    assert world.looks[-1] == 600


def test_what_could_not_be_looked_at_is_not_complete() -> None:
    """A cannot-tell beside complete subjects goes on being watched, and is never a success."""
    world = World(
        lambda t: ("git.unreachable", "npm.identical") if t < 50 else ("tag.agrees", "npm.identical")
    )
    assert world.watch().ending is Ending.COMPLETE
    assert len(world.looks) == 3


def test_an_error_of_the_call_ends_it() -> None:
    """What a look raises is not swallowed."""

    def look(_: float) -> tuple[str, ...]:
        raise ReleaseError("the evidence is malformed")

    with pytest.raises(ReleaseError, match="malformed"):
        World(look).watch()


def test_a_subject_that_is_gone_is_a_change() -> None:
    """A subject that is not looked at any more is said, too."""
    before, after = report(START, "tag.agrees", "tag.absent"), report(START, "tag.agrees")
    assert [(change.subject, change.after) for change in changes_between(before, after)] == [("s1", None)]
