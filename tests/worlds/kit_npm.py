"""What the registry holds in a world: real Verdaccio, filled by the publish document, edited in its storage.

``Npm.reset`` restores the snapshot of the complete release; everything else changes one thing.
"""

import base64
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

LONG_AGO = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def ago(**span: float) -> datetime:
    """Return the time that lies ``timedelta(**span)`` back."""
    return datetime.now(UTC) - timedelta(**span)


def sri(body: bytes) -> str:
    """Return the sha512 integrity of ``body``."""
    return "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()


class Registry(Protocol):
    """What is used of ``scripts/registry.py``."""

    url: str
    token: str
    storage: Path

    def put(self, path: str, body: object, *, token: str = "") -> tuple[int, bytes]: ...

    def publish(self, source: Path, *args: str, token: str | None = None) -> str: ...

    def tarball(self, name: str, version: str) -> Path: ...

    def packument(self, name: str) -> Path: ...


class Npm:
    """The registry of one world."""

    def __init__(self, registry: Registry, snapshot: Path) -> None:
        self.registry = registry
        self._snapshot = snapshot

    @property
    def url(self) -> str:
        """The registry's address."""
        return self.registry.url

    def reset(self) -> None:
        """Put the complete release back, and nothing else."""
        self.clear()
        if self._snapshot.exists():
            shutil.copytree(self._snapshot, self.registry.storage, dirs_exist_ok=True)

    def keep(self) -> None:
        """Make what is there now the snapshot."""
        shutil.copytree(self.registry.storage, self._snapshot, ignore=shutil.ignore_patterns(".*"))

    def clear(self) -> None:
        """Remove every package: the registry looks at its disk each time."""
        for folder in self.registry.storage.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)

    def publish(
        self,
        name: str,
        version: str,
        tarball: bytes,
        *,
        tags: tuple[str, ...] = ("latest",),
        git_head: str | None = None,
        at: datetime = LONG_AGO,
        manifest: Mapping[str, object] | None = None,
    ) -> None:
        """Publish ``tarball`` as npm would; ``manifest`` None: the one inside it; ``at`` is when."""
        inside = _package_json(tarball) if manifest is None else manifest
        file = f"{name}-{version}.tgz"
        dist = {
            "integrity": sri(tarball),
            "shasum": hashlib.sha1(tarball).hexdigest(),
            "tarball": f"{self.url}/{name}/-/{file}",
        }
        document = {**inside, "name": name, "version": version, "_id": f"{name}@{version}", "dist": dist}
        if git_head:
            document["gitHead"] = git_head
        content = {
            "content_type": "application/octet-stream",
            "data": base64.b64encode(tarball).decode(),
            "length": len(tarball),
        }
        body = {
            "_id": name,
            "name": name,
            "dist-tags": dict.fromkeys(tags, version),
            "versions": {version: document},
            "_attachments": {file: content},
            "access": "public",
        }
        status, answer = self.registry.put(f"/{quote(name, safe='@')}", body, token=self.registry.token)
        assert status == 201, answer
        with self.edit(name) as stored:
            stored["time"][version] = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def publish_folder(self, folder: Path, *options: str) -> None:
        """Publish a package's folder with the real npm."""
        self.registry.publish(folder, *options)

    @contextmanager
    def edit(self, name: str) -> Iterator[dict[str, Any]]:
        """Change the package's stored document: ``versions``, ``time``, ``dist-tags``."""
        path = self.registry.packument(name)
        document = json.loads(path.read_text())
        yield document
        path.write_text(json.dumps(document))

    def tag(self, name: str, tag: str, version: str | None) -> None:
        """Point a dist-tag at ``version``; None removes it."""
        with self.edit(name) as document:
            document["dist-tags"].pop(tag, None)
            if version is not None:
                document["dist-tags"][tag] = version

    def date(self, name: str, version: str, at: datetime) -> None:
        """Set when the version was published."""
        with self.edit(name) as document:
            document["time"][version] = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def forget(self, name: str) -> None:
        """Remove the package as if it had never been there."""
        shutil.rmtree(self.registry.packument(name).parent)

    def unpublish(self, name: str, version: str) -> None:
        """Remove one version; its time stays, as on npm."""
        with self.edit(name) as document:
            del document["versions"][version]
            kept = {tag: at for tag, at in document["dist-tags"].items() if at != version}
            document["dist-tags"] = kept

    def tarball(self, name: str, version: str) -> Path:
        """Return the stored tarball, to be tampered with or removed."""
        return self.registry.tarball(name, version)


def _package_json(tarball: bytes) -> Mapping[str, object]:
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        file = archive.extractfile("package/package.json")
        assert file is not None
        found: dict[str, object] = json.loads(file.read())
        return found
