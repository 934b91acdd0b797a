"""What the reader makes of releases, assets, checks and pull requests: whole, or not at all."""

from datetime import UTC, datetime

import pytest
from github_fixtures import (
    COMMIT,
    Handler,
    Request,
    Response,
    Server,
    answer,
    asset_json,
    paged,
    release_json,
    repository_json,
    rig,
)

from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.facts.github import ReleaseFacts

REPO = "/repos/acme/widget"
TIME = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
HELD = ReleaseFacts(
    id=5,
    tag_name="v1.0.5",
    name=None,
    draft=False,
    prerelease=False,
    immutable=None,
    target_commitish="main",
    html_url="",
    upload_url="",
    created_at=TIME,
    published_at=None,
)


def routes(**answers: object) -> Handler:
    """Return a handler by last path parts (_ for -; ``root`` is the repository) that pages lists."""

    def handle(request: Request) -> Response:
        name = request.path.removeprefix(REPO).rpartition("/")[2].replace("-", "_") or "root"
        host = f"http://{request.headers['host']}"
        match answers.get(name):
            case None:
                return answer({"message": "Not Found"}, status=404)
            case Response() as response:
                return response
            case list() as items:
                return paged(request, items, host)
            case value:
                return answer(value)

    return handle


def run_json(number: int, **more: object) -> dict[str, object]:
    """Return one concluded check run."""
    return {
        "id": number,
        "name": "build",
        "status": "completed",
        "conclusion": "success",
        "started_at": "2026-11-30T10:00:00Z",
        "completed_at": "2026-11-30T10:05:00Z",
        "head_sha": COMMIT,
        "url": f"https://api.test/check-runs/{number}",
        "html_url": f"https://github.test/runs/{number}",
        "app": {"slug": "github-actions"},
        **more,
    }


def status_json(number: int, state: str) -> dict[str, object]:
    """Return one commit status."""
    return {
        "id": number,
        "context": f"ci/{state}",
        "state": state,
        "url": f"https://api.test/statuses/{number}",
        "target_url": None,
        "created_at": "2026-11-30T10:00:00Z",
        "updated_at": "2026-11-30T10:05:00Z",
    }


def pull_json(number: int, ref: str = "changeset-release/main", **more: object) -> dict[str, object]:
    """Return one merged pull request from a branch of the repository itself."""
    return {
        "id": 1000 + number,
        "number": number,
        "title": "Version Packages",
        "state": "closed",
        "html_url": f"https://github.test/acme/widget/pull/{number}",
        "head": {"ref": ref, "sha": COMMIT, "repo": {"id": 1}},
        "base": {"ref": "main", "sha": COMMIT, "repo": {"id": 1}},
        "merged_at": "2026-11-30T10:00:00Z",
        "merge_commit_sha": COMMIT,
        **more,
    }


def test_releases_become_facts_in_utc() -> None:
    """Every member is carried over; times are UTC whatever offset they were told in."""
    with (
        Server(routes(root=repository_json(), releases=[release_json(3)])) as server,
        rig(server.url) as made,
    ):
        listing = made.reader.releases()
    (release,) = listing.releases
    assert release.published_at == datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
    assert release.published_at.tzinfo is UTC
    assert (release.id, release.tag_name, release.immutable, release.body) == (3, "v1.0.3", True, "notes")
    assert listing.drafts_visible


@pytest.mark.parametrize("missing", ["immutable", "body"])
def test_a_member_that_github_does_not_require_is_none(missing: str) -> None:
    """APIS §1: PyGithub would ask again for each missing property; missing is not false."""
    release = {name: value for name, value in release_json().items() if name != missing}
    with Server(routes(root=repository_json(), releases=[release])) as server, rig(server.url) as made:
        found = made.reader.releases().releases[0]
        assert {"immutable": found.immutable, "body": found.body}[missing] is None
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("permissions", "visible"),
    [({"push": True}, True), ({"push": False, "pull": True}, False), ({}, False), (None, False)],
)
def test_drafts_are_visible_to_who_may_push(permissions: dict[str, bool] | None, visible: bool) -> None:
    """C138: "no draft" means something only where the token may see drafts."""
    repository = repository_json(permissions=permissions)
    with Server(routes(root=repository, releases=[release_json()])) as server, rig(server.url) as made:
        assert made.reader.releases().drafts_visible is visible


def test_a_listed_draft_proves_that_drafts_are_visible() -> None:
    """An app's token may see drafts while `permissions` says nothing."""
    draft = release_json(draft=True, published_at=None, immutable=False)
    repository = repository_json(permissions=None)
    with Server(routes(root=repository, releases=[draft])) as server, rig(server.url) as made:
        assert made.reader.releases().drafts_visible


def test_an_anonymous_reader_sees_no_drafts_and_asks_once() -> None:
    """Without a token there are 60 requests an hour: none is spent on permissions."""
    with Server(routes(root=repository_json(), releases=[])) as server, rig(server.url, token=None) as made:
        listing = made.reader.releases()
        assert listing.releases == ()
        assert not listing.drafts_visible
        assert len(server.requests) == 1


def test_two_drafts_and_a_release_of_one_tag_are_all_found() -> None:
    """G09, G10: drafts are found by listing, each by its own id."""
    items = [release_json(number, tag_name="v1", draft=number > 1) for number in (1, 2, 3)]
    with Server(routes(root=repository_json(), releases=items)) as server, rig(server.url) as made:
        assert [release.id for release in made.reader.releases().of_tag("v1")] == [1, 2, 3]


def test_a_release_that_moved_between_pages_is_listed_once() -> None:
    """A release published while we page pushes the last one of page 1 to page 2."""
    items = [release_json(number) for number in range(1, 121)]

    def handle(request: Request) -> Response:
        if request.query.get("page") == "2":
            items.insert(0, release_json(500))
        return paged(request, items, server.url)

    with Server(handle) as server, rig(server.url, token=None) as made:
        ids = [release.id for release in made.reader.releases().releases]
    assert ids == list(range(1, 121))


@pytest.mark.parametrize("token", ["ghp_canary", None])
def test_a_404_of_the_repository_is_not_an_absence(token: str | None) -> None:
    """A private repository without access answers 404 to everything: nothing was seen."""
    with Server(routes()) as server, rig(server.url, token=token) as made:
        for ask in (
            made.reader.releases,
            made.reader.latest,
            lambda: made.reader.assets(HELD),
            lambda: made.reader.checks(COMMIT),
            lambda: made.reader.pulls("main"),
        ):
            with pytest.raises(CannotTell, match="acme/widget is not there") as caught:
                ask()
            assert caught.value.reason == "github.repository-not-visible"


def test_no_latest_release_is_none() -> None:
    """A 404 in a visible repository is an absence."""
    with Server(routes(root=repository_json())) as server, rig(server.url) as made:
        assert made.reader.latest() is None


@pytest.mark.parametrize("count", [0, 1, 31, 100, 101, 1000])
def test_all_assets_are_listed(count: int) -> None:
    """K19, C177, C179: 31, 101 and 1,000 assets, through every page."""
    with Server(routes(root=repository_json())) as server, rig(server.url) as made:
        items: list[object] = [asset_json(server.url, number) for number in range(count)]
        server.handler = routes(root=repository_json(), assets=items)
        assets = made.reader.assets(HELD)
        assert [asset.id for asset in assets] == list(range(count))
        # a full page without a Link header may be the whole list or not: it is asked
        assert len(server.requests) == max(1, -(-count // 100)) + (count == 100)
        assert {request.query["per_page"] for request in server.requests} == {"100"}


def test_an_asset_is_told_as_it_is() -> None:
    """K12: `starter` is a state like any other, a missing uploader and digest are None."""
    raw = asset_json("https://api.test", 1, state="starter", size=0, uploader=None, label="widget")
    with Server(routes(root=repository_json(), assets=[raw])) as server, rig(server.url) as made:
        (asset,) = made.reader.assets(HELD)
    assert (asset.state, asset.size, asset.uploader, asset.digest, asset.label) == (
        "starter",
        0,
        None,
        None,
        "widget",
    )
    assert asset.created_at == TIME


@pytest.mark.parametrize(
    ("digest", "parsed"),
    [
        (None, None),
        ("sha256:" + "0" * 64, Digest("sha256", "0" * 64)),
        ("sha256:" + "F" * 64, Digest("sha256", "f" * 64)),
    ],
)
def test_a_digest_is_parsed_or_unknown(digest: str | None, parsed: Digest | None) -> None:
    """A null digest is unknown; hex in upper case is the same digest."""
    raw = asset_json("https://api.test", 1, digest=digest)
    with Server(routes(root=repository_json(), assets=[raw])) as server, rig(server.url) as made:
        assert made.reader.assets(HELD)[0].digest == parsed


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:xyz", "md5:" + "0" * 32, "0" * 64])
def test_a_digest_that_does_not_parse_is_a_bad_answer(digest: str) -> None:
    """What does not parse is never equal, and never quietly unknown."""
    raw = asset_json("https://api.test", 9, digest=digest)
    with Server(routes(root=repository_json(), assets=[raw])) as server, rig(server.url) as made:
        with pytest.raises(CannotTell, match=r"asset 9 .*`digest`") as caught:
            made.reader.assets(HELD)
        assert caught.value.reason == "github.bad-answer"


def test_a_release_that_is_gone_has_no_assets_to_tell_of() -> None:
    """Deleted between two looks: not an empty release."""
    with Server(routes(root=repository_json())) as server, rig(server.url) as made:
        with pytest.raises(CannotTell, match="release 5 was listed and is not found") as caught:
            made.reader.assets(HELD)
        assert caught.value.reason == "github.bad-answer"


def test_all_attempts_of_checks_and_all_statuses_are_told() -> None:
    """K14, G21: `filter=all`; a skipped run is skipped; statuses speak check runs' words."""
    runs = {
        "total_count": 3,
        "check_runs": [
            run_json(1, conclusion="failure"),
            run_json(2),
            run_json(3, name="deploy", status="queued", conclusion=None, started_at=None, completed_at=None),
        ],
    }
    states = ["pending", "success", "failure", "error"]
    statuses: list[object] = [status_json(number, state) for number, state in enumerate(states)]
    with Server(routes(root=repository_json(), check_runs=runs, statuses=statuses)) as server:
        with rig(server.url) as made:
            checks = made.reader.checks(COMMIT)
        assert server.requests[0].query["filter"] == "all"
    told = [(check.source, check.name, check.status, check.conclusion) for check in checks]
    assert told == [
        ("check-run", "build", "completed", "failure"),
        ("check-run", "build", "completed", "success"),
        ("check-run", "deploy", "queued", None),
        ("status", "ci/pending", "in_progress", None),
        ("status", "ci/success", "completed", "success"),
        ("status", "ci/failure", "completed", "failure"),
        ("status", "ci/error", "completed", "error"),
    ]
    assert {check.head_sha for check in checks} == {COMMIT}
    assert checks[3].completed_at is None
    assert checks[4].completed_at == datetime(2026, 11, 30, 10, 5, tzinfo=UTC)


def test_fewer_check_runs_than_the_total_are_a_bad_answer() -> None:
    """An incomplete list of checks could hide the one that failed."""
    runs = {"total_count": 2, "check_runs": [run_json(1)]}
    with (
        Server(routes(root=repository_json(), check_runs=runs, statuses=[])) as server,
        rig(server.url) as made,
    ):
        with pytest.raises(CannotTell, match="`total_count` is 2, and the pages hold 1") as caught:
            made.reader.checks(COMMIT)
        assert caught.value.reason == "github.bad-answer"


def test_check_runs_are_paged_to_the_end() -> None:
    """Matrices have more than a hundred runs."""
    runs = [run_json(number) for number in range(230)]

    def handle(request: Request) -> Response:
        if request.path.endswith("/statuses"):
            return answer([])
        page = int(request.query.get("page", "1"))
        link = f'<{server.url}{request.path}?filter=all&per_page=100&page={page + 1}>; rel="next"'
        headers = {"Link": link} if page < 3 else {}
        return answer({"total_count": 230, "check_runs": runs[(page - 1) * 100 : page * 100]}, **headers)

    with Server(handle) as server, rig(server.url) as made:
        assert len(made.reader.checks(COMMIT)) == 230


def test_a_commit_that_github_does_not_know_has_no_checks() -> None:
    """GitHub answers 422 for a commit that was never pushed."""
    unknown = answer({"message": f"No commit found for SHA: {COMMIT}"}, status=422)
    with Server(routes(root=repository_json(), check_runs=unknown)) as server, rig(server.url) as made:
        assert made.reader.checks(COMMIT) == ()


def test_checks_that_the_token_may_not_see_are_denied() -> None:
    """A 404 on the checks of a visible repository is no absence of checks."""
    with Server(routes(root=repository_json())) as server, rig(server.url) as made:
        with pytest.raises(CannotTell, match="may not see checks") as caught:
            made.reader.checks(COMMIT)
        assert caught.value.reason == "github.denied"


def test_pulls_of_exactly_the_branch_of_this_repository() -> None:
    """A server that ignores the filter, a longer branch name and a fork's branch of the same name."""
    fork = {"ref": "changeset-release/main", "repo": {"id": 2}}
    items: list[object] = [
        pull_json(4),
        pull_json(3, ref="changeset-release/main-2"),
        pull_json(2, head=fork),
        pull_json(1, merged_at=None, state="open", merge_commit_sha=None),
    ]
    with Server(routes(pulls=items)) as server, rig(server.url) as made:
        pulls = made.reader.pulls("changeset-release/main")
        query = server.requests[0].query
    assert query == {"head": "acme:changeset-release/main", "state": "all", "per_page": "100"}
    assert [pull.number for pull in pulls] == [4, 1]
    assert pulls[0].merge_commit == COMMIT
    assert pulls[0].merged_at == TIME
    assert pulls[1].merged_at is None


def test_an_enterprise_server_is_asked_below_its_prefix() -> None:
    """K24: the API of GitHub Enterprise is at /api/v3, and its links are too."""
    items = [release_json(number) for number in range(150)]

    def handle(request: Request) -> Response:
        assert request.path == "/api/v3/repos/acme/widget/releases"
        return paged(request, items, server.url)

    with Server(handle) as server, rig(f"{server.url}/api/v3", token=None) as made:
        assert len(made.reader.releases().releases) == 150


def test_odd_names_are_one_path_segment() -> None:
    """C170: a `/` in a name must not become a path."""
    with Server(routes()) as server, rig(server.url, repository="acme/wid..get") as made:
        with pytest.raises(CannotTell, match="not there"):
            made.reader.checks("refs/../../evil")
        assert server.requests[0].path.endswith("/wid..get/commits/refs%2F..%2F..%2Fevil/check-runs")
