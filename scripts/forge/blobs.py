"""Bytes that can be served many times: from memory, or from a file of any size.

A blob never changes. Its digest is computed once, when somebody asks for it.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BufferedIOBase
from pathlib import Path

CHUNK = 1 << 20


@dataclass(frozen=True)
class Blob:
    """Immutable bytes; ``source`` is the bytes themselves or a file that nobody changes."""

    source: bytes | Path

    @cached_property
    def size(self) -> int:
        """The length in bytes."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """The digest as ``sha256:HEX``."""
        digest = hashlib.sha256()
        for chunk in self.chunks():
            digest.update(chunk)
        return f"sha256:{digest.hexdigest()}"

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in pieces of at most 1 MiB."""
        if isinstance(self.source, bytes):
            for start in range(0, len(self.source), CHUNK):
                yield self.source[start : start + CHUNK]
            return
        with self.source.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def read(self) -> bytes:
        """Return all bytes; meant for small blobs."""
        return self.source if isinstance(self.source, bytes) else self.source.read_bytes()


def spool(stream: BufferedIOBase, size: int, folder: Path) -> Blob:
    """Read ``size`` bytes from ``stream`` into a new file in ``folder``; raise ``ConnectionError`` if cut."""
    handle, name = tempfile.mkstemp(dir=folder, prefix="upload-")
    digest, left = hashlib.sha256(), size
    with os.fdopen(handle, "wb") as file:
        while left:
            chunk = stream.read(min(CHUNK, left))
            if not chunk:
                Path(name).unlink()
                raise ConnectionError("the client stopped sending")
            file.write(chunk)
            digest.update(chunk)
            left -= len(chunk)
    blob = Blob(Path(name))
    blob.__dict__["sha256"] = f"sha256:{digest.hexdigest()}"
    return blob
