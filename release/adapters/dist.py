"""``--dist DIR``: the artifacts that this machine can upload, and what they say of themselves.

A file is hashed anew before its upload, and otherwise once until it changes. Build evidence follows from the
manifest in the folder: its commit and version are read from it and never assumed, so artifacts of another
commit do not count.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from release.domain.binary_manifest import Manifest, parse_manifest
from release.domain.errors import InputError
from release.domain.evidence import Evidence, Kind
from release.domain.plan import Asset, AssetKind, Plan, ReleaseSpec
from release.write_ports import LocalFile

_CHUNK = 1 << 20
_MANIFEST_LIMIT = 8 << 20


@dataclass(frozen=True, kw_only=True)
class Dist:
    """One folder of artifacts for one plan; ``notes_text`` is the changelog at the commit, or ""."""

    folder: Path
    plan: Plan
    notes_text: str = ""
    _hashed: dict[Path, tuple[tuple[int, int, int], str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def find(self, asset: Asset) -> LocalFile | None:
        """Return the asset's file, hashed now; None where the folder has none."""
        self._hashed.pop(self.folder / asset.name, None)
        return self._find(asset)

    def _find(self, asset: Asset) -> LocalFile | None:
        path = self.folder / asset.name
        if not path.is_file():
            return None
        try:
            stat = path.stat()
            return LocalFile(path=path, size=stat.st_size, sha256=self._digest(path, stat))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from error

    def _digest(self, path: Path, stat: os.stat_result) -> str:
        """Every survey asks for every file: hash it again only where it is not the file it was."""
        now = stat.st_size, stat.st_mtime_ns, stat.st_ino
        known = self._hashed.get(path)
        if known is None or known[0] != now:
            known = self._hashed[path] = now, _hash(path)
        return known[1]

    def notes(self, spec: ReleaseSpec) -> str:
        """Return the changelog's section for the release, or a plain sentence."""
        return section(self.notes_text, spec.version) or f"{self.plan.name} {spec.version}"

    def evidence(self) -> tuple[Evidence, ...]:
        """Return what the folder proves: a build record per archive, an upload record per other file."""
        return tuple(record for spec in self.plan.releases for record in self._records(spec))

    def _records(self, spec: ReleaseSpec) -> Iterator[Evidence]:
        manifest = self._manifest(spec)
        for asset in spec.assets:
            file = self._find(asset)
            if file is None:
                continue
            if asset.kind is not AssetKind.BINARY:
                yield self._record(Kind.ASSET_UPLOAD, asset, file, self.plan.commit)
                continue
            row = manifest.asset(asset.name) if manifest else None
            if manifest is None or row is None or row.digest.hex != file.sha256:
                where = str(self.folder / asset.name)
                fix = "build again, so that the manifest and the archives are of one build"
                raise InputError("the manifest in the folder does not name these bytes", file=where, fix=fix)
            yield self._record(Kind.BINARY_BUILD, asset, file, manifest.commit)

    def _manifest(self, spec: ReleaseSpec) -> Manifest | None:
        asset = spec.asset(AssetKind.MANIFEST)
        path = self.folder / asset.name if asset else None
        if path is None or not path.is_file():
            return None
        match parse_manifest(path.read_bytes()[:_MANIFEST_LIMIT]):
            case Manifest() as manifest:
                return manifest
            case problem:
                raise InputError(f"is not a manifest: {problem}", file=str(path))

    def _record(self, kind: Kind, asset: Asset, file: LocalFile, commit: str) -> Evidence:
        at = datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
        return Evidence(
            id=f"dist:sha256:{file.sha256}",
            kind=kind,
            release=self.plan.name,
            version=self.plan.version,
            commit=commit,
            tree="",
            subject=asset.name,
            digest=f"sha256:{file.sha256}",
            size=file.size,
            policy=self.plan.policy,
            verdict="pass",
            exit_code=0,
            started_at=at,
            ended_at=at,
            platform="",
            isolation="",
            tools={},
            data={"tag": asset.tag},
        )


def section(changelog: str, version: str) -> str:
    """Return the body of the changelog's section whose heading names exactly ``version``."""
    heading = re.compile(rf"^##+ +\[?v?{re.escape(version)}\]?(?=\s|$|\()", re.MULTILINE)
    match = heading.search(changelog)
    if match is None:
        return ""
    level = re.match(r"#+", match.group())
    depth = len(level.group()) if level else 2
    after = changelog[match.end() :].partition("\n")[2]
    following = re.search(rf"^#{{1,{depth}}} ", after, re.MULTILINE)
    return (after[: following.start()] if following else after).strip()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
