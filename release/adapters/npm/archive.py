"""An npm tarball, read without extracting anything: entries hashed as they stream past, within bounds.

Nothing is written, so a hostile name is only a name: what npm would not install as a file under this path
(links, devices, names that leave the package, repeated paths) is listed with a mark that no packed file can
have, and so always shows as a difference. What cannot be read to its end is ``InputError``.
"""

import gzip
import hashlib
import io
import json
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from release.domain.errors import InputError
from release.domain.facts.npm import TreeEntry

_CHUNK = 1 << 20
_MANIFEST = "package.json"
_MANIFEST_LIMIT = 16 << 20


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What an archive may unpack to: bytes in total (headers and padding too), and entries."""

    size: int = 2 << 30
    entries: int = 200_000


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What is inside: package.json (empty where there is none, or it is no object) and sorted entries."""

    manifest: dict[str, object]
    tree: tuple[TreeEntry, ...]


class _Bounded(io.RawIOBase):
    """Counts what comes out of the decompressor, and stops a bomb."""

    def __init__(self, source: gzip.GzipFile, limit: int) -> None:
        self._source = source
        self._left = limit

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._source.read(_CHUNK if size < 0 else size)
        self._left -= len(chunk)
        if self._left < 0:
            raise InputError("the archive unpacks to more than is allowed")
        return chunk


def read_archive(file: BinaryIO, bounds: Bounds | None = None) -> Contents:
    """Read a gzipped tar from ``file``'s position to its end; raise ``InputError``."""
    allowed = bounds or Bounds()
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as unzipped:
            source = _Bounded(unzipped, allowed.size)
            contents = _contents(source, allowed)
            # The end of the tar is not the end of the file: the gzip trailer proves that nothing was cut off.
            while source.read(_CHUNK):
                pass
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        raise InputError(f"the archive cannot be read: {error}") from error
    return contents


def _contents(source: _Bounded, bounds: Bounds) -> Contents:
    manifest: dict[str, object] = {}
    tree: dict[str, TreeEntry] = {}
    with tarfile.open(fileobj=source, mode="r|", errorlevel=2) as archive:
        for count, member in enumerate(archive, 1):
            if count > bounds.entries:
                raise InputError(f"the archive has more than {bounds.entries} entries")
            if member.isdir():
                continue
            path = _unique(_path(member), tree)
            body = b""
            if path == _MANIFEST:
                body = _bounded_body(archive, member)
                manifest = _object(body)
                tree[path] = _entry(path, member, iter((body,)))
            else:
                tree[path] = _entry(path, member, _chunks(archive, member))
    return Contents(manifest=manifest, tree=tuple(sorted(tree.values(), key=lambda entry: entry.path)))


def _path(member: tarfile.TarInfo) -> str:
    """Drop the first component (``package/`` or any other, as npm does); mark what is not a plain file."""
    name = member.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    first, slash, rest = name.partition("/")
    if not first or not slash or not rest or ".." in rest.split("/"):
        return f"{name} (outside the package)"
    if member.issym() or member.islnk():
        return f"{rest} (link to {member.linkname!r})"
    if not member.isreg():
        return f"{rest} (not a file)"
    return rest


def _unique(path: str, tree: dict[str, TreeEntry]) -> str:
    number = 2
    wanted = path
    while path in tree:
        path, number = f"{wanted} (entry {number})", number + 1
    return path


def _entry(path: str, member: tarfile.TarInfo, chunks: Iterator[bytes]) -> TreeEntry:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
    return TreeEntry(path=path, mode=member.mode & 0o7777, size=size, sha256=digest.hexdigest())


def _chunks(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    if not member.isreg():
        return
    file = archive.extractfile(member)
    while file is not None and (chunk := file.read(_CHUNK)):
        yield chunk


def _bounded_body(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.size > _MANIFEST_LIMIT:
        raise InputError(f"{_MANIFEST} in the archive is larger than {_MANIFEST_LIMIT} bytes")
    return b"".join(_chunks(archive, member))


def _object(body: bytes) -> dict[str, object]:
    try:
        parsed = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
