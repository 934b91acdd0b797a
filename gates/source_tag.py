"""source-tag: each tag exists on the remote and peels to the canonical commit.

Binding: the full peel of the remote ref (annotated and nested tags alike), never a local tag, never the
tag object's own id, never ``target_commitish``.
"""

from collections.abc import Mapping
from datetime import datetime

from release.contract import Effect, Stage, Write, found
from release.domain.action import ACCEPTED_HERE, Action, Order
from release.domain.evidence import Kind
from release.domain.facts.git import TagFacts
from release.domain.finding import Claim, Finding
from release.domain.first_seen import FirstSeen
from release.domain.plan import Plan, Subject, Tag
from release.ports import Read

NAME = "source-tag"
CLAIM = "Each tag exists on the remote, peels to the canonical commit, and is on an allowed branch."
NEEDS: tuple[str, ...] = ("version-pr", "commit-checks", "package-build", "evaluation", "binary-build")
STAGE = Stage.PUBLISH
EFFECT = Effect.IRREVERSIBLE
RECHECK = "git ls-remote {remote} 'refs/tags/{subject}' 'refs/tags/{subject}^{{}}'"

ACTIONS: Mapping[str, Action] = {
    "tag.absent": Action(
        does="create the annotated tag {subject} on the canonical commit",
        where="git remote",
        order=Order.TAG,
        effect=Effect.IRREVERSIBLE,
        needs=(*NEEDS, *ACCEPTED_HERE, "asset-upload", "checksums"),
    ),
}

Seen = tuple[TagFacts | None, str | None]


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per planned tag."""
    return tuple(Subject(gate=NAME, name=tag.name, plan=plan, item=tag) for tag in plan.tags)


def observe(subject: Subject, read: Read) -> Seen:
    """Look up the tag on the remote, and the commit it was first seen at, if any."""
    first = read.evidence.find(Kind.FIRST_SEEN, f"tag:{subject.name}")
    return read.git.tag(subject.name), (first[0].commit if first else None)


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Apply the identity rule to the peeled commit."""
    tag, first_seen = seen
    plan, name = subject.plan, subject.name
    channel = f"tag {name}"
    if tag is None:
        claims = (Claim(channel=channel, commit=None),)
        if first_seen is not None:
            text = f"{name} was first seen at {first_seen} and is gone from {plan.remote}"
            return found(subject, "tag.removed", text, now, claims=claims)
        text = f"{name} does not exist on {plan.remote}"
        return found(subject, "tag.absent", text, now, claims=claims, next=subject.command("converge"))
    claims = (Claim(channel=channel, commit=tag.commit),)
    evidence = (f"git:{tag.object}",)
    reason, text = _compare(plan, tag, first_seen)
    seen_now = (FirstSeen(key=f"tag:{name}", commit=tag.commit, at=now),) if reason == "tag.agrees" else ()
    return found(
        subject, reason, text, now, commit=tag.commit, evidence=evidence, claims=claims, seen=seen_now
    )


def follows(subject: Subject) -> tuple[str, ...]:  # noqa: ARG001 - the contract's own signature
    """Tags do not wait for one another."""
    return ()


def act(subject: Subject, finding: Finding, write: Write) -> None:  # noqa: ARG001 - as above
    """Create the tag; the remote refuses where any ref of that name exists."""
    match subject.item:
        case Tag() as tag:
            message = f"{subject.plan.name} {tag.version}"
            write.git.create_tag(tag, subject.plan.commit, message)
        case other:
            raise TypeError(f"{other!r} is not a tag")


def _compare(plan: Plan, tag: TagFacts, first_seen: str | None) -> tuple[str, str]:
    kind = "annotated" if tag.annotated else "lightweight"
    if tag.commit is None:
        return "tag.not-a-commit", f"{tag.name} ({kind}, {tag.object}) does not peel to a commit"
    if first_seen is not None and tag.commit != first_seen:
        return (
            "tag.changed-since",
            f"{tag.name} was first seen at {first_seen}, and peels to {tag.commit} now",
        )
    if tag.commit != plan.commit:
        return "tag.commit-differs", f"{tag.name} peels to {tag.commit}, the release is {plan.commit}"
    if plan.branches and not tag.branches:
        allowed = ", ".join(plan.branches)
        return "tag.off-branch", f"{tag.name} peels to {tag.commit}, which is on none of: {allowed}"
    on = f", on {', '.join(tag.branches)}" if tag.branches else ""
    return "tag.agrees", f"{tag.name} ({kind}) peels to {tag.commit}{on}"
