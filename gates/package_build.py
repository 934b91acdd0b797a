"""package-build: each npm package packs from a clean checkout of the canonical commit, reproducibly.

Binding: the checkout is made from the commit's own git objects, so the commit of a tarball is measured
and never passed in. Two packs must agree, and name and version inside must be the plan's.
"""

from datetime import datetime

from release.contract import Effect, Stage, found
from release.domain.facts.npm import NotPacked, Packed, PackFailed, PackResult
from release.domain.finding import Claim, Finding
from release.domain.package_content import (
    MISSING,
    UNRESOLVED,
    content_problems,
    listed,
    pinned_elsewhere,
)
from release.domain.plan import Package, Plan, Subject
from release.domain.trees import printable
from release.ports import Read

NAME = "package-build"
CLAIM = "Each package packs reproducibly from a clean checkout of the commit, complete and as planned."
NEEDS: tuple[str, ...] = ("version-pr", "commit-checks")
STAGE = Stage.BUILD
EFFECT = Effect.READ_ONLY
RECHECK = "git clone {remote} clean && cd clean && git checkout {commit} && npm pack --ignore-scripts --json"

LIMIT = 20
CONTENT = {MISSING: "package.missing-target", UNRESOLVED: "package.unresolved-protocol"}

Seen = PackResult | None


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per npm package."""
    return tuple(Subject(gate=NAME, name=package.name, plan=plan, item=package) for package in plan.packages)


def observe(subject: Subject, read: Read) -> Seen:
    """Return what the commit packs to; None where the manifest alone decides, so that nothing is packed."""
    package = _package(subject)
    return None if _refusal(package) else read.npm.packed(package)


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Judge the manifest first, then the pack, then what is inside."""
    package, channel = _package(subject), f"package {subject.name}"
    if refusal := _refusal(package):
        return found(subject, *refusal, now, claims=(Claim(channel=channel, commit=None),))
    match seen:
        case Packed():
            commit = subject.plan.commit
            reason, text = _judge_packed(package, subject.plan, seen)
            return found(
                subject,
                reason,
                text,
                now,
                commit=commit,
                evidence=(seen.evidence,),
                claims=(Claim(channel=channel, commit=commit),),
            )
        case PackFailed():
            reason, text, command = "package.pack-failed", f"{package.name}: {seen.message}", ""
        case NotPacked(other=True):
            reason, command = "package.evidence-for-other-commit", "release build packages"
            text = f"the evidence for {package.name} is of another commit or policy than this plan's"
        case NotPacked() | None:
            reason, command = "package.not-built", "release build packages"
            text = f"{package.name} declares a build, and no evidence of it is here"
    return found(subject, reason, text, now, next=command, claims=(Claim(channel=channel, commit=None),))


def _package(subject: Subject) -> Package:
    match subject.item:
        case Package() as package:
            return package
        case _:
            raise TypeError(f"{subject.name} is not a package")


def _refusal(package: Package) -> tuple[str, str] | None:
    where = f"package.json in {package.path}"
    if package.private:
        return "package.private", f"{where} says private: true"
    if package.version != package.expected_version:
        text = f"{where} has version {package.version}, the release is {package.expected_version}"
        return "package.version-differs", text
    if package.lockfile_problem:
        return "package.lockfile-differs", package.lockfile_problem
    return None


def _judge_packed(package: Package, plan: Plan, packed: Packed) -> tuple[str, str]:
    tarball, by = packed.tarball, f"packed with npm {packed.npm_version}"
    if packed.differing:
        shown = ", ".join(printable(path) for path in packed.differing[:LIMIT])
        more = f" and {len(packed.differing) - LIMIT} more" if len(packed.differing) > LIMIT else ""
        return "package.not-reproducible", f"two packs of {package.name} differ in {shown}{more} ({by})"
    inside = f"{tarball.manifest.get('name')}@{tarball.manifest.get('version')}"
    if inside != package.spec:
        return "package.identity-differs", f"inside the tarball is {inside}, the plan has {package.spec}"
    if problems := content_problems(tarball.manifest, tarball.tree):
        return CONTENT[problems[0].code], f"{package.name}: {listed(problems, LIMIT)} ({by})"
    released = {one.name: one.expected_version for one in plan.packages}
    if pins := pinned_elsewhere(tarball.manifest, released):
        shown = ", ".join(f"{name} at {wanted} (released: {released[name]})" for name, wanted in pins[:LIMIT])
        return "package.pins-other-version", f"{package.name} pins {shown} ({by})"
    text = f"{package.name} {by}: {len(tarball.tree)} files, {tarball.integrity.sri}"
    return "package.packed", text
