"""The tables of the emulated GitHub and the questions that handlers ask them.

Writers hold ``lock``; readers need none, because values are frozen and tables are copied before use.
"""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from forge.state import Access, Actor, Asset, CheckRun, Pull, Release, Repo, Status

ANONYMOUS = Actor(login="anonymous", id=0, access=Access.NONE)


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(repr=False)
class World:
    """Everything that exists. ``folder`` holds uploaded bytes and repositories that nobody brought."""

    folder: Path
    clock: Callable[[], datetime] = utc_now
    lock: threading.RLock = field(default_factory=threading.RLock)
    repos: dict[int, Repo] = field(default_factory=dict)
    releases: dict[int, Release] = field(default_factory=dict)
    assets: dict[int, Asset] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    statuses: dict[int, Status] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    tokens: dict[str, Actor] = field(default_factory=dict)
    burned: set[tuple[int, str]] = field(default_factory=set)
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1001))

    def new_id(self) -> int:
        """Return an id that no other object has."""
        return next(self._ids)

    def repo(self, full_name: str) -> Repo | None:
        """Return the repository called ``owner/name``, in any letter case."""
        wanted = full_name.lower()
        return next((one for one in list(self.repos.values()) if one.full_name.lower() == wanted), None)

    def releases_of(self, repo: Repo, *, drafts: bool) -> list[Release]:
        """Return the repository's releases, newest first, with drafts only where wanted."""
        found = [
            one
            for one in list(self.releases.values())
            if one.repo_id == repo.id and (drafts or not one.draft)
        ]
        return sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)

    def published(self, repo: Repo, tag: str) -> Release | None:
        """Return the published release of exactly this tag."""
        return next((one for one in self.releases_of(repo, drafts=False) if one.tag_name == tag), None)

    def latest(self, repo: Repo) -> Release | None:
        """Return what GitHub calls the latest release: chosen by hand, else the newest full release."""
        full = [one for one in self.releases_of(repo, drafts=False) if not one.prerelease]
        chosen = [one for one in full if one.id == repo.latest_id]
        return next(iter(chosen or full), None)

    def assets_of(self, release: Release) -> list[Asset]:
        """Return the release's assets in the order of their ids."""
        return [one for one in list(self.assets.values()) if one.release_id == release.id]

    def checks_of(self, repo: Repo, sha: str) -> list[CheckRun]:
        """Return the commit's check runs, newest first."""
        found = [one for one in list(self.checks.values()) if (one.repo_id, one.sha) == (repo.id, sha)]
        return sorted(found, key=lambda one: one.id, reverse=True)

    def statuses_of(self, repo: Repo, sha: str) -> list[Status]:
        """Return the commit's statuses, newest first."""
        found = [one for one in list(self.statuses.values()) if (one.repo_id, one.sha) == (repo.id, sha)]
        return sorted(found, key=lambda one: one.id, reverse=True)

    def pulls_of(self, repo: Repo) -> list[Pull]:
        """Return the repository's pull requests, newest first."""
        found = [one for one in list(self.pulls.values()) if one.repo_id == repo.id]
        return sorted(found, key=lambda one: (one.created_at, one.number), reverse=True)

    def user_id(self, login: str) -> int:
        """Return the id of a login, the same each time."""
        for actor in list(self.tokens.values()):
            if actor.login == login:
                return actor.id
        return 1 + sum(login.encode()) % 1000
