"""asset-upload: each expected asset is on the release, uploaded, with the bytes that were built; no others.

Binding: digest and size of evidence for this commit; without any, of a manifest that names this commit.
A checksum file or manifest without evidence is held against itself: other gates judge what it says.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from release.contract import Effect, Stage, found
from release.domain.asset_names import explained, rewritten
from release.domain.asset_text import describe_asset
from release.domain.digests import Digest
from release.domain.evidence import Kind
from release.domain.expected import LIMIT, by_build, by_manifest, by_sums, by_upload
from release.domain.facts.github import AssetFacts, Downloaded, ReleaseFacts
from release.domain.finding import Finding
from release.domain.holder import Holder, asset_named, describe, holder_of, is_whole
from release.domain.identity import Baseline, Content, Identity, Present, choose, classify, first_digest
from release.domain.plan import Asset, AssetKind, Plan, ReleaseSpec, Subject
from release.domain.wording import count, enumerate_names, quote
from release.ports import Read

NAME = "asset-upload"
CLAIM = "Each expected asset is on the release with size and digest of what was built, and nothing else is."
NEEDS: tuple[str, ...] = ("version-pr", "commit-checks", "evaluation", "binary-build")
STAGE = Stage.STAGE
EFFECT = Effect.REVERSIBLE
RECHECK = (
    "gh api 'repos/{repository}/releases' --paginate --jq '.[] | select(.tag_name == \"{tag}\") | .assets'"
)

PROCESSING = timedelta(minutes=15)
_SELF = (AssetKind.CHECKSUMS, AssetKind.MANIFEST)
_REASONS = {
    Identity.MISSING_IN_IMMUTABLE: "asset.missing-in-immutable",
    Identity.REMOVED: "asset.removed",
    Identity.ABSENT: "asset.absent",
    Identity.INTERRUPTED: "asset.upload-interrupted",
    Identity.EMPTY: "asset.empty",
    Identity.CHANGED_SINCE: "asset.changed-since",
    Identity.SIZE_DIFFERS: "asset.size-differs",
    Identity.DIGEST_DIFFERS: "asset.digest-differs",
    Identity.DIGEST_UNKNOWN: "asset.digest-unknown",
    Identity.NOT_COMPARED: "asset.not-compared",
    Identity.SAME: "asset.uploaded",
}


@dataclass(frozen=True, kw_only=True)
class SeenAsset:
    """The asset on the release that holds the tag's assets, and everything it is compared with.

    ``names`` are all names stored there; ``elsewhere`` the tag's other releases that hold a missing one;
    ``download`` is set where GitHub's own digest was not enough.
    """

    holder: Holder
    asset: AssetFacts | None
    names: tuple[str, ...]
    elsewhere: tuple[ReleaseFacts, ...]
    expected: tuple[Content, ...]
    first: Digest | None
    seen_before: bool
    download: Downloaded | None


@dataclass(frozen=True, kw_only=True)
class SeenNames:
    """All names stored on the release."""

    holder: Holder
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SeenNothing:
    """No release of the tag is visible."""

    drafts_visible: bool
    seen_before: bool


Seen = SeenAsset | SeenNames | SeenNothing


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per expected asset, and one per release for what is not expected."""
    several = len(plan.releases) > 1
    return tuple(subject for spec in plan.releases for subject in _of_release(plan, spec, several=several))


def observe(subject: Subject, read: Read) -> Seen:
    """Find the release that holds the assets, and look at the one asset, or at all names."""
    listing = read.forge().releases()
    holder = holder_of(listing, subject.detail)
    match subject.item, holder:
        case Asset() as item, None:
            first = read.evidence.find(Kind.FIRST_SEEN, item.ledger_name)
            return SeenNothing(drafts_visible=listing.drafts_visible, seen_before=bool(first))
        case _, None:
            return SeenNothing(drafts_visible=listing.drafts_visible, seen_before=False)
        case Asset() as item, Holder() as there:
            return _observe_asset(subject.plan, item, there, read)
        case _, Holder() as there:
            assets = read.forge().assets(there.release)
            return SeenNames(holder=there, names=tuple(one.name for one in assets))


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Apply the identity rule to the asset; an unexpected name is a contradiction."""
    match seen:
        case SeenNothing(seen_before=True, drafts_visible=True):
            text = f"{subject.name} was seen before, and its release is gone"
            return found(subject, "asset.removed", text, now)
        case SeenNothing(drafts_visible=False):
            text = f"nothing is published for {subject.detail}, and drafts cannot be seen"
            return found(subject, "release.drafts-not-visible", text, now)
        case SeenNothing():
            text = f"no release exists for {subject.detail}"
            return found(subject, "asset.no-release", text, now, next=subject.command("converge"))
        case SeenNames():
            return _judge_names(subject, seen, now)
        case SeenAsset():
            return _judge_asset(subject, seen, now)


def _of_release(plan: Plan, spec: ReleaseSpec, *, several: bool) -> tuple[Subject, ...]:
    def named(name: str, item: object, role: str) -> Subject:
        return Subject(gate=NAME, name=name, plan=plan, item=item, role=role, detail=spec.tag)

    assets = (
        named(f"{spec.tag}/{asset.name}" if several else asset.name, asset, "asset") for asset in spec.assets
    )
    rest = named(f"(unexpected) {spec.tag}" if several else "(unexpected)", spec, "unexpected")
    return (*assets, rest)


def _observe_asset(plan: Plan, item: Asset, holder: Holder, read: Read) -> SeenAsset:
    assets = read.forge().assets(holder.release)
    asset = asset_named(assets, item.name)
    first = read.evidence.find(Kind.FIRST_SEEN, item.ledger_name)
    expected = _expected(plan, item, assets, read)
    alone = item.kind in _SELF and not expected
    download = _download(asset, read, alone=alone)
    if download is not None and alone:
        own = Content(digest=download.digest("sha256"), size=download.size, source="its own download")
        expected = (own,)
    others = () if asset else holder.others
    return SeenAsset(
        holder=holder,
        asset=asset,
        names=tuple(one.name for one in assets),
        elsewhere=tuple(one for one in others if asset_named(read.forge().assets(one), item.name)),
        expected=expected,
        first=first_digest(first),
        seen_before=bool(first),
        download=download,
    )


def _expected(plan: Plan, item: Asset, assets: tuple[AssetFacts, ...], read: Read) -> tuple[Content, ...]:
    built = by_build(plan, read.evidence.find(Kind.BINARY_BUILD, item.name))
    known = built or by_upload(plan, item, read.evidence.find(Kind.ASSET_UPLOAD, item.name))
    source = {AssetKind.BINARY: AssetKind.MANIFEST, AssetKind.EXTRA: AssetKind.CHECKSUMS}.get(item.kind)
    spec = plan.release_of(item.tag)
    named = spec.asset(source) if source else None
    file = asset_named(assets, named.name) if named else None
    if known or file is None or not is_whole(file):
        return known
    body = read.forge().content(file, LIMIT)
    return by_manifest(plan, spec, item, body) if item.binary else by_sums(plan, item, file.name, body)


def _download(asset: AssetFacts | None, read: Read, *, alone: bool) -> Downloaded | None:
    """Download what GitHub states no digest of, and what nothing else vouches for."""
    if asset is None or not read.plan.deep or not is_whole(asset) or asset.size == 0:
        return None
    if asset.digest is not None and not alone:
        return None
    return read.forge().download(asset, read.plan.download_algorithms)


def _judge_names(subject: Subject, seen: SeenNames, now: datetime) -> Finding:
    spec = subject.plan.release_of(subject.detail)
    planned = {asset.name for asset in spec.assets}
    unknown = tuple(name for name in seen.names if name not in planned)
    missing = tuple(planned.difference(seen.names))
    unexpected = set(unknown) - explained(unknown, missing)
    reason = "asset.unexpected" if unexpected else "asset.none-unexpected"
    said = f"also {enumerate_names(unexpected)}" if unexpected else "all planned"
    text = f"{seen.holder.kind} holds {count(len(seen.names), 'asset')}, {said}{seen.holder.beside}"
    return found(subject, reason, text, now, evidence=(seen.holder.release.html_url,))


def _judge_missing(subject: Subject, seen: SeenAsset, now: datetime) -> Finding:
    name = _item(subject).name
    planned = {asset.name for asset in subject.plan.release_of(subject.detail).assets}
    stored = rewritten(name, tuple(one for one in seen.names if one not in planned))
    baseline = Baseline(seen_before=seen.seen_before, sealed=seen.holder.sealed)
    reason = _REASONS[classify(None, baseline)]
    text = f"{quote(name)} is not on {seen.holder.kind}"
    if stored is not None:
        reason, text = "asset.renamed", f"{text}, which holds {quote(stored)} instead"
    elif seen.elsewhere:
        published = not seen.holder.release.draft
        reason = "asset.in-other-draft" if reason == "asset.absent" and published else reason
        text = f"{text}; {', '.join(describe(one) for one in seen.elsewhere)} of the same tag holds it"
    else:
        text = f"{text}{seen.holder.beside}"
    command = subject.command("converge") if reason == "asset.absent" else ""
    return found(subject, reason, text, now, evidence=(seen.holder.release.html_url,), next=command)


def _judge_asset(subject: Subject, seen: SeenAsset, now: datetime) -> Finding:
    asset = seen.asset
    if asset is None:
        return _judge_missing(subject, seen, now)
    digest = seen.download.digest("sha256") if seen.download and asset.digest is None else asset.digest
    present = Present(digest=digest, size=asset.size, whole=is_whole(asset))
    baseline = Baseline(expected=seen.expected, first=seen.first, seen_before=seen.seen_before)
    identity = classify(present, baseline)
    reason = _REASONS[identity]
    if identity is Identity.INTERRUPTED and asset.state == "open" and now - asset.created_at < PROCESSING:
        reason = "asset.processing"
    if identity is Identity.NOT_COMPARED and _item(subject).kind in _SELF:
        reason = "asset.uploaded"
    right = choose(seen.expected, digest)
    evidence = (asset.url, *((right.evidence,) if right and right.evidence else ()))
    text = f"{describe_asset(asset, digest, right, seen.first)}{seen.holder.late(asset)}{seen.holder.beside}"
    return found(subject, reason, text, now, evidence=evidence, next=_next(subject, reason, seen.holder))


def _next(subject: Subject, reason: str, holder: Holder) -> str:
    match reason:
        case "asset.digest-unknown":
            return subject.command("status", "--deep")
        case "asset.upload-interrupted" if holder.release.draft:
            return subject.command("converge", "--discard-interrupted")
        case _:
            return ""


def _item(subject: Subject) -> Asset:
    match subject.item:
        case Asset() as item:
            return item
        case other:
            raise LookupError(f"{NAME} has no asset for {other!r}")
