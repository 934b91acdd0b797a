"""Reads request logs: which requests depend on which, and how long the longest such chain is.

A request depends on another where its address, or the wish to send it, comes from the other's answer. That
is known by design and written down here; the log says which of these requests were really sent.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One request as its server saw it; times are seconds of the monotonic clock."""

    server: str
    path: str
    status: int | None
    conditional: bool
    began: float
    ended: float


# kind: (what its path looks like, the kind that it depends on); the first that matches counts
_KINDS: dict[str, tuple[str, str | None]] = {
    "bytes": (r"^/release-assets/", "asset"),
    "asset": (r"^/repos/[^/]+/[^/]+/releases/assets/\d+$", "assets"),
    "assets": (r"/releases/\d+/assets\?", "releases"),
    "latest": (r"/releases/latest$", None),
    "releases": (r"/releases\?", None),
    "check-runs": (r"/check-runs\?", None),
    "statuses": (r"/statuses\?", None),
    "pulls": (r"/pulls\?", None),
    "repository": (r"^/repos/[^/]+/[^/]+$", None),
    "tarball": (r"/-/.+\.tgz$", "packument"),
    "packument": (r"^/(@[^/]+(/|%2[fF]))?[^/]+$", None),
}


def kind_of(path: str) -> str:
    """Return what is asked for; raise ``LookupError`` for an unknown path: it may be part of a chain."""
    for kind, (pattern, _) in _KINDS.items():
        if re.search(pattern, path):
            return kind
    raise LookupError(f"chains.py does not know {path}")


def longest_chain(sent: Iterable[Sent]) -> tuple[str, ...]:
    """Return the kinds along the longest chain of dependent requests that were sent.

    Pages of one list depend on each other, and a second read of one address follows the first by intent.
    """
    paths = Counter(one.path for one in sent)
    lengths: Counter[str] = Counter()
    for path, times in paths.items():
        kind = kind_of(path)
        repeats = times if kind == "packument" else 1
        lengths[kind] = max(lengths[kind], repeats)
    for kind in ("assets", "releases", "check-runs", "statuses"):
        lengths[kind] = len({path for path in paths if kind_of(path) == kind})
    chains = (_chain(kind, lengths) for kind in lengths if lengths[kind])
    return max(chains, key=len, default=())


def span(sent: Iterable[Sent]) -> float:
    """Return the seconds from the first request to the last answer."""
    known = tuple(sent)
    return max(one.ended for one in known) - min(one.began for one in known)


def in_sequence(sent: Iterable[Sent]) -> int:
    """Return the most requests that came one after another, for whatever reason: an upper bound of chains."""
    count, free = 0, float("-inf")
    for one in sorted(sent, key=lambda one: one.ended):
        if one.began >= free:
            count, free = count + 1, one.ended
    return count


def _chain(kind: str, lengths: Counter[str]) -> tuple[str, ...]:
    _, before = _KINDS[kind]
    earlier = _chain(before, lengths) if before is not None and lengths[before] else ()
    # only the first read of a document is needed to know a tarball's address
    needed = earlier[:1] if kind == "tarball" else earlier
    return (*needed, *(kind for _ in range(lengths[kind])))
