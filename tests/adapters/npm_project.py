"""A git project to pack, and packers whose evidence survives from look to look."""

import dataclasses
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from release.adapters.evidence import BlobStore, EvidenceStore
from release.adapters.git.repository import Opening, Repository
from release.adapters.git.source import Source
from release.adapters.npm.pack import Packer
from release.adapters.npm.shelf import Shelf
from release.domain.facts.npm import Packed
from release.domain.plan import NpmPolicy, Package, Plan

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
POLICY = "9" * 64
WIDGET = {"name": "@acme/widget", "version": "1.0.0", "main": "index.js"}
FILES = {
    "package.json": json.dumps({"name": "root", "private": True, "workspaces": ["packages/*"]}),
    "packages/widget/package.json": json.dumps(WIDGET),
    "packages/widget/index.js": "module.exports = 1\n",
}


def package(path: str = "packages/widget", **changes: object) -> Package:
    """Return the widget as planned."""
    planned = Package(
        name="@acme/widget",
        version="1.0.0",
        expected_version="1.0.0",
        path=path,
        manifest=WIDGET,
        dist_tags=("latest",),
        build=None,
        tag="v1.0.0",
    )
    return dataclasses.replace(planned, **changes)  # type: ignore[arg-type]


def plan_of(commit: str, policy: str = POLICY) -> Plan:
    """Return a plan of which packing reads name, commit and policy."""
    return Plan(
        name="acme",
        version="1.0.0",
        commit=commit,
        selector="v1.0.0",
        policy=policy,
        remote="origin",
        branches=(),
        tags=(),
        packages=(package(),),
        binaries=(),
        releases=(),
        github=None,
        npm=NpmPolicy(registry="", propagation=None, stable_reads=1),  # type: ignore[arg-type]
        checksum_algorithm="sha256",
        changesets=None,
        suites=(),
        acceptances=(),
        required=(),
    )


def git(folder: Path, *args: str) -> str:
    """Run git with an identity and no configuration of the user's."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "a@e.test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@dataclass
class Project:
    """A git repository, and a packer of its last commit whose evidence survives from look to look."""

    folder: Path
    tmp: Path
    commit: str = ""
    opened: list[Packer] = field(default_factory=list)

    def write(self, files: Mapping[str, str], *, executable: tuple[str, ...] = ()) -> None:
        """Write and commit files."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if name in executable else 0o644)
        git(self.folder, "add", "-A", "-f")
        git(self.folder, "commit", "-qm", "change")
        self.commit = git(self.folder, "rev-parse", "HEAD")

    @property
    def shelf(self) -> Shelf:
        """The evidence as a new process would find it."""
        root = self.tmp / "evidence"
        return Shelf(evidence=EvidenceStore(root), blobs=BlobStore(root))

    def packer(self, policy: str = POLICY, shelf: Shelf | None = None) -> Packer:
        """Return the packer of a new survey."""
        repository = Repository(Opening(state=self.tmp / "state", remote=str(self.folder), base=self.tmp))
        packer = Packer(
            plan=plan_of(self.commit, policy),
            source=Source(repository.store, self.commit),
            shelf=shelf or self.shelf,
            directory=self.tmp / "packing",
            clock=lambda: NOW,
        )
        self.opened.append(packer)
        return packer

    def pack(self, of: Package | None = None) -> Packed:
        """Pack in a new survey, and require that it worked."""
        with closing(self.packer()) as packer:
            packed = packer.packed(of or package())
        assert isinstance(packed, Packed), packed
        return packed


def paths(packed: Packed) -> list[str]:
    """Return the paths in the packed tree."""
    return [entry.path for entry in packed.tarball.tree]


@contextmanager
def made_project(tmp_path: Path) -> Iterator[Project]:
    """Make a committed workspace with one package; close its packers at the end."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    made = Project(folder, tmp_path)
    made.write(FILES)
    yield made
    for packer in made.opened:
        packer.close()
