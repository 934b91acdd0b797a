"""The state algebra (DESIGN §2): a four-element join-semilattice.

``pending`` and ``complete`` join to ``partial``; ``failed`` absorbs everything. The join is
commutative, associative and idempotent, so findings from many machines merge in any order.
Joining nothing is an error and never ``complete``.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce


class State(StrEnum):
    """What is known of one subject, one gate or a whole release."""

    PENDING = "pending"
    PARTIAL = "partial"
    COMPLETE = "complete"
    FAILED = "failed"


class NothingToJoin(ValueError):
    """Raised when a state is asked of no subjects: nothing observed is never a result."""


def join(left: State, right: State) -> State:
    """Return the least state that is at least as bad as both."""
    if left is right:
        return left
    if State.FAILED in (left, right):
        return State.FAILED
    return State.PARTIAL


def join_all(states: Iterable[State]) -> State:
    """Join one or more states; raise ``NothingToJoin`` for none."""
    collected = tuple(states)
    if not collected:
        raise NothingToJoin("a gate or plan with no subjects has no state")
    return reduce(join, collected)
