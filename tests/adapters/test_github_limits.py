"""Refusals and rate limits: told by headers, with the time they lift, and never slept through."""

from pathlib import Path

import pytest
from github_fixtures import (
    START,
    TOKEN,
    Server,
    always,
    answer,
    refused,
    release_json,
    rig,
    sequence,
)

from release.domain.errors import CannotTell

NOON = "Tue, 01 Dec 2026 12:00:00 GMT"


def test_401_is_denied_and_names_the_variables() -> None:
    """The message tells what to set, and never the token."""
    echo = answer({"message": f"Bad credentials {TOKEN}"}, status=401)
    with Server(always(echo)) as server, rig(server.url) as made:
        error = refused(made)
    plain = answer({"message": "Bad credentials"}, status=401)
    with Server(always(plain)) as server, rig(server.url, token=None) as made:
        anonymous = refused(made)
    assert error.reason == anonymous.reason == "github.denied"
    assert "GITHUB_TOKEN or GH_TOKEN" in error.message
    assert "no token is set" in anonymous.message


@pytest.mark.parametrize(
    "message", ["Resource not accessible by integration", "API rate limit exceeded for user 1"]
)
def test_a_403_without_a_limits_headers_is_denied(message: str) -> None:
    """C186: a limit is told by its headers, never by its sentence; the sentence is shown."""
    with Server(always(answer({"message": message}, status=403))) as server, rig(server.url) as made:
        error = refused(made)
        assert len(server.requests) == 1
    assert error.reason == "github.denied"
    assert message in error.message


def test_an_exhausted_limit_names_the_time_and_does_not_sleep() -> None:
    """PyGithub's default would sleep up to an hour, silently."""
    reset = int(START.timestamp()) + 1800
    response = answer({}, status=403, X_RateLimit_Remaining="0", X_RateLimit_Reset=str(reset), Date=NOON)
    with Server(always(response)) as server, rig(server.url) as made:
        error = refused(made)
        assert error.reason == "github.rate-limited"
        assert "2026-12-01T12:30:00Z" in error.message
        assert made.time.slept == []
        assert len(server.requests) == 1
        with pytest.raises(CannotTell, match="rate limited until") as second:
            made.reader.pulls("main")
        assert second.value.reason == "github.rate-limited"
        assert len(server.requests) == 1
        made.time.sleep(1801)
        server.handler = always(answer([]))
        assert made.reader.pulls("other") == ()


@pytest.mark.parametrize("status", [403, 429])
def test_a_short_limit_is_waited_for(status: int) -> None:
    """Retry-After within max_wait: wait exactly so long, then ask again."""
    responses = (answer({}, status=status, Retry_After="7"), answer(release_json()))
    with Server(sequence(*responses)) as server, rig(server.url) as made:
        assert made.reader.latest() is not None
        assert made.time.slept == [7.0]


@pytest.mark.parametrize("status", [403, 429])
def test_a_long_limit_is_told_at_once(status: int) -> None:
    """K20: 403 and 429 with a Retry-After of an hour are rate limits, and nobody sleeps."""
    with Server(always(answer({}, status=status, Retry_After="3600"))) as server, rig(server.url) as made:
        error = refused(made)
        assert error.reason == "github.rate-limited"
        assert "2026-12-01T13:00:00Z" in error.message
        assert made.time.slept == []


def test_a_429_without_a_time_is_waited_for_a_minute_and_no_longer() -> None:
    """PyGithub raises a plain exception for it, which is no rate limit to its users."""
    with Server(always(answer({}, status=429))) as server, rig(server.url) as made:
        assert refused(made).reason == "github.rate-limited"
        assert made.time.slept == [60.0]
        assert len(server.requests) == 2


def test_a_secondary_limit_is_known_by_its_documentation_link() -> None:
    """C182: GitHub need not send Retry-After with it."""
    link = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
    response = answer({"message": "Whatever", "documentation_url": link}, status=403)
    with Server(always(response)) as server, rig(server.url, max_wait=30) as made:
        assert refused(made).reason == "github.rate-limited"
        assert made.time.slept == []


def test_an_anonymous_reader_sends_no_credential(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty token is none, and .netrc is not asked."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with Server(always(answer(release_json()))) as server, rig(server.url, token="") as made:
        made.reader.latest()
        assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"Bearer {TOKEN}", "t\u00f6ken", "a\x00b"])
def test_a_token_that_is_none_is_denied_without_a_request(token: str) -> None:
    """requests would put the value into its error message."""
    with Server(always(answer({}))) as server, rig(server.url, token=token) as made:
        with pytest.raises(CannotTell, match="GITHUB_TOKEN or GH_TOKEN") as caught:
            made.reader.latest()
        assert caught.value.reason == "github.denied"
        assert token not in str(caught.value)
        assert server.requests == []


def test_nonsense_in_a_rate_limit_header_is_a_bad_answer_or_ignored() -> None:
    """PyGithub converts the headers to numbers and raises what it raises."""
    response = answer(release_json(), X_RateLimit_Remaining="many", X_RateLimit_Limit="more")
    with Server(always(response)) as server, rig(server.url) as made:
        assert refused(made).reason == "github.bad-answer"
