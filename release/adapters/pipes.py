"""Reading a child's pipes to their end in bounded memory."""

import contextlib
import os
import threading
from collections.abc import Callable
from typing import IO

GRACE = 5.0
_CHUNK = 1 << 16


def opened(stream: IO[bytes] | None) -> IO[bytes]:
    """Return the pipe; a program that was started without it is a defect."""
    if stream is None:
        raise ValueError("the program was started without this pipe")
    return stream


class Drain:
    """Reads a pipe to its end in a thread, in bounded memory.

    Past ``limit`` bytes it calls ``stop`` and drops the rest; without a ``stop`` it keeps the last ones.
    """

    def __init__(self, pipe: IO[bytes] | None, limit: int, stop: Callable[[], None] | None) -> None:
        self._pipe, self._limit, self._stop = opened(pipe), limit, stop
        self._found = bytearray()
        self.overflowed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def result(self) -> bytes:
        """Wait for the end of the pipe and return what was read."""
        self._thread.join(GRACE)
        return bytes(self._found)

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._pipe:
            while chunk := os.read(self._pipe.fileno(), _CHUNK):
                self._keep(chunk)

    def _keep(self, chunk: bytes) -> None:
        if self.overflowed:
            return
        self._found += chunk
        if len(self._found) <= self._limit:
            return
        if self._stop is None:
            del self._found[: -self._limit]
            return
        self.overflowed = True
        self._stop()
