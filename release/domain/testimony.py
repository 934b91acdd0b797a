"""What every witness says of an asset's bytes, heard in the order of how independent they are.

First evidence from outside the release, then what GitHub states, then the release's own checksum file and
manifest. The first contradiction is the answer; no contradiction is None, which is not yet a proof.
"""

from dataclasses import dataclass

from release.domain.binary_manifest import ManifestAsset
from release.domain.checksum_file import ChecksumFile
from release.domain.digests import Digest
from release.domain.facts.github import AssetFacts, Downloaded
from release.domain.identity import Content, choose
from release.domain.wording import count, quote

Verdict = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Bytes:
    """An asset as GitHub states it, and what was received: size and digests (none: not downloaded)."""

    asset: AssetFacts
    size: int | None = None
    digests: tuple[Digest, ...] = ()

    def digest(self, algorithm: str) -> Digest | None:
        """Return the digest of what was received, else of what GitHub states, else None."""
        known = (*self.digests, *((self.asset.digest,) if self.asset.digest else ()))
        return next((digest for digest in known if digest.algorithm == algorithm), None)

    @property
    def how(self) -> str:
        """Who says what the bytes are, for messages."""
        return "the download" if self.digests else "GitHub, not downloaded,"


def received(asset: AssetFacts, download: Downloaded | None) -> Bytes:
    """Return the asset with its download, where there is one."""
    if download is None:
        return Bytes(asset=asset)
    return Bytes(asset=asset, size=download.size, digests=download.digests)


def hear_outside(found: Bytes, built: tuple[Content, ...], first: Digest | None) -> Verdict | None:
    """Compare with evidence of the build or upload, and with what was first seen."""
    reason = "checksums.differs-from-build"
    if first is not None and _differ(first, found.digest(first.algorithm)):
        return reason, _contrast(found, first, "first seen was")
    right = choose(built, found.digest(built[0].digest.algorithm)) if built else None
    if right is not None and _differ(right.digest, found.digest(right.digest.algorithm)):
        return reason, _contrast(found, right.digest, f"{right.source} says")
    return None


def hear_github(found: Bytes) -> Verdict | None:
    """Compare what was received with what GitHub states of it."""
    asset = found.asset
    if found.size is not None and found.size != asset.size:
        text = f"{quote(asset.name)}: received {count(found.size, 'byte')}, GitHub states {asset.size}"
        return "checksums.size-differs", text
    if asset.digest is not None and _differ(asset.digest, found.digest(asset.digest.algorithm)):
        return "checksums.digest-differs", _contrast(found, asset.digest, "GitHub states")
    return None


def hear_sums(found: Bytes, sums: ChecksumFile, file: str) -> Verdict | None:
    """Compare with the checksum file's entry of exactly this name."""
    name = found.asset.name
    if (conflict := sums.conflict(name)) is not None:
        lines = ", ".join(map(str, conflict.lines))
        return "checksums.conflicting", f"{file} gives {quote(name)} different digests on lines {lines}"
    entry = sums.entry(name)
    if entry is None:
        return "checksums.not-listed", f"{file} does not list {quote(name)}"
    if _differ(entry.digest, found.digest(entry.digest.algorithm)):
        return "checksums.mismatch", _contrast(found, entry.digest, f"{file} says")
    return None


def hear_manifest(found: Bytes, row: ManifestAsset | None) -> Verdict | None:
    """Compare with the manifest's row, where the manifest has one."""
    if row is None:
        return None
    if _differ(row.digest, found.digest(row.digest.algorithm)):
        return "checksums.manifest-differs", _contrast(found, row.digest, "the manifest says")
    size = found.asset.size if found.size is None else found.size
    if row.size != size:
        text = f"{quote(found.asset.name)} has {count(size, 'byte')}, the manifest says {row.size}"
        return "checksums.manifest-differs", text
    return None


def _differ(stated: Digest, known: Digest | None) -> bool:
    return known is not None and known != stated


def _contrast(found: Bytes, stated: Digest, who: str) -> str:
    known = found.digest(stated.algorithm)
    return f"{quote(found.asset.name)}: {found.how} has {known}, {who} {stated}"
