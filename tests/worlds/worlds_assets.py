"""What happens to assets: changes to a complete release; a function with a value returns the change."""

from datetime import UTC, datetime, timedelta
from typing import Any

from forge.blobs import Blob
from kit import World
from worlds_channel import ARCHIVES, DARWIN, LINUX, SUMS, TAG, add_extras, body_of, listed, put, sha256

from release.domain.evidence import Kind


def wreck(name: str, state: str, *, draft: bool = False, hours: int = 48) -> Any:
    """Return a change: the asset's upload did not end; the release's assets are ``hours`` old."""

    def change(w: World) -> None:
        at = datetime.now(UTC) - timedelta(hours=hours)
        if draft:
            w.release.set(draft=True, published_at=None)
        kept = {"blob": Blob(b""), "size": 0, "digest": None} if state == "starter" else {}
        w.asset(name).set(state=state, created_at=at, updated_at=at, **kept)

    return change


def states(**members: Any) -> Any:
    """Return a change: of the first archive, the API states other members than it serves."""
    return lambda w: w.asset(LINUX).set(**members)


def without_digests(w: World) -> None:
    """An older server: no asset has a digest, null or left out."""
    for number, asset in enumerate(w.release.assets):
        asset.set(digest=None, omit=frozenset({"digest"} if number % 2 else ()))


def other_bytes(w: World) -> None:
    """A second build with other bytes of the same length took the place of the first."""
    put(w, LINUX, body_of(w, LINUX)[::-1])


def cut_bytes(w: World) -> None:
    """A truncated file was uploaded, whole as far as GitHub knows."""
    put(w, LINUX, body_of(w, LINUX)[:40])


def no_bytes(w: World) -> None:
    """An upload that failed without an error left an asset of zero bytes."""
    put(w, LINUX, b"")


def swapped(w: World) -> None:
    """Two matrix jobs uploaded each other's archive."""
    one, other = body_of(w, LINUX), body_of(w, DARWIN)
    put(w, LINUX, other)
    put(w, DARWIN, one)


def leftovers(w: World) -> None:
    """A failed run's assets are on the release, and the checksum file lists them, too."""
    for number in range(168):
        w.release.asset(f"firmware-{number}.uf2", b"old")
    put(w, SUMS, listed(w))


def unlisted(w: World) -> None:
    """A page of notes was attached afterwards."""
    w.release.asset("notes.txt", b"hello")


def orphan(w: World) -> None:
    """The archive's own checksum is attached, the archive is not."""
    add_extras(w, (f"{LINUX}.sha256",))
    w.asset(LINUX).remove()


def renamed(planned: str, stored: str) -> Any:
    """Return a change: GitHub stored an asset under another name; the checksum file has the planned one."""

    def change(w: World) -> None:
        add_extras(w, (planned,))
        w.asset(planned).set(name=stored)

    return change


def listed_as(planned: str, local: str) -> Any:
    """Return a change: the checksum file has the name that the file had on the machine that made it."""

    def change(w: World) -> None:
        add_extras(w, (planned,))
        put(w, SUMS, listed(w).replace(planned.encode(), local.encode()))

    return change


def seen(then: bytes | None) -> Any:
    """Return a change: the archive was first seen with these bytes (None: with those of now)."""

    def change(w: World) -> None:
        digest = sha256(body_of(w, LINUX) if then is None else then)
        w.evidence.first_seen(f"asset:{TAG}/{LINUX}", digest=digest)

    return change


def replaced_with_all(w: World) -> None:
    """The archive, the manifest and the checksum file were replaced; only what was first seen says so."""
    seen(None)(w)
    bodies = dict(w.template.archives)
    w.template = type(w.template)(
        w.template.folder, w.commit, w.packs, {**bodies, LINUX: b"evil" * 90}, w.npm_version
    )
    for name, body in w.assets().items():
        put(w, name, body)


def removed(w: World) -> None:
    """The archive was there, and is gone."""
    seen(None)(w)
    w.asset(LINUX).remove()


def remade(w: World) -> None:
    """The release was deleted and made again, with the same assets."""
    w.evidence.first_seen(f"release:{TAG}", data={"id": w.release.id, "draft": False})
    w.release.remove()
    w.release = w.make_release()


def gone(w: World) -> None:
    """The release was there, and is gone, with its tag."""
    w.evidence.first_seen(f"release:{TAG}", data={"id": w.release.id, "draft": False})
    w.evidence.first_seen(f"tag:{TAG}")
    for name in ARCHIVES:
        w.evidence.first_seen(f"asset:{TAG}/{name}", digest=sha256(body_of(w, name)))
    w.release.remove()


def sealed_without(*names: str) -> Any:
    """Return a change: an immutable release that lacks these assets."""

    def change(w: World) -> None:
        w.config["release"]["immutable"] = True
        w.release.set(immutable=True)
        for name in names:
            w.asset(name).remove()

    return change


def built(body: bytes | None = None, **members: Any) -> Any:
    """Return a change: evidence of the archive's upload or build vouches for these bytes."""

    def change(w: World) -> None:
        content = body_of(w, LINUX) if body is None else body
        w.evidence.add(Kind.ASSET_UPLOAD, LINUX, digest=sha256(content), size=len(content), **members)

    return change


def both(*changes: Any) -> Any:
    """Return one change after the other."""
    return lambda w: [change(w) for change in changes]
