"""Real worlds for convergence: bare git, Verdaccio with the real npm, and the emulated GitHub, all fresh."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "worlds"), str(ROOT / "tests" / "gates")]

from forge import Forge  # noqa: E402
from kit import World  # noqa: E402
from kit_npm import Npm  # noqa: E402
from kit_project import Template, make_template  # noqa: E402
from registry import VERDACCIO, Registry  # noqa: E402
from stateful_fresh import Fresh  # noqa: E402


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Return the base project, made once per test process."""
    if shutil.which("npm") is None:
        pytest.skip("NOT RUN: needs npm")
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def npm(tmp_path_factory: pytest.TempPathFactory, template: Template) -> Iterator[Npm]:
    """Return an empty registry, started once per test process."""
    if not VERDACCIO.exists():
        pytest.skip("NOT RUN: needs Verdaccio (scripts/node/install)")
    folder = tmp_path_factory.mktemp("registry")
    with Registry(folder / "state") as registry:
        yield Npm(registry, folder / "snapshot")


@pytest.fixture
def fresh(template: Template, npm: Npm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fresh]:
    """Return a release of which nothing exists but the commit, its checks and the built files."""
    with Forge(tmp_path / "forge") as forge:
        world = World(folder=tmp_path, template=template, forge=forge, npm=npm, monkeypatch=monkeypatch)
        try:
            yield Fresh(world)
        finally:
            world.close()
