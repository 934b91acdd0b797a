"""Small real repositories for the tests of the git client."""

import hashlib
import os
import subprocess
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from release.domain.plan import NpmPolicy, Package, Plan

_WHO = {
    "GIT_AUTHOR_NAME": "Acme",
    "GIT_AUTHOR_EMAIL": "acme@example.test",
    "GIT_COMMITTER_NAME": "Acme",
    "GIT_COMMITTER_EMAIL": "acme@example.test",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
}


def git(cwd: Path, *arguments: str, stdin: bytes | None = None, env: dict[str, str] | None = None) -> str:
    """Run the machine's git as a user would; return its output, stripped."""
    done = subprocess.run(
        ("git", "-c", "protocol.file.allow=always", *arguments),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"], **_WHO, "HOME": str(cwd), **(env or {})},
    )
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@dataclass(frozen=True)
class Repo:
    """A working repository at ``path``."""

    path: Path

    @classmethod
    def init(cls, path: Path, *options: str) -> "Repo":
        """Make an empty repository whose branch is ``main``."""
        path.mkdir(parents=True, exist_ok=True)
        git(path, "init", "-q", "-b", "main", *options)
        return cls(path)

    def __call__(self, *arguments: str, stdin: bytes | None = None, env: dict[str, str] | None = None) -> str:
        return git(self.path, *arguments, stdin=stdin, env=env)

    def write(self, files: dict[str, str | bytes]) -> "Repo":
        """Write files without committing them."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def commit(self, files: dict[str, str | bytes] | None = None, *, message: str = "Change") -> str:
        """Write the files, commit everything, return the commit's id."""
        self.write(files or {})
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self("rev-parse", "HEAD")

    def clone(self, path: Path, *options: str) -> "Repo":
        """Clone this repository as a user would, with ``origin`` set."""
        git(self.path, "clone", "-q", *options, str(self.path), str(path))
        return Repo(path)

    def bare(self, path: Path) -> Path:
        """Make a bare mirror of this repository."""
        git(self.path, "clone", "-q", "--mirror", str(self.path), str(path))
        return path


def snapshot(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Return every file's hash, mode and mtime (ns) below ``folder``, ``.git`` included."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = b"" if path.is_dir() or path.is_symlink() else path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        found[path.relative_to(folder).as_posix()] = (digest, status.st_mode, status.st_mtime_ns)
    return found


def plan_of(commit: str, branches: tuple[str, ...] = (), packages: tuple[Package, ...] = ()) -> Plan:
    """Return a plan with nothing in it but what git is asked about."""
    return Plan(
        name="acme",
        version="1.1.0",
        commit=commit,
        selector="v1.1.0",
        policy="0" * 64,
        remote="origin",
        branches=branches,
        tags=(),
        packages=packages,
        binaries=(),
        releases=(),
        github=None,
        npm=NpmPolicy(registry="http://127.0.0.1", propagation=timedelta(minutes=10), stable_reads=3),
        checksum_algorithm="sha256",
        changesets=None,
        suites=(),
        acceptances=(),
        required=(),
    )


def package_of(name: str, path: str) -> Package:
    """Return a planned package of which only the path matters."""
    return Package(
        name=name,
        version="1.1.0",
        expected_version="1.1.0",
        path=path,
        manifest={},
        dist_tags=(),
        build=None,
        tag="v1.1.0",
    )
