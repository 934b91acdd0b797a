"""A running transfer, for people who watch: nothing is decided by it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """``done`` of ``total`` bytes of ``name`` have gone; ``verb`` is "upload" or "download"."""

    verb: str
    name: str
    done: int
    total: int


OnTransfer = Callable[[Transfer], None]


def unwatched(transfer: Transfer) -> None:
    """Tell nobody."""
