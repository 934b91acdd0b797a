"""A finding: what one look at one subject showed, why, who must act and what to type next.

State and ``who`` are not chosen by a gate: they belong to the reason (``release.domain.reasons``), so
one code can never mean two things.
"""

from dataclasses import dataclass
from datetime import datetime

from release.domain.first_seen import FirstSeen
from release.domain.reasons import Who, reason_of
from release.domain.state import State


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What one channel says about the commit: a full commit id, or None where it does not say."""

    channel: str
    commit: str | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One judged observation. ``message`` is for people; ``reason`` is the stable code (API).

    ``commit`` is the commit that the subject itself shows (None: it does not say); ``evidence`` names
    what the judgement rests on (``sha256:…`` of evidence records, URLs, object ids); ``next`` is the
    command to type, empty where there is nothing to do; ``seen`` are facts for the ledger;
    ``until`` is when waiting turns into a failure, where that is known.
    """

    gate: str
    subject: str
    reason: str
    message: str
    observed_at: datetime
    commit: str | None = None
    evidence: tuple[str, ...] = ()
    next: str = ""
    claims: tuple[Claim, ...] = ()
    seen: tuple[FirstSeen, ...] = ()
    waiver: str | None = None
    until: datetime | None = None

    @property
    def state(self) -> State:
        """The state that the reason stands for."""
        return reason_of(self.reason).state

    @property
    def who(self) -> Who:
        """Who must act for this to change."""
        return reason_of(self.reason).who
