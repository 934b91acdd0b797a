"""What a reason is: a stable dotted code with the state it stands for and who must act."""

from dataclasses import dataclass
from enum import StrEnum

from release.domain.state import State


class Who(StrEnum):
    """Who must act for a finding to change (DESIGN §2)."""

    NOBODY = "nobody"
    WAIT = "wait"
    YOU = "you"
    APPROVER = "approver"
    CANNOT_TELL = "cannot-tell"


@dataclass(frozen=True)
class Reason:
    """One row of the catalogue. The code is API; the sentences are for people."""

    code: str
    state: State
    who: Who
    meaning: str
    cause: str
    remedy: str


def done(code: str, meaning: str) -> Reason:
    """A reason for ``complete``: positive evidence was seen."""
    return Reason(code, State.COMPLETE, Who.NOBODY, meaning, "Everything is as planned.", "Nothing to do.")


def todo(code: str, meaning: str, cause: str, remedy: str) -> Reason:
    """A reason for ``pending`` that the user's next command resolves."""
    return Reason(code, State.PENDING, Who.YOU, meaning, cause, remedy)


def waiting(code: str, meaning: str, cause: str, remedy: str) -> Reason:
    """A reason for ``pending`` that time resolves: propagation, or a running job."""
    return Reason(code, State.PENDING, Who.WAIT, meaning, cause, remedy)


def approval(code: str, meaning: str, cause: str, remedy: str) -> Reason:
    """A reason for ``pending`` that a person must resolve by approving."""
    return Reason(code, State.PENDING, Who.APPROVER, meaning, cause, remedy)


def unknown(code: str, meaning: str, cause: str, remedy: str) -> Reason:
    """A reason for ``pending`` because the world could not be observed: never a verdict."""
    return Reason(code, State.PENDING, Who.CANNOT_TELL, meaning, cause, remedy)


def wrong(code: str, meaning: str, cause: str, remedy: str) -> Reason:
    """A reason for ``failed``: positive evidence of a contradiction."""
    return Reason(code, State.FAILED, Who.YOU, meaning, cause, remedy)
