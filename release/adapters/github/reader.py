"""The GitHub port: releases, assets, checks and pull requests of one repository, read only.

Equal questions of one reader cost one look, also from many threads; make a new reader for a new look.
A 404 is an absence only where the repository itself is visible. Creating a reader does not import PyGithub.
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from release.adapters.github.downloads import Downloads
from release.adapters.github.looks import Looks
from release.adapters.github.model import Access, Pace
from release.adapters.github.transport import Transport
from release.adapters.http.etags import EtagStore
from release.adapters.http.limits import Clock
from release.adapters.http.model import Meter
from release.adapters.once import Once
from release.domain.facts.github import (
    AssetFacts,
    CheckFacts,
    Downloaded,
    PullFacts,
    ReleaseFacts,
    ReleaseListing,
)
from release.domain.plan import GitHubPolicy
from release.domain.transfer import OnTransfer, unwatched
from release.ports import Budget

if TYPE_CHECKING:
    from release.adapters.http import Http

_RETRIES = 3


class GitHubReader:
    """Implements ``release.ports.GitHubRead``; thread-safe.

    ``token`` is None for an anonymous reader. ``max_wait`` is the longest wait for a rate limit per
    question, ``backoff`` the base of the waits between retries; both in seconds, both through ``sleep``.
    """

    def __init__(
        self,
        *,
        policy: GitHubPolicy,
        token: str | None,
        http: "Http",
        etags: EtagStore | None,
        meter: Meter,
        sleep: Callable[[float], None],
        clock: Clock,
        max_wait: float = 60,
        timeout: int = 15,
        backoff: float = 0.5,
        on_transfer: OnTransfer = unwatched,
    ) -> None:
        access = Access(
            api=policy.api.rstrip("/"),
            token=token or None,
            timeout=timeout,
            retries=_RETRIES,
            backoff=backoff,
        )
        pace = Pace(sleep=sleep, clock=clock, max_wait=max_wait)
        self._meter = meter
        self._transport = Transport(access, pace, etags=etags, meter=meter)
        self.access, self.pace, self.transport = access, pace, self._transport
        self._questions = Looks(self._transport, policy.repository, anonymous=access.token is None)
        downloads = Downloads(access, http=http, cache=etags, on_transfer=on_transfer)
        # an asset's bytes never change under its id: one download serves all looks of a run
        self._downloads = Once(downloads.download, keep_failures=False)
        self._contents = Once(downloads.content, keep_failures=False)
        self._start_look()

    def fresh(self) -> "GitHubReader":
        """Return a reader for a new look: it shares connections and downloads, and no answer of the API."""
        other = copy.copy(self)
        other._start_look()
        return other

    def _start_look(self) -> None:
        looks = self._questions
        self._releases = Once(looks.releases)
        self._assets = Once(looks.assets)
        self._latest = Once(looks.latest)
        self._checks = Once(looks.checks)
        self._pulls = Once(looks.pulls)

    def releases(self) -> ReleaseListing:
        """Return every release and visible draft; drafts are listed only for a token that may push."""
        return self._releases(None)

    def assets(self, release: ReleaseFacts) -> tuple[AssetFacts, ...]:
        """Return every asset of the release, oldest first."""
        return self._assets(release.id)

    def latest(self) -> ReleaseFacts | None:
        """Return what GitHub calls the latest release, or None where there is none."""
        return self._latest(None)

    def checks(self, commit: str) -> tuple[CheckFacts, ...]:
        """Return all attempts of all check runs, then all statuses; none where GitHub has no such commit."""
        return self._checks(commit)

    def pulls(self, head_branch: str) -> tuple[PullFacts, ...]:
        """Return all pull requests from exactly this branch of this repository, newest first."""
        return self._pulls(head_branch)

    def download(self, asset: AssetFacts, algorithms: tuple[str, ...]) -> Downloaded:
        """Download and hash the asset's bytes; see ``Downloads.download``."""
        return self._downloads((_bytes_of(asset), algorithms))

    def content(self, asset: AssetFacts, limit: int) -> bytes:
        """Return the bytes of a small asset; see ``Downloads.content``."""
        return self._contents((_bytes_of(asset), limit))

    def budget(self) -> Budget:
        """Return the requests sent, those answered 304, and what the server says remains (None: unknown)."""
        meter = self._meter
        return {
            "requests": meter.requests,
            "not_modified": meter.not_modified,
            "remaining": meter.remaining,
        }

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()


def _bytes_of(asset: AssetFacts) -> AssetFacts:
    """Leave out what publishing the release changes and the bytes do not depend on."""
    return replace(asset, browser_download_url="")
