"""What is said of one asset: id, state, size, digest, and what they should be."""

from release.domain.digests import Digest
from release.domain.facts.github import AssetFacts
from release.domain.identity import Content
from release.domain.wording import count, quote


def describe_asset(
    asset: AssetFacts, digest: Digest | None, right: Content | None, first: Digest | None
) -> str:
    """Return one clause; ``digest`` is what is known of the bytes, ``right`` what they are compared with."""
    shown = digest or "no digest known"
    text = f"{quote(asset.name)} (id {asset.id}, {asset.state}) has {count(asset.size, 'byte')}, {shown}"
    if first is not None and digest not in (None, first):
        return f"{text}; first seen with {first}"
    if right is None:
        return text
    if right.digest == digest and right.size in (None, asset.size):
        return f"{text}, as {right.source} says"
    size = "" if right.size is None else f"{count(right.size, 'byte')}, "
    return f"{text}; {right.source} says {size}{right.digest}"
