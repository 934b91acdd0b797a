"""What an asset's bytes should be, by source: the build's evidence, the upload's, the release's own files.

A release's own file vouches for a binary only if it names this commit and version; evidence only if it is
for this commit and policy. Several contents from one source: builds that differ, each of this commit.
"""

from collections.abc import Iterable

from release.domain.binary_manifest import Manifest, parse_manifest
from release.domain.checksum_file import is_signature, parse_checksums
from release.domain.evidence import Evidence
from release.domain.identity import Content, contents
from release.domain.plan import Asset, AssetKind, Plan, ReleaseSpec

LIMIT = 8 * 1024 * 1024
"""The most bytes that are read of a checksum file or manifest."""


def stands_alone(plan: Plan, item: Asset) -> bool:
    """Say whether nothing of the release lists it: a checksum file, a manifest, a signature of an asset."""
    names = frozenset(asset.name for asset in plan.release_of(item.tag).assets)
    return item.kind in (AssetKind.CHECKSUMS, AssetKind.MANIFEST) or is_signature(item.name, names)


def by_build(plan: Plan, records: Iterable[Evidence]) -> tuple[Content, ...]:
    """Return what build evidence says of one file."""
    return contents(records, commit=plan.commit, policy=plan.policy, source="the build's evidence")


def by_upload(plan: Plan, item: Asset, records: Iterable[Evidence]) -> tuple[Content, ...]:
    """Return what the evidence of our own uploads says; several releases can hold one name."""
    ours = (record for record in records if record.data.get("tag", item.tag) == item.tag)
    return contents(ours, commit=plan.commit, policy=plan.policy, source="the upload's evidence")


def by_manifest(plan: Plan, spec: ReleaseSpec, item: Asset, body: bytes) -> tuple[Content, ...]:
    """Return what a manifest of this commit and version says; one of another release says nothing."""
    match parse_manifest(body):
        case Manifest(commit=plan.commit, version=spec.version) as manifest:
            row = manifest.asset(item.name)
            return (Content(digest=row.digest, size=row.size, source="the manifest"),) if row else ()
        case _:
            return ()


def by_sums(plan: Plan, item: Asset, file: str, body: bytes) -> tuple[Content, ...]:
    """Return what the checksum file says, where GitHub's digest can be compared with it."""
    entry = parse_checksums(body, plan.checksum_algorithm, file).entry(item.name)
    if entry is None or entry.digest.algorithm != "sha256":
        return ()
    return (Content(digest=entry.digest, size=None, source="the checksum file"),)
