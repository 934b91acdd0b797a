"""The base project of every world: files, git history and packed tarballs, the same bytes each time.

Made once per test process (``Template``) and copied for each world. npm 1.2.3 of two packages in lockstep;
``@acme/cli`` needs ``@acme/core`` ^1.2.3. The history is: a start at 1.2.2, then the version commit.
"""

import copy
import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit_binaries import ARCHIVES, VERSION, archive
from kit_binaries import sums as sums

TAG = f"v{VERSION}"
CORE, CLI = "@acme/core", "@acme/cli"
PATHS = {CORE: "packages/core", CLI: "packages/cli"}

CONFIG: Mapping[str, Any] = {
    "schema": 1,
    "release": {"name": "acme"},
    "github": {"repository": "acme/widget", "required_checks": ["build"]},
    "package": [{"path": path} for path in PATHS.values()],
    "binary": [
        {
            "name": "acme",
            "targets": ["linux-x64", "darwin-arm64"],
            "archive": "acme-{version}-{target}.tar.gz",
        },
        {"name": "acme-windows", "targets": ["windows-x64"], "archive": "acme-{version}-{target}.zip"},
    ],
    "checksums": {},
    "manifest": {},
}

_GIT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": text
        for who in ("AUTHOR", "COMMITTER")
        for what, text in (
            ("NAME", "Ada"),
            ("EMAIL", "ada@example.invalid"),
            ("DATE", "2026-01-02T03:04:05Z"),
        )
    },
}


def git(folder: Path, *arguments: str) -> str:
    """Run git with fixed names and dates; return what it printed, stripped."""
    command = ["git", "-c", "protocol.file.allow=always", "-c", "tag.gpgsign=false", *arguments]
    done = subprocess.run(command, cwd=folder, env=_GIT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout.strip()


def fresh_config() -> dict[str, Any]:
    """Return release.toml's content as values that may be changed."""
    return copy.deepcopy(dict(CONFIG))


def toml(config: Mapping[str, Any]) -> str:
    """Return ``config`` as TOML: tables and lists of tables one level deep."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items() if not _is_table(value)]
    for key, value in config.items():
        for table in (value if isinstance(value, list) else [value]) if _is_table(value) else ():
            lines += ["", f"[[{key}]]" if isinstance(value, list) else f"[{key}]"]
            lines += [f"{name} = {json.dumps(member)}" for name, member in table.items()]
    return "\n".join(lines) + "\n"


def _is_table(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def manifest_of(name: str, version: str = VERSION, **more: object) -> dict[str, object]:
    """Return the package.json of one of the two packages; ``more`` replaces or adds members."""
    short = name.rpartition("/")[2]
    base: dict[str, object] = {"name": name, "version": version, "license": "MIT", "main": "index.js"}
    if name == CLI:
        base |= {"bin": {"acme": f"{short}.js"}, "dependencies": {CORE: f"^{version}"}}
    return {**base, **more}


def lockfile_of(*manifests: Mapping[str, object]) -> dict[str, object]:
    """Return the root's package-lock.json for the packages' manifests."""
    root = {"name": "acme-root", "version": "0.0.0", "workspaces": ["packages/*"]}
    kept = ("name", "version", "license", "dependencies", "optionalDependencies", "bin")
    entries: dict[str, object] = {"": root}
    for manifest in manifests:
        entry = {key: manifest[key] for key in kept if key in manifest}
        name = str(manifest["name"])
        entries[PATHS[name]] = entry
        entries[f"node_modules/{name}"] = {"resolved": PATHS[name], "link": True}
    return {"name": "acme-root", "version": "0.0.0", "lockfileVersion": 3, "packages": entries}


def as_json(value: object) -> str:
    """Return ``value`` as a JSON file."""
    return json.dumps(value, indent=2) + "\n"


def files_of(version: str) -> dict[str, str]:
    """Return all files of the project at ``version``, by path."""
    manifests = [manifest_of(name, version) for name in PATHS]
    root = {"name": "acme-root", "version": "0.0.0", "private": True, "workspaces": ["packages/*"]}
    return {
        "package.json": as_json(root),
        "package-lock.json": as_json(lockfile_of(*manifests)),
        "packages/core/package.json": as_json(manifests[0]),
        "packages/core/index.js": "module.exports = () => 'core';\n",
        "packages/core/CHANGELOG.md": f"# {CORE}\n\n## {version}\n",
        "packages/cli/package.json": as_json(manifests[1]),
        "packages/cli/index.js": "module.exports = require('@acme/core');\n",
        "packages/cli/cli.js": "#!/usr/bin/env node\nconsole.log(require('@acme/core')());\n",
        "release.toml": toml(CONFIG),
    }


def write(folder: Path, files: Mapping[str, str | None]) -> None:
    """Write files below ``folder``; None removes one."""
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit(folder: Path, message: str, *options: str) -> str:
    """Commit everything in the working tree; return the commit's id."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message, *options)
    return git(folder, "rev-parse", "HEAD")


def npm_pack(folder: Path, home: Path) -> bytes:
    """Pack ``folder`` with the real npm, scripts ignored; ``home`` is an empty folder."""
    home.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "npm_config_cache": str(home / "cache")}
    command = ["npm", "pack", "--ignore-scripts", "--offline", f"--pack-destination={home}"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"npm pack: {done.stderr}"
    packed = next(home.glob("*.tgz"))
    content = packed.read_bytes()
    packed.unlink()
    return content


def repacked(
    tgz: bytes, files: Mapping[str, str | None] | None = None, *, level: int = 9, **manifest: object
) -> bytes:
    """Return another tarball: ``files`` replaced, added or (None) left out, and package.json's members."""
    changed = dict(files or {})
    contents: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(tgz)) as archive:
        for member in archive:
            body = archive.extractfile(member)
            contents[member.name.partition("/")[2]] = body.read() if body else b""
    if manifest:
        contents["package.json"] = as_json({**json.loads(contents["package.json"]), **manifest}).encode()
    contents |= {name: text.encode() for name, text in changed.items() if text is not None}
    for name in [name for name, text in changed.items() if text is None]:
        del contents[name]
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, data in contents.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size, info.mode = len(data), 0o755 if name == "cli.js" else 0o644
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), level, mtime=0)


def recompressed(tgz: bytes) -> bytes:
    """Return the same tar, compressed otherwise."""
    return gzip.compress(gzip.decompress(tgz), 1, mtime=1)


@dataclass(frozen=True)
class Template:
    """The base project: ``folder`` holds ``checkout`` and the bare ``remote.git``; ``packs`` by package."""

    folder: Path
    commit: str
    packs: Mapping[str, bytes]
    archives: Mapping[str, bytes]
    npm_version: str

    def copy(self, target: Path) -> None:
        """Copy checkout and remote into ``target``."""
        shutil.copytree(self.folder / "checkout", target / "checkout", symlinks=True)
        shutil.copytree(self.folder / "remote.git", target / "remote.git", symlinks=True)


def make_template(folder: Path) -> Template:
    """Make the repository, pack both packages with the real npm, and build the archives."""
    checkout = folder / "checkout"
    checkout.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
    git(checkout, "init", "--quiet", "--initial-branch=main")
    git(checkout, "remote", "add", "origin", "../remote.git")
    write(checkout, files_of("1.2.2"))
    commit(checkout, "Start")
    write(checkout, files_of(VERSION))
    head = commit(checkout, "Version Packages")
    git(checkout, "push", "--quiet", str(folder / "remote.git"), "main")
    packs = {name: npm_pack(checkout / path, folder / "npm") for name, path in PATHS.items()}
    npm = subprocess.run(["npm", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return Template(folder, head, packs, {name: archive(name) for name in ARCHIVES}, npm)
