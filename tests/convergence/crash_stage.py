"""One fresh release behind proxies: no tag, no npm version, no release; and `release converge` on it.

Made anew for each case. The first run may be a process of its own (SIGKILL needs one); the second comes
three minutes later by its own clock, so that the lease of a dead holder has expired.
"""

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
for _folder in (".", "scripts", "tests/worlds", "tests/adapters", "tests/convergence"):
    if str(ROOT / _folder) not in sys.path:
        sys.path.insert(0, str(ROOT / _folder))

import forge as emulated  # noqa: E402
import git_http_server  # noqa: E402
import kit  # noqa: E402
import kit_project  # noqa: E402
from crash_proxy import Fault, Proxy, Row, Target, proxies  # noqa: E402
from kit_npm import Npm  # noqa: E402

import release.adapters.github.writer  # noqa: E402
import release.adapters.http.exchange  # noqa: E402
import release.adapters.npm.publishing  # noqa: E402
import release.adapters.process  # noqa: E402
import release.assembly  # noqa: E402
import release.wiring  # noqa: E402
from release.adapters.http.upload import post_file  # noqa: E402
from release.cli import main  # noqa: E402

TAG = kit_project.TAG
LATER = timedelta(minutes=3)
_PROCESS_LIMIT = 180.0
_ORPHANS = 30.0


@dataclass(frozen=True, kw_only=True)
class Said:
    """What one run said: its exit code (negative: a signal), the JSON report where there was one, stderr."""

    exit: int
    report: Mapping[str, Any]
    stderr: str

    @property
    def open(self) -> dict[str, str]:
        """``gate/subject`` → reason of everything that is not complete."""
        return {
            f"{gate['name']}/{one['subject']}": one["reason"]
            for gate in self.report.get("gates", ())
            for one in gate["subjects"]
            if one["state"] != "complete"
        }


@dataclass(kw_only=True)
class Stage:
    """The world of one case. ``dist`` holds what is to be uploaded, ``temporary`` is the run's TMPDIR."""

    world: kit.World
    forge: emulated.Forge
    git_url: str
    patch: pytest.MonkeyPatch
    rows: list[Row] = field(default_factory=list)
    between: dict[str, Proxy] = field(default_factory=dict)

    @property
    def dist(self) -> Path:
        """The built artifacts."""
        return self.world.folder / "dist"

    @property
    def temporary(self) -> Path:
        """Where the runs keep what is temporary, outside of the checkout."""
        return self.world.folder / "tmp"

    def prepare(self) -> None:
        """Take away all that is published, and lay out the artifacts."""
        world = self.world
        world.release.remove()
        world.untag(TAG)
        world.npm.clear()
        for setting in (("http.receivepack", "true"), ("core.logAllRefUpdates", "always")):
            kit_project.git(world.remote, "config", *setting)
        self.dist.mkdir()
        for name, body in world.assets().items():
            (self.dist / name).write_bytes(body)
        self.temporary.mkdir()
        self._connect()

    def close(self) -> None:
        """Stop what stands between."""
        for row in self.rows:
            row.over.set()
        for proxy in self.between.values():
            proxy.stop()
        self.world.close()

    def first(self, target: Target) -> tuple[Said, Row]:
        """Run with one fault; where it kills, in a process of its own."""
        row, env = self._next(Row(target)), self._environment()
        if target.fault is Fault.KILLED:
            return self._process(row, env), row
        with self.patch.context() as patch:
            _hurry(patch)
            if target.fault is Fault.TIMEOUT:
                _lose_patience(patch)
            return self._here(patch, env, ()), row

    def second(self, *options: str) -> tuple[Said, Row]:
        """Run three minutes later, without faults."""
        row, env = self._next(Row(Target())), self._environment()
        with self.patch.context() as patch:
            _hurry(patch)
            patch.setattr(release.wiring, "_now", lambda: datetime.now(UTC) + LATER)
            return self._here(patch, env, options), row

    def _next(self, row: Row) -> Row:
        """Let all that is asked from now on count in ``row``."""
        for earlier in self.rows:
            earlier.over.set()
        self.rows.append(row)
        row.before = self._leave_starter
        for proxy in self.between.values():
            proxy.row = row
        return row

    def _connect(self) -> None:
        """Let every address that `release` is told lead through a proxy."""
        forge, world = self.forge, self.world
        upstreams = {
            "api": forge.api_url,
            "uploads": forge.uploads_url,
            "download": forge.download_url,
            "npm": world.npm.url,
            "git": self.git_url,
        }
        self.between = proxies(upstreams, Row(Target()))
        uploads = self.between["uploads"].url
        for listener in forge._listeners:
            listener.place = replace(listener.place, links=replace(listener.place.links, uploads=uploads))
        forge.send_downloads_to(self.between["download"].url)
        world.config["github"]["uploads"] = uploads
        world.git("remote", "set-url", "origin", f"{self.between['git'].url}/remote.git")

    def _environment(self) -> dict[str, str]:
        # the kit hides npm from PATH: publishing needs it
        return {
            **self.world._prepare(),
            "PATH": os.environ["PATH"],
            "GITHUB_API_URL": self.between["api"].url,
            "npm_config_registry": self.between["npm"].url,
            "NODE_AUTH_TOKEN": self.world.npm.registry.token,
            "TMPDIR": str(self.temporary),
        }

    def _leave_starter(self, fault: Fault, channel: str) -> None:
        if fault is Fault.STARTER and channel == "uploads":
            self.forge.faults.add(emulated.Fault(action="starter", host="uploads"))

    def _command(self, options: tuple[str, ...]) -> list[str]:
        # release.toml names this case's upload host, which makes the checkout dirty: name the commit
        commit = ("--commit", self.world.commit)
        return ["converge", TAG, *commit, "--yes", "--json", "--dist", str(self.dist), *options]

    def _here(self, patch: pytest.MonkeyPatch, env: dict[str, str], options: tuple[str, ...]) -> Said:
        out, err = io.StringIO(), io.StringIO()
        for name in set(os.environ) - set(env):
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", str(self.temporary))
        patch.chdir(self.world.checkout)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(self._command(options))
        return _said(code, out.getvalue(), err.getvalue())

    def _process(self, row: Row, env: dict[str, str]) -> Said:
        command = [sys.executable, "-c", kit.PROGRAM, *self._command(())]
        process = subprocess.Popen(
            command,
            cwd=self.world.checkout,
            env={**env, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        orphans: list[psutil.Process] = []

        def kill() -> None:
            with contextlib.suppress(psutil.Error):
                orphans.extend(psutil.Process(process.pid).children(recursive=True))
            process.kill()

        row.kill = kill
        out, err = process.communicate(timeout=_PROCESS_LIMIT)
        # git and npm outlive the killed process for a moment; a lease lasts longer than they do
        psutil.wait_procs(orphans, timeout=_ORPHANS)
        return _said(process.returncode, out, err)


@dataclass(frozen=True, kw_only=True)
class Stages:
    """What all cases of one process share: the project, the registry and the git server."""

    template: kit_project.Template
    npm: Npm
    git: git_http_server.GitServer

    def alive(self) -> bool:
        """Say whether the registry still answers."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.npm.url}/-/ping", timeout=30):
            return True
        return False

    @contextlib.contextmanager
    def fresh(self, folder: Path) -> Iterator[Stage]:
        """Yield a fresh stage in the empty ``folder``."""
        self.git.root = folder
        patch = pytest.MonkeyPatch()
        with emulated.Forge(folder / "forge") as forge:
            world = kit.World(
                folder=folder, template=self.template, forge=forge, npm=self.npm, monkeypatch=patch
            )
            stage = Stage(world=world, forge=forge, git_url=self.git.url, patch=patch)
            stage.prepare()
            try:
                yield stage
            finally:
                stage.close()
                patch.undo()


def _hurry(patch: pytest.MonkeyPatch) -> None:
    """Make the waits between attempts short."""
    reader = release.assembly.GitHubReader
    patch.setattr(release.adapters.http.exchange, "_FIRST_BACKOFF", 0.01)
    patch.setattr(release.assembly, "GitHubReader", functools.partial(reader, backoff=0.01))


def _lose_patience(patch: pytest.MonkeyPatch) -> None:
    """Make every time-out a few seconds."""
    reader, http = release.assembly.GitHubReader, release.assembly.Http
    patch.setattr(release.assembly, "GitHubReader", functools.partial(reader, timeout=3))
    patch.setattr(release.assembly, "Http", functools.partial(http, timeout=(3.0, 3.0)))
    patch.setattr(
        release.adapters.github.writer, "post_file", functools.partial(post_file, timeout=(3.0, 3.0))
    )
    run = release.adapters.process.run

    def hasty(command: release.adapters.process.Command) -> release.adapters.process.Finished:
        limit = 12.0 if command.argv[0] == "npm" else 6.0
        return run(replace(command, timeout=min(command.timeout, limit)))

    patch.setattr(release.adapters.process, "run", hasty)
    patch.setattr(release.adapters.npm.publishing, "run", hasty)


def _said(code: int, out: str, err: str) -> Said:
    report = json.loads(out) if code >= 0 and out.startswith("{") else {}
    return Said(exit=code, report=report, stderr=err)
