"""One commit's files, tree and date, from git objects and never from a working tree."""

from functools import cached_property
from pathlib import Path

from release.adapters.git import tree
from release.adapters.git.export import Export, export
from release.adapters.git.objects import Objects
from release.adapters.git.store import Store


class Source:
    """The port ``SourceTree`` at ``commit``; ``CannotTell`` git.commit-missing where it is nowhere."""

    def __init__(self, store: Store, commit: str) -> None:
        self.store, self.commit = store, commit

    @cached_property
    def objects(self) -> Objects:
        """The objects, after the commit itself is known to be among them."""
        self.store.require(self.commit)
        return self.store.objects(self.commit)

    @property
    def tree_id(self) -> str:
        """The id of the commit's tree."""
        return self.objects.commit(self.commit).tree

    @property
    def commit_date(self) -> int:
        """The committer's time in seconds since 1970 (UTC), for SOURCE_DATE_EPOCH."""
        return self.objects.commit(self.commit).committed

    @property
    def parent(self) -> str | None:
        """The first parent, or None for a root commit."""
        return next(iter(self.objects.commit(self.commit).parents), None)

    def read(self, path: str) -> bytes | None:
        """Return the file at the POSIX ``path``, or None where the commit has no such file."""
        return self._read(self.commit, path)

    def read_parent(self, path: str) -> bytes | None:
        """Return the file at ``path`` in the first parent; None where there is no parent or no file."""
        return self._read(self.parent, path) if self.parent else None

    def export(self, destination: Path) -> Export:
        """Write the commit's files to ``destination``, which must not exist yet."""
        return export(self.objects, self.commit, destination)

    def _read(self, commit: str, path: str) -> bytes | None:
        entry = tree.find(self.objects, self.objects.commit(commit).tree, path)
        if entry is None or entry.mode not in tree.FILES:
            return None
        return self.objects.blob(entry.oid)
