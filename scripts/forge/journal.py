"""What was asked and what was changed: every request, and every write with the digests before and after.

What a builder puts into the world directly is no write.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request. ``status`` is None where the connection was cut instead of answered.

    ``path`` holds the query too. ``headers`` has lower-case names and never the credential itself. ``began``
    and ``ended`` are seconds of the monotonic clock: the request was read, the answer's header is ready.
    """

    number: int
    host: str
    method: str
    path: str
    status: int | None
    conditional: bool
    authorized: bool
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    began: float = 0.0
    ended: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Write:
    """One change through the API. ``name`` is ``TAG/ASSET``, a tag or a ref."""

    what: str
    repo: str
    name: str
    before: str | None = None
    after: str | None = None


class Journal:
    """Thread-safe lists of requests and writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: list[Asked] = []
        self._writes: list[Write] = []

    def ask(self, asked: Asked) -> None:
        """Append a request; its number is set here."""
        with self._lock:
            values = {**asked.__dict__, "number": len(self._asked) + 1}
            self._asked.append(Asked(**values))

    def write(self, write: Write) -> None:
        """Append a write."""
        with self._lock:
            self._writes.append(write)

    @property
    def requests(self) -> tuple[Asked, ...]:
        """All requests so far, in the order in which they were answered."""
        with self._lock:
            return tuple(self._asked)

    @property
    def writes(self) -> tuple[Write, ...]:
        """All writes so far."""
        with self._lock:
            return tuple(self._writes)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._asked.clear()
            self._writes.clear()


def losses(writes: Iterable[Write]) -> list[str]:
    """Return one sentence for each name whose bytes were changed or thrown away through the API.

    Deleting an asset without bytes (an interrupted upload) loses nothing.
    """
    seen: dict[tuple[str, str], str] = {}
    found: list[str] = []
    for write in writes:
        key = (write.repo, write.name)
        for digest in (write.before, write.after):
            if digest is not None and seen.setdefault(key, digest) != digest:
                found.append(f"{write.repo}: {write.name} was {seen[key]} and became {digest} ({write.what})")
        if write.what == "asset.delete" and write.before is not None:
            found.append(f"{write.repo}: {write.name} with {write.before} was deleted")
        if write.what in ("release.delete", "asset.rename"):
            found.append(f"{write.repo}: {write.name}: {write.what}")
    return found
