"""Hashing beside reading: a large body is hashed by threads of its own, so one core reads while others hash.

Bounded: at most a few chunks wait for each hash. Small bodies never start a thread.
"""

import hashlib
import threading
from queue import Queue

from release.domain.digests import Digest

_ALONE = 32 << 20
_WAITING = 3


class Hashes:
    """One running hash an algorithm, fed the same bytes; use it as a context manager."""

    def __init__(self, algorithms: tuple[str, ...]) -> None:
        self._lanes = tuple(_Lane(name) for name in algorithms)
        self._fed = 0

    def __enter__(self) -> "Hashes":
        return self

    def __exit__(self, *_: object) -> None:
        for lane in self._lanes:
            lane.finish()

    def update(self, data: bytes) -> None:
        """Feed the next bytes; waits where the hashes are behind."""
        self._fed += len(data)
        for lane in self._lanes:
            lane.feed(data, beside=self._fed > _ALONE)

    def digests(self) -> tuple[Digest, ...]:
        """Wait for all hashes and return their digests, in the order of the algorithms."""
        return tuple(lane.finish() for lane in self._lanes)


class _Lane:
    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._hash = hashlib.new(algorithm, usedforsecurity=False)
        self._queue: Queue[bytes] = Queue(_WAITING)
        self._thread: threading.Thread | None = None

    def feed(self, data: bytes, *, beside: bool) -> None:
        if self._thread is None and beside:
            self._thread = threading.Thread(target=self._work, name=f"hash-{self._algorithm}", daemon=True)
            self._thread.start()
        if self._thread is None:
            self._hash.update(data)
        else:
            self._queue.put(data)

    def finish(self) -> Digest:
        if self._thread is not None:
            self._queue.put(b"")
            self._thread.join()
            self._thread = None
        return Digest(self._algorithm, self._hash.hexdigest())

    def _work(self) -> None:
        while data := self._queue.get():
            self._hash.update(data)
