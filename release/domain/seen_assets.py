"""What one look at a release's assets shows; facts for the asset-upload gate."""

from dataclasses import dataclass

from release.domain.asset_names import rewritten
from release.domain.digests import Digest
from release.domain.facts.github import AssetFacts, Downloaded, ReleaseFacts
from release.domain.holder import Holder, describe
from release.domain.identity import Baseline, Content, Identity, classify
from release.domain.wording import quote

REASONS = {
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


def explain_missing(name: str, planned: frozenset[str], seen: SeenAsset) -> tuple[str, str]:
    """Return (reason, sentence) for an asset that is not on the release that holds the tag's assets.

    ``planned`` are the names of all assets of the release: what is planned is no rewritten form of another.
    """
    stored = rewritten(name, tuple(one for one in seen.names if one not in planned))
    baseline = Baseline(seen_before=seen.seen_before, sealed=seen.holder.sealed)
    reason = REASONS[classify(None, baseline)]
    text = f"{quote(name)} is not on {seen.holder.kind}"
    if stored is not None:
        return "asset.renamed", f"{text}, which holds {quote(stored)} instead"
    if not seen.elsewhere:
        return reason, f"{text}{seen.holder.beside}"
    if reason == "asset.absent" and not seen.holder.release.draft:
        reason = "asset.in-other-draft"
    return reason, f"{text}; {', '.join(describe(one) for one in seen.elsewhere)} of the same tag holds it"
