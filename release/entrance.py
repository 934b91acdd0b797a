"""The way in for a writer: looked over first, then the lease, and both only when there is something to do.

A converge that finds nothing to do never takes the lease and writes nothing. Where somebody else holds it,
this waits, and then looks at the world again: the other may have finished the release.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from release.adapters.lease import Lease, LeaseHeld, held
from release.domain.action import Step
from release.domain.errors import CannotTell

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0


@dataclass(frozen=True, kw_only=True)
class Before:
    """What happens once: ``check(steps)`` raises where the run must not begin; ``begin`` writes first."""

    check: Callable[[tuple[Step, ...]], None]
    begin: Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Patience:
    """For how many seconds in all to wait for another writer, and who is told of it."""

    limit: float
    sleep: Callable[[float], None]
    say: Callable[[str], None]


@dataclass
class Entrance:
    """The fence of one converge (``release.converge.Fence``); use it in ``with``."""

    lease: Lease
    before: Before
    patience: Patience
    _stack: ExitStack = field(default_factory=ExitStack)
    _checked: bool = False
    _inside: bool = False
    _waited: float = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def enter(self, steps: tuple[Step, ...]) -> bool:
        """Become the one writer; False where this waited for another, so that what was seen is old.

        Raises ``ReleaseError`` with every problem that must be mended first, and ``LeaseHeld`` where waiting
        is over.
        """
        if self._inside:
            return True
        if not self._checked:
            self.before.check(steps)
            self._checked = True
        try:
            self._stack.enter_context(held(self.lease))
        except LeaseHeld as busy:
            self._wait(busy)
            return False
        self._inside = True
        self.before.begin()
        return True

    def check(self) -> None:
        """Return only while this process is the one writer; one that never entered has nothing to lose."""
        if self._inside:
            self.lease.check()

    def _wait(self, busy: LeaseHeld) -> None:
        """Return when the lease looks free, or moved on; raise ``busy`` when the patience is used up."""
        self.patience.say(f"{busy.problems[0].message}; waiting for it to end")
        pause = _FIRST_PAUSE
        while self._waited < self.patience.limit:
            step = min(pause, self.patience.limit - self._waited)
            self.patience.sleep(step)
            self._waited += step
            pause = min(pause * 2, _LONGEST_PAUSE)
            if self._is_free():
                return
        raise busy

    def _is_free(self) -> bool:
        try:
            return self.lease.is_open()
        except CannotTell:
            return False
