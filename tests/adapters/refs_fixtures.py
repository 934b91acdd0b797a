"""A bare remote, and stores of our own refs on it, each with a repository of its own: a machine."""

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from git_fixtures import Repo, git

from release.adapters.git.location import Location
from release.adapters.git.refs import RefStore
from release.adapters.lease import Clocks, Lease

REF = "refs/convergence/lease/v1.0.0"
START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
_HOOK = "#!/bin/sh\nwhile read old new ref; do case $ref in {pattern}) exit 1;; esac; done\n"


@dataclass
class Machines:
    """The remote under ``folder``, and new machines that know it."""

    folder: Path
    remote: Path = field(init=False)
    commit: str = field(init=False)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        source = Repo.init(self.folder / "source")
        self.commit = source.commit({"README.md": "acme\n"})
        self.remote = source.bare(self.folder / "remote.git")

    def store(self, location: Location | None = None) -> RefStore:
        """A store on a new machine; by default the remote is a path."""
        home = self.folder / f"machine-{next(self._numbers)}.git"
        git(self.folder, "init", "-q", "--bare", str(home))
        git(home, "fetch", "-q", str(self.remote), "main")
        where = location or Location(url=str(self.remote), shown="origin", path=self.remote)
        return RefStore(git_dir=home, location=where)

    def refs(self) -> dict[str, str]:
        """Every ref of the remote."""
        lines = git(self.remote, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)

    def refuse(self, pattern: str) -> None:
        """Let the remote refuse every push to refs that match: what a read-only credential meets."""
        hook = self.remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(_HOOK.format(pattern=pattern))
        hook.chmod(0o755)

    def allow(self) -> None:
        """Take the refusal back."""
        (self.remote / "hooks" / "pre-receive").unlink()


@dataclass
class Time:
    """Clocks that a test moves: the wall, and the steady one of one machine."""

    wall: datetime = START
    steady: float = 1000.0

    def clocks(self) -> Clocks:
        """The clocks as a lease takes them."""
        return Clocks(now=lambda: self.wall, steady=lambda: self.steady)

    def pass_(self, seconds: float) -> None:
        """Let both clocks go on."""
        self.wall += timedelta(seconds=seconds)
        self.steady += seconds


def lease(machines: Machines, holder: str, time: Time, store: RefStore | None = None) -> Lease:
    """A lease of 100 seconds on a new machine: others wait 20 longer, its holder stops 10 earlier."""
    term = timedelta(seconds=100)
    return Lease(store or machines.store(), REF, holder, time.clocks(), term)
