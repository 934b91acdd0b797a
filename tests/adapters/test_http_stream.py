"""Downloads: hashed as on the wire, whole or not at all, and redirects that keep credentials at home."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_fixtures import CANARY, Say, Seen, gzipped, replies, self_signed, serving

from release.adapters.http import Credential, FaultKind, Http, HttpFault, Meter
from release.domain.digests import Digest
from release.domain.errors import CannotTell

ANY = "application/octet-stream"
SHA = ("sha256",)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def http() -> Iterator[Http]:
    """A client that never sleeps."""
    made = Http(cache=None, meter=Meter(), timeout=(2.0, 5.0), sleep=lambda _: None)
    yield made
    made.close()


def sha256(data: bytes) -> Digest:
    """Return the digest that a download of ``data`` must have."""
    return Digest("sha256", hashlib.sha256(data).hexdigest())


def chunked(data: bytes, size: int = 7000) -> bytes:
    """Return an answer with ``data`` in chunked coding."""
    parts = (data[at : at + size] for at in range(0, len(data), size))
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


def test_a_download_is_counted_hashed_and_kept(http: Http) -> None:
    """Size, digests in the order asked for, content type, the sink's bytes and the progress agree."""
    data, sink, seen = bytes(range(256)) * 20_000, io.BytesIO(), list[int]()
    with serving(lambda _: Say(body=data, headers={"Content-Type": "application/gzip"})) as server:
        got = http.stream(
            f"{server.url}/a.tgz",
            accept=ANY,
            algorithms=("sha512", "sha256"),
            sink=sink,
            progress=seen.append,
        )
    assert (got.status, got.size, got.content_type) == (200, len(data), "application/gzip")
    assert got.digests == (Digest("sha512", hashlib.sha512(data).hexdigest()), sha256(data))
    assert sink.getvalue() == data
    assert seen[-1] == len(data)
    assert seen == sorted(seen)
    assert server.seen[0].headers["accept-encoding"] == "identity"


def test_a_large_download_is_hashed_beside_reading(http: Http) -> None:
    """Beyond the size at which hashing moves to its own threads the digests are still those of the bytes."""
    data = bytes(range(256)) * 4096 * 40
    with serving(lambda _: Say(body=data)) as server:
        got = http.stream(server.url, accept=ANY, algorithms=("sha256", "sha512"))
    assert got.digests == (sha256(data), Digest("sha512", hashlib.sha512(data).hexdigest()))


@pytest.mark.parametrize("data", [b"", b"x", b"y" * 100_000])
def test_a_chunked_download_is_whole(http: Http, data: bytes) -> None:
    """Without a Content-Length the chunk lengths say what is whole."""
    with serving(lambda _: Say(raw=chunked(data))) as server:
        got = http.stream(server.url, accept=ANY, algorithms=SHA)
    assert (got.size, got.digests) == (len(data), (sha256(data),))


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP"])
def test_a_gzip_encoded_download_is_hashed_raw(http: Http, encoding: str) -> None:
    """A server that sends Content-Encoding anyway does not change the digest of the bytes (C205, C209)."""
    archive, sink = gzipped(b"a tarball" * 1000), io.BytesIO()
    with serving(lambda _: Say(body=archive, headers={"Content-Encoding": encoding})) as server:
        got = http.stream(server.url, accept=ANY, algorithms=SHA, sink=sink)
    assert got.digests == (sha256(archive),)
    assert sink.getvalue() == archive


@pytest.mark.parametrize("status", [404, 410])
def test_an_absent_download_is_a_value(http: Http, status: int) -> None:
    """Absent has a status and no digest, so nobody hashes an error page."""
    with serving(lambda _: Say(status, b"not here")) as server:
        got = http.stream(server.url, accept=ANY, algorithms=SHA)
    assert (got.status, got.size, got.digests) == (status, 0, ())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 40, None),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 40, 100),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + b"x" * 40, 100),
        (chunked(b"x" * 40)[:-5], None),
        (chunked(b"x" * 40)[:-20], None),
    ],
    ids=["content-length", "no-length", "shortened-by-a-proxy", "last-chunk", "in-a-chunk"],
)
def test_a_short_download_is_truncated(http: Http, raw: bytes, expected: int | None) -> None:
    """A download with fewer bytes than known is truncated and leaves nothing behind (C199, C201)."""
    sink = io.BytesIO(b"before")
    sink.seek(0, io.SEEK_END)
    with serving(lambda _: Say(raw=raw)) as server, pytest.raises(HttpFault, match="after 4 att") as caught:
        http.stream(server.url, accept=ANY, algorithms=SHA, sink=sink, expect_size=expected)
    assert caught.value.kind is FaultKind.TRUNCATED
    assert len(server.seen) == 4
    assert sink.getvalue() == b"before"


def test_a_longer_download_is_a_fact(http: Http) -> None:
    """More bytes than expected is for the caller to judge: the digest is that of all of them."""
    with serving(lambda _: Say(body=b"x" * 50)) as server:
        got = http.stream(server.url, accept=ANY, algorithms=SHA, expect_size=40)
    assert (got.size, got.digests) == (50, (sha256(b"x" * 50),))


def test_a_retry_starts_from_scratch(http: Http) -> None:
    """After a cut and a server error the hash and the sink hold the last attempt alone."""
    data, sink = b"the whole file", io.BytesIO()
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nthe w"
    with serving(replies(Say(raw=cut), Say(503), Say(body=data))) as server:
        got = http.stream(server.url, accept=ANY, algorithms=SHA, sink=sink, expect_size=14)
    assert got.digests == (sha256(data),)
    assert sink.getvalue() == data


def test_a_sink_that_is_full_could_not_look(http: Http, tmp_path: Path) -> None:
    """A disk that refuses the bytes is a reason of its own and not the server's fault."""

    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    with (
        serving(lambda _: Say(body=b"x")) as server,
        pytest.raises(CannotTell, match="no space left") as caught,
    ):
        http.stream(server.url, accept=ANY, algorithms=SHA, sink=Full())
    assert caught.value.reason == "tool.failed"
    assert len(server.seen) == 1


def test_a_redirect_to_another_origin_drops_what_is_private(http: Http) -> None:
    """Authorization and the caller's headers stay with the first origin; the bytes come from the second."""
    with serving(lambda _: Say(body=b"asset")) as storage:
        target = f"{storage.url}/blob?X-Amz-Signature={CANARY}%2f%7E"
        with serving(lambda _: Say(302, headers={"Location": target})) as api:
            got = http.stream(
                f"{api.url}/assets/1",
                accept=ANY,
                algorithms=SHA,
                credential=Credential(api.url, f"Bearer {CANARY}"),
                headers={"X-Api-Version": "1"},
            )
    assert got.digests == (sha256(b"asset"),)
    assert got.url == f"{storage.url}/blob"
    assert api.seen[0].headers["authorization"] == f"Bearer {CANARY}"
    assert api.seen[0].headers["x-api-version"] == "1"
    assert not {"authorization", "x-api-version"} & set(storage.seen[0].headers)
    assert storage.seen[0].headers["accept"] == ANY


def test_a_location_is_followed_as_written(http: Http) -> None:
    """Escapes and plus signs of a signed URL are not rewritten (C197)."""
    query = "/a%2Fb/%7Ename+x?sig=a%2Bb%3D&d=c+d~e;f"
    with serving(replies(Say(307, headers={"Location": query}), Say(body=b"x"))) as server:
        http.stream(f"{server.url}/start", accept=ANY, algorithms=SHA)
    assert server.paths == ["/start", query]


def test_a_credential_does_not_come_back_after_it_left(http: Http) -> None:
    """A redirect away and back to the first origin arrives there without the credential."""
    there: dict[str, str] = {}
    back: dict[str, str] = {}

    def api_says(seen: Seen) -> Say:
        return Say(body=b"x") if seen.path == "/end" else Say(302, headers=there)

    with serving(api_says) as api, serving(lambda _: Say(302, headers=back)) as other:
        there["Location"], back["Location"] = other.url, f"{api.url}/end"
        http.get(api.url, accept=ANY, credential=Credential(api.url, f"Bearer {CANARY}"))
    assert ["authorization" in seen.headers for seen in api.seen] == [True, False]


def test_a_credential_of_another_origin_is_not_sent(http: Http) -> None:
    """A tarball on another host gets no token, from the first request on."""
    with serving(lambda _: Say(body=b"x")) as server:
        http.stream(
            server.url, accept=ANY, algorithms=SHA, credential=Credential("http://127.0.0.1:1", CANARY)
        )
    assert "authorization" not in server.seen[0].headers


def test_a_redirect_within_the_origin_keeps_the_credential(http: Http) -> None:
    """A renamed repository's redirect stays on the API and stays authorised."""
    with serving(replies(Say(301, headers={"Location": "/new"}), Say(body=b"x"))) as server:
        answer = http.get(f"{server.url}/old", accept=ANY, credential=Credential(server.url, CANARY))
    assert [seen.headers["authorization"] for seen in server.seen] == [CANARY, CANARY]
    assert answer.url == f"{server.url}/new"


def test_https_never_leads_to_http(tmp_path: Path) -> None:
    """A redirect from https to http is refused before anything is sent there."""
    both, authority = self_signed(tmp_path)
    http = Http(cache=None, meter=Meter(), ca_bundle=authority, retries=0)
    with serving(lambda _: Say(body=b"x")) as plain:
        away = Say(302, headers={"Location": plain.url})
        refused = pytest.raises(HttpFault, match="from https to http")
        with serving(lambda _: away, certificate=both) as secure, refused as caught:
            http.stream(secure.url, accept=ANY, algorithms=SHA)
    http.close()
    assert caught.value.kind is FaultKind.BAD_ANSWER
    assert plain.seen == []


def test_redirects_end(http: Http) -> None:
    """A loop of redirects ends after five, as a bad answer."""
    refused = pytest.raises(HttpFault, match="more than 5 redirects")
    with serving(lambda _: Say(302, headers={"Location": "/again"})) as server, refused as caught:
        http.stream(server.url, accept=ANY, algorithms=SHA)
    assert caught.value.kind is FaultKind.BAD_ANSWER
    assert len(server.seen) == 6


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://acme.test/x", "http://", "http://[bad"])
def test_a_redirect_to_no_web_address(http: Http, location: str) -> None:
    """Only http and https with a host are followed."""
    refused = pytest.raises(HttpFault, match="no web address")
    with serving(lambda _: Say(302, headers={"Location": location})) as server, refused as caught:
        http.get(server.url, accept=ANY)
    assert caught.value.kind is FaultKind.BAD_ANSWER
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [400, 403])
def test_a_refused_signed_url_is_asked_for_again_from_the_start(http: Http, status: int) -> None:
    """A storage host that refuses a fresh signed URL gets a newer one, from the API (C197)."""
    there: dict[str, str] = {}
    storage_says = replies(Say(status), Say(body=b"asset"))
    with serving(storage_says) as storage, serving(lambda _: Say(302, headers=there)) as api:
        there["Location"] = storage.url
        got = http.stream(api.url, accept=ANY, algorithms=SHA)
    assert got.digests == (sha256(b"asset"),)
    assert len(api.seen) == len(storage.seen) == 2


def test_messages_never_hold_a_signed_query(http: Http) -> None:
    """A fault at the storage host shows its scheme, host and path only."""
    with serving(lambda _: Say(500)) as storage:
        away = Say(302, headers={"Location": f"{storage.url}/blob?sig={CANARY}"})
        with serving(lambda _: away) as api, pytest.raises(HttpFault, match="/blob: server error") as caught:
            http.stream(f"{api.url}/?token={CANARY}", accept=ANY, algorithms=SHA)
    assert CANARY not in f"{caught.value} {caught.value.__cause__}"


def test_an_unasked_304_is_no_download(http: Http) -> None:
    """A 304 to a question without validators shows nothing."""
    with (
        serving(lambda _: Say(304)) as server,
        pytest.raises(HttpFault, match="without validators") as caught,
    ):
        http.stream(server.url, accept=ANY, algorithms=SHA)
    assert caught.value.kind is FaultKind.BAD_ANSWER
