"""Where GitHub's ``latest`` must point: by policy, and by version, never by date of creation.

AUTO: at the highest stable version of the tag's family (the same text around the version). GitHub has one
``latest`` for the whole repository, so where tags are per package another package's release may hold it.
"""

from dataclasses import dataclass

from release.domain.facts.github import ReleaseFacts
from release.domain.plan import Latest, ReleaseSpec
from release.domain.versions import Precedence, precedence

Verdict = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The planned release, every published one, and the one that GitHub calls latest."""

    spec: ReleaseSpec
    published: tuple[ReleaseFacts, ...]
    latest: ReleaseFacts | None
    per_package: bool

    @property
    def own(self) -> ReleaseFacts | None:
        """The planned release, where it is published."""
        return next((one for one in self.published if one.tag_name == self.spec.tag), None)

    @property
    def shown(self) -> str:
        """What latest points at, for messages."""
        return self.latest.tag_name if self.latest else "nothing"


def judge_latest(standing: Standing) -> Verdict:
    """Return (reason, sentence, the tag to mark as latest or empty)."""
    tag = standing.spec.tag
    if standing.own is None:
        return "release.latest-pending", f"{tag} is not published; latest is {standing.shown}", ""
    held = standing.latest is not None and standing.latest.tag_name == tag
    match standing.spec.latest:
        case Latest.YES if not held:
            return _differs(standing, tag)
        case Latest.NO if held:
            return "release.latest-differs", f"latest is {tag}, and the plan says that it must not be", ""
        case Latest.YES | Latest.NO:
            return _agrees(standing)
        case Latest.AUTO:
            return _judge_auto(standing)


def make_latest(spec: ReleaseSpec, published: tuple[ReleaseFacts, ...]) -> bool:
    """Say whether publishing the release must make it GitHub's latest."""
    match spec.latest:
        case Latest.YES:
            return True
        case Latest.NO:
            return False
        case Latest.AUTO:
            return not spec.prerelease and _would_lead(spec, published)


def _would_lead(spec: ReleaseSpec, published: tuple[ReleaseFacts, ...]) -> bool:
    planned = precedence(spec.version)
    if planned is None:
        return True  # without an order by version, what is published now is the newest
    ranked = _ranked(Standing(spec=spec, published=published, latest=None, per_package=False))
    return planned.stable and (not ranked or planned >= ranked[-1][0])


def _judge_auto(standing: Standing) -> Verdict:
    planned = precedence(standing.spec.version)
    if planned is None:
        return _judge_unordered(standing)
    ranked = _ranked(standing)
    if standing.latest is None:
        return _differs(standing, ranked[-1][1]) if ranked else _agrees(standing)
    latest = _key(standing.spec, standing.latest.tag_name)
    if latest is None and standing.per_package:
        return _agrees(standing)
    if not ranked or latest is None or standing.latest.prerelease or latest != ranked[-1][0]:
        return _differs(standing, ranked[-1][1] if ranked else "")
    if not planned.stable or planned == latest:
        return _agrees(standing)
    if planned > latest:
        return _differs(standing, standing.spec.tag)
    text = f"latest is {standing.shown}, the highest stable version, newer than {standing.spec.tag}"
    return "release.latest-superseded", text, ""


def _judge_unordered(standing: Standing) -> Verdict:
    """Judge a version that is not semantic by time of publication, the only order there is."""
    own, latest = standing.own, standing.latest
    if own is not None and latest is not None:
        if latest.tag_name == own.tag_name:
            return _agrees(standing)
        if latest.published_at and own.published_at and latest.published_at > own.published_at:
            text = f"latest is {standing.shown}, published after {own.tag_name}"
            return "release.latest-superseded", text, ""
    return _differs(standing, standing.spec.tag)


def _ranked(standing: Standing) -> list[tuple[Precedence, str]]:
    """Return the stable published versions of the family with their tags, highest last."""
    keyed = (
        (key, release.tag_name)
        for release in standing.published
        if not release.prerelease and (key := _key(standing.spec, release.tag_name))
    )
    return sorted(pair for pair in keyed if pair[0].stable)


def _key(spec: ReleaseSpec, tag: str) -> Precedence | None:
    prefix, _, suffix = spec.tag.partition(spec.version)
    if not (tag.startswith(prefix) and tag.endswith(suffix)):
        return None
    return precedence(tag[len(prefix) : len(tag) - len(suffix)])


def _agrees(standing: Standing) -> Verdict:
    return "release.latest-agrees", f"latest is {standing.shown}", ""


def _differs(standing: Standing, wanted: str) -> Verdict:
    text = f"latest is {standing.shown}, it must be {wanted or 'no prerelease'}"
    return "release.latest-differs", text, wanted
