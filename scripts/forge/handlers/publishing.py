"""What publishing a release does: the tag comes into being, the release becomes immutable and latest."""

from dataclasses import replace
from datetime import datetime

from forge import git
from forge.call import Call, invalid
from forge.state import Release


def publish(call: Call, draft: Release, wants_latest: str) -> Release:
    """Return the published release; creates the tag at the target where it does not exist yet.

    Like GitHub, ``created_at`` becomes the time of the tag's commit.
    """
    repo, tag = call.repo, draft.tag_name
    if call.world.published(repo, tag) is not None:
        raise invalid("Release", "tag_name", "already_exists")
    refuse_burned(call, tag)
    _ensure_tag(call, tag, draft.target)
    done = replace(
        draft,
        draft=False,
        immutable=repo.immutable,
        created_at=_commit_time(call, tag, draft.created_at),
        published_at=call.world.clock(),
    )
    if repo.immutable:
        call.world.burned.add((repo.id, tag))
    if wants_latest == "true" and not done.prerelease:
        make_latest(call, done)
    return done


def make_latest(call: Call, release: Release) -> None:
    """Let ``/releases/latest`` answer with this release."""
    call.world.repos[call.repo.id] = replace(call.repo, latest_id=release.id)


def refuse_burned(call: Call, tag: str) -> None:
    """Refuse a tag name that an immutable release has used, even one that is deleted by now."""
    if (call.repo.id, tag) in call.world.burned:
        raise invalid("Release", "tag_name", "custom", "tag_name was used by an immutable release")


def _ensure_tag(call: Call, tag: str, target: str) -> None:
    name, git_dir = f"refs/tags/{tag}", call.repo.git_dir
    if git.ref(git_dir, name) is not None:
        return
    sha = git.commit_sha(git_dir, target)
    if sha is None:
        raise invalid("Release", "target_commitish", "invalid")
    if not git.create_ref(git_dir, name, sha):
        raise invalid("Release", "tag_name", "invalid")
    call.wrote("ref.create", name, after=sha)


def _commit_time(call: Call, tag: str, otherwise: datetime) -> datetime:
    sha = git.commit_sha(call.repo.git_dir, f"tags/{tag}")
    if sha is None:
        return otherwise
    return datetime.fromisoformat(git.commit(call.repo.git_dir, sha).committer.when)
