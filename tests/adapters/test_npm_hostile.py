"""Packing runs nothing of the project's and nothing of the user's: every way npm offers is tried."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from npm_fixtures import require_npm
from npm_project import WIDGET, Project, made_project, paths

from release.adapters.npm.cli import Npm

pytestmark = pytest.mark.npm


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A committed workspace with one package, where npm is there to pack it."""
    require_npm()
    with made_project(tmp_path) as made:
        yield made


def test_nothing_the_project_configures_runs(project: Project, tmp_path: Path) -> None:
    """Scripts, script-shell, node-options and other settings of a hostile commit have no effect at all."""
    marks = tmp_path / "marks"
    marks.mkdir()
    shell = tmp_path / "shell"
    shell.write_text(f"#!/bin/sh\ntouch {marks}/shell\n")
    shell.chmod(0o755)
    hook = tmp_path / "hook.cjs"
    hook.write_text(f"require('fs').writeFileSync('{marks}/node-options-' + process.pid, '')\n")
    hooks = ("prepare", "prepack", "postpack", "prepublish", "prepublishOnly", "preinstall", "install")
    scripts = {name: f"touch {marks}/{name}" for name in hooks}
    settings = (
        f"ignore-scripts=false\nscript-shell={shell}\ngit={shell}\nnode-options=--require {hook}\n"
        f"workspace=packages/other\ndry-run=true\nglobal=true\npack-destination={marks}\ncache={marks}/cache\n"
        "//registry.example.com/:_authToken=${CANARY}\nregistry=http://127.0.0.1:9/\nforeground-scripts=true\n"
    )
    project.write(
        {
            ".npmrc": settings,
            "packages/widget/.npmrc": settings,
            "packages/widget/package.json": json.dumps({**WIDGET, "scripts": scripts}),
            "packages/other/package.json": json.dumps({"name": "other", "version": "1.0.0"}),
        }
    )
    packed = project.pack()
    assert list(marks.iterdir()) == []
    assert packed.tarball.manifest["scripts"] == scripts
    # The control: the same project does run code where npm is left to itself.
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    where = project.folder / "packages" / "widget"
    plain = ["npm", "pack", "--no-workspaces", "--no-global", "--silent"]
    subprocess.run(plain, cwd=where, env=env, check=False, capture_output=True)
    assert list(marks.iterdir()) != []


def test_npm_alone_withstands_settings_beside_the_package(tmp_path: Path) -> None:
    """Even where an .npmrc is left in place, environment and flags outrank what could run code."""
    folder, marks = tmp_path / "package", tmp_path / "marks"
    for made in (folder, marks, tmp_path / "home", tmp_path / "out"):
        made.mkdir()
    script = {"prepare": f"touch {marks}/prepare", "prepack": f"touch {marks}/prepack"}
    (folder / "package.json").write_text(json.dumps({**WIDGET, "scripts": script}))
    (folder / ".npmrc").write_text(f"ignore-scripts=false\ndry-run=true\npack-destination={marks}\n")
    made_tarball = Npm(home=tmp_path / "home").pack(folder, tmp_path / "out")
    assert isinstance(made_tarball, Path)
    assert made_tarball.parent == tmp_path / "out"
    assert list(marks.iterdir()) == []


def test_the_user_s_npm_settings_have_no_effect(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither ~/.npmrc nor npm_config_ variables nor NODE_OPTIONS of the caller reach the pack."""
    home = project.tmp / "user"
    home.mkdir()
    (home / ".npmrc").write_text("dry-run=true\nnode-options=--bad-option\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("npm_config_userconfig", str(home / ".npmrc"))
    monkeypatch.setenv("npm_config_dry_run", "true")
    monkeypatch.setenv("NODE_OPTIONS", "--bad-option")
    assert "index.js" in paths(project.pack())
    assert sorted(path.name for path in home.iterdir()) == [".npmrc"]
