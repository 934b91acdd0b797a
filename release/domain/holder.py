"""Which release of a tag holds the assets: the published one, else the newest draft; the others are named.

More than one release for a tag is ambiguous (the github-release gate fails it); assets are still judged
where users get them, and missing ones are looked for in the others.
"""

from dataclasses import dataclass
from datetime import datetime

from release.domain.facts.github import AssetFacts, ReleaseFacts, ReleaseListing


@dataclass(frozen=True, kw_only=True)
class Holder:
    """The release whose assets are judged, and the tag's other releases and drafts."""

    release: ReleaseFacts
    others: tuple[ReleaseFacts, ...]

    @property
    def sealed(self) -> bool:
        """Published and immutable: no asset can be added any more."""
        return not self.release.draft and self.release.immutable is True

    @property
    def kind(self) -> str:
        """``draft 12`` or ``release 12``, for messages."""
        return describe(self.release)

    @property
    def beside(self) -> str:
        """A clause that names the other releases of the tag; empty where there are none."""
        if not self.others:
            return ""
        return f" (the tag also has {', '.join(describe(other) for other in self.others)})"

    def late(self, asset: AssetFacts) -> str:
        """Return a clause where the asset was uploaded after the release was published, else nothing."""
        published = self.release.published_at
        if published is None or self.release.draft or asset.created_at <= published:
            return ""
        return f"; uploaded at {asset.created_at:%Y-%m-%d %H:%M} UTC, after the release was published"


def describe(release: ReleaseFacts) -> str:
    """Return ``draft 12`` or ``release 12``: numeric ids, because names and tags are not unique."""
    return f"{'draft' if release.draft else 'release'} {release.id}"


def holder_of(listing: ReleaseListing, tag: str) -> Holder | None:
    """Return the release of ``tag`` that holds the assets, or None where the listing has none."""
    ordered = sorted(listing.of_tag(tag), key=_preference)
    if not ordered:
        return None
    return Holder(release=ordered[-1], others=tuple(ordered[:-1]))


def asset_named(assets: tuple[AssetFacts, ...], name: str) -> AssetFacts | None:
    """Return the asset with exactly this stored name, or None."""
    return next((asset for asset in assets if asset.name == name), None)


def is_whole(asset: AssetFacts) -> bool:
    """Say whether the asset's upload ended: only the state ``uploaded`` does."""
    return asset.state == "uploaded"


def _preference(release: ReleaseFacts) -> tuple[bool, datetime, int]:
    return not release.draft, release.created_at, release.id
