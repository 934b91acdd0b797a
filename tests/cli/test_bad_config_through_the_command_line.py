"""A bad release.toml through the real command line: file, key path, what is allowed, exit 4, no traceback."""

import re
import subprocess
from pathlib import Path

import pytest

GOOD = '[release]\nname = "acme"\n'

ROWS = {
    "syntax": ("[release\n", "release.toml: 1:9: is not TOML"),
    "unknown key": (GOOD + 'tagg = "x"\n', "release.toml: release.tagg: unknown key\n  fix: did you mean"),
    "empty list": (GOOD + "branches = []\n", "release.toml: release.branches: must not be empty"),
    "template": (GOOD + 'tag = "v"\n', "release.toml: release.tag: 'v' lacks {version}"),
    "string build": (GOOD + '[[package]]\nbuild = "a b"\n', "package[0].build: must be a list of arguments"),
    "twice": (GOOD + "[[package]]\n[[package]]\n", "package[1].path: '.' is there twice"),
    "outside": (GOOD + '[[package]]\npath = "../x"\n', "package[0].path: '../x' leaves the repository"),
    "credential": (GOOD + 'remote = "https://u:canary@h/x"\n', "release.remote: holds a credential"),
    "gate": (GOOD + '[gates]\nrequired = ["sauce-tag"]\n[[package]]\n', 'did you mean "source-tag"?'),
    "manifest": (GOOD + '[[package]]\npath = "nowhere"\n', "nowhere/package.json at"),
    "no version": (GOOD, "type the version"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A clean checkout with one package and a remote of its own."""
    (tmp_path / "package.json").write_text('{"name": "acme", "version": "1.0.0"}')
    for line in ("init -q -b main", "add .", "-c user.name=a -c user.email=a@example.com commit -qm one"):
        subprocess.run(["git", *line.split()], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["git", "remote", "add", "origin", str(tmp_path)], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("row", ROWS)
def test_a_bad_file_is_explained(row: str, project: Path, real) -> None:
    """`config check`: one message on stderr, nothing on stdout, exit code 4."""
    _check(project, real, row, "config", "check")


@pytest.mark.parametrize("row", ["unknown key", "gate", "manifest"])
def test_status_explains_it_too(row: str, project: Path, real) -> None:
    """`status` says the same as `config check`."""
    _check(project, real, row, "status")


def _check(project: Path, real, row: str, *command: str) -> None:
    text, message = ROWS[row]
    _commit(project, text)
    done = real(*command)
    assert (done.returncode, done.stdout) == (4, ""), done.stderr
    assert message in done.stderr
    assert "fix: " in done.stderr
    assert not re.search("Traceback|internal error|canary", done.stderr)


def test_a_missing_file_is_explained(project: Path, real) -> None:
    """No release.toml here or above, and one that --config names and that is not there."""
    done = real("status")
    assert done.returncode == 4
    assert "there is no release.toml" in done.stderr
    done = real("status", "--config", "elsewhere.toml")
    assert done.returncode == 4
    assert "elsewhere.toml: does not exist" in done.stderr


def test_odd_selectors_and_gates_are_explained(project: Path, real) -> None:
    """TAG names the template; --gate names the gates."""
    _commit(project, GOOD + "[[package]]\n")
    done = real("status", "latest")
    assert done.returncode == 4
    assert 'the tag template is "v{version}"' in done.stderr
    done = real("status", "--gate", "sauce-tag")
    assert done.returncode == 4
    assert "source-tag" in done.stderr


def test_a_good_file_prints_its_plan(project: Path, real) -> None:
    """config check exits 0 and shows tag, package and subjects, from a folder below too."""
    _commit(project, GOOD + "[[package]]\n")
    done = real("config", "check")
    assert done.returncode == 0, done.stderr
    assert "  v1.0.0\n" in done.stdout
    assert "acme@1.0.0  in ., dist-tags latest" in done.stdout
    assert "  source-tag\n" in done.stdout


def test_the_schema_is_printed(real) -> None:
    """config schema needs no release.toml."""
    done = real("config", "schema")
    assert done.returncode == 0
    assert '"$schema"' in done.stdout


def _commit(project: Path, text: str) -> None:
    (project / "release.toml").write_text(text)
    for line in ("add .", "-c user.name=a -c user.email=a@example.com commit -qm two"):
        subprocess.run(["git", *line.split()], cwd=project, check=True, capture_output=True)
