"""One writer per release over all machines: a lease in a git ref, taken by compare-and-swap (DESIGN §6).

The holder checks it right before each write against the remote, its own steady clock and the wall clock: a
paused holder whose time ran out writes nothing more, and what is lost stays lost. Expiry is judged with a
margin on both sides: the holder stops a tenth of the term early, others wait a fifth longer, so clocks may
differ by that much; beyond it, looking at the ref still stops the earlier holder. Nothing is deleted.
"""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from release.adapters.git.refs import Pushed, RefStore
from release.adapters.lease_record import FILE, decode, encode
from release.domain.errors import CannotTell, ReleaseError
from release.domain.lease import MARGIN, LeaseFacts

TERM = timedelta(minutes=2)
_GUARD = 10


class LeaseHeld(ReleaseError):
    """Another process is the one writer, or became it; nothing was written."""


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """``now`` is the wall clock (UTC); ``steady`` never jumps and goes on while the process is paused."""

    now: Callable[[], datetime]
    steady: Callable[[], float]


@dataclass(frozen=True)
class _Deadline:
    """Until when one of our commits holds, on both clocks."""

    steady: float
    wall: datetime


class Lease:
    """The lease on one ref. ``term`` is how long it lasts without renewal. Thread-safe."""

    def __init__(self, refs: RefStore, ref: str, holder: str, clocks: Clocks, term: timedelta = TERM) -> None:
        self._refs, self._ref, self._holder = refs, ref, holder
        self._clocks, self.term = clocks, term
        self._lock = threading.RLock()
        self._mine: LeaseFacts | None = None
        self._written: dict[str, tuple[LeaseFacts, _Deadline]] = {}
        self._still: tuple[str, float] = ("", 0.0)

    def show(self) -> LeaseFacts | None:
        """Return what the remote says of the lease; None where nobody ever took it."""
        oid = self._refs.read(self._ref)
        if oid is None:
            return None
        self._refs.fetch(self._ref, oid)
        return decode(oid, self._refs.load(oid, FILE))

    def is_open(self) -> bool:
        """Say whether somebody may take it now."""
        seen = self.show()
        return seen is None or self._is_free(seen)

    def take(self) -> None:
        """Become the one writer; raise ``LeaseHeld`` where somebody else is."""
        seen = self.show()
        with self._lock:
            if seen is not None and seen.commit in self._written:
                self._mine = self._written[seen.commit][0]  # an earlier push of ours did arrive
                return
            if seen is not None and not self._is_free(seen):
                raise LeaseHeld(
                    f"{seen.holder} is converging this release (epoch {seen.epoch})",
                    fix=f"wait; if that process died, the lease is free at {seen.free_at:%H:%M:%S} UTC "
                    "(`release lease show`)",
                )
            facts = LeaseFacts(
                commit="",
                holder=self._holder,
                epoch=(seen.epoch if seen else 0) + 1,
                term=self.term,
                expires_at=self._clocks.now(),
                released=False,
            )
            self._mine = self._store(seen, facts)

    def check(self) -> None:
        """Return only while this process is the one writer; renew past half of the term."""
        with self._lock:
            self._demand_time()
            seen = self._refs.read(self._ref)
            if seen not in self._written:
                raise self._lost("somebody else took the lease over", "look with `release lease show`")
            self._mine = self._written[seen][0]
            left = self._demand_time()
            if left < self.term.total_seconds() / 2:
                self._renew(self._mine)

    def release(self) -> None:
        """Let others take it at once; harmless, and without a write, when it is not held any more."""
        with self._lock:
            try:
                self.check()
                if self._mine is not None:
                    self._store(self._mine, replace(self._mine, released=True))
            except LeaseHeld:
                return
            finally:
                self._mine = None

    def free(self, seen: LeaseFacts) -> None:
        """Write ``released`` over somebody's lease; the holder's next check fails. Two never act.

        Raises ``LeaseHeld`` where it moved since it was ``seen``.
        """
        self._store(seen, replace(seen, holder=self._holder, epoch=seen.epoch + 1, released=True))

    def _is_free(self, seen: LeaseFacts) -> bool:
        """Free by its expiry; or because it stood still for so long, whatever its holder's clock said."""
        steady = self._clocks.steady()
        if self._still[0] != seen.commit:
            self._still = (seen.commit, steady)
        waited = timedelta(seconds=steady - self._still[1])
        return seen.is_free(self._clocks.now()) or waited >= seen.term + seen.term / MARGIN

    def _renew(self, mine: LeaseFacts) -> None:
        """Renew; where the remote did not store it, the rest of the term still holds."""
        try:
            self._mine = self._store(mine, mine)
        except LeaseHeld:
            self._mine = None
            raise
        except (CannotTell, ReleaseError):
            return

    def _store(self, old: LeaseFacts | None, facts: LeaseFacts) -> LeaseFacts:
        """Write ``facts``, with a new expiry unless released, over ``old``; return what is stored."""
        now, steady = self._clocks.now(), self._clocks.steady()
        fresh = facts if facts.released else replace(facts, expires_at=now + self.term)
        content = encode(fresh, secrets.token_hex(16))
        parent = old.commit if old else None
        commit = self._refs.commit(
            {FILE: content}, parent, f"lease epoch {facts.epoch}", int(now.timestamp())
        )
        stored, guard = replace(fresh, commit=commit), self.term / _GUARD
        if not fresh.released:
            length = (self.term - guard).total_seconds()
            # before the push: one whose outcome stays unknown may still turn out to be ours
            self._written[commit] = (stored, _Deadline(steady + length, fresh.expires_at - guard))
        match self._refs.swap(self._ref, parent, commit):
            case Pushed.DONE:
                return stored
            case Pushed.LOST:
                raise LeaseHeld("somebody else took the lease first", fix="wait, and run it again")
            case Pushed.DENIED:
                raise ReleaseError(
                    f"{self._refs.location.shown} refused to store the lease {self._ref}",
                    fix="use a credential that may push to the repository; nothing acts without the lease",
                )
            case Pushed.UNKNOWN:
                raise CannotTell("git.unreachable", f"whether the lease {self._ref} was stored is not known")

    def _demand_time(self) -> float:
        """Return the seconds that are left; raise where none are."""
        if self._mine is None:
            raise self._lost("the lease is not held any more", "run it again")
        deadline = self._written[self._mine.commit][1]
        left = min(
            deadline.steady - self._clocks.steady(), (deadline.wall - self._clocks.now()).total_seconds()
        )
        if left <= 0:
            raise self._lost("the lease expired while this process was busy or paused", "run it again")
        return left

    def _lost(self, message: str, fix: str) -> LeaseHeld:
        self._mine = None
        return LeaseHeld(message, fix=fix)


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """Take the lease, renew it in the background while a long write runs, and release it at the end."""
    lease.take()
    over = threading.Event()
    beat = threading.Thread(target=_renew_until, args=(lease, over), name="lease", daemon=True)
    beat.start()
    try:
        yield lease
    finally:
        over.set()
        beat.join()
        with suppress(CannotTell, ReleaseError):
            lease.release()


def _renew_until(lease: Lease, over: threading.Event) -> None:
    while not over.wait(lease.term.total_seconds() / 4):
        try:
            lease.check()
        except LeaseHeld:
            return  # lost for good: the next check says so to the writer
        except CannotTell:
            continue
