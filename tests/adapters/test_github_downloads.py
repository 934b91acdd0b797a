"""Asset bytes: counted and hashed anew, the token kept at home, and nothing but the bytes taken for them."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from github_fixtures import TOKEN, Request, Response, Server, answer, rig

from release.adapters.http import EtagStore
from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.facts.github import AssetFacts

BYTES = b"0123456789" * 50
PATH = "/repos/acme/widget/releases/assets/1"
OCTETS = {"Content-Type": "application/octet-stream"}
TIME = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def asset(base: str, content: bytes = BYTES, *, digest: bool = True, **more: object) -> AssetFacts:
    """Return an asset of ``content`` whose API URL is below ``base``."""
    values = {
        "id": 1,
        "name": "widget.tar.gz",
        "label": None,
        "state": "uploaded",
        "size": len(content),
        "digest": Digest("sha256", hashlib.sha256(content).hexdigest()) if digest else None,
        "url": base + PATH,
        "browser_download_url": "https://github.test/nowhere",
        "content_type": "application/gzip",
        "created_at": TIME,
        "updated_at": TIME,
        "uploader": None,
        **more,
    }
    return AssetFacts(**values)


def serve(
    body: bytes, kind: str = "application/octet-stream", **more: object
) -> Callable[[Request], Response]:
    """Return a handler that answers ``body`` to everything."""
    return lambda _request: Response(body=body, headers={"Content-Type": kind}, **more)


def test_bytes_are_counted_and_hashed() -> None:
    """The asset's API URL is asked for octets, with every algorithm in one pass."""
    with Server(serve(BYTES)) as server, rig(server.url) as made:
        got = made.reader.download(asset(server.url), ("sha256", "sha512"))
        (request,) = server.requests
    assert (request.path, request.headers["accept"]) == (PATH, "application/octet-stream")
    assert request.headers["accept-encoding"] == "identity"
    assert got.size == len(BYTES)
    assert got.digest("sha256").hex == hashlib.sha256(BYTES).hexdigest()
    assert got.digest("sha512").hex == hashlib.sha512(BYTES).hexdigest()


def test_the_token_does_not_follow_the_redirect() -> None:
    """C190, C192: the storage host gets no credential, and refuses requests that bring one."""
    with Server(serve(BYTES)) as storage:

        def redirect(request: Request) -> Response:
            assert request.headers["authorization"].endswith(TOKEN)
            return Response(status=302, headers={"Location": f"{storage.url}/blob?sig=a%2Bb"})

        with Server(redirect) as server, rig(server.url) as made:
            got = made.reader.download(asset(server.url), ("sha256",))
        (request,) = storage.requests
    assert "authorization" not in request.headers
    assert request.query == {"sig": "a+b"}
    assert got.size == len(BYTES)
    assert "sig" not in got.url


def test_an_asset_url_elsewhere_is_refused() -> None:
    """The token is for the API's origin: an answer that names another one gets nothing."""
    with Server(serve(BYTES)) as other, Server(serve(BYTES)) as server, rig(f"{server.url}/api/v3") as made:
        for url in (
            f"{other.url}/api/v3{PATH}",
            f"{server.url}/other{PATH}",
            "http://[",
            "file:///etc/passwd",
        ):
            with pytest.raises(CannotTell, match="not followed") as caught:
                made.reader.download(asset("", url=url), ("sha256",))
            assert caught.value.reason == "github.bad-answer"
        assert other.requests == server.requests == []


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (answer({}, status=404), "download.bad-answer"),
        (answer({}, status=401), "download.denied"),
        (answer({}, status=403), "download.denied"),
        (answer({}, status=429, Retry_After="3600"), "download.rate-limited"),
        (Response(status=503), "download.unreachable"),
        (Response(body=BYTES, headers=OCTETS, cut=40), "download.truncated"),
        (Response(body=BYTES[:40], headers=OCTETS, length=False), "download.truncated"),
        (Response(body=BYTES[:40], headers=OCTETS), "download.truncated"),
        (Response(cut=-1), "download.unreachable"),
        (Response(body=b"<html>login</html>", headers={"Content-Type": "text/html"}), "download.bad-answer"),
    ],
    ids=["404", "401", "403", "429", "503", "cut", "no-length", "proxy-short", "reset", "login-page"],
)
def test_what_is_not_the_bytes_is_not_a_verdict(response: Response, reason: str) -> None:
    """K22: cut, refused or replaced by a page, the bytes were not seen; never "different"."""
    with Server(lambda _request: response) as server, rig(server.url) as made:
        with pytest.raises(CannotTell, match=r"widget|/repos/acme") as caught:
            made.reader.download(asset(server.url), ("sha256",))
        assert caught.value.reason == reason
        assert TOKEN not in str(caught.value)


def test_json_instead_of_the_bytes_is_told_as_it_is() -> None:
    """C195: a server that ignores Accept answers the asset's description; type and size say so."""
    with Server(lambda _request: answer({"id": 1})) as server, rig(server.url) as made:
        got = made.reader.download(asset(server.url), ("sha256",))
    assert got.content_type.startswith("application/json")
    assert got.size != len(BYTES)


def test_other_bytes_are_a_fact() -> None:
    """Bytes of the right size and another digest are what the gates judge."""
    with Server(serve(b"x" * len(BYTES))) as server, rig(server.url) as made:
        got = made.reader.download(asset(server.url), ("sha256",))
    assert got.digests != (asset("").digest,)


def test_a_download_is_asked_for_once_per_reader() -> None:
    """Two gates that need the same bytes cost one transfer."""
    with Server(serve(BYTES)) as server, rig(server.url) as made:
        first = made.reader.download(asset(server.url), ("sha256",))
        assert made.reader.download(asset(server.url), ("sha256",)) is first
        assert len(server.requests) == 1


def test_a_small_content_is_read_once_and_then_known_by_its_digest(tmp_path: Path) -> None:
    """A warm survey needs no request for what the API states the digest of."""
    with Server(serve(BYTES)) as server:
        for _ in range(2):
            with rig(server.url, cache=tmp_path) as made:
                assert made.reader.content(asset(server.url), 1000) == BYTES
        assert len(server.requests) == 1


def test_a_content_without_a_stated_digest_is_read_anew(tmp_path: Path) -> None:
    """Without a digest nothing says that the bytes are still the same."""
    with Server(serve(BYTES)) as server:
        for _ in range(2):
            with rig(server.url, cache=tmp_path) as made:
                assert made.reader.content(asset(server.url, digest=False), 1000) == BYTES
        assert len(server.requests) == 2


def test_a_damaged_cache_costs_a_request_and_nothing_else(tmp_path: Path) -> None:
    """What is stored is hashed again before it is used."""
    with Server(serve(BYTES)) as server:
        with rig(server.url, cache=tmp_path) as made:
            made.reader.content(asset(server.url), 1000)
        store = EtagStore(tmp_path)
        (key,) = (path.stem for path in tmp_path.iterdir())
        stored = store.get(key)
        assert stored is not None
        store.put(key, replace(stored, body=b"x" * 500))
        with rig(server.url, cache=tmp_path) as made:
            assert made.reader.content(asset(server.url), 1000) == BYTES
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("body", "limit", "match"),
    [
        (BYTES, 10, r"it has 500 bytes, the limit is 10"),
        (BYTES + b"!", 1000, r"501 bytes of .* arrived, the API says 500"),
        (BYTES + b"!" * 600, 1000, r"more than 1000 bytes arrive"),
        (b"x" * 500, 1000, r"its bytes are sha256:.*, the API says sha256:"),
        (b"[]" + b" " * 30, 1000, r"32 of 500 bytes arrived"),
    ],
    ids=["stated-too-big", "longer", "endless", "other", "shorter"],
)
def test_a_content_that_is_not_what_the_api_says_cannot_be_used(body: bytes, limit: int, match: str) -> None:
    """Size, limit and digest are verified before a checksum file or a manifest is believed."""
    with (
        Server(serve(body)) as server,
        rig(server.url) as made,
        pytest.raises(CannotTell, match=match) as caught,
    ):
        made.reader.content(asset(server.url), limit)
    assert caught.value.reason in ("download.bad-answer", "download.truncated")


def test_json_instead_of_a_content_is_a_bad_answer() -> None:
    """C195: an asset's description is not its content."""
    with Server(lambda _request: answer({"id": 1})) as server, rig(server.url) as made:
        with pytest.raises(CannotTell, match=r"application/json") as caught:
            made.reader.content(asset(server.url), 1000)
        assert caught.value.reason == "download.bad-answer"
