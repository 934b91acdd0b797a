"""The fixture ``world``: a complete release on a git remote, in an npm registry and on an emulated GitHub."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from forge import Forge
from kit import World
from kit_npm import Npm
from kit_project import PATHS, VERSION, Template, make_template
from registry import VERDACCIO, Registry

import release.adapters.http.exchange


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Return the base project, made once per test process."""
    if shutil.which("npm") is None:
        pytest.skip("NOT RUN: needs npm")
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def npm(tmp_path_factory: pytest.TempPathFactory, template: Template) -> Iterator[Npm]:
    """Return the registry, started once per test process and filled with the complete release."""
    if not VERDACCIO.exists():
        pytest.skip("NOT RUN: needs Verdaccio (scripts/node/install)")
    folder = tmp_path_factory.mktemp("registry")
    with Registry(folder / "state") as registry:
        made = Npm(registry, folder / "snapshot")
        for name in PATHS:
            made.publish(name, VERSION, template.packs[name], git_head=template.commit)
        made.keep()
        yield made


@pytest.fixture
def world(template: Template, npm: Npm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a complete release; waits between attempts are short."""
    monkeypatch.setattr(release.adapters.http.exchange, "_FIRST_BACKOFF", 0.01)
    with Forge(tmp_path / "forge") as forge:
        made = World(folder=tmp_path, template=template, forge=forge, npm=npm, monkeypatch=monkeypatch)
        try:
            yield made
        finally:
            made.close()
