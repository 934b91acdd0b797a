"""Tarballs and dist-tags as a registry serves them: hashed, read, and asked for again where that matters."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

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
    package_tgz,
    packument_of,
    reading,
    sri,
    version_of,
    widget,
)

from release.adapters.http import Credential, Meter
from release.adapters.npm.reader import NpmReader
from release.domain.errors import CannotTell
from release.domain.facts.npm import Published


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


def published(server: Loopback, reader: NpmReader, integrity: str = sri(BYTES)) -> Published:
    """Serve version 1.0.0 and return it as published."""
    server.route(PATH, as_json(packument_of(NAME, widget(server, integrity))))
    found = reader.packument(NAME, "1.0.0")
    assert found is not None
    assert found.published is not None
    return found.published


def test_the_tarball_is_hashed_and_read(server: Loopback, reader: NpmReader) -> None:
    """Integrity and SHA-256 are computed from the bytes that were served."""
    found = published(server, reader)
    server.route(TARBALL, Reply(body=BYTES))
    tarball = reader.tarball(found)
    assert tarball is not None
    assert tarball.integrity == found.integrity
    assert tarball.sha256.hex == hashlib.sha256(BYTES).hexdigest()
    assert tarball.size == len(BYTES)
    assert [entry.path for entry in tarball.tree] == ["index.js", "package.json"]
    assert tarball.manifest["name"] == NAME


def test_other_bytes_than_the_integrity_states(server: Loopback, reader: NpmReader) -> None:
    """K11: a readable tarball with another digest is a fact, whole, for the gate to judge."""
    found = published(server, reader, sri(b"others"))
    server.route(TARBALL, Reply(body=BYTES))
    tarball = reader.tarball(found)
    assert tarball is not None
    assert tarball.integrity != found.integrity
    assert tarball.integrity.sri == sri(BYTES)


def test_a_tarball_s_url_may_answer_404(server: Loopback, reader: NpmReader) -> None:
    """C035: metadata and tarball are separate facts."""
    assert reader.tarball(published(server, reader)) is None


BAD_TARBALLS = {
    "cut connection": (Reply(body=BYTES, sent=40), "download.truncated"),
    "half a file": (Reply(body=BYTES[:60]), "npm.bad-answer"),
    "page": (PAGE, "npm.bad-answer"),
    "empty": (Reply(), "npm.bad-answer"),
    "refused": (Reply(status=403), "npm.denied"),
    "failing": (Reply(status=502), "npm.unreachable"),
}


@pytest.mark.parametrize(("reply", "reason"), BAD_TARBALLS.values(), ids=BAD_TARBALLS.keys())
def test_a_tarball_that_cannot_be_read_is_no_verdict(
    server: Loopback, reader: NpmReader, reply: Reply, reason: str
) -> None:
    """K22: what did not arrive whole, or is no archive, is cannot-tell and never "other contents"."""
    found = published(server, reader)
    server.route(TARBALL, reply)
    with pytest.raises(CannotTell, match=f"^{reason}: "):
        reader.tarball(found)


def test_alternate_bodies_are_seen_once_a_survey(server: Loopback, reader: NpmReader) -> None:
    """C096: two gates that ask for one tarball get the same facts, from one download."""
    other = package_tgz({"package.json": b"{}"})
    found = published(server, reader)
    server.route(TARBALL, Reply(body=BYTES), Reply(body=other))
    assert reader.tarball(found) is reader.tarball(found)
    assert server.asked(TARBALL) == 1
    with reading(server.url) as second:
        later = second.tarball(found)
    assert later is not None
    assert later.integrity.sri == sri(other)


def test_the_token_goes_to_the_registry_only(server: Loopback) -> None:
    """A tarball on another host gets no credential, in its URL or by a redirect."""
    credential = Credential(server.url, "Bearer canary-token")
    with Loopback() as mirror, reading(server.url, credential=credential) as reader:
        elsewhere = version_of(NAME, "1.0.0", mirror.url + TARBALL, sri(BYTES))
        moved = version_of("@acme/gadget", "1.0.0", server.url + "/moved.tgz", sri(BYTES))
        server.route(PATH, as_json(packument_of(NAME, elsewhere)))
        server.route("/@acme/gadget", as_json(packument_of("@acme/gadget", moved)))
        server.route("/moved.tgz", Reply(status=302, headers={"Location": mirror.url + TARBALL}))
        mirror.route(TARBALL, Reply(body=BYTES))
        for name in (NAME, "@acme/gadget"):
            found = reader.packument(name, "1.0.0")
            assert found is not None
            assert found.published is not None
            assert reader.tarball(found.published) is not None
        assert all("authorization" not in headers for _, headers in mirror.requests)
        assert len(mirror.requests) == 2
        assert {headers.get("authorization") for _, headers in server.requests} == {"Bearer canary-token"}


def test_all_dist_tags_of_a_package_share_one_extra_request(server: Loopback, reader: NpmReader) -> None:
    """Two reads of three tags cost the survey's own document and one request more."""
    tags = {"latest": "1.0.0", "next": "1.1.0-rc.1"}
    server.route(PATH, as_json(packument_of(NAME, widget(server), **{"dist-tags": tags})))
    assert reader.packument(NAME, "1.0.0") is not None
    assert reader.dist_tag(NAME, "latest", 2).reads == ("1.0.0", "1.0.0")
    assert reader.dist_tag(NAME, "next", 2).reads == ("1.1.0-rc.1", "1.1.0-rc.1")
    assert reader.dist_tag(NAME, "beta", 2).reads == (None, None)
    assert server.asked(PATH) == 2


def test_dist_tag_reads_that_disagree_are_all_reported(server: Loopback, reader: NpmReader) -> None:
    """C036: a later read is asked of the registry anew, and what it says is kept beside the first."""
    old = as_json(packument_of(NAME, widget(server), **{"dist-tags": {"latest": "0.9.0"}}))
    new = as_json(packument_of(NAME, widget(server)))
    server.route(PATH, old, new, old)
    assert reader.dist_tag(NAME, "latest", 3).reads == ("0.9.0", "1.0.0", "0.9.0")


def test_dist_tag_reads_pass_every_cache(server: Loopback, tmp_path: Path) -> None:
    """A stored answer is only ever used after the registry confirmed it, a 304 a read."""
    server.route(PATH, as_json(packument_of(NAME, widget(server)), etag='"one"'))
    meter = Meter()
    with reading(server.url, cache=tmp_path, meter=meter) as reader:
        assert reader.dist_tag(NAME, "latest", 3).reads == ("1.0.0",) * 3
    assert (meter.requests, meter.not_modified) == (3, 2)
    assert {headers["cache-control"] for _, headers in server.requests} == {"max-age=0"}


def test_dist_tags_of_an_unknown_package(reader: NpmReader) -> None:
    """A package that is not there has no tags: None, in every read."""
    assert reader.dist_tag("unknown", "latest", 2).reads == (None, None)
