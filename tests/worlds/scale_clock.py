"""`release` in a process of its own, whose writes are paced by a clock that only moves while it waits.

Run as a script: ``scale_clock.py RESULT COMMAND…``; RESULT gets the seconds at which each write was let
through, and the most memory that the process held, in MiB.
"""

import json
import sys
import threading
from collections import deque
from pathlib import Path

import release.assembly
from release.adapters.pacing import Pacer
from release.cli import main


class Clock:
    """Seconds that pass only in ``sleep``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0.0

    def read(self) -> float:
        """Return the time."""
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass; threads that wait at once wait side by side, so it never passes twice."""
        until = self.read() + seconds
        with self._lock:
            self._now = max(self._now, until)


class Slots(deque[float]):
    """The places that the pacing gives; ``given`` keeps those that have left its window, too."""

    given: list[float] = []  # noqa: RUF012 - one list for the one process

    def append(self, at: float) -> None:
        """Give one more place."""
        self.given.append(at)
        super().append(at)


class Noted(Pacer):
    """The product's pacing on the simulated clock."""

    def __init__(self, *_: object) -> None:
        clock = Clock()
        super().__init__(clock.read, clock.sleep)
        self._sent = Slots()


def most_memory() -> float:
    """Return the most memory that this program held, in MiB.

    Not ``ru_maxrss``: on Linux that begins with what the process held that started this one.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmHWM")


if __name__ == "__main__":
    release.assembly.Pacer = Noted
    code = main(sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps({"times": Slots.given, "memory": most_memory()}))
    sys.exit(code)
