"""The place where packages are packed: one clean checkout a survey, made on first use and removed at the end.

npm's home, cache and output lie beside the checkout and never in it, so that nothing that a pack makes is
packed by the next one.
"""

import shutil
import tempfile
import threading
from pathlib import Path
from typing import Protocol

from release.adapters.git.export import Export
from release.adapters.once import Once
from release.domain.errors import CannotTell, InputError

_MARK = "submodule-content-is-missing"


class Source(Protocol):
    """The canonical commit: the id of its tree, and a way to write its files into a new folder."""

    @property
    def tree_id(self) -> str:
        """The id of the commit's tree."""
        ...

    def export(self, destination: Path) -> Export:
        """Write the commit's files to ``destination``, which must not exist yet."""
        ...


class Workspace:
    """A temporary directory below ``directory`` (made if needed) that holds the checkout and npm's files."""

    def __init__(self, source: Source, directory: Path) -> None:
        self._source = source
        self._directory = directory
        self._lock = threading.Lock()
        self._root: Path | None = None
        self._export = Once(self._exported)

    @property
    def home(self) -> Path:
        """npm's own home."""
        return self._made("home")

    def output(self) -> Path:
        """Return a new empty directory for one pack's tarball."""
        return Path(tempfile.mkdtemp(dir=self._made("packed")))

    def checkout(self) -> Export:
        """Return the clean checkout; ``CannotTell`` where there can be none."""
        return self._export("checkout")

    def folder(self, path: str) -> Path:
        """Return the folder of the package at the POSIX ``path``, without .npmrc files from there to the top.

        ``CannotTell`` where the commit has no such folder inside.
        """
        top = self.checkout().path.resolve()
        folder = (top / path).resolve()
        if not folder.is_relative_to(top) or not folder.is_dir():
            raise CannotTell("tool.failed", f"the checkout has no folder {path}")
        for above in (folder, *folder.parents):
            if not above.is_relative_to(top):
                break
            settings = above / ".npmrc"
            if settings.is_file() or settings.is_symlink():
                settings.unlink(missing_ok=True)
        return folder

    def missing(self, path: str, packed: frozenset[str]) -> tuple[str, ...]:
        """Return which of the ``packed`` files of the package at ``path`` have their content elsewhere."""
        made = self.checkout()
        prefix = "" if path == "." else f"{path.rstrip('/')}/"
        elsewhere = (*made.lfs_pointers, *(f"{submodule}/{_MARK}" for submodule in made.submodules))
        inside = (name.removeprefix(prefix) for name in elsewhere if name.startswith(prefix))
        return tuple(sorted(name for name in inside if name in packed))

    def close(self) -> None:
        """Remove everything."""
        with self._lock:
            root, self._root = self._root, None
        if root is not None:
            shutil.rmtree(root, ignore_errors=True)

    def _exported(self, name: str) -> Export:
        try:
            made = self._source.export(self._base() / name)
        except InputError as error:
            raise CannotTell("tool.failed", f"the commit cannot be checked out: {error}") from error
        # An empty submodule folder would be packed as nothing at all, unseen: make it visible.
        for submodule in made.submodules:
            (made.path / submodule / _MARK).touch()
        return made

    def _base(self) -> Path:
        with self._lock:
            if self._root is None:
                try:
                    self._directory.mkdir(parents=True, exist_ok=True)
                    self._root = Path(tempfile.mkdtemp(prefix="pack-", dir=self._directory))
                except OSError as error:
                    text = f"{self._directory} cannot be used: {error.strerror}"
                    raise CannotTell("tool.failed", text) from error
            return self._root

    def _made(self, name: str) -> Path:
        made = self._base() / name
        made.mkdir(exist_ok=True)
        return made
