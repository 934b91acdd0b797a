"""checksums: every asset, downloaded anew, is what the checksum file, the manifest and the build say.

Binding: digests of the bytes that users get, against evidence from outside the release first; the release's
own files agree with each other even when all of them were replaced. GitHub's digest alone proves nothing.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from release.contract import Effect, Stage, found
from release.domain.binary_manifest import Manifest, ManifestAsset, parse_manifest
from release.domain.checksum_file import ChecksumFile, is_signature, parse_checksums
from release.domain.coverage import Published, judge_coverage
from release.domain.digests import Digest
from release.domain.evidence import Kind
from release.domain.expected import LIMIT, by_build, by_upload
from release.domain.facts.github import AssetFacts, Downloaded
from release.domain.finding import Finding
from release.domain.holder import Holder, asset_named, holder_of, is_whole
from release.domain.identity import Content, choose, first_digest
from release.domain.plan import Asset, AssetKind, Plan, Subject
from release.domain.testimony import (
    Bytes,
    Verdict,
    hear_github,
    hear_manifest,
    hear_outside,
    hear_sums,
    received,
)
from release.domain.wording import quote
from release.ports import Read

NAME = "checksums"
CLAIM = (
    "Every asset, downloaded anew, equals the checksum file, the manifest and the build; nothing is unlisted."
)
NEEDS: tuple[str, ...] = ("asset-upload",)
STAGE = Stage.STAGE
EFFECT = Effect.READ_ONLY
RECHECK = "gh release download {tag} --repo {repository} && sha256sum --check --strict SHA256SUMS"


@dataclass(frozen=True, kw_only=True)
class SeenAsset:
    """One asset, its download (None when shallow), and everything that says what its bytes are.

    ``sums`` is the parsed checksum file (None: not there), ``row`` the manifest's, ``built`` evidence.
    """

    holder: Holder
    asset: AssetFacts | None
    download: Downloaded | None
    sums: ChecksumFile | None
    row: ManifestAsset | None
    built: tuple[Content, ...]
    first: Digest | None


@dataclass(frozen=True, kw_only=True)
class SeenFile:
    """The checksum file: what the API says of it, its bytes, what it lists, and all stored names."""

    holder: Holder
    asset: AssetFacts | None
    body: bytes
    sums: ChecksumFile
    names: tuple[str, ...]
    built: tuple[Content, ...]
    first: Digest | None


@dataclass(frozen=True, kw_only=True)
class SeenNothing:
    """No release of the tag is visible."""

    drafts_visible: bool


Seen = SeenAsset | SeenFile | SeenNothing


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """Per release with a checksum file: that file, and each asset that it must list."""
    several = len(plan.releases) > 1
    return tuple(
        Subject(
            gate=NAME,
            name=f"{spec.tag}/{asset.name}" if several else asset.name,
            plan=plan,
            item=asset,
            role="file" if asset is file else "asset",
            detail=file.name,
        )
        for spec in plan.releases
        if (file := spec.asset(AssetKind.CHECKSUMS)) is not None
        for names in [frozenset(asset.name for asset in spec.assets)]
        for asset in spec.assets
        if not is_signature(asset.name, names)
    )


def observe(subject: Subject, read: Read) -> Seen:
    """Download the asset anew (deep), and read the release's own files and the evidence from outside."""
    item = _item(subject)
    listing = read.forge().releases()
    holder = holder_of(listing, item.tag)
    if holder is None:
        return SeenNothing(drafts_visible=listing.drafts_visible)
    assets = read.forge().assets(holder.release)
    built = by_build(subject.plan, read.evidence.find(Kind.BINARY_BUILD, item.name))
    built = built or by_upload(subject.plan, item, read.evidence.find(Kind.ASSET_UPLOAD, item.name))
    first = first_digest(read.evidence.find(Kind.FIRST_SEEN, item.ledger_name))
    body = _body(assets, subject.detail, read)
    sums = parse_checksums(body or b"", subject.plan.checksum_algorithm, subject.detail)
    asset = asset_named(assets, item.name)
    if subject.role == "file":
        return SeenFile(
            holder=holder,
            asset=asset,
            body=body or b"",
            sums=sums,
            names=tuple(one.name for one in assets),
            built=built,
            first=first,
        )
    return SeenAsset(
        holder=holder,
        asset=asset,
        download=_download(subject.plan, asset, read),
        sums=None if body is None else sums,
        row=_row(subject.plan, item, assets, read),
        built=built,
        first=first,
    )


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Evidence from outside the release is heard first, then the API, then the release's own files."""
    match seen:
        case SeenNothing(drafts_visible=False):
            text = f"nothing is published for {_item(subject).tag}, and drafts cannot be seen"
            return found(subject, "release.drafts-not-visible", text, now)
        case SeenNothing():
            text = f"no release exists for {_item(subject).tag}"
            return found(subject, "checksums.no-release", text, now, next=subject.command("converge"))
        case SeenAsset() | SeenFile():
            return _judge_there(subject, seen, now)


def _judge_there(subject: Subject, seen: SeenAsset | SeenFile, now: datetime) -> Finding:
    asset = seen.asset
    if asset is None:
        reason = "checksums.file-absent" if subject.role == "file" else "checksums.asset-absent"
        text = f"{quote(_item(subject).name)} is not on {seen.holder.kind}{seen.holder.beside}"
        return found(subject, reason, text, now, next=subject.command("converge"))
    match seen:
        case SeenAsset():
            there = received(asset, seen.download)
            reason, text = _judge_asset(subject, seen, there)
        case SeenFile():
            digest = Digest("sha256", hashlib.sha256(seen.body).hexdigest())
            there = Bytes(asset=asset, size=len(seen.body), digests=(digest,))
            reason, text = _judge_file(subject, seen, there)
    right = choose(seen.built, there.digest("sha256"))
    evidence = (asset.url, *((right.evidence,) if right else ()))
    command = subject.command("status", "--deep") if reason == "checksums.not-downloaded" else ""
    return found(subject, reason, text, now, evidence=evidence, next=command)


def _judge_asset(subject: Subject, seen: SeenAsset, found: Bytes) -> Verdict:
    name = quote(found.asset.name)
    if not is_whole(found.asset):
        return "checksums.asset-absent", f"{name} is not uploaded: its state is {found.asset.state}"
    if contradiction := hear_outside(found, seen.built, seen.first) or hear_github(found):
        return contradiction
    if seen.sums is None:
        return "checksums.file-absent", f"{subject.detail} is not on {seen.holder.kind}"
    if contradiction := hear_sums(found, seen.sums, subject.detail) or hear_manifest(found, seen.row):
        return contradiction
    if seen.download is None:
        return "checksums.not-downloaded", f"{name}: nothing contradicts {subject.detail}; not downloaded"
    witnesses = (
        subject.detail,
        *(("the manifest",) if seen.row else ()),
        *(one.source for one in seen.built[:1]),
    )
    text = f"{name} was downloaded: {found.digest('sha256')}, as said by {', '.join(witnesses)}"
    return "checksums.verified", text


def _judge_file(subject: Subject, seen: SeenFile, found: Bytes) -> Verdict:
    asset = found.asset
    if not is_whole(asset):
        return "checksums.file-absent", f"{quote(asset.name)} is not uploaded: its state is {asset.state}"
    if contradiction := hear_outside(found, seen.built, seen.first) or hear_github(found):
        return contradiction
    spec = subject.plan.release_of(_item(subject).tag)
    published = Published(
        file=asset.name,
        planned=frozenset(one.name for one in spec.assets),
        stored=frozenset(seen.names),
        version=spec.version,
    )
    reason, text = judge_coverage(seen.sums, published)
    if reason == "checksums.file-exact" and not subject.plan.deep:
        return "checksums.not-downloaded", f"{text}; no asset was downloaded"
    return reason, text


def _body(assets: tuple[AssetFacts, ...], name: str, read: Read) -> bytes | None:
    asset = asset_named(assets, name)
    return read.forge().content(asset, LIMIT) if asset is not None and is_whole(asset) else None


def _row(plan: Plan, item: Asset, assets: tuple[AssetFacts, ...], read: Read) -> ManifestAsset | None:
    file = plan.release_of(item.tag).asset(AssetKind.MANIFEST)
    body = _body(assets, file.name, read) if file is not None else None
    match parse_manifest(body) if body is not None else None:
        case Manifest() as manifest:
            return manifest.asset(item.name)
        case _:
            return None


def _download(plan: Plan, asset: AssetFacts | None, read: Read) -> Downloaded | None:
    if asset is None or not plan.deep or not is_whole(asset):
        return None
    return read.forge().download(asset, plan.download_algorithms)


def _item(subject: Subject) -> Asset:
    match subject.item:
        case Asset() as item:
            return item
        case other:
            raise LookupError(f"{NAME} has no asset for {other!r}")
