"""``binary-manifest.json``, read strictly: which archives of which commit, with digest and size.

Shape: ``{version, commit, schemaVersion?, generatedAt?, assets: [{name, platform, arch, sha256, size}]}``;
``target`` may stand for platform and arch. A missing member, a wrong type, a duplicate key or name, an
unknown schemaVersion: malformed, with the path of each. Members beyond these are the project's own.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from release.domain.digests import Digest, is_commit

SCHEMA_VERSIONS = (1, "1")
_SHA256 = re.compile(r"\A[0-9a-fA-F]{64}\Z")


@dataclass(frozen=True, kw_only=True)
class ManifestAsset:
    """One archive. ``target`` is None where platform and arch stand for it (their spelling is free).

    ``commit`` is set where the row names its own.
    """

    name: str
    target: str | None
    digest: Digest
    size: int
    commit: str | None = None


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A manifest that could be read whole; asset names are unique."""

    version: str
    commit: str
    assets: tuple[ManifestAsset, ...]

    def asset(self, name: str) -> ManifestAsset | None:
        """Return the row of exactly this name, or None."""
        return next((asset for asset in self.assets if asset.name == name), None)


@dataclass(frozen=True, kw_only=True)
class MalformedManifest:
    """What is wrong, each with the path of the member; never empty."""

    problems: tuple[str, ...]


ManifestFile = Manifest | MalformedManifest


class _Refused(ValueError):
    pass


@lru_cache(maxsize=16)
def parse_manifest(body: bytes) -> ManifestFile:
    """Read a manifest; never raises."""
    try:
        document = json.loads(body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except _Refused as error:
        return MalformedManifest(problems=(str(error),))
    except UnicodeDecodeError:
        return MalformedManifest(problems=("is not UTF-8",))
    except (ValueError, RecursionError):
        return MalformedManifest(problems=("is not JSON",))
    reader = _Reader()
    manifest = reader.manifest(document)
    if reader.problems or manifest is None:
        return MalformedManifest(problems=tuple(reader.problems))
    return manifest


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise _Refused(f"names the member {key!r} twice in one object")
        members[key] = value
    return members


def _refuse(constant: str) -> object:
    raise _Refused(f"holds {constant}, which is not JSON")


class _Reader:
    """Collects every problem, not only the first; what it returns counts only without problems."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def manifest(self, document: object) -> Manifest | None:
        match document:
            case dict() as members:
                self._schema(members)
                version = self._text(members, "version")
                commit = self._commit(members, "commit")
                return Manifest(version=version, commit=commit, assets=self._assets(members.get("assets")))
            case _:
                self._miss("the document", "an object")
                return None

    def _assets(self, rows: object) -> tuple[ManifestAsset, ...]:
        match rows:
            case [_, *_] as listed:
                read = (self._row(f"assets[{index}]", row) for index, row in enumerate(listed))
                assets = tuple(asset for asset in read if asset is not None)
                self._names(assets)
                return assets
            case _:
                self._miss("assets", "a list of at least one asset")
                return ()

    def _row(self, path: str, row: object) -> ManifestAsset | None:
        match row:
            case dict() as members:
                digest = self._digest(members, f"{path}.sha256")
                own = self._commit(members, f"{path}.commit") if "commit" in members else None
                name = self._text(members, f"{path}.name")
                target = self._target(members, path)
                size = self._size(members, f"{path}.size")
                if digest is None or size is None:
                    return None
                return ManifestAsset(name=name, target=target, digest=digest, size=size, commit=own)
            case _:
                self._miss(path, "an object")
                return None

    def _schema(self, members: Mapping[str, object]) -> None:
        match members.get("schemaVersion", SCHEMA_VERSIONS[0]):
            case bool():
                self._miss("schemaVersion", "1")
            case known if known in SCHEMA_VERSIONS:
                pass
            case _:
                self._miss("schemaVersion", "1")
        if "generatedAt" in members:
            self._text(members, "generatedAt")

    def _names(self, assets: tuple[ManifestAsset, ...]) -> None:
        times = Counter(asset.name for asset in assets)
        self.problems.extend(f"assets names {name!r} twice" for name, number in times.items() if number > 1)

    def _target(self, members: Mapping[str, object], path: str) -> str | None:
        if "target" in members:
            return self._text(members, f"{path}.target")
        self._text(members, f"{path}.platform")
        self._text(members, f"{path}.arch")
        return None

    def _text(self, members: Mapping[str, object], path: str) -> str:
        match members.get(_member(path)):
            case str() as text if text.strip():
                return text
            case _:
                self._miss(path, "a non-empty string")
                return ""

    def _commit(self, members: Mapping[str, object], path: str) -> str:
        match members.get(_member(path)):
            case str() as text if is_commit(text):
                return text
            case _:
                self._miss(path, "a full commit id")
                return ""

    def _digest(self, members: Mapping[str, object], path: str) -> Digest | None:
        match members.get(_member(path)):
            case str() as text if _SHA256.match(text):
                return Digest("sha256", text.lower())
            case _:
                self._miss(path, "64 hex digits")
                return None

    def _size(self, members: Mapping[str, object], path: str) -> int | None:
        match members.get(_member(path)):
            case bool():
                pass
            case int() as size if size >= 0:
                return size
        self._miss(path, "a number of bytes")
        return None

    def _miss(self, path: str, wanted: str) -> None:
        self.problems.append(f"{path} must be {wanted}")


def _member(path: str) -> str:
    return path.rpartition(".")[2]
