"""The house itself: versions that must agree, files that must be there, words that must not."""

import re
import subprocess
from pathlib import Path

import tomli

import release

ROOT = Path(__file__).resolve().parent.parent


def test_the_version_is_one() -> None:
    """pyproject.toml and the package name the same version."""
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == release.__version__


def test_the_scripts_that_the_readme_names_exist_and_run() -> None:
    """The README's two commands are there and executable."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("scripts/demo", "scripts/test"):
        assert name in readme
        assert (ROOT / name).stat().st_mode & 0o111, name
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_workflow_action_is_pinned_by_commit() -> None:
    """An action that is pinned by a tag can change under us."""
    for path in (ROOT / ".github").rglob("*.yml"):
        for use in re.findall(r"uses:\s*(\S+)", path.read_text(encoding="utf-8")):
            assert use.startswith("./") or re.search(r"@[0-9a-f]{40}$", use), f"{path}: {use}"


def test_lock_files_name_no_registry_host() -> None:
    """What is installed comes from whatever registry the machine uses."""
    listed = subprocess.run(
        ["git", "ls-files", "*package-lock.json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for name in listed.stdout.split():
        assert '"resolved"' not in (ROOT / name).read_text(encoding="utf-8"), name
