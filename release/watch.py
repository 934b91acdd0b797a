"""Look at a release again and again until it is complete, failed, or time is up (DESIGN §6).

Nothing is believed from an earlier look. While nothing changes the pauses grow; when a window ends in which
waiting may help, it looks right then. Pure but for what it is given: a look, a clock and a way to sleep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from release.domain.changes import Change, changes_between
from release.domain.report import Report
from release.domain.state import State
from release.options import OnProgress

GROWTH = 1.5
LONGEST = timedelta(minutes=5)
AFTER_A_WINDOW = timedelta(seconds=1)


class Ending(StrEnum):
    """Why watching ended."""

    COMPLETE = "complete"
    FAILED = "failed"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, kw_only=True)
class Rhythm:
    """``interval`` is the shortest pause; ``keep_going`` goes on after a failure, as some are mended."""

    interval: timedelta
    timeout: timedelta
    keep_going: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Who is told of a change, and of progress within one look."""

    on_change: Callable[[Change], None]
    on_progress: OnProgress


@dataclass(frozen=True, kw_only=True)
class Watching:
    """One watch: how to look, the clock (UTC), how to sleep (seconds), whom to tell, and the rhythm."""

    look: Callable[[], Report]
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    on_change: Callable[[Change], None]
    rhythm: Rhythm


@dataclass(frozen=True, kw_only=True)
class Watched:
    """The last report, why it was the last, and how many looks there were."""

    report: Report
    ending: Ending
    looks: int


def watch(work: Watching) -> Watched:
    """Watch to the end; whatever a look raises ends it, too."""
    end = work.now() + work.rhythm.timeout
    pause, before, looks = work.rhythm.interval, None, 0
    while True:
        report = work.look()
        looks += 1
        changes = changes_between(before, report)
        for change in changes:
            work.on_change(change)
        ending = _ending(report, work.rhythm, work.now() >= end)
        if ending is not None:
            return Watched(report=report, ending=ending, looks=looks)
        # the first look changes nothing: it is what later ones are compared with
        pause = _next_pause(pause, work.rhythm.interval, is_quiet=before is not None and not changes)
        work.sleep(_until_next(report, pause, work.now(), end).total_seconds())
        before = report


def _ending(report: Report, rhythm: Rhythm, is_over: bool) -> Ending | None:
    # complete, and everything that counts could be looked at
    if report.exit == 0:
        return Ending.COMPLETE
    if report.state is State.FAILED and not rhythm.keep_going:
        return Ending.FAILED
    return Ending.TIMED_OUT if is_over else None


def _next_pause(pause: timedelta, interval: timedelta, *, is_quiet: bool) -> timedelta:
    return min(pause * GROWTH, max(LONGEST, interval)) if is_quiet else interval


def _until_next(report: Report, pause: timedelta, now: datetime, end: datetime) -> timedelta:
    """The pause, cut short by the end of a propagation window or of the watch."""
    windows = (finding.until for gate in report.gates for finding in gate.findings if finding.until)
    moments = [until + AFTER_A_WINDOW for until in windows if until + AFTER_A_WINDOW > now]
    return max(timedelta(0), min((pause, end - now, *(moment - now for moment in moments))))
