"""The way in for a writer: looked over once, then the lease; waiting for another ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from release.adapters.lease import LeaseHeld
from release.domain.errors import CannotTell, ReleaseError
from release.entrance import Before, Entrance, Patience


@dataclass
class FakeLease:
    """A lease that somebody else holds for ``busy`` seconds of waiting; ``calls`` is what was asked of it."""

    busy: float = 0.0
    waited: float = 0.0
    blind: bool = False
    term: timedelta = timedelta(minutes=2)
    calls: list[str] = field(default_factory=list)

    def take(self) -> None:
        self.calls.append("take")
        if self.waited < self.busy:
            raise LeaseHeld("acme-1:99 is converging this release (epoch 1)", fix="wait")

    def is_open(self) -> bool:
        if self.blind:
            raise CannotTell("git.unreachable", "no remote")
        return self.waited >= self.busy

    def check(self) -> None:
        self.calls.append("check")

    def release(self) -> None:
        self.calls.append("release")

    def sleep(self, seconds: float) -> None:
        self.waited += seconds


@dataclass
class Door:
    """An entrance, and what was said and done at it."""

    lease: Any
    said: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def open(self, limit: float, check: Callable[[tuple[Any, ...]], None] | None = None) -> Entrance:
        """Return the entrance."""
        before = Before(
            check=check or (lambda _: self.done.append("checked")), begin=lambda: self.done.append("begun")
        )
        patience = Patience(limit=limit, sleep=self.lease.sleep, say=self.said.append)
        return Entrance(lease=self.lease, before=before, patience=patience)


def test_one_check_then_the_lease_then_the_first_write() -> None:
    """Entering again costs nothing, and leaving gives the lease back."""
    door = Door(FakeLease())
    with door.open(0) as entrance:
        assert entrance.enter(())
        assert entrance.enter(())
        entrance.check()
    assert door.done == ["checked", "begun"]
    assert door.lease.calls == ["take", "check", "release"]


def test_who_never_enters_touches_nothing() -> None:
    """A converge with nothing to do takes no lease, and checks none."""
    door = Door(FakeLease())
    with door.open(0) as entrance:
        entrance.check()
    assert (door.lease.calls, door.done) == ([], [])


def test_a_problem_before_the_first_write_takes_no_lease() -> None:
    """What the check raises comes through, and the remote was not written to."""
    door = Door(FakeLease())

    def refuse(_: tuple[Any, ...]) -> None:
        raise ReleaseError("no token")

    with door.open(0, refuse) as entrance, pytest.raises(ReleaseError, match="no token"):
        entrance.enter(())
    assert (door.lease.calls, door.done) == ([], [])


def test_another_writer_is_waited_for_and_then_the_world_is_old() -> None:
    """Who holds it is said once; afterwards ``enter`` says that what was seen before is old."""
    door = Door(FakeLease(busy=20.0))
    with door.open(60) as entrance:
        assert not entrance.enter(())
        assert door.said == ["acme-1:99 is converging this release (epoch 1); waiting for it to end"]
        assert entrance.enter(())
    assert 20.0 <= door.lease.waited < 40.0
    assert door.done == ["checked", "begun"]


@pytest.mark.parametrize("blind", [False, True])
def test_waiting_has_an_end(blind: bool) -> None:
    """After ``--lease-wait`` it says who holds the lease; a remote that can't be asked is not free."""
    door = Door(FakeLease(busy=1000.0, blind=blind))
    with door.open(30) as entrance, pytest.raises(LeaseHeld, match="acme-1:99 is converging"):
        entrance.enter(())
    assert door.lease.waited == 30.0
    assert "begun" not in door.done
