"""Packed tarballs kept as evidence (kind package-build): the record names the bytes, the blob is the bytes.

A record counts where commit and policy are the plan's, and its tarball is here, hashes to what the record
says and can be read. Anything else is as good as no record: evidence without the bytes proves no content.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from release.adapters.evidence import BlobStore, EvidenceStore
from release.adapters.npm.tarball import read_tarball
from release.domain.digests import parse_digest
from release.domain.errors import InputError
from release.domain.evidence import Evidence, Kind, counts
from release.domain.facts.npm import Packed, Tarball
from release.domain.plan import Package, Plan

_LISTED = 10_000


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """The ``data`` of a package-build record that its reader needs."""

    sha256: str
    differing: list[str]


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Where packed tarballs are kept; ``others`` are stores of other machines, only read."""

    evidence: EvidenceStore
    blobs: BlobStore
    others: tuple[BlobStore, ...] = ()

    def knows(self, package: Package) -> bool:
        """Say whether there is any record of this package, of whatever commit and policy."""
        return bool(self.evidence.find(Kind.PACKAGE_BUILD, package.name))

    def find(self, plan: Plan, package: Package, npm: str | None = None) -> Packed | None:
        """Return the newest usable tarball of the plan's commit; with ``npm``, one packed by that version."""
        for record in reversed(self.evidence.find(Kind.PACKAGE_BUILD, package.name)):
            if not counts(record, commit=plan.commit, policy=plan.policy):
                continue
            if npm is not None and record.tools.get("npm") != npm:
                continue
            found = self._packed(record)
            if found is not None:
                return found
        return None

    def keep(self, record: Evidence, file: Path, tarball: Tarball, differing: tuple[str, ...]) -> Packed:
        """Keep the tarball's bytes and a record of it; ``record`` lacks what the tarball itself says."""
        with file.open("rb") as stream:
            self.blobs.add(stream)
        full = dataclasses.replace(
            record,
            digest=str(tarball.integrity),
            size=tarball.size,
            verdict="fail" if differing else "pass",
            data={**record.data, **_data(tarball, differing)},
        )
        return _as_packed(self.evidence.put(full), tarball, differing)

    def _packed(self, record: Evidence) -> Packed | None:
        try:
            noted = msgspec.convert(dict(record.data), Noted)
        except msgspec.ValidationError:
            return None
        for tarball in self._tarballs(noted):
            if str(tarball.integrity) == record.digest:
                return _as_packed(record, tarball, tuple(noted.differing))
        return None

    def _tarballs(self, noted: Noted) -> Iterator[Tarball]:
        """Yield the noted tarball from every store that has it whole; a damaged blob is not there."""
        for store in (self.blobs, *self.others):
            try:
                file = store.open(parse_digest(noted.sha256))
                if file is not None:
                    with file:
                        yield read_tarball(file)
            except InputError:
                continue


def _as_packed(record: Evidence, tarball: Tarball, differing: tuple[str, ...]) -> Packed:
    version = record.tools.get("npm", "unknown")
    return Packed(tarball=tarball, npm_version=version, differing=differing, evidence=record.id)


def _data(tarball: Tarball, differing: tuple[str, ...]) -> Mapping[str, object]:
    listed = [dataclasses.asdict(entry) for entry in tarball.tree[:_LISTED]]
    return {
        "sha256": str(tarball.sha256),
        "differing": list(differing),
        "files": listed,
        "files_total": len(tarball.tree),
    }
