"""npm-publish: the registry has each package as the commit packs it, and each dist-tag points at it.

Binding: by content. The registry's integrity equals that of the tarball packed from a clean checkout, or the
unpacked trees are equal. ``gitHead`` is a claim that anyone can write: it proves nothing, and must not
contradict. Where the plan does not ask for ``latest``, it is watched that this version has not taken it.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum

from release.contract import Effect, Stage, Write, found
from release.domain.action import ACCEPTED_HERE, Action, Order
from release.domain.digests import is_commit
from release.domain.dist_tags import LATEST, Tagged, first_tag, judge_guard, judge_tag, may_point
from release.domain.evidence import Evidence, Kind, counts
from release.domain.facts.npm import Packed, Packument, Published
from release.domain.finding import Claim, Finding
from release.domain.first_seen import FirstSeen
from release.domain.package_content import family_dependencies, internal_dependencies
from release.domain.plan import Package, Plan, Subject
from release.domain.published import Absent, Present, Unmet, Unserved, judge_absent, judge_present
from release.domain.verdict import Verdict
from release.ports import Read

NAME = "npm-publish"
CLAIM = "The registry has each package with the content of the commit, and each dist-tag points at it."
NEEDS: tuple[str, ...] = ("package-build", "source-tag", "asset-upload", "checksums")
STAGE = Stage.PUBLISH
EFFECT = Effect.IRREVERSIBLE
RECHECK = "npm view {subject} version dist.integrity gitHead --registry {registry}"


_PROVED = ("version-pr", "commit-checks", "evaluation", "binary-build", *NEEDS)
_TAGGING = Action(
    does="point the dist-tag {subject} at the version",
    where="npm registry",
    order=Order.NPM,
    effect=Effect.IRREVERSIBLE,
)

ACTIONS: Mapping[str, Action] = {
    "npm.absent": Action(
        does="publish {subject}",
        where="npm registry",
        order=Order.NPM,
        effect=Effect.IRREVERSIBLE,
        needs=(*_PROVED, *ACCEPTED_HERE),
    ),
    "npm.dist-tag-absent": _TAGGING,
    "npm.dist-tag-stale": _TAGGING,
}


class Role(StrEnum):
    """What a subject of this gate is about."""

    VERSION = "version"
    DIST_TAG = "dist-tag"
    GUARD = "guard"


Seen = Absent | Present | Tagged


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """For each package: the version, each planned dist-tag, and ``latest`` where it is not planned."""
    return tuple(subject for package in plan.packages for subject in _of_package(plan, package))


def _of_package(plan: Plan, package: Package) -> tuple[Subject, ...]:
    version = Subject(gate=NAME, name=package.spec, plan=plan, item=package, role=Role.VERSION)
    tags = tuple(_of_tag(plan, package, tag, Role.DIST_TAG) for tag in dict.fromkeys(package.dist_tags))
    guard = () if LATEST in package.dist_tags else (_of_tag(plan, package, LATEST, Role.GUARD),)
    return (version, *tags, *guard)


def _of_tag(plan: Plan, package: Package, tag: str, role: Role) -> Subject:
    return Subject(gate=NAME, name=f"{package.name}@{tag}", plan=plan, item=package, role=role, detail=tag)


def observe(subject: Subject, read: Read) -> Seen:
    """Look up the version; then, by role, its content and dependencies, or the dist-tag's reads."""
    package = _package(subject)
    packument = read.npm.packument(package.name, package.expected_version)
    if packument is None or packument.published is None:
        return _observe_absent(package, packument, read)
    if subject.role == Role.VERSION:
        return _observe_present(package, packument, packument.published, read)
    reads = read.npm.dist_tag(package.name, subject.detail, read.plan.npm.stable_reads)
    return Tagged(
        tag=subject.detail,
        reads=reads.reads,
        versions=packument.versions,
        published_at=packument.times.get(package.expected_version),
    )


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Apply the identity rule to the version, and the rule of its role to a dist-tag."""
    package, plan = _package(subject), subject.plan
    match seen:
        case Present():
            return _found_present(subject, judge_present(package, plan, seen, now), seen, now)
        case Absent() if subject.role == Role.VERSION:
            verdict = judge_absent(package, plan, seen, now)
        case Absent():
            reason = "npm.dist-tag-unwatched" if subject.role == Role.GUARD else "npm.dist-tag-absent"
            text = f"{package.spec} is not published yet, so {subject.name} cannot point at it"
            verdict = Verdict(reason, text, subject.command("converge"))
        case Tagged() if subject.role == Role.GUARD:
            verdict = judge_guard(package, plan, seen)
        case Tagged():
            verdict = judge_tag(package, plan, seen, now)
    claims = (_claim(subject, None),) if subject.role == Role.VERSION else ()
    return found(
        subject,
        verdict.reason,
        verdict.message,
        now,
        next=verdict.next,
        claims=claims,
        until=verdict.until,
    )


def follows(subject: Subject) -> tuple[str, ...]:
    """A version waits for the packages of this release that it depends on; a dist-tag for its version."""
    package, plan = _package(subject), subject.plan
    if subject.role != Role.VERSION:
        return (package.spec,)
    names = {other.name: other.spec for other in plan.packages if other.name != package.name}
    return tuple(names[name] for name, _ in internal_dependencies(package.manifest, tuple(names)))


def act(subject: Subject, finding: Finding, write: Write) -> None:
    """Publish exactly what was packed, or point a dist-tag at the version that is there."""
    package, seen = _package(subject), observe(subject, write.read)
    if judge(subject, seen, finding.observed_at).reason != finding.reason:
        return  # the world changed since the look: the next one decides
    match finding.reason, seen:
        case "npm.absent", Absent():
            _publish(package, seen, write)
        case "npm.dist-tag-absent" | "npm.dist-tag-stale", Tagged():
            if may_point(seen.tag, package.expected_version, seen.versions):
                write.npm.add_dist_tag(package, seen.tag)
        case _:
            return  # the version must be there before a dist-tag can point at it


def _publish(package: Package, seen: Absent, write: Write) -> None:
    match write.read.npm.packed(package):
        case Packed() as packed:
            versions = seen.packument.versions if seen.packument else ()
            write.npm.publish(package, packed, first_tag(package, versions))
        case _:
            return  # package-build says why there is nothing to publish


def _package(subject: Subject) -> Package:
    match subject.item:
        case Package() as package:
            return package
        case _:
            raise TypeError(f"{subject.name} is not a package")


def _observe_absent(package: Package, packument: Packument | None, read: Read) -> Absent:
    plan = read.plan
    publishes = (
        record
        for record in read.evidence.find(Kind.NPM_PUBLISH, package.spec)
        if counts(record, commit=plan.commit, policy=plan.policy) and record.verdict == "pass"
    )
    return Absent(packument=packument, publishes=tuple(publishes), first_seen=_first_seen(package, read))


def _observe_present(package: Package, packument: Packument, published: Published, read: Read) -> Present:
    served = (read.npm.tarball(published) or Unserved.MISSING) if read.plan.deep else Unserved.NOT_ASKED
    return Present(
        published=published,
        published_at=packument.times.get(package.expected_version),
        packed=read.npm.packed(package),
        served=served,
        unmet=tuple(_unmet(published, read)),
        first_seen=_first_seen(package, read),
    )


def _first_seen(package: Package, read: Read) -> Evidence | None:
    return next(iter(read.evidence.find(Kind.FIRST_SEEN, f"npm:{package.spec}")), None)


def _unmet(published: Published, read: Read) -> Iterator[Unmet]:
    """Ask for each dependency on this release's packages, and for platform packages beside them."""
    planned = {package.name: package for package in read.plan.packages}
    wanted = (
        *internal_dependencies(published.manifest, planned),
        *family_dependencies(published.manifest, planned),
    )
    for name, versions in dict.fromkeys(wanted):
        if not read.npm.satisfied(name, versions):
            package = planned.get(name)
            awaited = package is not None and not _is_published(package, read)
            yield Unmet(name=name, range=versions, awaited=awaited)


def _is_published(package: Package, read: Read) -> bool:
    packument = read.npm.packument(package.name, package.expected_version)
    return packument is not None and packument.published is not None


def _found_present(subject: Subject, verdict: Verdict, seen: Present, now: datetime) -> Finding:
    claim = _claim(subject, seen.published.git_head)
    match seen.packed:
        case Packed(evidence=record):
            evidence: tuple[str, ...] = (seen.published.tarball_url, record)
        case _:
            evidence = (seen.published.tarball_url,)
    fact = FirstSeen(key=f"npm:{subject.name}", digest=str(seen.published.integrity), at=now)
    return found(
        subject,
        verdict.reason,
        verdict.message,
        now,
        commit=claim.commit,
        evidence=evidence,
        next=verdict.next,
        claims=(claim,),
        seen=(fact,) if verdict.reason in ("npm.identical", "npm.identical-content") else (),
        until=verdict.until,
    )


def _claim(subject: Subject, head: str | None) -> Claim:
    return Claim(channel=f"npm {subject.name} gitHead", commit=head if head and is_commit(head) else None)
