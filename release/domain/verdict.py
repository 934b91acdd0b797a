"""A verdict: a reason, the sentence for people, and the command to type. A gate makes a finding of it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Verdict:
    """``reason`` is a catalogue code; ``next`` is the command to type, empty where there is none.

    ``until`` is when waiting turns into a failure, where that is known.
    """

    reason: str
    message: str
    next: str = ""
    until: datetime | None = None
