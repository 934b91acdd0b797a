"""``release.ports.NpmRead`` over one registry and one packer; looks, and never changes anything."""

import copy
from typing import TYPE_CHECKING, Protocol

from release.adapters.http import Credential
from release.adapters.npm.document import packument_of
from release.adapters.npm.registry import Registry, understand
from release.adapters.npm.versions import is_satisfied, parse_wanted
from release.domain.facts.npm import DistTagReads, PackResult, Packument, Published, Tarball
from release.domain.plan import Package

if TYPE_CHECKING:
    from release.adapters.http import Http


class Packing(Protocol):
    """What packs a package at the commit."""

    def packed(self, package: Package) -> PackResult:
        """Pack the package, or find what was packed before."""
        ...


class NpmReader:
    """Answers every question of one survey once; thread-safe."""

    def __init__(self, *, http: "Http", registry: str, credential: Credential | None, pack: Packing) -> None:
        self._url = registry
        self._registry = Registry(http=http, url=registry, credential=credential)
        self._pack = pack

    def fresh(self) -> "NpmReader":
        """Return a reader for a new look: it shares what was packed and downloaded, and no document."""
        other = copy.copy(self)
        other._registry = self._registry.fresh()
        return other

    def packument(self, name: str, version: str) -> Packument | None:
        """Return the package's document with ``version`` looked up, or None where the package is unknown."""
        document = self._registry.document(name)
        if document is None:
            return None
        return understand(f"{self._url}/{name}", lambda: packument_of(document, version))

    def tarball(self, published: Published) -> Tarball | None:
        """Download, hash and read the published tarball; None where its URL answers 404."""
        return self._registry.tarball(published)

    def dist_tag(self, name: str, tag: str, reads: int) -> DistTagReads:
        """Return ``reads`` consecutive reads of the dist-tag; the first is this survey's document."""
        answers = self._registry.tags(name, reads)
        return DistTagReads(tag=tag, reads=tuple(tags.get(tag) for tags in answers))

    def satisfied(self, name: str, wanted: str) -> bool:
        """Say whether a version in the registry satisfies the dependency ``name: wanted``."""
        asked = parse_wanted(name, wanted)
        document = self._registry.document(asked.name) if asked is not None else None
        if asked is None or document is None:
            return False
        return is_satisfied(asked.range, document.known(), document.tags())

    def packed(self, package: Package) -> PackResult:
        """Pack the package from a clean checkout with scripts ignored, or find the build's evidence."""
        return self._pack.packed(package)
