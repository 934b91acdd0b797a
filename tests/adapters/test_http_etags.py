"""The store of revalidated answers: a 304 or nothing, never a guess."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_fixtures import CANARY, Say, Seen, serving

from release.adapters.http import Credential, EtagStore, FaultKind, Http, HttpFault, Meter, Stored, cache_key

JSON = "application/json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store keeps its entries; not made yet."""
    return tmp_path / "cache" / "answers"


@pytest.fixture
def meter() -> Meter:
    """Counts the requests of one test."""
    return Meter()


@pytest.fixture
def http(folder: Path, meter: Meter, monkeypatch: pytest.MonkeyPatch) -> Iterator[Http]:
    """A client with a store."""
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    made = Http(cache=EtagStore(folder), meter=meter, sleep=lambda _: None)
    yield made
    made.close()


def versioned(seen: Seen) -> Say:
    """Answer with an ETag and the request's own token in the body; 304 where the ETag matches."""
    etag = f'"{len(seen.headers.get("authorization", ""))}"'
    if seen.headers.get("if-none-match") == etag:
        return Say(304, headers={"ETag": etag, "X-RateLimit-Remaining": "4999"})
    link = "<next>; rel=next"
    return Say(body=b"body of " + etag.encode(), headers={"ETag": etag, "Link": link, "Content-Type": JSON})


def stored(body: bytes = b"body") -> Stored:
    """Return an entry to keep."""
    return Stored(etag='"1"', last_modified=None, headers={"link": "<x>"}, body=body)


def test_a_304_gives_the_stored_answer(http: Http, meter: Meter) -> None:
    """The second look is asked, confirmed, and has body, Link and type of the first."""
    with serving(versioned) as server:
        first = http.get(server.url, accept=JSON)
        again = http.get(server.url, accept=JSON)
    assert (first.not_modified, again.not_modified) == (False, True)
    assert (again.status, again.body) == (200, first.body)
    assert (again.headers["link"], again.headers["content-type"]) == ("<next>; rel=next", JSON)
    assert (meter.requests, meter.not_modified, meter.remaining) == (2, 1, 4999)
    assert server.seen[1].headers["if-none-match"] == '"0"'


def test_a_fresh_cache_is_never_believed(http: Http) -> None:
    """max-age=60 does not answer for the server: what changed in between is seen (APIS §5)."""
    bodies = [b"before", b"after"]
    with serving(
        lambda _: Say(body=bodies.pop(0), headers={"ETag": '"x"', "Cache-Control": "max-age=60"})
    ) as s:
        assert http.get(s.url, accept=JSON).body == b"before"
        assert http.get(s.url, accept=JSON).body == b"after"


def test_last_modified_is_a_validator_too(http: Http) -> None:
    """Without an ETag, If-Modified-Since asks."""
    when = "Tue, 01 Dec 2026 12:00:00 GMT"

    def script(seen: Seen) -> Say:
        if seen.headers.get("if-modified-since") == when:
            return Say(304)
        return Say(body=b"x", headers={"Last-Modified": when})

    with serving(script) as server:
        http.get(server.url, accept=JSON)
        assert http.get(server.url, accept=JSON).not_modified


def test_fresh_asks_without_validators(http: Http) -> None:
    """``fresh`` gets a whole new answer although one is stored."""
    with serving(versioned) as server:
        http.get(server.url, accept=JSON)
        assert not http.get(server.url, accept=JSON, fresh=True).not_modified
    assert "if-none-match" not in server.seen[1].headers


def test_answers_do_not_cross_credentials_accept_or_headers(http: Http) -> None:
    """Another token, type or header asks its own question: nobody sees an answer made for somebody else."""
    with serving(versioned) as server:
        own = Credential(server.url, f"Bearer {CANARY}")
        http.get(server.url, accept=JSON, credential=own)
        for other in (
            http.get(server.url, accept=JSON),
            http.get(server.url, accept=JSON, credential=Credential(server.url, "Bearer other")),
            http.get(server.url, accept="text/html", credential=own),
            http.get(server.url, accept=JSON, credential=own, headers={"X-Api-Version": "2"}),
        ):
            assert not other.not_modified
        assert http.get(server.url, accept=JSON, credential=own).not_modified


def test_what_may_not_be_kept_is_not(http: Http, folder: Path) -> None:
    """no-store, an answer without validators, a 404 and a failed one leave no entry."""
    etag = {"ETag": '"x"'}
    script = {
        "/no-store": Say(body=b"x", headers={**etag, "Cache-Control": "private, no-store"}),
        "/no-validator": Say(body=b"x"),
        "/absent": Say(404, headers=etag),
        "/denied": Say(403, headers=etag),
    }
    with serving(lambda seen: script[seen.path]) as server:
        for path in ("/no-store", "/no-validator", "/absent"):
            http.get(server.url + path, accept=JSON)
        with pytest.raises(HttpFault, match="403"):
            http.get(f"{server.url}/denied", accept=JSON)
    assert not folder.exists()


def test_no_secret_reaches_the_disk(http: Http, folder: Path) -> None:
    """Neither names nor content of the entries hold the token or the URL's query; files are private."""
    with serving(versioned) as server:
        url = f"{server.url}/?token={CANARY}"
        http.get(url, accept=JSON, credential=Credential(server.url, f"Bearer {CANARY}"))
    entries = list(folder.iterdir())
    assert len(entries) == 1
    assert CANARY.encode() not in entries[0].read_bytes() + entries[0].name.encode()
    assert entries[0].stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content.replace(b'\\"0\\"', b'\\"9\\"'),
        lambda content: b"\n".join([b"0" * 64, *content.split(b"\n")[1:]]),
        lambda content: b"\xff\x00 nonsense",
    ],
    ids=["empty", "torn", "longer", "edited", "checksum", "nonsense"],
)
def test_a_damaged_entry_is_ignored_and_replaced(http: Http, folder: Path, damage: object) -> None:
    """A corrupt entry costs one whole answer and is right again afterwards."""
    with serving(versioned) as server:
        http.get(server.url, accept=JSON)
        entry = next(folder.iterdir())
        content = entry.read_bytes()
        changed = damage(content)
        assert changed != content
        entry.write_bytes(changed)
        assert not http.get(server.url, accept=JSON).not_modified
        assert entry.read_bytes() == content
        assert http.get(server.url, accept=JSON).not_modified


def test_an_entry_under_another_name_is_not_an_answer(tmp_path: Path) -> None:
    """An entry that was copied to another question's name, or linked there, reads as absent."""
    store, one, other = EtagStore(tmp_path), cache_key("GET", "u", "a"), cache_key("GET", "v", "a")
    store.put(one, stored())
    source = tmp_path / f"{one}.answer"
    (tmp_path / f"{other}.answer").write_bytes(source.read_bytes())
    assert store.get(one) == stored()
    assert store.get(other) is None
    source.rename(tmp_path / "elsewhere")
    source.symlink_to(tmp_path / "elsewhere")
    assert store.get(one) is None


def test_a_304_for_a_stored_answer_over_the_limit_is_not_asked_for(http: Http) -> None:
    """A stored body over the caller's limit is not used, so the limit holds for it as well."""
    with serving(versioned) as server:
        http.get(server.url, accept=JSON)
        with pytest.raises(HttpFault, match="over 3 bytes") as caught:
            http.get(server.url, accept=JSON, limit=3)
    assert caught.value.kind is FaultKind.BAD_ANSWER


def test_the_store_stays_small(tmp_path: Path) -> None:
    """Large bodies are not kept, and the oldest entries go when the store is full."""
    store = EtagStore(tmp_path, capacity=20_000, largest=4_000)
    keys = [cache_key("GET", str(index), JSON) for index in range(40)]
    for key in keys:
        store.put(key, stored(b"x" * 1_000))
    store.put(cache_key("GET", "large", JSON), stored(b"x" * 4_001))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 20_000
    assert store.get(keys[-1]) is not None
    assert store.get(keys[0]) is None
    assert store.get(cache_key("GET", "large", JSON)) is None


def test_a_store_that_cannot_be_written_only_costs_requests(tmp_path: Path) -> None:
    """A file where the directory should be loses nothing but the saving."""
    blocked = tmp_path / "file"
    blocked.write_text("x")
    store = EtagStore(blocked / "cache")
    store.put(cache_key("GET", "u", JSON), stored())
    assert store.get(cache_key("GET", "u", JSON)) is None


def test_many_writers_never_tear_an_entry(tmp_path: Path) -> None:
    """Concurrent writers and readers of one key see one of the whole entries, from separate stores."""
    key, bodies = cache_key("GET", "u", JSON), [bytes([65 + index]) * 50_000 for index in range(4)]
    wrong: list[object] = []

    def write(body: bytes) -> None:
        store = EtagStore(tmp_path)
        for _ in range(20):
            store.put(key, stored(body))
            found = store.get(key)
            if found is None or found.body not in bodies:
                wrong.append(found)

    threads = [threading.Thread(target=write, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [path.suffix for path in tmp_path.iterdir()] == [".answer"]
