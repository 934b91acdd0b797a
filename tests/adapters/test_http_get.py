"""The HTTP client's answers and faults, each against a real server on loopback."""

import gzip
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from http_fixtures import CANARY, Say, Seen, gzipped, proxying, replies, self_signed, serving

from release.adapters.http import (
    Credential,
    EtagStore,
    FaultKind,
    Http,
    HttpFault,
    Meter,
    fault_to_cannot_tell,
    show,
)
from release.domain.errors import UsageError

JSON = "application/json"
_ENVIRONMENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")

Client = Callable[..., Http]


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*_ENVIRONMENT, *map(str.lower, _ENVIRONMENT), *_BUNDLES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def waits() -> list[float]:
    """The waits that the client asked for, instead of waiting."""
    return []


@pytest.fixture
def client(waits: list[float]) -> Iterator[Client]:
    """Make clients that do not sleep, and close them."""
    made: list[Http] = []

    def make(**options: object) -> Http:
        defaults = {"cache": None, "meter": Meter(), "timeout": (2.0, 5.0), "sleep": waits.append}
        made.append(Http(**{**defaults, **options}))
        return made[-1]

    yield make
    for http in made:
        http.close()


def fails(call: Callable[[], object], kind: FaultKind, match: str) -> HttpFault:
    """Require a fault of ``kind`` whose message matches and never holds the canary."""
    with pytest.raises(HttpFault, match=match) as caught:
        call()
    assert caught.value.kind is kind
    assert CANARY not in str(caught.value)
    return caught.value


def bearer(url: str) -> Credential:
    """Return the canary as a credential for the origin of ``url``."""
    return Credential(url, f"Bearer {CANARY}")


def test_an_answer_has_status_lower_case_headers_and_body(client: Client) -> None:
    """A 200 comes back whole, and the request asked not to be served from a cache in between."""
    with serving(lambda _: Say(body=b"{}", headers={"X-Thing": "1"})) as server:
        answer = client().get(f"{server.url}/a?page=2", accept=JSON)
    assert (answer.status, answer.body, answer.headers["x-thing"]) == (200, b"{}", "1")
    assert answer.url == f"{server.url}/a?page=2"
    assert not answer.not_modified
    sent = server.seen[0].headers
    assert (sent["accept"], sent["cache-control"]) == (JSON, "no-cache")
    assert sent["user-agent"].startswith("release-convergence/")


@pytest.mark.parametrize("status", [404, 410])
def test_absent_is_an_answer(client: Client, status: int) -> None:
    """404 and 410 are facts about the world, not faults."""
    with serving(lambda _: Say(status, b"gone")) as server:
        answer = client().get(server.url, accept=JSON)
    assert (answer.status, answer.body) == (status, b"gone")


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (401, {}, FaultKind.DENIED),
        (403, {}, FaultKind.DENIED),
        (403, {"X-RateLimit-Remaining": "7"}, FaultKind.DENIED),
        (400, {}, FaultKind.BAD_ANSWER),
        (202, {}, FaultKind.BAD_ANSWER),
        (204, {}, FaultKind.BAD_ANSWER),
        (206, {}, FaultKind.BAD_ANSWER),
        (304, {}, FaultKind.BAD_ANSWER),
        (501, {}, FaultKind.UNREACHABLE),
        (302, {}, FaultKind.BAD_ANSWER),
    ],
)
def test_other_statuses_are_faults_and_asked_once(
    client: Client, waits: list[float], status: int, headers: dict[str, str], kind: FaultKind
) -> None:
    """A status that shows nothing is a fault of its kind, without a second request (K21)."""
    with serving(lambda _: Say(status, headers=headers)) as server:
        http = client()
        fault = fails(lambda: http.get(f"{server.url}/x?sig={CANARY}", accept=JSON), kind, "GET http://127")
    assert fault.status == status
    assert len(server.seen) == 1
    assert waits == []


def test_a_denial_says_whether_a_credential_was_sent(client: Client) -> None:
    """The message tells a missing credential from a refused one, and shows neither."""
    with serving(lambda _: Say(401)) as server:
        http, own = client(), bearer(server.url)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.DENIED, "without a credential: refused")
        fault = fails(lambda: http.get(server.url, accept=JSON, credential=own), FaultKind.DENIED, "refused")
    assert "without" not in fault.message
    assert server.seen[1].headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_server_errors_are_retried(client: Client, waits: list[float], status: int) -> None:
    """Two server errors and then an answer is an answer; the waits grow."""
    with serving(replies(Say(status), Say(status), Say(body=b"ok"))) as server:
        answer = client().get(server.url, accept=JSON)
    assert answer.body == b"ok"
    assert waits == [0.5, 1.0]


def test_server_errors_past_the_retries_are_unreachable(client: Client, waits: list[float]) -> None:
    """500s that do not end are "could not look", with the number of attempts."""
    meter = Meter()
    with serving(lambda _: Say(500)) as server:
        http = client(retries=2, meter=meter)
        fault = fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "after 3 attempts")
    assert fault.status == 500
    assert len(server.seen) == meter.requests == 3


def test_a_limit_with_retry_after_is_waited_for(client: Client, waits: list[float]) -> None:
    """A 429 and a secondary 403 with Retry-After are asked again after exactly that time (K20)."""
    limited = {"Retry-After": "7"}
    with serving(replies(Say(429, headers=limited), Say(403, headers=limited), Say(body=b"ok"))) as server:
        assert client().get(server.url, accept=JSON).body == b"ok"
    assert waits == [7.0, 7.0]


def test_a_limit_that_lasts_too_long_is_a_fault_with_its_end(client: Client, waits: list[float]) -> None:
    """A wait over ``max_wait`` is not made; the message says when the limit lifts (C182)."""
    headers = {"Retry-After": "3600", "Date": "Tue, 01 Dec 2026 12:00:00 GMT"}
    with serving(lambda _: Say(raw=_head(429, headers))) as server:
        http = client()
        fails(
            lambda: http.get(server.url, accept=JSON),
            FaultKind.RATE_LIMITED,
            "rate limited \\(429\\) until 2026-12-01T13:00:00Z",
        )
    assert waits == []
    assert len(server.seen) == 1


def test_a_used_up_budget_is_a_limit_and_not_a_denial(client: Client) -> None:
    """403 with x-ratelimit-remaining: 0 names the reset time and the meter knows the budget (C186)."""
    reset = int(datetime(2026, 12, 1, 13, tzinfo=UTC).timestamp())
    headers = {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(reset),
        "Date": "Tue, 01 Dec 2026 12:00:00 GMT",
    }
    meter = Meter()
    with serving(lambda _: Say(raw=_head(403, headers))) as server:
        http = client(meter=meter)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.RATE_LIMITED, "until 2026-12-01T13:00:00Z")
    assert meter.remaining == 0


def test_a_limit_that_says_nothing_is_backed_off_from(client: Client, waits: list[float]) -> None:
    """429 without Retry-After is retried with growing waits, then a limit without an end."""
    with serving(lambda _: Say(429)) as server:
        http = client()
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.RATE_LIMITED, "does not say until when")
    assert waits == [0.5, 1.0, 2.0]


def test_all_waits_of_one_call_are_bounded_together(client: Client, waits: list[float]) -> None:
    """Waits that each fit but do not fit together end in the fault."""
    with serving(lambda _: Say(429, headers={"Retry-After": "25"})) as server:
        http = client(max_wait=60.0, retries=9)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.RATE_LIMITED, "after 3 attempts")
    assert waits == [25.0, 25.0]


def test_a_retry_after_date_is_measured_by_the_servers_clock(client: Client, waits: list[float]) -> None:
    """A date in Retry-After counts from the answer's Date, not from the local clock."""
    headers = {"Retry-After": "Sun, 01 Dec 2030 12:00:05 GMT", "Date": "Sun, 01 Dec 2030 12:00:00 GMT"}
    with serving(replies(Say(raw=_head(429, headers)), Say(body=b"ok"))) as server:
        assert client().get(server.url, accept=JSON).body == b"ok"
    assert waits == [5.0]


def test_a_body_over_the_limit_is_refused(client: Client) -> None:
    """Neither an announced nor a sent nor an unpacked body may pass the limit."""
    bomb = gzipped(bytes(1 << 20))
    script = {
        "/announced": Say(body=bytes(100)),
        "/sent": Say(raw=b"HTTP/1.1 200 OK\r\n\r\n" + bytes(100)),
        "/bomb": Say(body=bomb, headers={"Content-Encoding": "gzip"}),
    }
    with serving(lambda seen: script[seen.path]) as server:
        http = client()
        for path, limit in (("/announced", 99), ("/sent", 99), ("/bomb", 1 << 18)):
            fails(
                lambda url=server.url + path, limit=limit: http.get(url, accept=JSON, limit=limit),
                FaultKind.BAD_ANSWER,
                f"over {limit} bytes",
            )
        assert len(http.get(f"{server.url}/announced", accept=JSON, limit=100).body) == 100


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 40,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzipped(b"hello" * 50)[:-9],
    ],
    ids=["content-length", "between-chunks", "in-a-chunk", "gzip-without-length"],
)
def test_a_cut_body_is_truncated(client: Client, raw: bytes) -> None:
    """Fewer bytes than announced is a truncation after the retries, never a shorter answer (K22)."""
    with serving(lambda _: Say(raw=raw)) as server:
        http = client(retries=1)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.TRUNCATED, "after 2 attempts")


def test_a_cut_body_is_asked_for_again(client: Client) -> None:
    """A truncation that does not happen again costs one more request."""
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"
    with serving(replies(Say(raw=cut), Say(body=b"hello"))) as server:
        assert client().get(server.url, accept=JSON).body == b"hello"


@pytest.mark.parametrize("length", ["-5", "5x", "5, 6", "٥"])
def test_a_senseless_content_length_is_a_bad_answer(client: Client, length: str) -> None:
    """A Content-Length that is no single number is not skipped."""
    raw = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nhello".encode()
    with serving(lambda _: Say(raw=raw)) as server:
        http = client()
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.BAD_ANSWER, "malformed")


def test_gzip_is_decoded_once_for_metadata(client: Client) -> None:
    """Metadata may travel compressed; the answer holds what was meant."""
    packed = gzipped(b'{"a": 1}')
    with serving(lambda _: Say(body=packed, headers={"Content-Encoding": "gzip"})) as server:
        answer = client().get(server.url, accept=JSON)
    assert answer.body == b'{"a": 1}'
    assert gzip.decompress(packed) == answer.body


@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("gzip", b"not gzip"), ("gzip", b"")])
def test_an_encoding_that_does_not_decode(client: Client, encoding: str, body: bytes) -> None:
    """An unasked encoding or a body that is not gzip is a bad answer; an empty body is an empty body."""
    with serving(lambda _: Say(body=body, headers={"Content-Encoding": encoding})) as server:
        http = client()
        if not body:
            assert http.get(server.url, accept=JSON).body == b""
            return
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.BAD_ANSWER, "GET http")


def test_html_with_200_is_the_callers_job(client: Client) -> None:
    """The client does not judge content: the body and its type come back as they are."""
    page = Say(body=b"<html>login</html>", headers={"Content-Type": "text/html"})
    with serving(lambda _: page) as server:
        answer = client().get(server.url, accept=JSON)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html")


def test_a_kept_alive_connection_that_was_cut_is_replaced(client: Client) -> None:
    """A server that drops the idle connection costs a reconnect and no fault."""
    first = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with serving(replies(Say(raw=first), Say(body=b"again"))) as server:
        http = client()
        assert http.get(server.url, accept=JSON).body == b"ok"
        assert http.get(server.url, accept=JSON).body == b"again"


def test_a_connection_dropped_while_idle_costs_no_attempt(client: Client) -> None:
    """A server that drops every second request of a connection unanswered is asked on a new one."""
    known: set[int] = set()

    def script(seen: Seen) -> Say:
        if seen.port in known:
            return Say(raw=b"")
        known.add(seen.port)
        return Say(body=b"ok")

    with serving(script) as server:
        http = client(retries=0)
        assert [http.get(server.url, accept=JSON).body for _ in range(3)] == [b"ok"] * 3
    assert len(server.seen) == 5


def test_a_slow_header_on_a_kept_connection_is_not_asked_again(client: Client) -> None:
    """Giving up on a kept-alive connection is a time-out and not a dropped connection."""
    slow = Say(raw=b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 200, drip=0.05)
    with serving(replies(Say(body=b"ok"), slow)) as server:
        http = client(timeout=(1.0, 0.4), retries=0)
        http.get(server.url, accept=JSON)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "timed out")
    assert len(server.seen) == 2


def test_connections_are_kept_alive(client: Client, tmp_path: Path) -> None:
    """Answers, redirects, 304s, absences and faults leave their connection usable: one serves them all."""
    etag = {"ETag": '"x"'}
    script = {
        "/": Say(302, b"moved", {"Location": "/new"}),
        "/none": Say(404, b"none"),
        "/denied": Say(403, b"no"),
    }

    def answer(seen: Seen) -> Say:
        confirmed = Say(304) if "if-none-match" in seen.headers else Say(body=b"x", headers=etag)
        return script.get(seen.path, confirmed)

    with serving(answer) as server:
        http = client(cache=EtagStore(tmp_path))
        assert not http.get(f"{server.url}/", accept=JSON).not_modified
        assert http.get(f"{server.url}/", accept=JSON).not_modified
        assert http.stream(f"{server.url}/none", accept=JSON, algorithms=("sha256",)).status == 404
        fails(lambda: http.get(f"{server.url}/denied", accept=JSON), FaultKind.DENIED, "refused")
        http.get(f"{server.url}/last", accept=JSON)
    assert len({seen.port for seen in server.seen}) == 1


def test_answers_never_cross_between_threads(client: Client) -> None:
    """Eight threads on one client each get the answer to their own question."""
    with serving(lambda seen: Say(body=seen.path.encode())) as server, ThreadPoolExecutor(8) as pool:
        http = client()
        paths = [f"/{index}" for index in range(200)]
        answers = list(pool.map(lambda path: http.get(server.url + path, accept=JSON), paths))
    assert [answer.body.decode() for answer in answers] == paths


def test_nobody_listens(client: Client, waits: list[float]) -> None:
    """A refused connection is retried, then unreachable in the operating system's words."""
    with serving(lambda _: Say()) as server:
        url = server.url
    http = client(retries=2)
    fails(lambda: http.get(url, accept=JSON), FaultKind.UNREACHABLE, "connection refused")
    assert len(waits) == 2


def test_a_name_that_does_not_resolve(client: Client) -> None:
    """An unknown host is unreachable and the message drops the query."""
    http = client(retries=0)
    url = f"http://acme.invalid/a?token={CANARY}"
    fault = fails(lambda: http.get(url, accept=JSON), FaultKind.UNREACHABLE, "acme.invalid/a: ")
    assert "?" not in fault.message


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://127.0.0.1:99999/", "ftp://acme.test/", "nonsense", ""]
)
def test_a_malformed_url_is_a_fault(client: Client, url: str) -> None:
    """What is no web address never becomes a traceback."""
    http = client(retries=0)
    with pytest.raises(HttpFault, match="GET"):
        http.get(url, accept=JSON)


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 404",
        b"HTTP/1.1 404 Not Found\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n",
        b"HTTP/1.1 200 OK\r\nETag: x\r\nContent-Ty",
        b"HTTP/1.1 302 Found\r\nLocation: /half",
    ],
)
def test_a_cut_header_is_no_answer(client: Client, raw: bytes) -> None:
    """A connection cut inside the header is neither absence, nor an empty answer, nor half a redirect."""
    with serving(lambda _: Say(raw=raw)) as server:
        http = client(retries=1)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "cut before an answer")
    assert server.paths == ["/", "/"]


@pytest.mark.parametrize("raw", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 two hundred\r\n\r\n"])
def test_what_is_not_http_is_unreachable(client: Client, raw: bytes) -> None:
    """A server that hangs up or speaks something else could not be looked at."""
    with serving(lambda _: Say(raw=raw)) as server:
        http = client(retries=1)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "after 2 attempts")


@pytest.mark.parametrize(
    ("raw", "drip"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 200, 0.05),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000, 0.004),
        (b"HT", 2.0),
    ],
    ids=["dripping-header", "dripping-body", "silent"],
)
def test_a_slow_server_does_not_hold_us(client: Client, raw: bytes, drip: float) -> None:
    """Bytes that drip in faster than the socket's time-out still end the request (slow loris)."""
    started = datetime.now(UTC)
    with serving(lambda _: Say(raw=raw, drip=drip)) as server:
        http = client(timeout=(1.0, 0.4), retries=0)
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "GET http")
    assert (datetime.now(UTC) - started).total_seconds() < 3.0


def test_netrc_is_ignored(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .netrc for the host adds no Authorization header."""
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine 127.0.0.1 login acme password {CANARY}\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    with serving(lambda _: Say()) as server:
        client().get(server.url, accept=JSON)
    assert "authorization" not in server.seen[0].headers


def test_cookies_are_not_kept(client: Client) -> None:
    """A cookie that a server sets is never sent back."""
    with serving(lambda _: Say(headers={"Set-Cookie": "a=b; Path=/"})) as server:
        http = client()
        http.get(server.url, accept=JSON)
        http.get(server.url, accept=JSON)
    assert "cookie" not in server.seen[1].headers


def test_a_proxy_from_the_environment_is_used(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY carries plain requests; NO_PROXY goes around it (C210)."""
    with serving(lambda _: Say(body=b"ok")) as server, proxying() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        http = client()
        assert http.get(f"{server.url}/through", accept=JSON).body == b"ok"
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert http.get(f"{server.url}/around", accept=JSON).body == b"ok"
    assert proxy.paths == [f"{server.url}/through"]
    assert server.paths == ["/through", "/around"]


def test_https_goes_through_a_tunnel(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPS_PROXY sees CONNECT and never the credential."""
    both, authority = self_signed(tmp_path)
    with serving(lambda _: Say(body=b"ok"), certificate=both) as server, proxying() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        http = client(ca_bundle=authority)
        assert http.get(server.url, accept=JSON, credential=bearer(server.url)).body == b"ok"
    assert [seen.method for seen in proxy.seen] == ["CONNECT"]
    assert CANARY not in str(proxy.seen)


def test_a_proxy_that_refuses_is_unreachable(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 407 is unreachable for http and https, and the proxy's password is in no message."""
    both, authority = self_signed(tmp_path)
    with serving(lambda _: Say(), certificate=both) as server, proxying(refuse=407) as proxy:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, proxy.url.replace("//", f"//acme:{CANARY}@"))
        http = client(retries=0, ca_bundle=authority)
        for url in (server.url, "http://acme.test/"):
            fails(lambda url=url: http.get(url, accept=JSON), FaultKind.UNREACHABLE, "proxy")
    assert server.seen == []


def test_a_custom_authority_is_accepted_and_missed(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A self-signed server is refused, at once, without its certificate and accepted with it, either way."""
    both, authority = self_signed(tmp_path)
    with serving(lambda _: Say(body=b"ok"), certificate=both) as server:
        http = client()
        fails(lambda: http.get(server.url, accept=JSON), FaultKind.UNREACHABLE, "certificate is not trusted")
        assert client(ca_bundle=authority).get(server.url, accept=JSON).body == b"ok"
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            monkeypatch.setenv(name, str(authority))
            assert client().get(server.url, accept=JSON).body == b"ok"
            monkeypatch.delenv(name)


def test_a_missing_bundle_is_a_usage_error(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CA bundle that does not exist is named with the variable that names it."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(UsageError, match="SSL_CERT_FILE names /nowhere/ca"):
        client()


def test_a_bundle_that_is_no_certificate(client: Client, tmp_path: Path) -> None:
    """A CA bundle without certificates is a fault in words and not a traceback."""
    nonsense = tmp_path / "ca.pem"
    nonsense.write_text("nonsense")
    http = client(ca_bundle=nonsense, retries=0)
    fails(lambda: http.get("https://127.0.0.1:1/", accept=JSON), FaultKind.UNREACHABLE, "GET https")


def test_the_clients_own_headers_cannot_be_set_from_outside(client: Client) -> None:
    """Authorization passed as a plain header would escape the origin rule and the cache key."""
    http = client()
    with pytest.raises(ValueError, match="authorization"):
        http.get("http://127.0.0.1:1/", accept=JSON, headers={"Authorization": CANARY})


def test_there_is_no_way_to_write() -> None:
    """The client has GETs alone: no verb that could change the world."""
    assert {name for name in vars(Http) if not name.startswith("_")} == {"get", "stream", "close"}


def test_the_model_does_not_import_requests() -> None:
    """`release --help` may import the model, the store and the package without paying for requests."""
    code = (
        "import sys, release.adapters.http, release.adapters.http.model;"
        "sys.exit(bool({'requests', 'urllib3'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (FaultKind.UNREACHABLE, "npm.unreachable"),
        (FaultKind.DENIED, "npm.denied"),
        (FaultKind.RATE_LIMITED, "npm.rate-limited"),
        (FaultKind.BAD_ANSWER, "npm.bad-answer"),
        (FaultKind.TRUNCATED, "download.truncated"),
    ],
)
def test_every_fault_has_a_reason(kind: FaultKind, reason: str) -> None:
    """Each kind of fault becomes "could not look" with a reason of the catalogue."""
    known = fault_to_cannot_tell("npm", HttpFault(kind, "why"))
    assert (known.reason, known.message) == (reason, "why")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"https://acme:{CANARY}@h.test:8443/a%2Fb?sig={CANARY}#{CANARY}", "https://h.test:8443/a%2Fb"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://h.test:port/", "(a malformed URL)"),
    ],
)
def test_a_shown_url_has_no_secrets(url: str, shown: str) -> None:
    """User, query and fragment are dropped."""
    assert show(url) == shown


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "Content-Length: 0", *(f"{k}: {v}" for k, v in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
