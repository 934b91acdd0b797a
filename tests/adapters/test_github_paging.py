"""Conditional requests, pages and threads: nothing stale, nothing half, nobody else's answer."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

import pytest
from github_fixtures import (
    TOKEN,
    Request,
    Response,
    Server,
    always,
    answer,
    paged,
    refused,
    release_json,
    repository_json,
    rig,
)

from release.domain.errors import CannotTell
from release.domain.facts.github import CheckFacts


def test_the_budget_counts_requests_and_what_remains(tmp_path: Path) -> None:
    """The report's budget: sent, answered 304, remaining as the server says."""

    def handle(request: Request) -> Response:
        if request.headers.get("if-none-match") == '"1"':
            return Response(status=304, headers={"ETag": '"1"', "X-RateLimit-Remaining": "41"})
        return answer(release_json(), ETag='"1"', X_RateLimit_Remaining="41")

    with Server(handle) as server:
        with rig(server.url, cache=tmp_path) as made:
            assert made.reader.budget() == {"requests": 0, "not_modified": 0, "remaining": None}
            cold = made.reader.latest()
            assert made.reader.budget() == {"requests": 1, "not_modified": 0, "remaining": 41}
        with rig(server.url, cache=tmp_path) as made:
            assert made.reader.latest() == cold
            assert made.reader.budget() == {"requests": 1, "not_modified": 1, "remaining": 41}


def test_a_stored_answer_belongs_to_one_token(tmp_path: Path) -> None:
    """What one token may see is never shown to another."""
    with Server(always(answer(release_json(), ETag='"1"'))) as server:
        for token in (TOKEN, "ghp_other", None):
            with rig(server.url, cache=tmp_path, token=token) as made:
                made.reader.latest()
        assert [request.headers.get("if-none-match") for request in server.requests] == [None, None, None]


def test_an_answer_of_another_shape_is_not_stored(tmp_path: Path) -> None:
    """A proxy's page with an ETag must not be confirmed for ever by a 304."""
    page = Response(body=b"<html></html>", headers={"ETag": '"1"', "Content-Type": "text/html"})
    with Server(always(page)) as server:
        for _ in range(2):
            with rig(server.url, cache=tmp_path) as made:
                refused(made)
        assert [request.headers.get("if-none-match") for request in server.requests] == [None, None]


def test_a_304_that_nobody_asked_for_is_a_bad_answer() -> None:
    """`requestJsonAndCheck` would return None for it, without an error."""
    with Server(always(Response(status=304))) as server, rig(server.url) as made:
        assert refused(made).reason == "github.bad-answer"


def test_a_full_page_that_a_304_confirms_does_not_end_the_list(tmp_path: Path) -> None:
    """A 304 need not repeat the Link header, and the 101st release leaves the first page's ETag as it was."""
    releases = [release_json(number) for number in range(1, 101)]

    def handle(request: Request) -> Response:
        page = request.query.get("page", "1")
        if request.headers.get("if-none-match") == f'"{page}"' and page == "1":
            return Response(status=304, headers={"ETag": '"1"'})
        answered = paged(request, releases, server.url)
        return Response(body=answered.body, headers={**answered.headers, "ETag": f'"{page}"'})

    with Server(handle) as server:
        with rig(server.url, cache=tmp_path, token=None) as made:
            assert len(made.reader.releases().releases) == 100
        releases.append(release_json(101))
        with rig(server.url, cache=tmp_path, token=None) as made:
            assert len(made.reader.releases().releases) == 101


def test_a_list_whose_link_header_is_lost_is_still_read_to_the_end() -> None:
    """K19: a proxy that drops Link would end every list after the first page."""
    releases = [release_json(number) for number in range(1, 251)]

    def handle(request: Request) -> Response:
        answered = paged(request, releases, "")
        return Response(body=answered.body, headers={"Content-Type": "application/json"})

    with Server(handle) as server, rig(server.url, token=None) as made:
        assert len(made.reader.releases().releases) == 250


def test_a_list_that_never_ends_is_a_bad_answer() -> None:
    """A `next` that leads back is not followed in a circle."""

    def handle(_request: Request) -> Response:
        link = f'<{server.url}/repos/acme/widget/releases?per_page=100&page=2>; rel="next"'
        return answer([release_json()], Link=link)

    with Server(handle) as server, rig(server.url, token=None) as made:
        with pytest.raises(CannotTell, match="does not end") as caught:
            made.reader.releases()
        assert caught.value.reason == "github.bad-answer"
        assert len(server.requests) == 2


@pytest.mark.parametrize("status", [404, 500, 403])
def test_a_page_that_cannot_be_had_makes_the_list_unobservable(status: int) -> None:
    """K19: an incomplete listing shows nothing; its first pages are not returned."""
    releases = [release_json(number) for number in range(1, 301)]

    def handle(request: Request) -> Response:
        if request.query.get("page") == "3":
            return answer({}, status=status)
        return paged(request, releases, server.url)

    with (
        Server(handle) as server,
        rig(server.url, token=None) as made,
        pytest.raises(CannotTell, match="page=3"),
    ):
        made.reader.releases()


def test_answers_do_not_cross_between_threads() -> None:
    """A shared `Github` crosses answers (PyGithub issue 1257): one thread is held at the fatal spot."""

    def handle(request: Request) -> Response:
        if request.path.endswith("/check-runs"):
            return answer({"total_count": 0, "check_runs": []})
        commit, time = request.path.split("/")[5], "2026-11-30T10:00:00Z"
        status = {"id": 1, "state": "success", "url": "u", "created_at": time, "updated_at": time}
        return answer([{**status, "context": commit}])

    held, free = threading.Event(), threading.Event()

    def hold(frame: FrameType, _event: str, _argument: object) -> None:
        code = frame.f_code
        if code.co_name == "getresponse" and code.co_filename.endswith("Requester.py"):
            held.set()
            free.wait(timeout=10)

    def slowly(ask: Callable[[str], tuple[CheckFacts, ...]]) -> str:
        sys.settrace(hold)
        try:
            return ask("first")[0].name
        finally:
            sys.settrace(None)

    with Server(handle) as server, rig(server.url) as made, ThreadPoolExecutor(1) as pool:
        made.reader.checks("warm")
        first = pool.submit(slowly, made.reader.checks)
        assert held.wait(timeout=10)
        second = made.reader.checks("second")[0].name
        free.set()
        assert (first.result(timeout=10), second) == ("first", "second")


def test_equal_questions_of_many_threads_cost_one_request() -> None:
    """Nineteen of twenty threads wait for the answer that the first one asks for."""

    def handle(request: Request) -> Response:
        match request.path:
            case "/repos/acme/widget":
                return answer(repository_json())
            case _:
                return answer([release_json()])

    with Server(handle) as server, rig(server.url) as made, ThreadPoolExecutor(20) as pool:
        listings = list(pool.map(lambda _: made.reader.releases(), range(20)))
        assert len(set(map(id, listings))) == 1
        assert len(server.requests) == 2


def test_a_failure_is_looked_at_once_too() -> None:
    """What could not be seen in a survey is not asked again by its other subjects."""
    with Server(always(answer({}, status=401))) as server, rig(server.url) as made:
        refused(made)
        refused(made)
        assert len(server.requests) == 1
