"""Git objects by id, each hashed again as it is read: what comes back is what the id names.

One ``git cat-file --batch`` answers all questions of a run; replaced, grafted or corrupted objects can't
get past the hash. Thread-safe.
"""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from release.adapters.git.command import Setup
from release.adapters.process import Dialogue
from release.domain.digests import is_commit
from release.domain.errors import CannotTell, InputError

_CHUNK = 1 << 18
_LIMIT = 64 << 20
_KINDS = ("commit", "tree", "blob", "tag")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of a tree: ``mode`` as git writes it (``100644``), a name without ``/``, an object id."""

    mode: str
    name: str
    oid: str

    @property
    def is_tree(self) -> bool:
        """Say whether it is a folder."""
        return self.mode in ("40000", "040000")


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit's tree, parents in order, and committer's time in seconds since 1970 (UTC)."""

    tree: str
    parents: tuple[str, ...]
    committed: int


@dataclass(frozen=True)
class Found:
    """An object's kind and its content, which is empty where the reader took it piece by piece."""

    kind: str
    data: bytes = field(default=b"", repr=False)


class Objects:
    """The objects of one repository and its alternates; ``mend`` is called where one is missing."""

    def __init__(self, git_dir: Path, mend: Callable[[str], None]) -> None:
        self._setup = Setup(git_dir=git_dir)
        self._mend = mend
        self._lock = threading.Lock()
        self._dialogue: Dialogue | None = None
        self.commit = lru_cache(maxsize=4096)(self._commit)
        self.tree = lru_cache(maxsize=4096)(self._tree)

    def read(self, oid: str) -> Found | None:
        """Return the object, or None where it is not here; more than 64 MiB is ``CannotTell``."""
        parts: list[bytes] = []
        size = 0

        def take(chunk: bytes) -> None:
            nonlocal size
            size += len(chunk)
            if size <= _LIMIT:
                parts.append(chunk)

        kind = self.copy(oid, take)
        if kind is None:
            return None
        if size > _LIMIT:
            raise CannotTell("tool.failed", f"object {oid} has {size} bytes, more than can be read at once")
        return Found(kind, b"".join(parts))

    def copy(self, oid: str, take: Callable[[bytes], object]) -> str | None:
        """Give the object's content to ``take`` in pieces; return its kind, or None where it is not here.

        The hash is known only at the end: on ``CannotTell`` what was taken must be thrown away.
        """
        if not is_commit(oid):
            raise InputError(f"{oid!r} is not a full object id")
        with self._lock:
            if self._dialogue is None:
                self._dialogue = Dialogue(self._setup.command("cat-file", "--batch"))
            try:
                return _answer(self._dialogue, oid, take)
            except BaseException:
                # Half an answer is still in the pipe.
                self._dialogue.close()
                self._dialogue = None
                raise

    def close(self) -> None:
        """End the program; a later question starts another."""
        with self._lock:
            if self._dialogue is not None:
                self._dialogue.close()
                self._dialogue = None

    def _commit(self, oid: str) -> Commit:
        return parse_commit(oid, self._demand(oid, "commit"))

    def _tree(self, oid: str) -> tuple[Entry, ...]:
        return parse_tree(oid, self._demand(oid, "tree"))

    def blob(self, oid: str) -> bytes:
        """Return a file's content."""
        return self._demand(oid, "blob")

    def _demand(self, oid: str, kind: str) -> bytes:
        found = self.read(oid)
        if found is None:
            self._mend(oid)
            found = self.read(oid)
        if found is None:
            raise CannotTell("git.commit-missing", f"the {kind} {oid} is not in the repository")
        if found.kind != kind:
            raise CannotTell("git.bad-answer", f"{oid} is a {found.kind}, where a {kind} was expected")
        return found.data


def _answer(dialogue: Dialogue, oid: str, take: Callable[[bytes], object]) -> str | None:
    dialogue.ask(f"{oid}\n".encode("ascii"))
    header = dialogue.line().decode("utf-8", "replace").split(" ")
    match header:
        case [_, "missing"]:
            dialogue.done()
            return None
        case [said, kind, digits] if said == oid and kind in _KINDS and digits.isdecimal():
            size = int(digits)
        case _:
            raise CannotTell("tool.failed", f"git cat-file answered with {' '.join(header)!r:.80}")
    hasher = hashlib.new("sha1" if len(oid) == 40 else "sha256", usedforsecurity=len(oid) != 40)
    hasher.update(f"{kind} {size}\0".encode("ascii"))
    while size > 0:
        chunk = dialogue.exactly(min(size, _CHUNK))
        hasher.update(chunk)
        take(chunk)
        size -= len(chunk)
    dialogue.exactly(1)
    dialogue.done()
    if hasher.hexdigest() != oid:
        raise CannotTell("git.bad-answer", f"{kind} {oid} does not have the content that its id names")
    return kind


def _malformed(message: str) -> CannotTell:
    return CannotTell("git.bad-answer", message)


def parse_commit(oid: str, data: bytes) -> Commit:
    """Parse a commit's header; ``CannotTell`` where it is malformed."""
    head = data.partition(b"\n\n")[0].decode("utf-8", "surrogateescape").split("\n")
    fields = [(key, value) for key, _, value in (line.partition(" ") for line in head)]
    trees = [value for key, value in fields if key == "tree"]
    times = [value.rsplit(" ", 2)[-2] for key, value in fields if key == "committer" and value.count(" ") > 1]
    if len(trees) != 1 or len(times) != 1 or not times[0].isdecimal():
        raise _malformed(f"commit {oid} is malformed")
    parents = tuple(value for key, value in fields if key == "parent")
    return Commit(tree=trees[0], parents=parents, committed=int(times[0]))


def parse_tag(oid: str, data: bytes) -> tuple[str, str]:
    """Return the id and the kind of what a tag object points at; ``CannotTell`` where it is malformed."""
    lines = data.partition(b"\n\n")[0].decode("utf-8", "surrogateescape").split("\n")
    match [line.split(" ") for line in lines[:2]]:
        case [["object", target], ["type", kind]] if is_commit(target) and kind in _KINDS:
            return target, kind
        case _:
            raise _malformed(f"tag object {oid} is malformed")


def parse_tree(oid: str, data: bytes) -> tuple[Entry, ...]:
    """Parse a tree's entries; ``CannotTell`` where it is malformed or names one thing twice."""
    width = len(oid) // 2
    entries, position = [], 0
    while position < len(data):
        space = data.find(b" ", position)
        end = data.find(b"\0", space)
        if space < 0 or end < 0 or end + 1 + width > len(data):
            raise _malformed(f"tree {oid} is malformed")
        name = data[space + 1 : end].decode("utf-8", "surrogateescape")
        mode = data[position:space].decode("ascii", "replace")
        entries.append(Entry(mode=mode, name=name, oid=data[end + 1 : end + 1 + width].hex()))
        position = end + 1 + width
    if len({entry.name for entry in entries}) != len(entries):
        raise _malformed(f"tree {oid} has two entries with one name")
    return tuple(entries)
