"""A clean checkout without git's checkout: files written from verified objects.

No hook, filter, attribute or line-ending rule exists here. Files come first, links last, so that nothing is
written through a link; a link that leaves the folder is an error. The folder appears whole or not at all.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from release.adapters.git.objects import Entry, Objects
from release.adapters.git.tree import FILES, walk
from release.domain.errors import CannotTell, InputError

_LINK, _SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_SIZE = 1024
# Names that git itself refuses, also as case-insensitive and NTFS file systems would read them.
_FORBIDDEN = re.compile(r"\A(?:\.{0,2}|\.git[ .]*(?::.*)?|git~1)\Z", re.IGNORECASE)
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


@dataclass(frozen=True, kw_only=True)
class Export:
    """What was written: the folder, the tree's id, and what is not really in it.

    ``submodules`` and ``lfs_pointers`` are POSIX paths whose content is elsewhere.
    """

    path: Path
    tree: str
    submodules: tuple[str, ...]
    lfs_pointers: tuple[str, ...]


def export(objects: Objects, commit: str, destination: Path) -> Export:
    """Write the files of ``commit`` to ``destination``, dated as the commit.

    ``InputError`` where it exists or the tree is hostile; ``CannotTell`` where it can't be written.
    """
    if os.path.lexists(destination):
        raise InputError("the destination exists already", file=str(destination), fix="choose a new folder")
    found = objects.commit(commit)
    entries = tuple(walk(objects, found.tree))
    for path, entry in entries:
        _refuse_hostile(path, entry)
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".export-", dir=destination.parent))
        try:
            pointers = _write_all(objects, entries, folder, found.committed)
            folder.chmod(0o755)
            folder.rename(destination)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise CannotTell("tool.failed", f"{destination} cannot be written: {error}") from error
    submodules = tuple(path for path, entry in entries if entry.mode == _SUBMODULE)
    return Export(path=destination, tree=found.tree, submodules=submodules, lfs_pointers=pointers)


def _write_all(
    objects: Objects, entries: Iterable[tuple[str, Entry]], folder: Path, when: int
) -> tuple[str, ...]:
    pointers = []
    links = []
    for path, entry in entries:
        target = folder / path
        if entry.mode == _SUBMODULE:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == _LINK:
            links.append((path, objects.blob(entry.oid)))
            continue
        if _write_file(objects, entry, target, when):
            pointers.append(path)
    _link_all(folder, links)
    return tuple(pointers)


def _write_file(objects: Objects, entry: Entry, target: Path, when: int) -> bool:
    """Write one file; say whether it is only a pointer to Git LFS."""
    with target.open("xb") as out:
        kind = objects.copy(entry.oid, out.write)
    if kind != "blob":
        raise CannotTell("git.commit-missing", f"the file {entry.oid} is not in the repository")
    target.chmod(0o755 if entry.mode == _EXECUTABLE else 0o644)
    os.utime(target, (when, when))
    if target.stat().st_size >= _POINTER_SIZE:
        return False
    return target.read_bytes().startswith(_POINTER)


def _link_all(folder: Path, links: Iterable[tuple[str, bytes]]) -> None:
    made = []
    for path, content in links:
        text = content.decode("utf-8", "surrogateescape")
        if not text or "\0" in text or Path(text).is_absolute():
            raise _leaves(path, text)
        (folder / path).symlink_to(text)
        made.append((path, text))
    root = folder.resolve()
    for path, text in made:
        # Judged when all links are there: one may lead through another.
        if not Path(os.path.realpath(folder / path)).is_relative_to(root):
            raise _leaves(path, text)


def _leaves(path: str, target: str) -> InputError:
    return InputError(
        f"the link points outside the repository: {target!r}", place=path, fix="make it relative and inside"
    )


def _refuse_hostile(path: str, entry: Entry) -> None:
    if entry.mode not in (*FILES, _LINK, _SUBMODULE):
        raise InputError(f"the tree has an entry of unknown mode {entry.mode}", place=path)
    for name in path.split("/"):
        plain = _IGNORED_BY_HFS.sub("", name)
        if _FORBIDDEN.match(plain) or (os.name == "nt" and re.search(r'[\\:*?"<>|]', name)):
            raise InputError("the tree has a name that no checkout may have", place=path)
