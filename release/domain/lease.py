"""What a lease says: who is the one writer of a release, and until when (DESIGN §6)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

MARGIN = 5
"""A lease is free to others a fifth of its term after it expired: that much may two clocks differ."""


@dataclass(frozen=True, kw_only=True)
class LeaseFacts:
    """What the lease ref holds. ``commit`` is the ref's own commit id; ``epoch`` only grows."""

    commit: str
    holder: str
    epoch: int
    term: timedelta
    expires_at: datetime
    released: bool

    @property
    def free_at(self) -> datetime:
        """When others may take it, if it is neither renewed nor released before."""
        return self.expires_at + self.term / MARGIN

    def is_free(self, now: datetime) -> bool:
        """Say whether somebody else may take it."""
        return self.released or self.free_at <= now
