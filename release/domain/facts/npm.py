"""Facts from an npm registry, and about packed tarballs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from release.domain.digests import Digest


@dataclass(frozen=True, kw_only=True)
class TreeEntry:
    """One entry of an unpacked package: path without ``package/``, permission bits, content hash."""

    path: str
    mode: int
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Tarball:
    """A package tarball, read without extracting: digests of the bytes, manifest, and entries by path."""

    integrity: Digest
    sha256: Digest
    size: int
    manifest: Mapping[str, object]
    tree: tuple[TreeEntry, ...]


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A tarball packed from a clean checkout of the commit: by which npm, and whether two packs agreed.

    ``differing`` lists paths that differ between the two packs. ``evidence`` is the record's id.
    """

    tarball: Tarball
    npm_version: str
    differing: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, kw_only=True)
class PackFailed:
    """npm refused to pack: its own words, redacted and bounded."""

    message: str


@dataclass(frozen=True, kw_only=True)
class NotPacked:
    """Nothing is packed: the package declares a build and no usable evidence is here.

    ``other`` says that there is evidence, but for another commit or policy.
    """

    other: bool


PackResult = Packed | PackFailed | NotPacked


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published version as the packument states it. ``git_head`` is a claim anyone can write."""

    name: str
    version: str
    integrity: Digest
    tarball_url: str
    git_head: str | None
    manifest: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Packument:
    """A package's document. ``versions`` are all published ones; ``times`` maps version → publish time (UTC).

    ``published`` is the asked-for version or None; ``unpublished`` says that the registry remembers it
    and no longer has it.
    """

    name: str
    versions: tuple[str, ...]
    times: Mapping[str, datetime]
    dist_tags: Mapping[str, str]
    published: Published | None
    unpublished: bool


@dataclass(frozen=True, kw_only=True)
class DistTagReads:
    """Consecutive reads of one dist-tag, oldest first; None where the tag did not exist."""

    tag: str
    reads: tuple[str | None, ...]
