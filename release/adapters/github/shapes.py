"""The shapes of GitHub's answers that we rely on, checked by type: a 200 with HTML is not a release.

Members that GitHub does not require have a default; unknown members are ignored; a wrong type is an error.
Source: GitHub's OpenAPI description, version 2022-11-28.
"""

from datetime import datetime
from typing import Annotated, Protocol

import msgspec

Time = Annotated[datetime, msgspec.Meta(tz=True)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Account(msgspec.Struct):
    """A user, a bot or an organisation."""

    login: str


class Permissions(msgspec.Struct):
    """What the token may do; the object is absent for an anonymous reader."""

    push: bool = False
    admin: bool = False


class Repository(msgspec.Struct):
    """``GET /repos/{owner}/{repo}``."""

    id: int
    full_name: str
    permissions: Permissions | None = None


class Immutability(msgspec.Struct):
    """``GET /repos/{owner}/{repo}/immutable-releases``: are releases that are published now immutable?"""

    enabled: bool


class Numbered(Protocol):
    """Anything with GitHub's numeric id."""

    @property
    def id(self) -> int:
        """The id: unique among things of one kind."""
        ...


class Release(msgspec.Struct):
    """One release or draft. ``immutable`` is not a required member: missing is not false."""

    id: int
    tag_name: str
    name: str | None
    draft: bool
    prerelease: bool
    target_commitish: str
    html_url: str
    upload_url: str
    created_at: Time
    published_at: Time | None
    immutable: bool | None = None
    body: str | None = None


class Asset(msgspec.Struct):
    """One release asset. ``state`` is any string: the documented enum lacks ``starter``."""

    id: int
    name: str
    state: str
    size: Count
    url: str
    browser_download_url: str
    content_type: str
    created_at: Time
    updated_at: Time
    label: str | None = None
    digest: str | None = None
    uploader: Account | None = None


class CheckRun(msgspec.Struct):
    """One attempt of one check."""

    id: int
    name: str
    status: str
    conclusion: str | None
    started_at: Time | None
    completed_at: Time | None
    head_sha: str
    url: str
    html_url: str | None = None


class CheckRuns(msgspec.Struct):
    """One page of check runs, and how many there are on all pages."""

    total_count: Count
    check_runs: list[CheckRun]

    def count(self) -> int:
        """Return how many are on this page."""
        return len(self.check_runs)


class Status(msgspec.Struct):
    """One commit status."""

    id: int
    context: str
    state: str
    url: str
    created_at: Time
    updated_at: Time
    target_url: str | None = None


class HeadRepository(msgspec.Struct):
    """The repository that a branch is in."""

    id: int


class Branch(msgspec.Struct):
    """One side of a pull request; ``repo`` is null where a fork was deleted."""

    ref: str
    repo: HeadRepository | None = None


class Pull(msgspec.Struct):
    """One pull request."""

    id: int
    number: int
    title: str
    state: str
    html_url: str
    head: Branch
    base: Branch
    merged_at: Time | None = None
    merge_commit_sha: str | None = None
