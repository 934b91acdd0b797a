"""Bytes that evidence speaks of (packed tarballs), named by their SHA-256 and checked on every read."""

import hashlib
from pathlib import Path
from typing import BinaryIO

from release.adapters.evidence_files import open_regular, promote, written_aside
from release.domain.digests import Digest
from release.domain.errors import InputError

_CHUNK = 1 << 20


class BlobStore:
    """Content-addressed files under ``root/blobs``; made on the first ``add``, never by reading."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def add(self, stream: BinaryIO) -> Digest:
        """Keep all bytes of ``stream`` and return their SHA-256; a no-op where they are kept already."""
        hashed = hashlib.sha256()
        with written_aside(self._root) as (file, temporary):
            while data := stream.read(_CHUNK):
                hashed.update(data)
                file.write(data)
            digest = Digest("sha256", hashed.hexdigest())
            # The same bytes under the same name: replacing them heals a damaged blob and changes no other.
            promote(file, temporary, self.path(digest))
        return digest

    def path(self, digest: Digest) -> Path:
        """Return where the blob is or would be, unchecked; raise ``InputError`` for other algorithms."""
        if digest.algorithm != "sha256":
            raise InputError(f"blobs are named by sha256, not {digest.algorithm}")
        return self._root / "blobs" / digest.hex

    def open(self, digest: Digest) -> BinaryIO | None:
        """Return the blob, verified and at its start, or None where it is not kept.

        Raises ``InputError`` where the bytes kept are not the digest's.
        """
        path = self.path(digest)
        if not path.exists() and not path.is_symlink():
            return None
        file = open_regular(path)
        hashed = hashlib.sha256()
        while data := file.read(_CHUNK):
            hashed.update(data)
        if hashed.hexdigest() != digest.hex:
            file.close()
            fix = "delete the file and make the evidence again"
            raise InputError("the bytes do not hash to the blob's name", file=str(path), fix=fix)
        file.seek(0)
        return file
