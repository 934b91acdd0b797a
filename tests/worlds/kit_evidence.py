"""Evidence in a world: records put into its own store by the product's own code, and packs."""

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from kit_project import VERSION

from release.adapters.evidence import BlobStore, EvidenceStore
from release.adapters.npm.shelf import Shelf
from release.adapters.npm.tarball import read_tarball
from release.domain.evidence import Evidence, Kind


class Setting(Protocol):
    """What evidence needs to know of its world."""

    commit: str
    packs: dict[str, bytes]

    @property
    def checkout(self) -> Path: ...

    @property
    def npm_version(self) -> str: ...

    @property
    def policy(self) -> str: ...


class Records:
    """The evidence store of one world. What is not said is of the world's commit and policy, and a pass."""

    def __init__(self, world: Setting) -> None:
        self._world = world
        self._shelved: set[tuple[str, str, str]] = set()

    @property
    def folder(self) -> Path:
        """The store's root."""
        return self._world.checkout / ".release" / "evidence"

    def add(self, kind: Kind, subject: str, *, at: datetime | None = None, **members: Any) -> Evidence:
        """Put one record; ``at`` is when it started and ended (None: now)."""
        return EvidenceStore(self.folder).put(self._record(kind, subject, at, members))

    def first_seen(self, key: str, **members: Any) -> Evidence:
        """Put a first-seen record: ``tag:NAME``, ``npm:SPEC``, ``release:TAG``, ``asset:TAG/NAME``."""
        return self.add(Kind.FIRST_SEEN, key, **members)

    def published(self, spec: str, at: datetime, **members: Any) -> Evidence:
        """Put the record of a publish of ``name@version`` that succeeded."""
        return self.add(Kind.NPM_PUBLISH, spec, at=at, **members)

    def packed(self, name: str, tarball: bytes, *, folder: Path | None = None, **members: Any) -> None:
        """Keep a packed tarball: record and bytes, in the store or in another folder."""
        root = folder or self.folder
        root.mkdir(parents=True, exist_ok=True)
        file = root.parent / "pack.tgz"
        file.write_bytes(tarball)
        shelf = Shelf(evidence=EvidenceStore(root), blobs=BlobStore(root))
        record = self._record(Kind.PACKAGE_BUILD, name, None, {"exit_code": 0, **members})
        shelf.keep(record, file, read_tarball(io.BytesIO(tarball)), ())
        file.unlink()

    def shelve(self) -> None:
        """Keep what the world has packed, once for each commit and policy."""
        for name in self._world.packs:
            kept = (name, self._world.commit, self._world.policy)
            if kept not in self._shelved:
                self.packed(name, self._world.packs[name])
                self._shelved.add(kept)

    def _record(self, kind: Kind, subject: str, at: datetime | None, members: dict[str, Any]) -> Evidence:
        when = at or datetime.now(UTC)
        values: dict[str, Any] = {
            "id": "",
            "kind": kind,
            "release": "acme",
            "version": VERSION,
            "commit": self._world.commit,
            "tree": "",
            "subject": subject,
            "digest": None,
            "size": None,
            "policy": self._world.policy,
            "verdict": "pass",
            "exit_code": None,
            "started_at": when,
            "ended_at": when,
            "platform": "linux-x64",
            "isolation": "none",
            "tools": {"npm": self._world.npm_version},
            "data": {},
        }
        return Evidence(**{**values, **members})
