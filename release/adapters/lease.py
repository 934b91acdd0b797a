"""One writer per release over all machines: a lease in a git ref, taken by compare-and-swap (DESIGN §6).

A lease names its holder, an epoch that only grows, and when it expires. The holder renews it, and checks
it right before each write against the remote and against its own steady clock; a paused holder whose time
ran out writes nothing more, whatever the wall clock says. Nothing is deleted: releasing writes ``released``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from release.adapters.git.refs import Pushed, RefStore
from release.domain.errors import CannotTell, ReleaseError

FILE = "lease.json"
SCHEMA = "release-convergence/lease/v1"
TERM = timedelta(minutes=5)


class LeaseHeld(ReleaseError):
    """Another process is the one writer, or became it; nothing was written."""


@dataclass(frozen=True, kw_only=True)
class LeaseFacts:
    """What the lease ref holds. ``commit`` is the ref's own commit id."""

    commit: str
    holder: str
    epoch: int
    expires_at: datetime
    released: bool

    def is_free(self, now: datetime) -> bool:
        """Say whether somebody else may take it."""
        return self.released or self.expires_at <= now


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """``now`` is the wall clock (UTC); ``steady`` never jumps and goes on while the process is paused."""

    now: Callable[[], datetime]
    steady: Callable[[], float]


class Lease:
    """The lease on one ref. ``term`` is how long it lasts without renewal."""

    def __init__(self, refs: RefStore, ref: str, holder: str, clocks: Clocks, term: timedelta = TERM) -> None:
        self._refs, self._ref, self._holder = refs, ref, holder
        self._clocks, self._term = clocks, term
        self._mine: str | None = None
        self._epoch = 0
        self._until = 0.0

    def show(self) -> LeaseFacts | None:
        """Return what the remote says of the lease; None where nobody ever took it."""
        oid = self._refs.read(self._ref)
        if oid is None:
            return None
        self._refs.fetch(self._ref, oid)
        return _facts(oid, self._refs.load(oid, FILE))

    def take(self) -> None:
        """Become the one writer; raise ``LeaseHeld`` where somebody else is."""
        seen = self.show()
        if seen is not None and not seen.is_free(self._clocks.now()):
            raise LeaseHeld(
                f"{seen.holder} is converging this release, until {seen.expires_at:%H:%M:%S} UTC",
                fix="wait, or after it died: run again once the lease has expired",
            )
        self._write(seen.commit if seen else None, (seen.epoch if seen else 0) + 1, released=False)

    def check(self) -> None:
        """Return only while this process is the one writer; renew past half of the term."""
        left = self._until - self._clocks.steady()
        if self._mine is None or left <= 0:
            raise LeaseHeld("the lease expired while this process was busy or paused", fix="run it again")
        if self._refs.read(self._ref) != self._mine:
            self._mine = None
            raise LeaseHeld("somebody else took the lease over", fix="look with `release lease show`")
        if left < self._term.total_seconds() / 2:
            self._write(self._mine, self._epoch, released=False)

    def release(self) -> None:
        """Let others take it at once; harmless when it is not held any more."""
        if self._mine is not None and self._refs.read(self._ref) == self._mine:
            self._write(self._mine, self._epoch, released=True)
        self._mine = None

    def _write(self, old: str | None, epoch: int, *, released: bool) -> None:
        now, steady = self._clocks.now(), self._clocks.steady()
        content = {
            "schema": SCHEMA,
            "holder": self._holder,
            "epoch": epoch,
            "expires_at": (now + self._term).isoformat(),
            "released": released,
        }
        new = self._refs.commit({FILE: content}, old, f"lease epoch {epoch}", int(now.timestamp()))
        match self._refs.swap(self._ref, old, new):
            case Pushed.DONE:
                self._mine, self._epoch = new, epoch
                self._until = steady + self._term.total_seconds()
            case Pushed.LOST:
                self._mine = None
                raise LeaseHeld("somebody else took the lease first", fix="wait, and run it again")
            case Pushed.DENIED:
                raise ReleaseError(
                    f"the remote refused to store the lease {self._ref}",
                    fix="use a credential that may push to the repository",
                )
            case Pushed.UNKNOWN:
                raise CannotTell("git.unreachable", f"the lease {self._ref} could not be written")


def _facts(oid: str, content: object) -> LeaseFacts:
    if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
        raise CannotTell("git.bad-answer", f"{FILE} in commit {oid} is not a lease")
    holder, epoch = content.get("holder"), content.get("epoch")
    expires, released = content.get("expires_at"), content.get("released")
    if not isinstance(holder, str) or not isinstance(epoch, int) or not isinstance(expires, str):
        raise CannotTell("git.bad-answer", f"{FILE} in commit {oid} lacks holder, epoch or expires_at")
    try:
        until = datetime.fromisoformat(expires).astimezone(UTC)
    except ValueError as error:
        raise CannotTell("git.bad-answer", f"{FILE} in commit {oid}: expires_at is no time") from error
    return LeaseFacts(commit=oid, holder=holder, epoch=epoch, expires_at=until, released=released is True)
