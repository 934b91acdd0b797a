"""From shapes to facts: times become UTC, digests are parsed, statuses are told in check runs' words."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

from release.adapters.github import shapes
from release.domain.digests import Digest, parse_digest
from release.domain.errors import CannotTell, InputError
from release.domain.facts.github import AssetFacts, CheckFacts, PullFacts, ReleaseFacts

Item = TypeVar("Item", bound=shapes.Numbered)


def distinct(pages: Iterable[Iterable[Item]]) -> tuple[Item, ...]:
    """Return the items of all pages once each, in order: one that moved while we paged is seen twice."""
    return tuple({item.id: item for page in pages for item in page}.values())


def is_from(pull: shapes.Pull, branch: str) -> bool:
    """Say whether the pull request is from this branch of this repository, not from a fork."""
    head, base = pull.head.repo, pull.base.repo
    same = head is None or base is None or head.id == base.id
    return pull.head.ref == branch and same


def release_facts(shape: shapes.Release) -> ReleaseFacts:
    """Convert one release or draft."""
    return ReleaseFacts(
        id=shape.id,
        tag_name=shape.tag_name,
        name=shape.name,
        draft=shape.draft,
        prerelease=shape.prerelease,
        immutable=shape.immutable,
        target_commitish=shape.target_commitish,
        html_url=shape.html_url,
        upload_url=shape.upload_url,
        created_at=_utc(shape.created_at),
        published_at=_maybe(shape.published_at),
        body=shape.body,
    )


def asset_facts(shape: shapes.Asset) -> AssetFacts:
    """Convert one asset; raise ``CannotTell`` (bad-answer) where its digest does not parse."""
    return AssetFacts(
        id=shape.id,
        name=shape.name,
        label=shape.label,
        state=shape.state,
        size=shape.size,
        digest=_digest(shape),
        url=shape.url,
        browser_download_url=shape.browser_download_url,
        content_type=shape.content_type,
        created_at=_utc(shape.created_at),
        updated_at=_utc(shape.updated_at),
        uploader=shape.uploader.login if shape.uploader else None,
    )


def run_facts(shape: shapes.CheckRun) -> CheckFacts:
    """Convert one check run."""
    return CheckFacts(
        id=shape.id,
        name=shape.name,
        source="check-run",
        status=shape.status,
        conclusion=shape.conclusion,
        started_at=_maybe(shape.started_at),
        completed_at=_maybe(shape.completed_at),
        head_sha=shape.head_sha,
        url=shape.html_url or shape.url,
    )


def status_facts(shape: shapes.Status, commit: str) -> CheckFacts:
    """Convert one commit status of ``commit``: ``pending`` has no conclusion, any other word is one."""
    running = shape.state == "pending"
    return CheckFacts(
        id=shape.id,
        name=shape.context,
        source="status",
        status="in_progress" if running else "completed",
        conclusion=None if running else shape.state,
        started_at=_utc(shape.created_at),
        completed_at=None if running else _utc(shape.updated_at),
        head_sha=commit,
        url=shape.target_url or shape.url,
    )


def pull_facts(shape: shapes.Pull) -> PullFacts:
    """Convert one pull request."""
    return PullFacts(
        number=shape.number,
        title=shape.title,
        state=shape.state,
        head_ref=shape.head.ref,
        merged_at=_maybe(shape.merged_at),
        merge_commit=shape.merge_commit_sha,
        url=shape.html_url,
    )


def _maybe(time: datetime | None) -> datetime | None:
    return None if time is None else _utc(time)


def _utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise CannotTell("github.bad-answer", f"{time.isoformat()} is no time") from error


def _digest(shape: shapes.Asset) -> Digest | None:
    if shape.digest is None:
        return None
    try:
        return parse_digest(shape.digest)
    except InputError as error:
        text = f"asset {shape.id} ({shape.name}): `digest` is not a digest: {error}"
        raise CannotTell("github.bad-answer", text) from error
