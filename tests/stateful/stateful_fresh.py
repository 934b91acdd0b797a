"""A world in which nothing is released yet, and `release converge` on it, as one process or several."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit import PROGRAM, ROOT, World
from kit_project import CLI, CORE, TAG, VERSION, commit, git, toml, write

REFS = "refs/convergence"


@dataclass(frozen=True)
class Ended:
    """How one `release converge --json` ended."""

    exit: int
    stdout: str
    stderr: str

    @property
    def report(self) -> Mapping[str, Any]:
        """The report that it printed."""
        found: Mapping[str, Any] = json.loads(self.stdout)
        return found

    @property
    def said(self) -> str:
        """What is not complete, and what was said on stderr: for the message of an assertion."""
        if not self.stdout.startswith("{"):
            return self.stdout + self.stderr
        lines = [
            f"{gate['name']}/{one['subject']}: {one['reason']}: {one['message']}"
            for gate in self.report["gates"]
            for one in gate["subjects"]
            if one["state"] != "complete"
        ]
        return "\n".join([*lines, self.stderr])


@dataclass
class Fresh:
    """``world``, emptied; ``dist`` holds every built file. ``env`` is laid over the environment."""

    world: World
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.dist = self.world.folder / "dist"
        self.dist.mkdir()
        self.build()
        self.world.release.remove()
        self.world.untag()
        self.world.npm.clear()
        self.world.packs.clear()
        self.world.env["NODE_AUTH_TOKEN"] = self.world.npm.registry.token
        # as on an Enterprise server, so that uploads go to the API's own origin
        self.world.env["GITHUB_API_URL"] = f"{self.world.forge.api_url}/api/v3"

    def build(self) -> None:
        """Build every file of the commit as it is now."""
        for name, body in self.world.assets().items():
            (self.dist / name).write_bytes(body)

    def reconfigure(self, table: str, **values: object) -> None:
        """Change a table of release.toml in the release's commit itself; nothing is released then."""
        self.world.config[table].update(values)
        world = self.world
        write(world.checkout, {"release.toml": toml(world.config)})
        world.commit = commit(world.checkout, "Version Packages", "--amend")
        world.push(f"{world.commit}:refs/heads/main")
        world.repo.check_run("build", world.commit)
        self.build()

    def start(self, *options: str, checkout: Path | None = None) -> subprocess.Popen[str]:
        """Start `release converge` in a process of its own; ``checkout`` is where."""
        command = [sys.executable, "-c", PROGRAM, "converge", TAG, "--dist", str(self.dist), *options]
        kept = self.world._prepare()
        env = {name: value for name, value in {**kept, "PYTHONPATH": str(ROOT), **self.env}.items() if value}
        return subprocess.Popen(
            command,
            cwd=checkout or self.world.checkout,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def converge(self, *options: str, checkout: Path | None = None) -> Ended:
        """Run `release converge --yes` to its end."""
        return ended(self.start("--yes", "--json", *options, checkout=checkout))

    def plan(self, *options: str) -> Ended:
        """Run `release converge` without a yes."""
        return ended(self.start(*options))

    def another_checkout(self) -> Path:
        """Return a second clone-like copy of the checkout, as on another machine."""
        copy = self.world.folder / "elsewhere" / "checkout"
        shutil.copytree(self.world.checkout, copy, symlinks=True, ignore=shutil.ignore_patterns(".release"))
        git(copy, "remote", "set-url", "origin", str(self.world.remote))
        return copy

    def refs(self, prefix: str = REFS) -> dict[str, str]:
        """Return the remote's refs below ``prefix``."""
        lines = git(self.world.remote, "for-each-ref", "--format=%(refname) %(objectname)", prefix)
        return dict(line.split() for line in lines.splitlines())  # type: ignore[arg-type,misc]

    def writes(self, kind: str) -> list[str]:
        """Return on what the emulated GitHub was written to, by kind of write."""
        return [write.name for write in self.world.forge.writes if write.what == kind]

    def versions(self) -> dict[str, list[str]]:
        """Return package → published versions."""
        found: dict[str, list[str]] = {}
        for name in (CORE, CLI):
            path = self.world.npm.registry.packument(name)
            found[name] = list(json.loads(path.read_text())["versions"]) if path.exists() else []
        return found

    def require_finished_once(self) -> None:
        """See that exactly one of each thing was created, and nothing was overwritten."""
        assert self.writes("release.create") == [TAG]
        assert self.writes("release.publish") == [TAG]
        assert sorted(self.writes("asset.create")) == sorted(f"{TAG}/{name}" for name in self.world.assets())
        assert self.writes("asset.delete") == self.writes("release.delete") == []
        assert self.versions() == {CORE: [VERSION], CLI: [VERSION]}
        assert set(self.refs("refs/tags")) == {f"refs/tags/{TAG}"}
        self.world.forge.assert_never_overwritten()


def ended(process: subprocess.Popen[str], timeout: float = 180.0) -> Ended:
    """Wait for the process and return what it said; kill it when it takes too long."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"took more than {timeout} s:\n{err}\n{out}") from None
    return Ended(exit=process.returncode, stdout=out, stderr=err)
