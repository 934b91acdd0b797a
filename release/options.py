"""What a command line asks for, as values; shared by the command line and the composition root."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from release.domain.errors import UsageError
from release.domain.transfer import OnTransfer, unwatched

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, kw_only=True)
class Options:
    """One call. ``config`` None: the nearest release.toml upward from ``cwd``; ``gates`` empty: all.

    ``selector`` is the TAG or VERSION as typed; ``evidence`` are directories of records from elsewhere;
    ``dist`` holds artifacts to upload. ``acting`` says that the call converges; ``wait`` is for how many
    seconds in all it may wait for what time resolves, ``lease_wait`` for another writer to end.
    """

    cwd: Path
    selector: str | None = None
    config: Path | None = None
    commit: str | None = None
    gates: tuple[str, ...] = ()
    deep: bool = True
    evidence: tuple[Path, ...] = ()
    dist: Path | None = None
    acting: bool = False
    discard_interrupted: bool = False
    until: str | None = None
    wait: float = 0.0
    lease_wait: float = 600.0
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_transfer: OnTransfer = unwatched


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One subject of ``gate`` was looked at: ``done`` of the ``total`` subjects of all gates so far."""

    gate: str
    subject: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]


def seconds(text: str) -> float:
    """Return the seconds of ``30s``, ``10m`` or ``1h``; raise ``UsageError``."""
    match = re.fullmatch(r"(\d{1,6})([smh])", text)
    if match is None:
        raise UsageError(f"{text!r} is not a time", fix="write it like 30s, 10m or 1h")
    return int(match[1]) * _UNITS[match[2]]
