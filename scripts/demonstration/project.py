"""A small real project: two npm packages that belong together, and one program built for three targets.

Same input, same bytes: names and dates are fixed, so that every run of the demo shows the same digests.
"""

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VERSION = "1.2.3"
TAG = f"v{VERSION}"
REPOSITORY = "acme/widget"
PACKAGES = {"@acme/core": "packages/core", "@acme/cli": "packages/cli"}
TARGETS = {"linux-x64": "tar.gz", "darwin-arm64": "tar.gz", "windows-x64": "zip"}
SUMS, MANIFEST = "SHA256SUMS", "binary-manifest.json"

CONFIG = f"""\
schema = 1

[release]
name = "acme"
tag = "v{{version}}"

[github]
repository = "{REPOSITORY}"
required_checks = ["test"]

[[package]]
path = "packages/core"

[[package]]
path = "packages/cli"

[[binary]]
name = "acme"
targets = ["linux-x64", "darwin-arm64"]
archive = "acme-{{version}}-{{target}}.tar.gz"

[[binary]]
name = "acme-windows"
targets = ["windows-x64"]
archive = "acme-{{version}}-{{target}}.zip"
executable = "acme.exe"

[checksums]
file = "{SUMS}"

[manifest]
file = "{MANIFEST}"
"""

_CLI = """\
#!/usr/bin/env node
console.log(require("@acme/core").greet("world"));
"""
_CORE = "exports.greet = (name) => `hello, ${name}`;\n"
_DATE = "2026-01-02T03:04:05Z"


@dataclass(frozen=True, kw_only=True)
class Project:
    """The project on disk; ``built`` are all files that the GitHub release should hold, by name.

    ``dist`` is the folder beside the checkout in which the build left them.
    """

    checkout: Path
    remote: Path
    dist: Path
    commit: str
    built: Mapping[str, bytes]

    def folder(self, package: str) -> Path:
        """Return where the package stands in the checkout."""
        return self.checkout / PACKAGES[package]


def make_project(folder: Path) -> Project:
    """Make ``folder/widget`` and the bare ``folder/remote.git``; commit, tag, push and build the release."""
    checkout, remote, dist = folder / "widget", folder / "remote.git", folder / "dist"
    checkout.mkdir(parents=True)
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    run_git(checkout, "init", "--quiet", "--initial-branch=main")
    run_git(checkout, "remote", "add", "origin", str(remote))
    for version, message in (("1.2.2", "Start"), (VERSION, "Release 1.2.3")):
        _write(checkout, _files(version))
        run_git(checkout, "add", "--all")
        run_git(checkout, "commit", "--quiet", "-m", message)
    run_git(checkout, "tag", "--annotate", "-m", f"acme {VERSION}", TAG)
    run_git(checkout, "push", "--quiet", "origin", "main", TAG)
    commit = run_git(checkout, "rev-parse", "HEAD")
    built = build(commit)
    dist.mkdir()
    for name, content in built.items():
        (dist / name).write_bytes(content)
    return Project(checkout=checkout, remote=remote, dist=dist, commit=commit, built=built)


def run_git(folder: Path, *arguments: str) -> str:
    """Run git without the user's settings; return what it printed, or end with what it said."""
    who = {"NAME": "Ada", "EMAIL": "ada@acme.invalid", "DATE": _DATE}
    people = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()}
    env = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", **people}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"git {arguments[0]} exited {done.returncode}: {done.stderr.strip()}")
    return done.stdout.strip()


def archive_name(target: str) -> str:
    """Return the name of one target's archive."""
    return f"acme-{VERSION}-{target}.{TARGETS[target]}"


def pack_archive(target: str, program: bytes) -> bytes:
    """Return an archive that holds ``program`` as the target's executable."""
    raw = io.BytesIO()
    if TARGETS[target] == "zip":
        with zipfile.ZipFile(raw, "w") as packed:
            entry = zipfile.ZipInfo("acme.exe")
            entry.external_attr = 0o755 << 16
            packed.writestr(entry, program)
        return raw.getvalue()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        info = tarfile.TarInfo("acme")
        info.size, info.mode = len(program), 0o755
        archive.addfile(info, io.BytesIO(program))
    return gzip.compress(raw.getvalue(), mtime=0)


def build(commit: str, program: str = f"acme {VERSION}") -> dict[str, bytes]:
    """Return archives of ``program`` for all targets, with the manifest and the checksum file that fit."""
    archives = {
        archive_name(target): pack_archive(target, f"{program} for {target}\n".encode() * 500)
        for target in TARGETS
    }
    rows = [
        {"name": name, "target": target, "sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
        for (name, body), target in zip(archives.items(), TARGETS, strict=True)
    ]
    manifest = _json({"schemaVersion": 1, "version": VERSION, "commit": commit, "assets": rows})
    listed = {**archives, MANIFEST: manifest.encode()}
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in listed.items())
    return {**listed, SUMS: sums.encode()}


def _files(version: str) -> dict[str, str]:
    shared = {"version": version, "license": "MIT"}
    core = {"name": "@acme/core", **shared, "main": "index.js"}
    cli = {
        "name": "@acme/cli",
        **shared,
        "bin": {"acme": "acme.js"},
        "dependencies": {"@acme/core": f"^{version}"},
    }
    root = {"name": "widget", "version": "0.0.0", "private": True, "workspaces": ["packages/*"]}
    lock = {"": {key: root[key] for key in ("name", "version", "workspaces")}}
    lock |= {PACKAGES[str(one["name"])]: {k: v for k, v in one.items() if k != "main"} for one in (core, cli)}
    return {
        "release.toml": CONFIG,
        "package.json": _json(root),
        "package-lock.json": _json(
            {"name": "widget", "version": "0.0.0", "lockfileVersion": 3, "packages": lock}
        ),
        "packages/core/package.json": _json(core),
        "packages/core/index.js": _CORE,
        "packages/cli/package.json": _json(cli),
        "packages/cli/acme.js": _CLI,
    }


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
