"""The looks themselves: which paths answer which question, and what a 404 means there.

A 404 is an absence only where the repository itself is visible to this token; otherwise nothing was seen.
"""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlencode

from release.adapters.github import facts, shapes
from release.adapters.github.model import Absent
from release.adapters.github.pages import PER_PAGE, all_pages
from release.adapters.github.transport import Transport
from release.adapters.once import Once
from release.domain.errors import CannotTell
from release.domain.facts.github import AssetFacts, CheckFacts, PullFacts, ReleaseFacts, ReleaseListing

_NOT_FOUND = frozenset({404})
_NO_SUCH_COMMIT = frozenset({404, 422})
_PAGE = f"per_page={PER_PAGE}"


class Looks:
    """One look a call at ``repository`` (``owner/name``); only the repository itself is remembered."""

    def __init__(self, transport: Transport, repository: str, *, anonymous: bool) -> None:
        self._transport = transport
        self._name = repository
        self._owner, _, name = repository.partition("/")
        self._root = f"/repos/{quote(self._owner, safe='')}/{quote(name, safe='')}"
        self._anonymous = anonymous
        self._repository = Once(self._look_at_repository)

    def releases(self, _: None) -> ReleaseListing:
        """Return every release and visible draft."""
        with ThreadPoolExecutor(1) as beside:  # neither question waits for the other's answer
            may_push = beside.submit(lambda: not self._anonymous and self._may_push())
            pages = all_pages(
                self._transport,
                f"{self._root}/releases?{_PAGE}",
                list[shapes.Release],
                size=len,
                absent=_NOT_FOUND,
            )
            if isinstance(pages, Absent):
                raise self._not_visible()
            found = tuple(facts.release_facts(shape) for shape in facts.distinct(pages))
            # a draft in the answer is proof: some tokens see drafts and have no `permissions` stated
            visible = may_push.result() or any(release.draft for release in found)
            return ReleaseListing(releases=found, drafts_visible=visible)

    def assets(self, release_id: int) -> tuple[AssetFacts, ...]:
        """Return every asset of the release; a release that is gone meanwhile is ``CannotTell``."""
        path = f"{self._root}/releases/{release_id}/assets?{_PAGE}"
        pages = all_pages(self._transport, path, list[shapes.Asset], size=len, absent=_NOT_FOUND)
        if isinstance(pages, Absent):
            self._repository(None)
            text = f"GET {path}: release {release_id} was listed and is not found: look again"
            raise CannotTell("github.bad-answer", text)
        return tuple(facts.asset_facts(shape) for shape in facts.distinct(pages))

    def latest(self, _: None) -> ReleaseFacts | None:
        """Return the latest release; None where a visible repository has none."""
        got = self._transport.fetch(f"{self._root}/releases/latest", shapes.Release, absent=_NOT_FOUND)
        if isinstance(got, Absent):
            self._repository(None)
            return None
        return facts.release_facts(got.value)

    def checks(self, commit: str) -> tuple[CheckFacts, ...]:
        """Return all attempts of all check runs, then all statuses; none where GitHub lacks the commit."""
        base = f"{self._root}/commits/{quote(commit, safe='')}"
        runs = self._check_runs(f"{base}/check-runs?filter=all&{_PAGE}")
        if runs is None:
            return ()
        return runs + self._statuses(f"{base}/statuses?{_PAGE}", commit)

    def pulls(self, branch: str) -> tuple[PullFacts, ...]:
        """Return all pull requests from the branch of this repository, whatever the filter let through."""
        query = urlencode({"head": f"{self._owner}:{branch}", "state": "all", "per_page": PER_PAGE})
        path = f"{self._root}/pulls?{query}"
        pages = all_pages(self._transport, path, list[shapes.Pull], size=len, absent=_NOT_FOUND)
        if isinstance(pages, Absent):
            raise self._not_visible()
        # a filter that the server does not understand is ignored, and would bring every pull request
        ours = (shape for shape in facts.distinct(pages) if facts.is_from(shape, branch))
        return tuple(facts.pull_facts(shape) for shape in ours)

    def _check_runs(self, path: str) -> tuple[CheckFacts, ...] | None:
        pages = all_pages(
            self._transport, path, shapes.CheckRuns, size=shapes.CheckRuns.count, absent=_NO_SUCH_COMMIT
        )
        if isinstance(pages, Absent):
            self._require_unknown_commit(path, pages)
            return None
        runs = facts.distinct(page.check_runs for page in pages)
        if len(runs) < pages[-1].total_count:
            text = f"GET {path}: `total_count` is {pages[-1].total_count}, and the pages hold {len(runs)}"
            raise CannotTell("github.bad-answer", text)
        return tuple(facts.run_facts(shape) for shape in runs)

    def _statuses(self, path: str, commit: str) -> tuple[CheckFacts, ...]:
        pages = all_pages(self._transport, path, list[shapes.Status], size=len, absent=_NO_SUCH_COMMIT)
        if isinstance(pages, Absent):
            self._require_unknown_commit(path, pages)
            return ()
        return tuple(facts.status_facts(shape, commit) for shape in facts.distinct(pages))

    def _require_unknown_commit(self, path: str, absent: Absent) -> None:
        """Return where the server knows no such commit (422); a 404 does not say that, and raises."""
        if absent.status == 404:
            self._repository(None)
            text = f"GET {path}: answered 404, and the repository is visible: the token may not see checks"
            raise CannotTell("github.denied", text)

    def _may_push(self) -> bool:
        permissions = self._repository(None).permissions
        return permissions is not None and permissions.push

    def _look_at_repository(self, _: None) -> shapes.Repository:
        got = self._transport.fetch(self._root, shapes.Repository, absent=_NOT_FOUND)
        if isinstance(got, Absent):
            raise self._not_visible()
        return got.value

    def _not_visible(self) -> CannotTell:
        text = f"{self._name} is not there, or not visible to this token (404)"
        if self._anonymous:
            text = f"{self._name} is not there, or is private: no GITHUB_TOKEN or GH_TOKEN is set (404)"
        return CannotTell("github.repository-not-visible", text)
