"""Downloads: what arrives instead of the bytes is no verdict; other bytes are; the token stays (K21-K23)."""

from typing import Any

import pytest
from forge import Fault
from kit import MANIFEST, SUMS, Row, World, look
from worlds_channel import ARCHIVES, LINUX, NOT_BUILT, add_extras, body_of, every, put, sha256, sum_of, up
from worlds_names import ASSETS
from worlds_outages import Change, hasten

HERE = sum_of(LINUX)
CUT, BAD = "download.truncated", "download.bad-answer"
DENIED, DOWN, LIMITED = "download.denied", "download.unreachable", "download.rate-limited"


def spoiled(action: Any, name: str = LINUX, **members: Any) -> Change:
    """Return a change: the download host spoils one asset (for ever, unless ``times`` says otherwise)."""

    def change(w: World) -> None:
        hasten(w)
        path = rf"/release-assets/\d+/{w.asset(name).id}\?"
        w.forge.faults.add(
            Fault(**{"action": action, "host": "download", "path": path, "times": None, **members})
        )

    return change


def at_the_api(status: int, **members: Any) -> Change:
    """Return a change: the API itself answers for the asset's bytes."""

    def change(w: World) -> None:
        path = rf"/releases/assets/{w.asset(LINUX).id}$"
        w.forge.faults.add(
            Fault(action="status", status=status, host="api", path=path, times=None, **members)
        )
        hasten(w)

    return change


def metadata_instead(w: World) -> None:
    """A proxy drops the Accept header: the asset's metadata comes instead of its bytes."""
    body = '{"id": 1, "name": "acme", "state": "uploaded", "size": 12}'
    at_the_api(200, body=body, headers={"Content-Type": "application/json; charset=utf-8"})(w)


def stale_cache(w: World) -> None:
    """The download host still serves the bytes of a deleted asset of the same size."""
    known = w.asset(LINUX).value
    put(w, LINUX, body_of(w, LINUX)[::-1])
    w.asset(LINUX).set(size=known.size, digest=known.digest)


def error_words(w: World) -> None:
    """The download host answers with nine bytes of words, as a success."""
    body = "Not Found"
    spoiled("status", status=200, body=body, headers={"Content-Type": "text/plain"})(w)


def private(w: World) -> None:
    """The repository is private: addresses for browsers answer 404, the API's do not."""
    w.repo.set(private=True)


def drafted(w: World) -> None:
    """The release is a draft: its assets have no address for browsers."""
    w.release.set(draft=True, published_at=None)


def dot_gz(w: World) -> None:
    """Names and bytes of another kind: a page and JSON are assets, too."""
    add_extras(w, ("notes.html", "sbom.json"))


def one(name: str, cases: str, change: Change, reason: str) -> Row:
    """Return a row in which one asset could not be downloaded."""
    return Row(id=name, cases=cases, change=change, open={HERE: reason}, exit=4)


MANIFEST_UNREAD = {
    **every(tuple(NOT_BUILT), CUT),
    **every(tuple(map(up, (*ARCHIVES, MANIFEST))), CUT),
    **every(tuple(map(sum_of, (*ARCHIVES, MANIFEST))), CUT),
}
ROWS = [
    one("cut, with a length", "K22 C199 C201", spoiled("truncate"), CUT),
    one("cut, without a length", "K22 C199", spoiled("no-length", keep=40), CUT),
    one("nothing, without a length", "K22", spoiled("no-length", keep=0), CUT),
    one("a length that is too long", "K22", spoiled("wrong-length", delta=10), CUT),
    one("cut before the answer", "K22", spoiled("cut-before"), DOWN),
    one("a page with 200", "K22 C203", spoiled("html"), BAD),
    one("words with 200", "K22 C203", error_words, CUT),
    one("404", "K21 K22 C203", spoiled("status", status=404), BAD),
    one("410", "K21", spoiled("status", status=410), BAD),
    one("403 of the signed address", "K21 C197", spoiled("status", status=403), DENIED),
    one("500 past retries", "K22", spoiled("status", status=500), DOWN),
    one("limited for hours", "K20", spoiled("status", status=429, headers={"Retry-After": "7200"}), LIMITED),
    one("the API refuses the bytes", "K21", at_the_api(403), DENIED),
    one("moved without an address", "K21", at_the_api(302), BAD),
    one("moved to another scheme", "K21", at_the_api(302, headers={"Location": "file:///etc/hosts"}), BAD),
    Row(id="cut once", cases="K22", change=spoiled("truncate", times=1)),
    Row(id="500 once", cases="K22", change=spoiled("status", status=500, times=1)),
    Row(id="400 once", cases="K21 C197", change=spoiled("status", status=400, times=1)),
    Row(id="403 once", cases="K21 C197", change=spoiled("status", status=403, times=1)),
    Row(id="slow", cases="K22", change=spoiled("stall", seconds=0.2)),
    Row(id="without a length, whole", cases="K22", change=spoiled("no-length")),
    Row(id="private repository", cases="K21 C194", change=private),
    Row(id="assets of every kind", cases="K21 K23", change=dot_gz),
    Row(id="gzip named as the encoding of a tar.gz", cases="K23 C205 C209", change=spoiled("gzip-header")),
    Row(
        id="metadata instead of the bytes",
        cases="K21 C195",
        change=metadata_instead,
        open={HERE: "checksums.size-differs"},
        exit=1,
    ),
    Row(
        id="one bit flipped",
        cases="K22",
        change=spoiled("corrupt"),
        open={HERE: "checksums.digest-differs"},
        exit=1,
        says=("the download has",),
    ),
    Row(
        id="a cache serves other bytes",
        cases="K22 C096",
        change=stale_cache,
        open={HERE: "checksums.digest-differs"},
        exit=1,
    ),
    Row(
        id="compressed once more on the wire",
        cases="K23 C207",
        change=spoiled("gzip"),
        open={HERE: "checksums.size-differs"},
        exit=1,
    ),
    Row(
        id="the manifest is cut",
        cases="K22",
        change=spoiled("truncate", MANIFEST),
        open=MANIFEST_UNREAD,
        exit=4,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_downloads(row: Row, world: World) -> None:
    """Each row: what the download host sends, and what is said of the asset (K20-K23)."""
    look(row, world)


@pytest.mark.parametrize("change", [lambda w: None, private, drafted], ids=["public", "private", "draft"])
def test_the_token_never_follows_a_redirect(change: Change, world: World) -> None:
    """The API gets the token, the storage host never: it would answer 400 (K21, C190, C192)."""
    change(world)
    world.status()
    hosts = {(one.host, one.authorized) for one in world.forge.requests}
    assert hosts == {("api", True), ("download", False)}
    assert {one.status for one in world.forge.requests if one.host == "download"} == {200}


def test_every_asset_is_asked_for_raw_and_once(world: World) -> None:
    """Identity encoding, the API's address, one download an asset and look (K21, K23, C205)."""
    world.status()
    asked = [one for one in world.forge.requests if one.host == "download"]
    assert {one.headers["accept-encoding"] for one in asked} <= {"identity", "gzip"}
    assert len([one for one in asked if one.headers["accept-encoding"] == "identity"]) == len(asked)
    assert len({one.path.partition("?")[0] for one in asked}) == len(ASSETS)


def test_what_was_downloaded_is_hashed_anew_in_every_look(world: World) -> None:
    """Bytes that change behind an unchanged API answer are seen by the next look (K28, K22)."""
    assert world.status().exit == 0
    stale_cache(world)
    assert world.status().open == {HERE: "checksums.digest-differs"}
    assert sha256(body_of(world, SUMS)) == world.asset(SUMS).value.digest
