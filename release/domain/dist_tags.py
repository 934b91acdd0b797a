"""Where an npm dist-tag points, seen from one version. ``latest`` is special: it is what users get.

``latest`` must not rest on a prerelease while stable versions exist, nor on an older stable version than
the newest one (npm's own publish moves it there silently). A tag that has moved on to a newer one is right.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from release.domain.plan import PUBLIC_REGISTRY, Package, Plan
from release.domain.published import within_window
from release.domain.verdict import Verdict
from release.domain.versions import Precedence, highest_stable, is_prerelease, precedence

LATEST = "latest"


class Position(StrEnum):
    """How a dist-tag stands to one version."""

    HERE = "here"
    NEWER = "newer"
    BEHIND = "behind"
    PRERELEASE_ON_LATEST = "prerelease-on-latest"
    LATEST_ON_OLDER = "latest-on-older"


@dataclass(frozen=True, kw_only=True)
class Tagged:
    """A dist-tag of a package whose version is published: its consecutive reads, oldest first.

    ``versions`` are all published ones; ``published_at`` is when this release's version was (None: unknown).
    """

    tag: str
    reads: tuple[str | None, ...]
    versions: tuple[str, ...]
    published_at: datetime | None


def position(tag: str, pointed: str | None, version: str, versions: tuple[str, ...]) -> Position:
    """Say how ``tag``, which points at ``pointed``, stands to ``version``; ``versions`` are all published."""
    if pointed == version:
        return (_latest_fault(version, versions) if tag == LATEST else None) or Position.HERE
    if pointed is None or not _is_newer(pointed, version):
        return Position.BEHIND
    if tag == LATEST and is_prerelease(pointed) and highest_stable(versions) is not None:
        return Position.PRERELEASE_ON_LATEST
    return Position.NEWER


def may_point(tag: str, version: str, versions: tuple[str, ...]) -> bool:
    """Say whether ``tag`` would be right on ``version``: ``latest`` is not on an older or prerelease one."""
    return position(tag, version, version, versions) is Position.HERE


def first_tag(package: Package, versions: tuple[str, ...]) -> str:
    """Return the tag to publish under: the first planned one that may point at the version (G12).

    Where none may, it is one that nobody installs by: npm gives every version a tag.
    """
    version = package.expected_version
    if planned := next((tag for tag in package.dist_tags if may_point(tag, version, versions)), None):
        return planned
    match precedence(version):
        case Precedence(stable=True, core=(major, minor, _)):
            return f"release-{major}.{minor}"
        case _:
            return "next"


def judge_tag(package: Package, plan: Plan, seen: Tagged, now: datetime) -> Verdict:
    """Judge a planned dist-tag: it must point at the version, or have moved on to a newer one."""
    if unsettled := _unsettled(package, plan, seen):
        return unsettled
    pointed, version = seen.reads[-1], package.expected_version
    text = f"{package.name}@{seen.tag} points at {pointed or 'nothing'}"
    stand = position(seen.tag, pointed, version, seen.versions)
    match stand:
        case Position.HERE:
            return Verdict("npm.dist-tag-agrees", f"{text}, in {len(seen.reads)} reads in a row")
        case Position.NEWER:
            return Verdict("npm.dist-tag-superseded", f"{text}, newer than {version}")
        case Position.BEHIND:
            return _behind(package, plan, seen, now)
        case Position.PRERELEASE_ON_LATEST | Position.LATEST_ON_OLDER:
            return _misplaced(package, plan, seen, stand)


def judge_guard(package: Package, plan: Plan, seen: Tagged) -> Verdict:
    """Judge ``latest`` where the plan does not ask for it: this version must not have taken it wrongly."""
    if unsettled := _unsettled(package, plan, seen):
        return unsettled
    pointed, version = seen.reads[-1], package.expected_version
    text = f"{package.name}@{seen.tag} points at {pointed or 'nothing'}"
    stand = position(seen.tag, pointed, version, seen.versions)
    match stand:
        case Position.PRERELEASE_ON_LATEST | Position.LATEST_ON_OLDER if pointed == version:
            return _misplaced(package, plan, seen, stand)
        case Position.HERE:
            return Verdict("npm.dist-tag-free", f"{text}, and there is no other version it should point at")
        case _:
            return Verdict("npm.dist-tag-free", f"{text}, and not at {version}")


def _unsettled(package: Package, plan: Plan, seen: Tagged) -> Verdict | None:
    if len(seen.reads) >= max(plan.npm.stable_reads, 1) and len(set(seen.reads)) == 1:
        return None
    shown = ", ".join(read or "nothing" for read in seen.reads) or "nothing at all"
    text = f"consecutive reads of {package.name}@{seen.tag} disagree: {shown}"
    return Verdict("npm.dist-tag-unstable", text)


def _behind(package: Package, plan: Plan, seen: Tagged, now: datetime) -> Verdict:
    pointed = seen.reads[-1]
    text = f"{package.name}@{seen.tag} " + (f"points at {pointed}" if pointed else "does not exist")
    command = _add(package, plan, package.expected_version, seen.tag)
    at = seen.published_at
    if at is not None and within_window(plan, at, now):
        if seen.tag != first_tag(package, seen.versions):
            # publishing sets one dist-tag: another one is on its way only if somebody set it, too
            return Verdict("npm.dist-tag-absent", f"{text}, the plan is {package.expected_version}", command)
        text = f"{text}; {package.spec} was published a short while ago"
        return Verdict("npm.dist-tag-propagating", text, until=at + plan.npm.propagation)
    reason = "npm.dist-tag-stale" if at else "npm.dist-tag-absent"
    return Verdict(reason, f"{text}, the plan is {package.expected_version}", command)


def _misplaced(package: Package, plan: Plan, seen: Tagged, stand: Position) -> Verdict:
    """Name what ``latest`` rests on, and the commands that move it back without losing the other version."""
    pointed, stable = seen.reads[-1] or "", highest_stable(seen.versions) or ""
    text = f"{package.name}@{LATEST} points at {pointed}, the highest stable version is {stable}"
    back = _add(package, plan, stable, LATEST)
    if stand is Position.LATEST_ON_OLDER:
        return Verdict("npm.latest-on-older", text, back)
    other = next((tag for tag in package.dist_tags if tag != LATEST), "next")
    return Verdict("npm.prerelease-on-latest", text, f"{back} && {_add(package, plan, pointed, other)}")


def _latest_fault(version: str, versions: tuple[str, ...]) -> Position | None:
    stable = highest_stable(versions)
    if stable is None:
        return None
    if is_prerelease(version):
        return Position.PRERELEASE_ON_LATEST
    return Position.LATEST_ON_OLDER if _is_newer(stable, version) else None


def _is_newer(one: str, other: str) -> bool:
    left, right = precedence(one), precedence(other)
    return left is not None and right is not None and left > right


def _add(package: Package, plan: Plan, version: str, tag: str) -> str:
    registry = plan.npm.registry
    flag = "" if registry == PUBLIC_REGISTRY else f" --registry {registry}"
    return f"npm dist-tag add {package.name}@{version} {tag}{flag}"
