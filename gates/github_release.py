"""github-release: each release exists exactly once, published, as planned; ``latest`` follows the policy.

Binding: the full peel of the remote tag that the release is for; ``target_commitish`` is never evidence.
Releases are found by listing (a draft has no tag to be found by) and told apart by numeric id.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from release.contract import Effect, Stage, Write, found
from release.domain.action import ACCEPTED_HERE, Action, Order
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import TagFacts
from release.domain.facts.github import ReleaseFacts, ReleaseListing
from release.domain.finding import Claim, Finding
from release.domain.first_seen import FirstSeen
from release.domain.holder import describe
from release.domain.latest import Standing, judge_latest, make_latest
from release.domain.plan import GitHubPolicy, Plan, ReleaseSpec, Subject
from release.domain.wording import count
from release.ports import Read

NAME = "github-release"
CLAIM = "Each release is published once for its tag, as planned, and GitHub's latest follows the policy."
NEEDS: tuple[str, ...] = ("source-tag", "asset-upload", "checksums", "npm-publish")
STAGE = Stage.PUBLISH
EFFECT = Effect.IRREVERSIBLE
RECHECK = "gh api 'repos/{repository}/releases' --paginate && gh api 'repos/{repository}/releases/latest'"


_BUILT = ("version-pr", "commit-checks", "package-build", "evaluation", "binary-build")

ACTIONS: Mapping[str, Action] = {
    "release.absent": Action(
        does="create the draft release for {subject}",
        where="GitHub",
        order=Order.STAGE,
        effect=Effect.REVERSIBLE,
        needs=(*_BUILT, *ACCEPTED_HERE),
    ),
    "release.draft": Action(
        does="publish the draft release for {subject}",
        where="GitHub",
        order=Order.PUBLISH,
        effect=Effect.IRREVERSIBLE,
        needs=(*_BUILT, *ACCEPTED_HERE, *NEEDS),
    ),
}


@dataclass(frozen=True, kw_only=True)
class SeenRelease:
    """The tag's releases, how many assets each holds (only where there are several), and its first look."""

    releases: tuple[ReleaseFacts, ...]
    drafts_visible: bool
    held: Mapping[int, int]
    tag: TagFacts | None
    first: Evidence | None


@dataclass(frozen=True, kw_only=True)
class SeenLatest:
    """Every release, and the one that GitHub calls latest."""

    listing: ReleaseListing
    latest: ReleaseFacts | None


Seen = SeenRelease | SeenLatest


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """Per planned release one subject, and one for where ``latest`` points."""
    several = len(plan.releases) > 1
    return tuple(
        subject
        for spec in plan.releases
        for subject in (
            Subject(gate=NAME, name=spec.tag, plan=plan, item=spec, role="release"),
            Subject(
                gate=NAME,
                name=f"latest of {spec.tag}" if several else "latest",
                plan=plan,
                item=spec,
                role="latest",
            ),
        )
    )


def observe(subject: Subject, read: Read) -> Seen:
    """List the releases; for a release also its tag and first look, for ``latest`` GitHub's own answer."""
    listing = read.forge().releases()
    if subject.role == "latest":
        return SeenLatest(listing=listing, latest=read.forge().latest())
    tag = _spec(subject).tag
    releases = listing.of_tag(tag)
    several = releases if len(releases) > 1 else ()
    first = read.evidence.find(Kind.FIRST_SEEN, f"release:{tag}")
    return SeenRelease(
        releases=releases,
        drafts_visible=listing.drafts_visible,
        held={release.id: len(read.forge().assets(release)) for release in several},
        tag=read.git.tag(tag),
        first=first[0] if first else None,
    )


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Judge a release by cardinality, first look, and flags; ``latest`` by the policy."""
    match seen:
        case SeenRelease():
            return _judge_release(subject, seen, now)
        case SeenLatest():
            return _judge_latest(subject, seen, now)


def follows(subject: Subject) -> tuple[str, ...]:  # noqa: ARG001 - the contract's own signature
    """Releases do not wait for one another."""
    return ()


def act(subject: Subject, finding: Finding, write: Write) -> None:
    """Create the one draft, or publish exactly the draft that was looked at, by its id."""
    spec, plan, seen = _spec(subject), subject.plan, observe(subject, write.read)
    if judge(subject, seen, finding.observed_at).reason != finding.reason:
        return  # the world changed since the look: the next one decides
    match finding.reason, seen:
        case "release.absent", SeenRelease():
            write.forge().create_draft(spec, plan.commit, write.files.notes(spec))
        case "release.draft", SeenRelease(releases=(draft,), tag=TagFacts(commit=plan.commit)):
            listed = write.read.forge().releases().releases
            latest = make_latest(spec, tuple(release for release in listed if not release.draft))
            write.forge().publish(draft, spec, "true" if latest else "false")
        case _:
            return  # GitHub would make the tag itself, wherever its default branch is


def _judge_release(subject: Subject, seen: SeenRelease, now: datetime) -> Finding:
    tag = _spec(subject).tag
    silent = (Claim(channel=f"release {tag}", commit=None),)
    match seen.releases:
        case ():
            reason, text = _explain_absence(tag, seen)
            command = subject.command("converge") if reason == "release.absent" else ""
            return found(subject, reason, text, now, claims=silent, next=command)
        case (release,):
            return _judge_only(subject, seen, release, now)
        case several:
            ids = ", ".join(f"{describe(one)} with {count(seen.held[one.id], 'asset')}" for one in several)
            text = f"{len(several)} releases exist for {tag}: {ids}"
            evidence = tuple(one.html_url for one in several)
            return found(subject, "release.ambiguous", text, now, claims=silent, evidence=evidence)


def _explain_absence(tag: str, seen: SeenRelease) -> tuple[str, str]:
    match seen.first:
        case Evidence(data={"id": int() as first, **more}) if (
            seen.drafts_visible or more.get("draft") is False
        ):
            return "release.removed", f"release {first} for {tag} was seen before and is gone"
        case _ if not seen.drafts_visible:
            return "release.drafts-not-visible", f"nothing is published for {tag}, and drafts cannot be seen"
        case _:
            return "release.absent", f"no release or draft exists for {tag}"


def _judge_only(subject: Subject, seen: SeenRelease, release: ReleaseFacts, now: datetime) -> Finding:
    reason, text = _compare(subject, seen, release)
    # A draft has no commit of its own yet; a published release shows the one that its tag peels to.
    commit = None if release.draft or seen.tag is None else seen.tag.commit
    claims = (Claim(channel=f"release {release.tag_name}", commit=commit),)
    command = subject.command("converge") if reason == "release.draft" else ""
    evidence = (release.html_url, *((seen.first.id,) if seen.first else ()))
    fact = FirstSeen(key=f"release:{release.tag_name}", id=str(release.id), at=now)
    return found(
        subject,
        reason,
        text,
        now,
        commit=commit,
        claims=claims,
        next=command,
        evidence=evidence,
        seen=(fact,) if reason == "release.published" else (),
    )


def _compare(subject: Subject, seen: SeenRelease, release: ReleaseFacts) -> tuple[str, str]:
    spec, plan = _spec(subject), subject.plan
    first = _first_id(seen.first)
    if first is not None and first != release.id:
        return "release.changed-since", f"{spec.tag} had release {first} first, and has {release.id} now"
    if release.draft:
        return "release.draft", f"{describe(release)} for {spec.tag} is not published"
    name = describe(release)
    if seen.tag is None:
        return "release.tag-missing", f"{name} is published, but {plan.remote} has no tag {spec.tag}"
    if seen.tag.commit != plan.commit:
        peels = seen.tag.commit or "no commit"
        return "release.commit-differs", f"{name} is for {spec.tag}, which is at {peels}, not {plan.commit}"
    if release.prerelease != spec.prerelease:
        text = f"{name} has prerelease = {release.prerelease}, planned is {spec.prerelease}"
        return "release.prerelease-differs", text
    if spec.immutable and release.immutable is not True:
        return "release.not-immutable", f"{name} is published, and GitHub does not call it immutable"
    return "release.published", f"{name} is published for {spec.tag} at {plan.commit}"


def _judge_latest(subject: Subject, seen: SeenLatest, now: datetime) -> Finding:
    spec = _spec(subject)
    standing = Standing(
        spec=spec,
        published=tuple(release for release in seen.listing.releases if not release.draft),
        latest=seen.latest,
        per_package=any(tag.name == spec.tag and tag.package for tag in subject.plan.tags),
    )
    reason, text, wanted = judge_latest(standing)
    evidence = (seen.latest.html_url,) if seen.latest else ()
    return found(subject, reason, text, now, evidence=evidence, next=_mark(subject.plan.github, wanted))


def _mark(policy: GitHubPolicy | None, wanted: str) -> str:
    if policy is None or not wanted:
        return ""
    return f"gh release edit {shlex.quote(wanted)} --repo {policy.repository} --latest"


def _first_id(first: Evidence | None) -> int | None:
    match first.data.get("id") if first else None:
        case int() as number:
            return number
        case _:
            return None


def _spec(subject: Subject) -> ReleaseSpec:
    match subject.item:
        case ReleaseSpec() as spec:
            return spec
        case other:
            raise LookupError(f"{NAME} has no subject for {other!r}")
