"""Large releases: hundreds of assets or packages of a few bytes, and what converging them costs."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import scale_clock
from converge_kit import Acting, Outcome
from kit import CORE, ROOT, SUMS, TAG
from kit_project import as_json, commit, git, repacked, sums, toml, write
from kit_result import read_result


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run as a process: how it ended, when it wrote (seconds), memory (MiB), requests to the API."""

    exit: int
    said: str
    times: tuple[float, ...]
    memory: float
    api: int

    def most_in(self, seconds: float) -> int:
        """Return the largest number of writes in any half-open span of so many seconds."""
        return max(sum(start <= one < start + seconds for one in self.times) for start in set(self.times))


def measure(acting: Acting) -> Measured:
    """Converge in a process whose writes are paced by a clock that only moves while it waits."""
    world, result = acting.world, acting.world.folder / "measured.json"
    earlier = len(world.forge.requests)
    options = ("--commit", world.commit, "--yes", "--json", "--dist", str(acting.dist))
    done = subprocess.run(
        [sys.executable, scale_clock.__file__, str(result), "converge", TAG, *options],
        cwd=world.checkout,
        env={**world._prepare(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    world.forge.assert_never_overwritten()
    said = json.loads(result.read_text())
    asked = [one for one in world.forge.requests[earlier:] if one.host in ("api", "uploads")]
    return Measured(
        exit=done.returncode,
        said=Outcome(result=read_result(done.returncode, done.stdout, done.stderr), wrote=(), kept=()).said,
        times=tuple(said["times"]),
        memory=said["memory"],
        api=len(asked),
    )


def start_over(acting: Acting) -> None:
    """Let nothing be released, and nothing be remembered of it."""
    world = acting.world
    world.forge.journal.clear()
    world.forge.world.releases.clear()
    world.forge.world.assets.clear()
    world.npm.clear()
    shutil.rmtree(world.checkout / ".release", ignore_errors=True)
    for name in acting.truth().refs:
        if not name.startswith("refs/heads/"):
            git(world.remote, "update-ref", "-d", name)


def plan_assets(acting: Acting, number: int, size: int = 64) -> None:
    """Plan and build so many assets of ``size`` bytes, the checksum file among them; nothing is released."""
    world = acting.world
    for table in ("binary", "manifest"):
        world.config.pop(table, None)
    for path in acting.dist.iterdir():
        path.unlink()
    names = [f"data-{one:04}.bin" for one in range(number - 1)]
    world.config["release"]["extra_assets"] = names
    bodies = {name: hashlib.shake_128(name.encode()).digest(size) for name in names}
    acting.build({**bodies, SUMS: sums(bodies)})


def plan_packages(acting: Acting, manifests: Sequence[Mapping[str, object]]) -> None:
    """Let the release's commit hold exactly these packages, packed; nothing is released."""
    world = acting.world
    acting.nothing()
    folders = {str(one["name"]): f"packages/{str(one['name']).rpartition('/')[2]}" for one in manifests}
    for old in ("core", "cli"):
        shutil.rmtree(world.checkout / "packages" / old)
    files: dict[str, str | None] = {}
    lock: dict[str, object] = {"": {"name": "acme-root", "version": "0.0.0", "workspaces": ["packages/*"]}}
    kept = ("name", "version", "license", "dependencies", "optionalDependencies")
    for manifest in manifests:
        folder = folders[str(manifest["name"])]
        files |= {f"{folder}/package.json": as_json(manifest), f"{folder}/index.js": "module.exports = 1;\n"}
        lock[folder] = {key: manifest[key] for key in kept if key in manifest}
        lock[f"node_modules/{manifest['name']}"] = {"resolved": folder, "link": True}
    files["package-lock.json"] = as_json(
        {"name": "acme-root", "version": "0.0.0", "lockfileVersion": 3, "packages": lock}
    )
    world.config["package"] = [{"path": folder} for folder in folders.values()]
    write(world.checkout, {**files, "release.toml": toml(world.config)})
    world.commit = commit(world.checkout, "Version Packages", "--amend")
    world.push(f"{world.commit}:refs/heads/main")
    world.repo.check_run("build", world.commit)
    blank = {"package.json": "{}\n", "index.js": "module.exports = 1;\n", "CHANGELOG.md": None}
    base = repacked(world.packs[CORE], blank)
    world.packs = {str(one["name"]): repacked(base, **one) for one in manifests}
    acting.build(world.assets())


def manifest(name: str, **more: object) -> dict[str, object]:
    """Return a small package's manifest."""
    return {"name": name, "version": "1.2.3", "license": "MIT", "main": "index.js", **more}
