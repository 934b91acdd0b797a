"""What a package packs to at the canonical commit: from evidence, or packed now from a clean checkout.

Looking never runs the project's code: scripts are ignored, and a package that declares a build is never
packed here. Two packs are made and compared; the result is kept as evidence and found by the next look.
"""

import os
import platform
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from release.adapters.npm.cli import Npm
from release.adapters.npm.shelf import Shelf
from release.adapters.npm.tarball import read_tarball
from release.adapters.npm.workspace import Source, Workspace
from release.adapters.once import Once
from release.domain.errors import CannotTell, InputError
from release.domain.evidence import Evidence, Kind
from release.domain.facts.npm import NotPacked, Packed, PackFailed, PackResult, Tarball
from release.domain.plan import Package, Plan
from release.domain.trees import compare

_DECLARE = "declare its `build`, and run `release build packages`"
_SHOWN = 5


@dataclass(frozen=True)
class _Question:
    """Two packages of one plan differ by name; the manifest cannot be hashed, and need not be."""

    name: str
    package: Package = field(compare=False)


class Packer:
    """Packs the packages of one plan; thread-safe.

    ``directory`` is for temporary files, which ``close`` removes; ``clock`` gives the time in UTC.
    """

    def __init__(
        self, *, plan: Plan, source: Source, shelf: Shelf, directory: Path, clock: Callable[[], datetime]
    ) -> None:
        self._plan = plan
        self._source = source
        self._shelf = shelf
        self._clock = clock
        self._workspace = Workspace(source, directory)
        self._tools = Once(self._asked)
        self._packed = Once(self._look)
        # npm computes, in 70 MB a process: more of them than processors would only cost memory
        self._turns = threading.BoundedSemaphore(os.cpu_count() or 1)

    def __enter__(self) -> "Packer":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the checkout and everything else that is temporary."""
        self._workspace.close()

    def packed(self, package: Package) -> PackResult:
        """Return what the package packs to. ``CannotTell``: tool.missing (npm), tool.failed."""
        return self._packed(_Question(package.name, package))

    @property
    def _npm(self) -> Npm:
        return Npm(home=self._workspace.home)

    def _asked(self, _: str) -> Mapping[str, str]:
        return self._npm.tools()

    def _look(self, question: _Question) -> PackResult:
        package = question.package
        if package.build is not None:
            found = self._shelf.find(self._plan, package)
            return found or NotPacked(other=self._shelf.knows(package))
        if bundled := _bundled(package):
            return PackFailed(message=f"it bundles {bundled}, which a clean checkout lacks: {_DECLARE}")
        return self._cached(package) or self._pack(package)

    def _cached(self, package: Package) -> Packed | None:
        """Return what the same npm packed before; without npm, what any did."""
        try:
            version = self._tools("npm")["npm"]
        except CannotTell:
            found = self._shelf.find(self._plan, package)
            if found is None:
                raise
            return found
        return self._shelf.find(self._plan, package, version)

    def _pack(self, package: Package) -> PackResult:
        started = self._clock()
        folder = self._workspace.folder(package.path)
        made: list[Path] = []
        for _ in range(2):
            with self._turns:
                packed = self._npm.pack(folder, self._workspace.output())
            match packed:
                case PackFailed() as failed:
                    return failed
                case path:
                    made.append(path)
        one, two = (_read(path) for path in made)
        paths = frozenset(entry.path for entry in one.tree)
        if missing := self._workspace.missing(package.path, paths):
            shown = ", ".join(missing[:_SHOWN])
            text = f"a plain checkout lacks the content of {len(missing)} of its files (Git LFS or submodule)"
            return PackFailed(message=f"{text}: {shown}; {_DECLARE}")
        return self._shelf.keep(self._record(package, started), made[0], one, _differing(one, two))

    def _record(self, package: Package, started: datetime) -> Evidence:
        return Evidence(
            id="",
            kind=Kind.PACKAGE_BUILD,
            release=self._plan.name,
            version=package.expected_version,
            commit=self._plan.commit,
            tree=self._source.tree_id,
            subject=package.name,
            digest=None,
            size=None,
            policy=self._plan.policy,
            verdict="pass",
            exit_code=0,
            started_at=started,
            ended_at=self._clock(),
            platform=f"{sys.platform}-{platform.machine().lower()}",
            isolation="process",
            tools=self._tools("npm"),
            data={"path": package.path, "build": None, "scripts": "ignored"},
        )


def _bundled(package: Package) -> str:
    for key in ("bundledDependencies", "bundleDependencies"):
        match package.manifest.get(key):
            case True:
                return "its dependencies"
            case list() as names if names:
                return ", ".join(str(name) for name in names[:_SHOWN])
    return ""


def _read(path: Path) -> Tarball:
    try:
        with path.open("rb") as file:
            return read_tarball(file)
    except (InputError, OSError) as error:
        raise CannotTell("tool.failed", f"the tarball that npm made cannot be read: {error}") from error


def _differing(one: Tarball, two: Tarball) -> tuple[str, ...]:
    if one.sha256 == two.sha256:
        return ()
    diff = compare(one.tree, two.tree)
    paths = {*diff.only_there, *diff.only_here, *diff.other_bytes, *diff.other_mode}
    return tuple(sorted(paths)) or ("(the archive's own bytes)",)
