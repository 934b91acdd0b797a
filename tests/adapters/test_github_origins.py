"""The token stays at the API's own origin: redirects and links are followed below it or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest
from github_fixtures import (
    LATEST,
    Request,
    Response,
    Server,
    always,
    answer,
    refused,
    release_json,
    rig,
)

from release.domain.errors import CannotTell

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_renamed_repository_is_followed_with_its_query(status: int) -> None:
    """C217: PyGithub follows a 301 without the query, so that `state=all` becomes "open only"."""

    def moved(request: Request) -> Response:
        if request.path.startswith("/repos/"):
            query = "&".join(f"{name}={value}" for name, value in request.query.items())
            return answer({}, status=status, Location=f"/repositories/7/pulls?{query}")
        return answer([])

    with Server(moved) as server, rig(server.url) as made:
        assert made.reader.pulls("changeset/main") == ()
        last = server.requests[-1]
    assert last.path == "/repositories/7/pulls"
    assert last.query == {"head": "acme:changeset/main", "state": "all", "per_page": "100"}


def test_redirects_in_a_circle_end() -> None:
    """A loop is a bad answer after a few requests."""
    with Server(always(answer({}, status=302, Location=LATEST))) as server, rig(server.url) as made:
        assert refused(made).reason == "github.bad-answer"
        assert len(server.requests) == 6


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_origin_is_refused_and_gets_no_token(status: int) -> None:
    """R: a credential never follows a redirect to another origin."""
    with Server(always(answer(release_json()))) as other:
        response = answer({}, status=status, Location=f"{other.url}{LATEST}")
        with Server(always(response)) as server, rig(server.url) as made:
            assert refused(made).reason == "github.bad-answer"
        assert other.requests == []


def test_a_next_link_to_another_origin_is_refused_and_gets_no_token() -> None:
    """PyGithub protects the token there by an assertion alone."""
    with Server(always(answer([]))) as other:
        for target in (
            f"{other.url}/repos/acme/widget/releases?page=2",
            f"http://localhost:{other.port}/x",
            f"http://127.0.0.1@127.0.0.1:{other.port}/x",
            "https://evil.test/x",
            "http://[",
            "http://127.0.0.1:99999999/x",
        ):
            response = answer([release_json()], Link=f'<{target}>; rel="next"')
            with Server(always(response)) as server, rig(server.url, token=None) as made:
                with pytest.raises(CannotTell, match="/repos/acme/widget/releases") as caught:
                    made.reader.releases()
                assert caught.value.reason == "github.bad-answer"
        assert other.requests == []


def test_a_next_link_out_of_the_apis_prefix_is_refused() -> None:
    """On GitHub Enterprise the API is below /api/v3, and other programs live beside it."""

    def handle(request: Request) -> Response:
        host = request.headers["host"]
        return answer([release_json()], Link=f'<http://{host}/evil?page=2>; rel="next"')

    with Server(handle) as server, rig(f"{server.url}/api/v3", token=None) as made:
        with pytest.raises(CannotTell, match="leads away"):
            made.reader.releases()
        assert [request.path for request in server.requests] == ["/api/v3/repos/acme/widget/releases"]


def test_the_token_stays_home_when_assertions_are_off() -> None:
    """Under `python -O` PyGithub's own check is gone; ours is not."""
    code = (
        "import sys; sys.path[:0] = sys.argv[3:]\n"
        "from github_fixtures import rig\n"
        "from release.domain.errors import CannotTell\n"
        "with rig(sys.argv[1]) as made:\n"
        "    try: made.reader.pulls('main')\n"
        "    except CannotTell as error: print(error.reason)\n"
    )
    with Server(always(answer([]))) as other:
        link = f'<{other.url}/repos/acme/widget/pulls?page=2>; rel="next"'
        with Server(always(answer([], Link=link))) as server:
            argv = [
                sys.executable,
                "-O",
                "-c",
                code,
                server.url,
                other.url,
                str(ROOT),
                str(ROOT / "tests/adapters"),
            ]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert done.stdout.strip() == "github.bad-answer", done.stderr
        assert len(server.requests) == 1
        assert other.requests == []
