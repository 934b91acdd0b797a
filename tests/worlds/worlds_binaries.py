"""Binary manifests and evidence of builds: changes that leave the checksum file in agreement with them."""

import json
from collections.abc import Callable
from typing import Any

from kit import MANIFEST, World
from worlds_channel import ARCHIVES, LINUX, body_of, publish, sha256

from release.domain.evidence import Evidence, Kind

Change = Callable[[World], object]
EVIL = b"not what was built\n" * 20


def manifest(w: World) -> dict[str, Any]:
    """Return the published manifest as values."""
    found: dict[str, Any] = json.loads(body_of(w, MANIFEST))
    return found


def save(w: World, content: dict[str, Any]) -> None:
    """Publish the manifest, and a checksum file that agrees."""
    publish(w, {MANIFEST: json.dumps(content).encode()})


def says(**members: Any) -> Change:
    """Return a change: the manifest has these members."""
    return lambda w: save(w, {**manifest(w), **members})


def lacks(member: str) -> Change:
    """Return a change: the manifest lacks a member."""
    return lambda w: save(w, {name: value for name, value in manifest(w).items() if name != member})


def row(number: int = 0, **members: Any) -> Change:
    """Return a change: one of the manifest's rows has these members; None takes one away."""

    def change(w: World) -> None:
        content = manifest(w)
        merged = {**content["assets"][number], **members}
        content["assets"][number] = {key: value for key, value in merged.items() if value is not None}
        save(w, content)

    return change


def of_parent(w: World) -> None:
    """Binaries were built from the commit before."""
    says(commit=w.parent)(w)


def row_of_parent(w: World) -> None:
    """One of the binaries was built from the commit before."""
    row(commit=w.parent)(w)


def short_commit(w: World) -> None:
    """The manifest names the commit by its first digits."""
    says(commit=w.commit[:12])(w)


def swapped(w: World) -> None:
    """Two rows have each other's target."""
    row(0, target="darwin-arm64")(w)
    row(1, target="linux-x64")(w)


def without_row(w: World) -> None:
    """A matrix job is missing from the manifest."""
    content = manifest(w)
    save(w, {**content, "assets": content["assets"][1:]})


def doubled(w: World) -> None:
    """Two jobs wrote a row for the same archive."""
    content = manifest(w)
    save(w, {**content, "assets": [*content["assets"], content["assets"][0]]})


def text(rewrite: Callable[[str], str]) -> Change:
    """Return a change: the manifest's text is rewritten."""
    return lambda w: publish(w, {MANIFEST: rewrite(body_of(w, MANIFEST).decode()).encode()})


def no_manifest(w: World) -> None:
    """No manifest was published, and the checksum file lists the archives alone."""
    w.asset(MANIFEST).remove()
    publish(w, {})


def build(w: World, name: str = LINUX, **members: Any) -> Evidence:
    """Put evidence of a build of the archive, with the bytes that are published."""
    body = members.pop("body", body_of(w, name))
    given = {"digest": sha256(body), "size": len(body), **members}
    return w.evidence.add(Kind.BINARY_BUILD, name, **given)


def built(**members: Any) -> Change:
    """Return a change: every archive has evidence of a build; ``members`` replace what it says."""
    return lambda w: [build(w, name, **members) for name in ARCHIVES]


def built_and_no_manifest(**members: Any) -> Change:
    """Return a change: there is evidence, and no manifest."""
    return lambda w: [built(**members)(w), no_manifest(w)]


def built_of_parent(w: World) -> None:
    """The only evidence is of the commit before."""
    built(commit=w.parent)(w)
    no_manifest(w)


def built_twice(w: World) -> None:
    """The commit was built twice, with different bytes; the older build's are published."""
    build(w)
    build(w, body=b"another build")


def substituted(w: World) -> None:
    """Archive, manifest and checksum file were replaced together; the build's evidence is from before."""
    build(w)
    row(sha256=sha256(EVIL).removeprefix("sha256:"), size=len(EVIL))(w)
    publish(w, {LINUX: EVIL})


def substituted_unseen(w: World) -> None:
    """The same, and nobody kept evidence: the release agrees with itself."""
    row(sha256=sha256(EVIL).removeprefix("sha256:"), size=len(EVIL))(w)
    publish(w, {LINUX: EVIL})


def renamed(old: str, new: str) -> Change:
    """Return a change: the archive, its row and its line have another name than planned."""

    def change(w: World) -> None:
        w.asset(old).set(name=new)
        row(name=new)(w)

    return change
