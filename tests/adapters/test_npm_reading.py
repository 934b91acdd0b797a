"""Reading documents of a registry that answers well, badly, or not at all: absent is not unreachable."""

import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from npm_fixtures import (
    BYTES,
    NAME,
    PAGE,
    PATH,
    TARBALL,
    Loopback,
    Reply,
    as_json,
    packument_of,
    reading,
    sri,
    widget,
)

from release.adapters.npm.reader import NpmReader
from release.domain.errors import CannotTell


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A scripted registry."""
    with Loopback() as loopback:
        yield loopback


@pytest.fixture
def reader(server: Loopback) -> Iterator[NpmReader]:
    """A reader of one survey over the scripted registry."""
    with reading(server.url) as opened:
        yield opened


def test_a_published_version(server: Loopback, reader: NpmReader) -> None:
    """Integrity, tarball, gitHead, times in UTC and dist-tags are the document's; the name is one segment."""
    server.route(PATH, as_json(packument_of(NAME, widget(server, gitHead="c" * 40, main="index.js"))))
    found = reader.packument(NAME, "1.0.0")
    assert found is not None
    assert found.published is not None
    assert found.published.integrity.sri == sri(BYTES)
    assert found.published.git_head == "c" * 40
    assert found.published.manifest["main"] == "index.js"
    assert found.times == {"1.0.0": datetime(2026, 11, 30, 12, tzinfo=UTC)}
    assert found.dist_tags == {"latest": "1.0.0"}
    assert not found.unpublished
    assert server.requests[0][0] == "/@acme%2Fwidget"


def test_an_unknown_package_is_absent(reader: NpmReader) -> None:
    """A 404 is a value (HJ32: a private package looks the same, so the gate must say both)."""
    assert reader.packument("unknown", "1.0.0") is None


def test_a_version_that_is_not_there_is_none(server: Loopback, reader: NpmReader) -> None:
    """A known package without the version: nothing published, and nothing withdrawn."""
    server.route(PATH, as_json(packument_of(NAME, widget(server))))
    found = reader.packument(NAME, "2.0.0")
    assert found is not None
    assert (found.published, found.unpublished, found.versions) == (None, False, ("1.0.0",))


BAD_ANSWERS = {
    "empty": Reply(),
    "page": PAGE,
    "truncated json": Reply(body=b'{"name": "@acme/widget", "versions": {'),
    "list": as_json([]),
    "no name": as_json({"versions": {}, "dist-tags": {}}),
    "another package": as_json(packument_of("@acme/gadget")),
    "no versions": as_json({"name": NAME, "dist-tags": {}}),
    "versions is a list": as_json({"name": NAME, "versions": [], "dist-tags": {}}),
    "no dist-tags": as_json({"name": NAME, "versions": {"0.9.0": {}}}),
    "error member": as_json({"error": "not_found"}),
    "404 page": Reply(status=404, body=PAGE.body, headers=PAGE.headers),
}


@pytest.mark.parametrize("reply", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_what_is_not_the_package_s_document_is_no_answer(
    server: Loopback, reader: NpmReader, reply: Reply
) -> None:
    """C026: an empty 200, a page or another package's document is neither presence nor absence."""
    server.route(PATH, reply)
    with pytest.raises(CannotTell, match=r"^npm\.bad-answer: GET http://127\.0\.0\.1:\d+/@acme"):
        reader.packument(NAME, "1.0.0")


BAD_VERSIONS = {
    "of another package": {"name": "@acme/gadget"},
    "of another version": {"version": "1.0.1"},
    "without dist": {"dist": None},
    "without integrity and shasum": {"dist": {"tarball": "http://127.0.0.1/x.tgz"}},
    "with a malformed integrity": {"dist": {"tarball": "http://127.0.0.1/x.tgz", "integrity": "sha512-!"}},
    "with a short integrity": {"dist": {"tarball": "http://127.0.0.1/x.tgz", "integrity": "sha512-AAAA"}},
    "with a malformed shasum": {"dist": {"tarball": "http://127.0.0.1/x.tgz", "shasum": "12"}},
    "without a tarball": {"dist": {"integrity": sri(BYTES)}},
}


@pytest.mark.parametrize("change", BAD_VERSIONS.values(), ids=BAD_VERSIONS.keys())
def test_a_version_s_manifest_must_be_its_own(
    server: Loopback, reader: NpmReader, change: dict[str, object]
) -> None:
    """C026: name, version and dist are required of the very version that was asked for."""
    document = packument_of(NAME, widget(server))
    document["versions"] = {"1.0.0": {**widget(server), **change}}
    server.route(PATH, as_json(document))
    with pytest.raises(CannotTell, match=r"^npm\.bad-answer: "):
        reader.packument(NAME, "1.0.0")


def test_an_odd_version_does_not_hide_the_others(server: Loopback, reader: NpmReader) -> None:
    """Only the version that was asked for is judged: an ancient broken one costs nothing."""
    document = packument_of(NAME, widget(server))
    document["versions"] = {"0.0.1": {"name": "x"}, "1.0.0": widget(server)}
    server.route(PATH, as_json(document))
    found = reader.packument(NAME, "1.0.0")
    assert found is not None
    assert found.published is not None


def test_a_version_with_a_shasum_only(server: Loopback, reader: NpmReader) -> None:
    """Versions from before integrity have a SHA-1: it binds the bytes that are served, and no more."""
    sha1 = hashlib.sha1(BYTES).hexdigest()
    old = {**widget(server), "dist": {"tarball": server.url + TARBALL, "shasum": sha1.upper()}}
    server.route(PATH, as_json(packument_of(NAME, old)))
    server.route(TARBALL, Reply(body=BYTES))
    found = reader.packument(NAME, "1.0.0")
    assert found is not None
    assert found.published is not None
    assert str(found.published.integrity) == f"sha1:{sha1}"
    tarball = reader.tarball(found.published)
    assert tarball is not None
    assert tarball.integrity == found.published.integrity


@pytest.mark.parametrize(
    "times",
    [
        {"0.9.0": "2026-01-01T00:00:00.000Z"},
        {"unpublished": {"time": "2026-01-01T00:00:00.000Z", "versions": ["0.9.0"]}},
    ],
)
def test_an_unpublished_version_is_remembered(
    server: Loopback, reader: NpmReader, times: dict[str, object]
) -> None:
    """The registry keeps the time of a version that it no longer has: withdrawn, not absent."""
    server.route(PATH, as_json(packument_of(NAME, widget(server), time=times)))
    found = reader.packument(NAME, "0.9.0")
    assert found is not None
    assert (found.published, found.unpublished) == (None, True)


def test_a_package_unpublished_as_a_whole(server: Loopback, reader: NpmReader) -> None:
    """What is left of such a package has neither versions nor dist-tags, only a withdrawal."""
    withdrawal = {"time": "2026-01-01T00:00:00.000Z", "versions": ["1.0.0"]}
    server.route(PATH, as_json({"name": NAME, "time": {"unpublished": withdrawal}}))
    gone, never = reader.packument(NAME, "1.0.0"), reader.packument(NAME, "2.0.0")
    assert gone is not None
    assert never is not None
    assert (gone.unpublished, never.unpublished, gone.versions) == (True, False, ())


def test_times_that_are_odd_or_missing_are_left_out(server: Loopback, reader: NpmReader) -> None:
    """A mirror without times is no reason not to look; a time without a zone is UTC."""
    times = {"created": "x", "1.0.0": "2026-11-30 12:00:00", "0.9.0": 7, "0.8.0": "soon"}
    server.route(PATH, as_json(packument_of(NAME, widget(server), time=times)))
    found = reader.packument(NAME, "1.0.0")
    assert found is not None
    assert found.times == {"1.0.0": datetime(2026, 11, 30, 12, tzinfo=UTC)}


FAULTS = {
    401: ("npm.denied", "NODE_AUTH_TOKEN"),
    403: ("npm.denied", "NODE_AUTH_TOKEN"),
    429: ("npm.rate-limited", "429"),
    500: ("npm.unreachable", "500"),
    503: ("npm.unreachable", "503"),
}


@pytest.mark.parametrize("status", FAULTS)
def test_refused_limited_and_failing_are_not_absent(server: Loopback, reader: NpmReader, status: int) -> None:
    """K20: an answer that shows nothing is cannot-tell with its own reason, remembered for this survey."""
    reason, words = FAULTS[status]
    server.route(PATH, Reply(status=status))
    with pytest.raises(CannotTell, match=f"^{reason}: .*{words}"):
        reader.packument(NAME, "1.0.0")
    asked = server.asked(PATH)
    with pytest.raises(CannotTell, match=reason):
        reader.packument(NAME, "1.0.0")
    assert server.asked(PATH) == asked


def test_a_registry_that_is_down(server: Loopback) -> None:
    """Nobody listens: unreachable."""
    with Loopback() as gone:
        url = gone.url
    with reading(url) as reader, pytest.raises(CannotTell, match=r"^npm\.unreachable: "):
        reader.packument(NAME, "1.0.0")


def test_equal_questions_are_one_request(server: Loopback, reader: NpmReader) -> None:
    """Threads that ask about one package at once share one request, whatever version they ask for."""
    server.route(PATH, as_json(packument_of(NAME, widget(server))))
    threads = [
        threading.Thread(target=reader.packument, args=(NAME, f"1.0.{number % 3}")) for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reader.satisfied(NAME, "^1.0.0")
    assert server.asked(PATH) == 1
