"""One world of acme@1.2.3 as a row: what the registry has, what the commit packs to, what must come of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from worldkit import EARLIER, NOW, World, a_packument, a_record, a_tarball, packed, sha256

from release.domain.digests import Digest
from release.domain.evidence import Evidence, Kind
from release.domain.facts.npm import PackResult, Packument, Tarball
from release.domain.state import State

SPEC, URL = "acme@1.2.3", "https://npm.example/acme/-/1.2.3.tgz"
MANIFEST: dict[str, object] = {"name": "acme", "version": "1.2.3", "main": "index.js"}
HERE = a_tarball(MANIFEST)
OTHER_BYTES = a_tarball(MANIFEST, {"index.js": b"other", "dist/old.js": b""})
RECOMPRESSED = replace(HERE, integrity=Digest("sha512", "1" * 128), sha256=sha256(b"recompressed"))
WINDOW = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)
CONVERGE, BUILD = "release converge v1.2.3", "release build packages"
WITHOUT: Any = object()


def inside(files: dict[str, bytes] | None = None, **manifest: Any) -> Tarball:
    return a_tarball({**MANIFEST, **manifest}, files)


def publish(age: timedelta, **changes: Any) -> Evidence:
    return a_record(Kind.NPM_PUBLISH, SPEC, ended_at=NOW - age, **changes)


def seen(tarball: Tarball = HERE, age: timedelta = NOW - EARLIER, **changes: Any) -> Evidence:
    digest = str(tarball.integrity)
    return replace(a_record(Kind.FIRST_SEEN, f"npm:{SPEC}", ended_at=NOW - age, digest=digest), **changes)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One world of acme@1.2.3 and what must come of it; ``stated`` changes what the registry states."""

    reason: str
    state: State
    says: str
    never_says: str = "\n"
    next: str = ""
    there: Tarball | None = HERE
    served: Tarball | None = WITHOUT
    here: PackResult = packed(HERE)  # noqa: RUF009
    stated: dict[str, Any] = field(default_factory=dict)
    age: timedelta = NOW - EARLIER
    document: dict[str, Any] = field(default_factory=dict)
    records: Iterable[Evidence] = ()
    unsatisfied: Iterable[tuple[str, str]] = ()
    known: bool = True
    deep: bool = True

    def packument(self) -> Packument:
        """Return the document of a package that has the version, unless ``there`` is None."""
        full = a_packument(self.there or HERE, times={"1.2.3": NOW - self.age})
        assert full.published is not None
        stated = replace(full.published, **self.stated) if self.there else None
        return replace(full, published=stated, **self.document)

    def world(self) -> World:
        """Build the world of this row."""
        world = World()
        if self.known:
            world.npm.packuments["acme"] = self.packument()
        served = self.there if self.served is WITHOUT else self.served
        if served is not None:
            world.npm.tarballs[URL] = served
        world.npm.packs["acme"] = self.here
        world.npm.unsatisfied = set(self.unsatisfied)
        world.remember(self.records)
        return world


def complete(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.COMPLETE, says=says, **changes)


def pending(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.PENDING, says=says, **changes)


def failed(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.FAILED, says=says, **changes)


def absent(row: Any, reason: str, says: str, **changes: Any) -> Any:
    return row(reason, says, there=None, **changes)


NEEDS_B = {"dependencies": {"@acme/b": "^1.2.0"}}
PLATFORM = {"optionalDependencies": {"acme-linux-x64": "1.2.3"}}
