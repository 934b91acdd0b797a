"""Stored answers that are always revalidated, never believed by themselves.

One file an entry, named by a hash of method, URL, Accept and credential; the first line is the SHA-256 of the
rest, so a torn or edited file reads as absent. Any failure to keep or find an entry only costs a request.
"""

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from release.adapters.http.model import Credential

_SUFFIX = ".answer"
_SCHEMA = "release-convergence/stored-answer/v1"
_KEPT = ("content-type", "link")


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One stored 200 answer; ``headers`` has lower-case names (``link`` and ``content-type`` matter)."""

    etag: str | None
    last_modified: str | None
    headers: Mapping[str, str]
    body: bytes

    def validators(self) -> dict[str, str]:
        """Return the request headers that let the server answer 304."""
        pairs = (("If-None-Match", self.etag), ("If-Modified-Since", self.last_modified))
        return {name: value for name, value in pairs if value}


def cache_key(method: str, url: str, accept: str, credential: Credential | None = None) -> str:
    """Return the key of a request, in hex. It reveals neither the URL nor the credential."""
    secret = credential.for_url(url).get("Authorization", "") if credential else ""
    hashed = hashlib.sha256(secret.encode()).hexdigest()
    parts = json.dumps([method.upper(), url, accept, hashed])
    return hashlib.sha256(parts.encode()).hexdigest()


def stored_from(headers: Mapping[str, str], body: bytes) -> Stored | None:
    """Return what to keep of a 200 answer (lower-case ``headers``), or None where it can't be revalidated."""
    etag, modified = headers.get("etag"), headers.get("last-modified")
    if not (etag or modified) or "no-store" in headers.get("cache-control", "").lower():
        return None
    kept = {name: headers[name] for name in _KEPT if name in headers}
    return Stored(etag=etag, last_modified=modified, headers=kept, body=body)


class EtagStore:
    """Entries under ``directory`` (made on the first put, mode 0700; files 0600); sizes in bytes.

    Safe for threads and processes: entries are written aside and renamed. Over ``capacity`` the entries
    that were written longest ago go; a body over ``largest`` is not kept.
    """

    def __init__(self, directory: Path, *, capacity: int = 256 << 20, largest: int = 8 << 20) -> None:
        self._directory = directory
        self._capacity = capacity
        self._largest = largest
        self._lock = threading.Lock()
        self._used: int | None = None

    def get(self, key: str) -> Stored | None:
        """Return the entry of ``key``, or None where there is none that is whole."""
        try:
            content = _read(self._directory / f"{key}{_SUFFIX}", self._largest + (1 << 20))
        except OSError:
            return None
        return _parse(content, key)

    def put(self, key: str, stored: Stored) -> None:
        """Keep ``stored`` under ``key``, replacing what was there; does nothing where that fails."""
        if len(stored.body) > self._largest:
            return
        content = _format(stored, key)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self._directory, f"{key}{_SUFFIX}", content)
        except OSError:
            return
        self._shrink(len(content))

    def _shrink(self, added: int) -> None:
        with self._lock:
            if self._used is not None:
                self._used += added
                if self._used <= self._capacity:
                    return
            self._used = _evict(self._directory, self._capacity)


def _format(stored: Stored, key: str) -> bytes:
    head = {
        "schema": _SCHEMA,
        "key": key,
        "etag": stored.etag,
        "last_modified": stored.last_modified,
        "headers": dict(stored.headers),
    }
    rest = json.dumps(head).encode() + b"\n" + stored.body
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _parse(content: bytes, key: str) -> Stored | None:
    checksum, _, rest = content.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != checksum:
        return None
    line, _, body = rest.partition(b"\n")
    try:
        match json.loads(line):
            case {
                "schema": str(schema),
                "key": str(of),
                "etag": (str() | None) as etag,
                "last_modified": (str() | None) as modified,
                "headers": dict(headers),
            } if schema == _SCHEMA and of == key:
                return Stored(etag=etag, last_modified=modified, headers=headers, body=body)
    except ValueError:
        return None
    return None


def _read(path: Path, limit: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)


def _write(directory: Path, name: str, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=directory, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(directory / name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _evict(directory: Path, capacity: int) -> int:
    """Delete the oldest entries (and what killed writers left) until 80 % of ``capacity`` is used."""
    found: list[tuple[float, int, Path]] = []
    for path in directory.iterdir():
        try:
            status = path.lstat()
        except OSError:
            continue
        found.append((status.st_mtime, status.st_size, path))
    used = sum(size for _, size, _ in found)
    if used <= capacity:
        return used
    for _, size, path in sorted(found):
        if used <= capacity * 8 // 10:
            break
        try:
            path.unlink(missing_ok=True)
        except OSError:
            continue
        used -= size
    return used
