"""npm's lockfile at the commit is compared with the manifest."""

import json
from typing import Any

import pytest

from release.config import build_plan

CONFIG = '[release]\nname = "acme"\n[[package]]\npath = "{path}"\n'
MANIFEST = {
    "name": "acme",
    "version": "1.0.0",
    "dependencies": {"left": "^1.0.0", "fast": "^2.0.0"},
    "optionalDependencies": {"fast": "^2.0.0"},
    "devDependencies": {"tap": "16"},
}
ENTRY = {
    "name": "acme",
    "version": "1.0.0",
    "dependencies": {"left": "^1.0.0"},
    "optionalDependencies": {"fast": "^2.0.0"},
    "devDependencies": {"tap": "16"},
}


def lock(entry: object, key: str = "", version: object = 3) -> dict[str, Any]:
    """A lockfile with one entry."""
    return {"lockfileVersion": version, "packages": {key: entry}}


ROWS: dict[str, tuple[object, str]] = {
    "agrees": (lock(ENTRY), ""),
    "version 2": (lock(ENTRY, version=2), ""),
    "version 1 is not judged": ({"lockfileVersion": 1, "version": "9.9.9"}, ""),
    "version differs": (lock({**ENTRY, "version": "0.9.0"}), "version is '0.9.0', package.json says '1.0.0'"),
    "name differs": (lock({**ENTRY, "name": "b"}), "name is 'b'"),
    "no version stated": (lock({**ENTRY, "version": None}), ""),
    "spec differs": (
        lock({**ENTRY, "devDependencies": {"tap": "15"}}),
        "devDependencies differ in tap: '15'",
    ),
    "dependency missing": (lock({**ENTRY, "dependencies": {}}), "dependencies differ in left: 'absent'"),
    "two more": (lock({**ENTRY, "peerDependencies": {"a": "1", "b": "1"}}), "differ in a and 1 more"),
    "no packages": ({"lockfileVersion": 3}, "has no packages"),
    "entry not an object": (lock("x"), "is not an object"),
    "not json": ("{", "is not JSON"),
    "list": ("[]", "is not a JSON object"),
}


@pytest.mark.parametrize("row", ROWS)
def test_the_root_lockfile_is_judged(row: str, configure, tree) -> None:
    """Every disagreement is text that names file and member; agreement is no text (C089, K09)."""
    content, problem = ROWS[row]
    text = content if isinstance(content, str) else json.dumps(content)
    found = _problem(
        configure(CONFIG.format(path=".")), tree({"package.json": MANIFEST, "package-lock.json": text})
    )
    assert problem in found
    assert bool(found) == bool(problem)
    assert not found or found.startswith("package-lock.json: ")


def test_no_lockfile_and_other_lockfiles_are_no_problem(configure, tree) -> None:
    """Only npm's own lockfiles are judged."""
    config = configure(CONFIG.format(path="."))
    assert _problem(config, tree({"package.json": MANIFEST})) == ""
    assert _problem(config, tree({"package.json": MANIFEST, "yarn.lock": "x", "pnpm-lock.yaml": "y"})) == ""


def test_a_shrinkwrap_goes_before_the_lockfile(configure, tree) -> None:
    """npm reads npm-shrinkwrap.json first, and so do we."""
    files = {
        "package.json": MANIFEST,
        "package-lock.json": lock(ENTRY),
        "npm-shrinkwrap.json": lock({**ENTRY, "version": "0.1.0"}),
    }
    assert _problem(configure(CONFIG.format(path=".")), tree(files)).startswith(
        "npm-shrinkwrap.json: version"
    )


def test_a_workspace_is_judged_by_the_root_lockfile(configure, tree) -> None:
    """The workspace's entry counts; a workspace without one is a problem, another folder is not (K09)."""
    config = configure(CONFIG.format(path="packages/a"))
    root = {"name": "root", "workspaces": ["packages/*"]}
    files = {"packages/a/package.json": MANIFEST, "package.json": root}
    stale = lock({**ENTRY, "dependencies": {"left": "^0.9.0"}}, "packages/a")
    assert "dependencies differ in left: '^0.9.0' there" in _problem(
        config, tree({**files, "package-lock.json": stale})
    )
    absent = lock({}, "")
    assert "no entry for packages/a" in _problem(config, tree({**files, "package-lock.json": absent}))
    outside = {**files, "package.json": {"workspaces": {"packages": ["apps/*"]}}, "package-lock.json": absent}
    assert _problem(config, tree(outside)) == ""


def test_what_npm_ci_accepts_of_workspaces_is_no_problem(configure, tree) -> None:
    """Changesets bumps a workspace and its siblings' ranges without the lockfile; `npm ci` takes that."""
    config = configure(CONFIG.format(path="packages/a"))
    manifest = {**MANIFEST, "version": "2.0.0", "devDependencies": {"tap": "16", "@acme/b": "^2.0.0"}}
    entry = {**ENTRY, "version": "1.0.0", "devDependencies": {"tap": "16", "@acme/b": "^1.0.0"}}
    content = lock(entry, "packages/a")
    content["packages"]["node_modules/@acme/b"] = {"resolved": "packages/b", "link": True}
    files = {"packages/a/package.json": manifest, "package.json": {"workspaces": ["packages/*"]}}
    assert _problem(config, tree({**files, "package-lock.json": content})) == ""


def test_a_packages_own_lockfile_goes_before_the_roots(configure, tree) -> None:
    """A folder with its own lockfile is judged by it."""
    files = {
        "sub/package.json": MANIFEST,
        "sub/package-lock.json": lock(ENTRY),
        "package-lock.json": lock({**ENTRY, "version": "0.9.0"}, "sub"),
    }
    assert _problem(configure(CONFIG.format(path="sub")), tree(files)) == ""


def _problem(config, source) -> str:
    plan = build_plan(config, commit="c" * 40, selector=None, version=None, tree=source, deep=True)
    return plan.packages[0].lockfile_problem
