"""A tarball that is here as a file: hashed and read in one pass each, nothing extracted."""

import hashlib
from typing import BinaryIO

from release.adapters.npm.archive import read_archive
from release.domain.digests import Digest
from release.domain.facts.npm import Tarball

_CHUNK = 1 << 20


def read_tarball(file: BinaryIO) -> Tarball:
    """Read the whole file from its start; ``integrity`` is SHA-512. Raises ``InputError``."""
    file.seek(0)
    sha512, sha256, size = hashlib.sha512(), hashlib.sha256(), 0
    while chunk := file.read(_CHUNK):
        sha512.update(chunk)
        sha256.update(chunk)
        size += len(chunk)
    file.seek(0)
    contents = read_archive(file)
    return Tarball(
        integrity=Digest("sha512", sha512.hexdigest()),
        sha256=Digest("sha256", sha256.hexdigest()),
        size=size,
        manifest=contents.manifest,
        tree=contents.tree,
    )
