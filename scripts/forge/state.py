"""The values that the emulated GitHub holds. Frozen: a change replaces the whole value."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

from forge.blobs import Blob


class Access(IntEnum):
    """What a token may do with a repository; each level includes the lower ones."""

    NONE = 0
    PULL = 1
    PUSH = 2
    ADMIN = 3


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who asks. ``token`` is None for an anonymous request; ``repos`` limits the access to these names."""

    login: str
    id: int
    access: Access
    token: str | None = field(default=None, repr=False)
    repos: frozenset[str] | None = None

    def may(self, repo: "Repo", access: Access) -> bool:
        """Say whether the actor has ``access`` to the repository."""
        if access <= Access.PULL and not repo.private:
            return True
        return self.access >= access and (self.repos is None or repo.full_name in self.repos)


@dataclass(frozen=True, kw_only=True)
class Repo:
    """A repository over a bare git repository. ``latest_id`` is the release that was made latest by hand."""

    id: int
    owner: str
    name: str
    git_dir: Path
    private: bool
    immutable: bool
    default_branch: str
    created_at: datetime
    latest_id: int | None = None

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Release:
    """A release or draft. ``omit`` names members that the JSON must lack."""

    id: int
    repo_id: int
    tag_name: str
    target: str
    name: str | None
    body: str | None
    draft: bool
    prerelease: bool
    immutable: bool
    author: str
    created_at: datetime
    published_at: datetime | None
    omit: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A release asset. ``size`` and ``digest`` are what the API states; ``blob`` is what is served."""

    id: int
    release_id: int
    name: str
    label: str | None
    content_type: str
    state: str
    size: int
    digest: str | None
    blob: Blob
    uploader: str
    created_at: datetime
    updated_at: datetime
    omit: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """One attempt of a check on a commit; of one name and app only the newest is "latest"."""

    id: int
    repo_id: int
    sha: str
    name: str
    status: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None
    app: str = "github-actions"


@dataclass(frozen=True, kw_only=True)
class Status:
    """One commit status; of one context only the newest counts."""

    id: int
    repo_id: int
    sha: str
    context: str
    state: str
    description: str | None
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Pull:
    """A pull request; merged exactly if ``merged_at`` is set."""

    id: int
    repo_id: int
    number: int
    title: str
    state: str
    head: str
    head_sha: str
    head_owner: str
    base: str
    base_sha: str
    merged_at: datetime | None
    merge_commit_sha: str | None
    created_at: datetime
    body: str | None = None


def stamp(when: datetime | None) -> str | None:
    """Return the time as GitHub writes it: UTC, whole seconds, with a Z."""
    return None if when is None else when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
