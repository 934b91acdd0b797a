"""asset-upload: each expected asset is on the release, uploaded, with the bytes that were built; no others.

Binding: digest and size of evidence for this commit; without any, of a manifest that names this commit.
A checksum file or manifest without evidence is held against itself: other gates judge what it says.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from release.contract import Effect, Refused, Stage, Write, found
from release.domain.action import ACCEPTED_HERE, ONE_RELEASE, Action, Order
from release.domain.asset_names import explained
from release.domain.asset_text import describe_asset
from release.domain.digests import Digest
from release.domain.evidence import Kind
from release.domain.expected import LIMIT, by_build, by_manifest, by_sums, by_upload, stands_alone
from release.domain.facts.github import AssetFacts, Downloaded
from release.domain.finding import Finding
from release.domain.first_seen import FirstSeen
from release.domain.holder import Holder, asset_named, holder_of, is_whole
from release.domain.identity import Baseline, Content, Identity, Present, choose, classify, first_digest
from release.domain.plan import Asset, AssetKind, Plan, ReleaseSpec, Subject
from release.domain.seen_assets import REASONS, SeenAsset, SeenNames, SeenNothing, explain_missing
from release.domain.wording import count, enumerate_names
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

ACTIONS: Mapping[str, Action] = {
    "asset.absent": Action(
        does="upload {subject}",
        where="GitHub",
        order=Order.STAGE,
        effect=Effect.REVERSIBLE,
        needs=(*NEEDS, "package-build", *ACCEPTED_HERE),
        unbroken=ONE_RELEASE,
    ),
    "asset.upload-interrupted": Action(
        does="discard the interrupted upload of {subject}, on the draft",
        where="GitHub",
        order=Order.STAGE,
        effect=Effect.REVERSIBLE,
        unbroken=ONE_RELEASE,
        unfinished=ONE_RELEASE,
        option="--discard-interrupted",
    ),
}

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


def follows(subject: Subject) -> tuple[str, ...]:  # noqa: ARG001 - the contract's own signature
    """Uploads do not wait for one another."""
    return ()


def act(subject: Subject, finding: Finding, write: Write) -> None:
    """Upload what was built, or discard an upload that never finished; nothing that is whole is touched."""
    seen = observe(subject, write.read)
    if judge(subject, seen, finding.observed_at).reason != finding.reason:
        return  # the world changed since the look: the next one decides
    match finding.reason, seen:
        case "asset.absent", SeenAsset(holder=Holder(others=())):
            _upload(_item(subject), seen, write)
        case (
            "asset.upload-interrupted",
            SeenAsset(asset=AssetFacts() as wreck, holder=Holder(release=draft, others=())),
        ) if write.discard_interrupted and draft.draft:
            write.forge().discard_interrupted(draft, wreck)
        case _:
            return  # which of several releases is meant must be settled first


def _upload(item: Asset, seen: SeenAsset, write: Write) -> None:
    file = write.files.find(item)
    if file is None:
        return  # preflight says so before anything is written
    digest = Digest("sha256", file.sha256)
    if seen.expected and digest not in {content.digest for content in seen.expected}:
        text = f"{file.path.name} here is {digest}, which is not what was built"
        raise Refused("asset.digest-differs", text)
    write.forge().upload(seen.holder.release, item, file)


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
    alone = stands_alone(plan, item) and not expected
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
    planned = frozenset(asset.name for asset in subject.plan.release_of(subject.detail).assets)
    reason, text = explain_missing(_item(subject).name, planned, seen)
    command = subject.command("converge") if reason == "asset.absent" else ""
    return found(subject, reason, text, now, evidence=(seen.holder.release.html_url,), next=command)


def _judge_asset(subject: Subject, seen: SeenAsset, now: datetime) -> Finding:
    asset = seen.asset
    if asset is None:
        return _judge_missing(subject, seen, now)
    digest = seen.download.digest("sha256") if seen.download and asset.digest is None else asset.digest
    present = Present(digest=digest, size=asset.size, whole=is_whole(asset))
    identity = classify(present, Baseline(expected=seen.expected, first=seen.first))
    reason = REASONS[identity]
    if asset.state == "open" and now - asset.created_at < PROCESSING:
        reason = "asset.processing"
    if identity is Identity.NOT_COMPARED and stands_alone(subject.plan, _item(subject)):
        reason = "asset.uploaded"
    right = choose(seen.expected, digest)
    evidence = (asset.url, *((right.evidence,) if right and right.evidence else ()))
    text = f"{describe_asset(asset, digest, right, seen.first)}{seen.holder.late(asset)}{seen.holder.beside}"
    fact = FirstSeen(key=_item(subject).ledger_name, digest=str(digest), at=now)
    return found(
        subject,
        reason,
        text,
        now,
        evidence=evidence,
        next=_next(subject, reason, seen.holder),
        seen=(fact,) if reason == "asset.uploaded" else (),
    )


def _next(subject: Subject, reason: str, holder: Holder) -> str:
    match reason:
        case "asset.digest-unknown":
            return subject.command("status", "--deep")
        case "asset.upload-interrupted" if holder.release.draft:
            return subject.command("converge", "--discard-interrupted")
        case _:
            return ""


def _item(subject: Subject) -> Asset:
    if isinstance(subject.item, Asset):
        return subject.item
    raise LookupError(f"{NAME} has no asset for {subject.item!r}")
