"""Worlds: a real git remote, a real npm registry and an emulated GitHub that hold one release, and `status`.

The fixture ``world`` is a *complete* release of acme 1.2.3: `status` exits 0. A row changes it:

    w.npm.forget(CLI)                              npm: publish, tag, date, unpublish, edit, tarball, clear
    w.asset(SUMS).remove()                         GitHub: w.release, w.asset(name), w.repo, w.forge.faults
    w.tag(TAG, w.parent)                           git: tag, untag, commit_on, recommit, w.git(...)
    w.evidence.first_seen(f"tag:{TAG}", commit=…)  evidence: add, first_seen, published, packed
    w.config["release"]["immutable"] = True        release.toml, as values
    w.env["GITHUB_TOKEN"] = ""                     the environment; "" takes a name out

and ``look(row, w)`` runs `release status`, compares, and sees that nothing was written. See ``Row``.
What the kit has packed goes in as evidence; ``w.packs.clear()`` makes `status` pack with the real npm.
"""

import contextlib
import functools
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kit_project as project
import kit_result
import pytest
from forge import AssetHandle, Forge, ReleaseHandle, RepoHandle
from kit_binaries import ARCHIVES, MANIFEST, SUMS, VERSION, binary_manifest
from kit_evidence import Records
from kit_npm import Npm
from kit_project import CLI, CORE, PATHS, TAG, Template
from kit_proxy import Proxy
from kit_result import Result, compare, read_result

from release.cli import main
from release.config import load

__all__ = ["ARCHIVES", "CLI", "CORE", "MANIFEST", "SUMS", "TAG", "VERSION", "Result", "Row", "World", "look"]

TOKEN = "forge-token"
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "import sys; from release.cli import main; sys.exit(main())"
_FOREIGN = ("GITHUB_", "GH_", "NPM_", "npm_", "NODE_AUTH", "GIT_")


@dataclass(kw_only=True)
class World:
    """One release in all its channels. ``commit`` is the release's; ``arguments`` come after `status`."""

    folder: Path
    template: Template
    forge: Forge
    npm: Npm
    monkeypatch: pytest.MonkeyPatch
    config: dict[str, Any] = field(default_factory=project.fresh_config)
    env: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = (TAG,)
    commit: str = field(init=False)
    packs: dict[str, bytes] = field(init=False)
    repo: RepoHandle = field(init=False)
    release: ReleaseHandle = field(init=False)
    evidence: Records = field(init=False)

    def __post_init__(self) -> None:
        self.template.copy(self.folder)
        self.commit, self.packs = self.template.commit, dict(self.template.packs)
        self.evidence = Records(self)
        self.forge.token(TOKEN, push=True)
        self.repo = self.forge.repo("acme/widget", self.remote)
        self.repo.check_run("build", self.commit)
        self.tag(TAG, self.commit)
        self.release = self.make_release()
        self.npm.reset()

    @property
    def checkout(self) -> Path:
        """The working copy in which `release` runs."""
        return self.folder / "checkout"

    @property
    def remote(self) -> Path:
        """The bare repository behind ``origin``; the emulated GitHub shows it, too."""
        return self.folder / "remote.git"

    @property
    def parent(self) -> str:
        """The commit before the release's."""
        return self.git("rev-parse", f"{self.commit}^")

    @property
    def policy(self) -> str:
        """The policy digest of release.toml as it is now."""
        self._write_config()
        return load(self.checkout / "release.toml", {}).policy

    @property
    def npm_version(self) -> str:
        """The version of the npm that packed."""
        return self.template.npm_version

    def git(self, *arguments: str) -> str:
        """Run git in the working copy; return what it printed."""
        return project.git(self.checkout, *arguments)

    def push(self, *refspecs: str) -> None:
        """Push to the remote, with force."""
        self.git("push", "--quiet", "--force", str(self.remote), *refspecs)

    def tag(self, name: str, target: str, *, annotated: bool = False) -> None:
        """Put a tag on the remote, wherever it was before."""
        options = ("--annotate", "--message", name) if annotated else ()
        self.git("tag", "--force", *options, name, target)
        self.push(f"refs/tags/{name}")

    def untag(self, name: str = TAG) -> None:
        """Remove a tag from the remote, and from the working copy."""
        project.git(self.remote, "update-ref", "-d", f"refs/tags/{name}")
        self.git("tag", "--delete", name)

    def commit_on(self, branch: str, files: Mapping[str, str | None], message: str = "Change") -> str:
        """Commit ``files`` on top of what is checked out, push it as ``branch``; return the commit's id."""
        project.write(self.checkout, files)
        made = project.commit(self.checkout, message)
        self.push(f"HEAD:refs/heads/{branch}")
        return made

    def recommit(self, files: Mapping[str, str | None]) -> None:
        """Let the release's commit hold ``files`` too, and release that: every channel is of it."""
        project.write(self.checkout, files)
        self.move_to(project.commit(self.checkout, "Version Packages", "--amend"), files)

    def move_to(self, commit: str, files: Mapping[str, str | None] | None = None) -> None:
        """Let every channel be of ``commit``; a package among whose files are ``files`` is packed anew."""
        self.commit = commit
        self.push(f"{commit}:refs/heads/main")
        self.tag(TAG, commit)
        self.repo.check_run("build", commit)
        self.release.remove()
        self.release = self.make_release()
        for name, path in PATHS.items():
            if any(file.startswith(f"{path}/") for file in files or {}):
                self.packs[name] = project.npm_pack(self.checkout / path, self.folder / "npm")
            self.npm.forget(name)
            self.npm.publish(name, VERSION, self.packs[name], git_head=commit)

    def make_release(self, tag: str = TAG, **options: Any) -> ReleaseHandle:
        """Add a GitHub Release with every asset; ``options`` as of the forge's ``release``."""
        made = self.repo.release(tag, **options)
        for name, body in self.assets().items():
            made.asset(name, body)
        return made

    def assets(self) -> dict[str, bytes]:
        """Return the bytes of every planned asset, as built from the commit."""
        archives = dict(self.template.archives)
        listed = {**archives, MANIFEST: binary_manifest(self.commit, archives)}
        return {**listed, SUMS: project.sums(listed)}

    def put_assets(self, listed: Mapping[str, bytes]) -> None:
        """Let the release hold exactly ``listed``, and the checksum file that lists it."""
        for asset in self.release.assets:
            asset.remove()
        for name, body in {**listed, SUMS: project.sums(listed)}.items():
            self.release.asset(name, body)

    def asset(self, name: str) -> AssetHandle:
        """Return the asset of the release."""
        return next(one for one in self.release.assets if one.value.name == name)

    @functools.cached_property
    def proxy(self) -> Proxy:
        """A registry in front of the registry, for answers that no real one gives; used from now on."""
        made = Proxy(self.npm.url)
        self.env["npm_config_registry"] = made.url
        return made

    def close(self) -> None:
        """Stop what this world started."""
        if "proxy" in self.__dict__:
            self.proxy.stop()

    def status(self, *options: str, deep: bool = True) -> Result:
        """Run `release status v1.2.3 --json` by the real command line, in this process."""
        return self.call(*self._command(options, deep=deep))

    def call(self, *command: str) -> Result:
        """Run any command of `release` so; ``report`` is empty where stdout is no JSON."""
        env, out, err = self._prepare(), io.StringIO(), io.StringIO()
        with self.monkeypatch.context() as patch:
            for name in set(os.environ) - set(env):
                patch.delenv(name)
            for name, value in env.items():
                patch.setenv(name, value)
            patch.chdir(self.checkout)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = main([*command])
        return read_result(code, out.getvalue(), err.getvalue())

    def status_process(self, *options: str, deep: bool = True, through: Sequence[str] = ()) -> Result:
        """Run the same in a process of its own, ``through`` another program."""
        command = [*through, sys.executable, "-c", PROGRAM, *self._command(options, deep=deep)]
        env = {**self._prepare(), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, cwd=self.checkout, env=env, capture_output=True, text=True, check=False
        )
        return read_result(done.returncode, done.stdout, done.stderr)

    def _command(self, options: tuple[str, ...], *, deep: bool) -> list[str]:
        return ["status", *self.arguments, "--json", "--deep" if deep else "--shallow", *options]

    def _prepare(self) -> dict[str, str]:
        self._write_config()
        self.evidence.shelve()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        own = {"GITHUB_API_URL": self.forge.api_url, "npm_config_registry": self.npm.url}
        path = {"PATH": str(self.programs())} if len(self.packs) == len(PATHS) else {}
        wanted = {**kept, **own, **path, "GITHUB_TOKEN": TOKEN, "HOME": str(self.folder), **self.env}
        return {name: value for name, value in wanted.items() if value}

    def _write_config(self) -> None:
        text, path = project.toml(self.config), self.checkout / "release.toml"
        if path.read_text() != text:
            path.write_text(text)

    def programs(self) -> Path:
        """Return a PATH without npm: then what was packed before counts, and nobody waits for node."""
        folder = self.folder / "bin"
        if not folder.exists():
            folder.mkdir()
            (folder / "git").symlink_to(shutil.which("git") or "git")
        return folder


Row = kit_result.Row[World]


def look(row: Row, world: World) -> Result:
    """Make the row's world, look at it, compare, and see that nothing was written; return what was said."""
    row.change(world)
    result = world.status(deep=row.deep)
    compare(row, result)
    assert world.forge.writes == (), world.forge.writes
    world.forge.assert_never_overwritten()
    return result
