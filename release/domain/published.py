"""The identity rule for one npm version: what the registry has, against what the commit packs to.

1. It still has the integrity that was first seen.  2. Its tarball is there.  3. The served bytes have the
integrity that the registry states.  4. Name, version and entry points inside are right.  5. Integrity, bytes
or unpacked tree equal those packed from the commit.  6. ``gitHead`` does not contradict.  7. Dependencies on
packages of this release can be installed. The first step that fails is the verdict.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from release.domain.evidence import Evidence
from release.domain.facts.npm import NotPacked, Packed, PackFailed, PackResult, Packument, Published, Tarball
from release.domain.package_content import (
    MISSING,
    UNRESOLVED,
    content_problems,
    listed,
    protocol_problems,
)
from release.domain.plan import Package, Plan
from release.domain.trees import compare
from release.domain.verdict import Verdict

LIMIT = 20
CONTENT = {MISSING: "npm.missing-target", UNRESOLVED: "npm.unresolved-protocol"}


class Unserved(StrEnum):
    """Why there is no served tarball: its URL answers 404, or nobody asked for it (shallow)."""

    MISSING = "missing"
    NOT_ASKED = "not-asked"


@dataclass(frozen=True, kw_only=True)
class Unmet:
    """A dependency that no version in the registry satisfies.

    ``awaited``: it is a package of this release whose own version is not published yet.
    """

    name: str
    range: str
    awaited: bool


@dataclass(frozen=True, kw_only=True)
class Absent:
    """The version is not in the registry; ``publishes`` and ``first_seen`` are what evidence says of it."""

    packument: Packument | None
    publishes: tuple[Evidence, ...]
    first_seen: Evidence | None


@dataclass(frozen=True, kw_only=True)
class Present:
    """The version is in the registry since ``published_at``; ``packed`` is what the commit packs to."""

    published: Published
    published_at: datetime | None
    packed: PackResult
    served: Tarball | Unserved
    unmet: tuple[Unmet, ...]
    first_seen: Evidence | None


def within_window(plan: Plan, since: datetime | None, now: datetime) -> bool:
    """Say whether propagation may still be going on; a time in the future (another clock) counts as now."""
    return since is not None and now - since <= plan.npm.propagation


def judge_absent(package: Package, plan: Plan, seen: Absent, now: datetime) -> Verdict:
    """Tell apart: removed, on its way, lost, never published."""
    spec, registry = package.spec, plan.npm.registry
    if seen.packument is not None and seen.packument.unpublished:
        return Verdict("npm.removed", f"{spec} was in {registry} and was unpublished")
    published_at = max((record.ended_at for record in seen.publishes), default=None)
    seen_at = seen.first_seen.ended_at if seen.first_seen else None
    recent = [at for at in (published_at, seen_at) if at is not None and within_window(plan, at, now)]
    if recent:
        text = f"{spec} was published a short while ago and is not visible in {registry} yet"
        return Verdict("npm.propagating", text, until=max(recent) + plan.npm.propagation)
    if seen_at is not None:
        return Verdict("npm.removed", f"{spec} was first seen at {seen_at:%Y-%m-%d %H:%M}Z and is gone now")
    if published_at is not None:
        text = f"{spec} was published at {published_at:%Y-%m-%d %H:%M}Z and is still not in {registry}"
        return Verdict("npm.not-visible", text)
    text = f"{spec} is not in {registry}"
    if seen.packument is None:
        text += (
            f", nor any version (a registry also answers 404 where the credential may not see {package.name})"
        )
    return Verdict("npm.absent", text, f"release converge {plan.selector}".rstrip())


def judge_present(package: Package, plan: Plan, seen: Present, now: datetime) -> Verdict:
    """Take the steps of the module's docstring in order."""
    return (
        _changed_since(package, seen)
        or _not_served(package, plan, seen, now)
        or _corrupt(package, seen)
        or _wrong_inside(package, seen)
        or _differs(package, plan, seen)
        or _git_head_differs(package, plan, seen)
        or _unmet(package, plan, seen)
        or _equal(package, seen)
    )


def _changed_since(package: Package, seen: Present) -> Verdict | None:
    stated, first = seen.published.integrity, seen.first_seen
    if first is None or first.digest is None or not first.digest.startswith(f"{stated.algorithm}:"):
        return None
    if first.digest == str(stated):
        return None
    text = f"{package.spec} was first seen with {first.digest}, and the registry states {stated} now"
    return Verdict("npm.changed-since", text)


def _not_served(package: Package, plan: Plan, seen: Present, now: datetime) -> Verdict | None:
    if seen.served is not Unserved.MISSING:
        return None
    text = f"{package.spec} is listed, and its tarball {seen.published.tarball_url} answers 404"
    if seen.published_at is None or not within_window(plan, seen.published_at, now):
        return Verdict("npm.tarball-missing", text)
    return Verdict("npm.tarball-propagating", text, until=seen.published_at + plan.npm.propagation)


def _corrupt(package: Package, seen: Present) -> Verdict | None:
    match seen.served:
        case Tarball(integrity=integrity) if integrity != seen.published.integrity:
            text = f"{package.spec}: the registry states {seen.published.integrity} and serves {integrity}"
            return Verdict("npm.tarball-corrupt", text)
    return None


def _wrong_inside(package: Package, seen: Present) -> Verdict | None:
    tarball = _known_content(seen)
    if tarball is None:
        return None
    inside = f"{tarball.manifest.get('name')}@{tarball.manifest.get('version')}"
    if inside != package.spec:
        return Verdict("npm.identity-differs", f"{inside} is inside the tarball of {package.spec}")
    # npm installs by the registry's copy of the manifest, so that must be installable as well.
    found = (*content_problems(tarball.manifest, tarball.tree), *protocol_problems(seen.published.manifest))
    problems = tuple(dict.fromkeys(found))
    if not problems:
        return None
    return Verdict(CONTENT[problems[0].code], f"{package.spec}: {listed(problems, LIMIT)}")


def _known_content(seen: Present) -> Tarball | None:
    """The published content as far as it is known: what was served, else what has its integrity."""
    match seen:
        case Present(served=Tarball() as served):
            return served
        case Present(packed=Packed() as packed) if _identical(seen, packed):
            return packed.tarball
    return None


def _identical(seen: Present, packed: Packed) -> bool:
    """Say whether the bytes are equal; the SHA-1 of a version from before 2017 alone proves nothing."""
    if packed.tarball.integrity == seen.published.integrity:
        return True
    match seen.served:
        case Tarball(sha256=served):
            return served == packed.tarball.sha256
        case Unserved():
            return False


def _differs(package: Package, plan: Plan, seen: Present) -> Verdict | None:
    spec = package.spec
    match seen.packed:
        case NotPacked(other=other):
            text = f"{spec} is published, and there is no build of this commit to compare it with"
            if other:
                text += " (the evidence here is of another commit or policy)"
            return Verdict("npm.not-packed", text, "release build packages")
        case PackFailed():
            return Verdict("npm.not-packed", f"{spec} is published, and this commit could not be packed")
        case Packed() if _identical(seen, seen.packed):
            return None
        case Packed():
            return _content_differs(package, plan, seen, seen.packed)


def _content_differs(package: Package, plan: Plan, seen: Present, packed: Packed) -> Verdict | None:
    stated, here = seen.published.integrity, packed.tarball.integrity
    match seen.served:
        case Tarball(tree=tree):
            difference = compare(tree, packed.tarball.tree)
        case _:
            text = (
                f"{package.spec} has {stated.short}, and {here.short} as packed with npm {packed.npm_version}"
            )
            return Verdict("npm.not-compared", text, f"release status {plan.selector} --deep")
    if difference.equal:
        return None
    text = f"{package.spec} differs from the commit, packed here with npm {packed.npm_version}: "
    text += difference.summary(LIMIT)
    if seen.published.git_head not in (None, "", plan.commit):
        text += f"; its gitHead is {seen.published.git_head}"
    return Verdict("npm.integrity-differs", text)


def _git_head_differs(package: Package, plan: Plan, seen: Present) -> Verdict | None:
    head = seen.published.git_head
    if not head or head == plan.commit:
        return None
    return Verdict("npm.commit-differs", f"{package.spec} has gitHead {head}, the release is {plan.commit}")


def _unmet(package: Package, plan: Plan, seen: Present) -> Verdict | None:
    lost = [f"{one.name}@{one.range}" for one in seen.unmet if not one.awaited]
    if lost:
        text = (
            f"{package.spec} depends on {', '.join(lost)}, which no version in {plan.npm.registry} satisfies"
        )
        return Verdict("npm.dependency-unsatisfied", text)
    if not seen.unmet:
        return None
    awaited = ", ".join(f"{one.name}@{one.range}" for one in seen.unmet)
    text = f"{package.spec} depends on {awaited} of this release, not published yet"
    return Verdict("npm.dependency-absent", text, f"release converge {plan.selector}".rstrip())


def _equal(package: Package, seen: Present) -> Verdict:
    match seen.packed:
        case Packed() as packed if _identical(seen, packed):
            return Verdict(
                "npm.identical", f"{package.spec} has {seen.published.integrity.sri}, as packed here"
            )
        case _:
            text = f"{package.spec} has other bytes than packed here, and the same content"
            return Verdict("npm.identical-content", text)
