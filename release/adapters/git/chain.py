"""A chain of commits, read whole: every commit, tree and blob is hashed again as it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from release.adapters.git.objects import Objects
from release.domain.errors import CannotTell

_FILE = "100644"
_LONGEST = 10_000


@dataclass(frozen=True, kw_only=True)
class Link:
    """One commit: its parents, committer's time, and the plain files of its tree by name.

    ``strange`` are the names of whatever else stands in the tree.
    """

    commit: str
    parents: tuple[str, ...]
    at: datetime
    files: Mapping[str, bytes]
    strange: tuple[str, ...]


def read_chain(git_dir: Path, head: str) -> tuple[Link, ...]:
    """Return the first-parent history of ``head``, oldest first; everything of it must be here."""
    objects = Objects(git_dir, lambda _: None)
    links: list[Link] = []
    oid: str | None = head
    try:
        while oid is not None:
            links.append(_link(objects, oid))
            oid = next(iter(links[-1].parents), None)
            if len(links) > _LONGEST:
                raise CannotTell("git.bad-answer", f"more than {_LONGEST} commits lead to {head}")
    finally:
        objects.close()
    return tuple(reversed(links))


def _link(objects: Objects, oid: str) -> Link:
    commit = objects.commit(oid)
    entries = objects.tree(commit.tree)
    return Link(
        commit=oid,
        parents=commit.parents,
        at=datetime.fromtimestamp(commit.committed, UTC),
        files={entry.name: objects.blob(entry.oid) for entry in entries if entry.mode == _FILE},
        strange=tuple(entry.name for entry in entries if entry.mode != _FILE),
    )
