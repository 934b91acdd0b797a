"""What is not an answer: pages, shapes, server errors, cut connections, time-outs, endless 202s."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from github_fixtures import (
    COMMIT,
    LATEST,
    TOKEN,
    Request,
    Response,
    Server,
    always,
    answer,
    refused,
    release_json,
    rig,
    sequence,
)

from release.domain.errors import CannotTell

ROOT = Path(__file__).resolve().parents[2]


def test_a_page_of_html_with_status_200_is_a_bad_answer() -> None:
    """PyGithub hands out a proxy's error page as data; it is not a release."""
    page = Response(body=b"<html><h1>Unicorn!</h1></html>", headers={"Content-Type": "text/html"})
    with Server(always(page)) as server, rig(server.url) as made:
        assert refused(made).reason == "github.bad-answer"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b'{"message":"Not Found"}', b'{"id":' + b"[" * 200_000, b"\xff\xfe"],
    ids=["empty", "cut", "null", "list", "message", "deep", "bytes"],
)
def test_an_answer_of_another_shape_is_a_bad_answer(body: bytes) -> None:
    """Law 4 of DESIGN §10: what does not parse is neither absent nor equal."""
    response = Response(body=body, headers={"Content-Type": "application/json"})
    with Server(always(response)) as server, rig(server.url) as made:
        assert refused(made).reason == "github.bad-answer"


@pytest.mark.parametrize(
    ("member", "value"),
    [("id", "1"), ("draft", 0), ("tag_name", None), ("published_at", "yesterday"), ("immutable", "yes")],
)
def test_a_member_of_the_wrong_type_is_named(member: str, value: object) -> None:
    """The message says where in which answer the wrong type stands."""
    wrong = always(answer(release_json(**{member: value})))
    with Server(wrong) as server, rig(server.url) as made:
        error = refused(made)
    assert error.reason == "github.bad-answer"
    assert f"`$.{member}`" in error.message
    assert LATEST in error.message


def test_server_errors_past_the_retries_are_unreachable_and_counted() -> None:
    """K20: a 5xx is neither missing nor failed; four requests, with waits in between, then the truth."""
    with Server(always(Response(status=503))) as server, rig(server.url) as made:
        assert refused(made).reason == "github.unreachable"
        assert len(server.requests) == 4
        assert made.meter.requests == 4
        assert made.time.slept == [1.0, 2.0]


def test_a_server_error_that_passes_is_not_seen() -> None:
    """Reads are retried."""
    with Server(sequence(Response(status=502), answer(release_json()))) as server, rig(server.url) as made:
        latest = made.reader.latest()
        assert latest is not None
        assert latest.tag_name == "v1.0.1"


def test_a_long_retry_after_on_a_server_error_is_not_slept() -> None:
    """urllib3 would sleep six hours for a 503 that says so."""
    response = Response(status=503, headers={"Retry-After": "21600"})
    with Server(always(response)) as server, rig(server.url) as made:
        assert refused(made).reason == "github.unreachable"
        assert sum(made.time.slept) < 60


@pytest.mark.parametrize("cut", [-1, 3], ids=["no answer", "half an answer"])
def test_a_cut_connection_is_unreachable(cut: int) -> None:
    """A reset and a body that is shorter than announced show nothing."""
    response = Response(body=b'{"id": 1, "tag_name": "v1"}', cut=cut)
    with Server(always(response)) as server, rig(server.url) as made:
        assert refused(made).reason == "github.unreachable"


def test_nobody_listens() -> None:
    """A refused connection is unreachable and names the API's address."""
    with Server(always(answer({}))) as server:
        url = server.url
    with rig(url) as made:
        error = refused(made)
    assert error.reason == "github.unreachable"
    assert url in error.message


def test_a_server_that_never_answers_is_given_up() -> None:
    """Each attempt has a time-out."""
    done = threading.Event()

    def stall(_request: Request) -> Response:
        done.wait(timeout=20)
        return answer(release_json())

    with Server(stall) as server, rig(server.url, timeout=1) as made:
        try:
            assert refused(made).reason == "github.unreachable"
        finally:
            done.set()


def test_a_202_is_not_asked_for_ever() -> None:
    """PyGithub repeats a GET that answers 202 every two seconds without end."""
    with Server(always(answer({}, status=202))) as server, rig(server.url) as made:
        assert refused(made).reason == "github.unreachable"
        assert len(server.requests) == 4


def test_a_202_that_becomes_an_answer_is_waited_for() -> None:
    """A short computation is no failure."""
    with Server(sequence(answer({}, status=202), answer(release_json()))) as server, rig(server.url) as made:
        assert made.reader.latest() is not None


def test_what_goes_over_the_wire() -> None:
    """Only GETs, with the API version, the media type and the token; no .netrc, no throttle."""
    with Server(always(answer(release_json()))) as server, rig(server.url) as made:
        made.reader.latest()
        (request,) = server.requests
    assert request.method == "GET"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert request.headers["x-github-api-version"] == "2022-11-28"
    assert request.headers["authorization"].endswith(TOKEN)
    assert request.headers["user-agent"] == "release-convergence"


def test_importing_the_reader_imports_neither_pygithub_nor_requests() -> None:
    """`release --help` must not pay for clients that it does not use."""
    code = (
        "import sys, release.adapters.github.reader\n"
        "print(sorted({'github', 'requests', 'urllib3', 'jwt'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_an_api_address_that_is_none_is_a_bad_answer_or_unreachable() -> None:
    """PyGithub asserts on the scheme; no assertion reaches a user."""
    with rig("ftp://127.0.0.1") as made, pytest.raises(CannotTell, match=r"ftp://127\.0\.0\.1") as caught:
        made.reader.checks(COMMIT)
    assert caught.value.reason == "github.bad-answer"
