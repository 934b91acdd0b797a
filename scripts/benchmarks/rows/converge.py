"""What finishing a fresh release costs, against the same steps by hand with git, gh and npm."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demonstration.project import run_git
from demonstration.scratch import scratch
from forge import Forge
from registry import Registry

from benchmarks import release_files as files
from benchmarks.measure import Command, Figures, measure, median
from benchmarks.release_files import REPOSITORY, TAG, Shape
from benchmarks.section import Section, Target, seconds
from benchmarks.world import TOKEN, program

_SHAPE = Shape(packages=2, assets=5)
_BY_HAND = f"""set -e
git tag -a {TAG} -m {TAG} && git push --quiet origin {TAG}
gh release create {TAG} --draft --title {TAG} --notes release -R "$GH_HOST/{REPOSITORY}" "$DIST"/*
for folder in packages/*; do npm publish --silent --access public "./$folder"; done
gh release edit {TAG} --draft=false -R "$GH_HOST/{REPOSITORY}"
"""


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """A project of which nothing is released yet, and its servers."""

    checkout: Path
    dist: Path
    forge: Forge
    registry: Registry
    env: dict[str, str] = field(repr=False)


def run(quick: bool) -> Section:
    """Time both, in turn, each on a fresh world; count the API's requests per asset."""
    if shutil.which("gh") is None:
        target = Target(
            promise="converge against gh and npm by hand", reached="gh is not installed", met=None
        )
        return Section(title="Converge", notes="", header=("",), rows=(), targets=(target,))
    found: dict[str, list[Figures]] = {"by hand": [], "release converge": []}
    for _ in range(2 if quick else 5):
        for name, figures in found.items():
            with fresh(_SHAPE) as world:
                figures.append(measure(_by_hand(world) if name == "by hand" else _converge(world)))
    hand, ours = (median(found[name]) for name in found)
    few, many = (_requests(assets) for assets in (12, 52))
    slope = (many - few) / 40
    return Section(
        title="Converge",
        notes="""Two packages and three archives with checksum file and manifest, of which nothing is released
        yet: draft, uploads, tag, two `npm publish`, publishing the draft; the same servers for both. By hand
        nothing is looked at: no download is verified, nothing is compared, no lease, no ledger.""",
        header=("", "wall", "× by hand", "processor"),
        rows=[
            (
                "`git push`, `gh release create`, `npm publish` by hand",
                seconds(hand.wall),
                "1.0",
                seconds(hand.cpu),
            ),
            (
                "`release converge --yes`",
                seconds(ours.wall),
                f"{ours.wall / hand.wall:.1f}",
                seconds(ours.cpu),
            ),
        ],
        targets=(
            Target(
                promise="at most 2 requests to the API per asset uploaded and verified (52 against 12)",
                reached=f"{slope:.2f}",
                met=slope <= 2,
            ),
        ),
    )


@contextmanager
def fresh(shape: Shape) -> Iterator[Fresh]:
    """Make a project with its servers; ``dist`` holds what was built."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch("bench-converge-"))
        forge = stack.enter_context(Forge(folder / "forge", secure=True))
        forge.token(TOKEN, push=True)
        registry = stack.enter_context(Registry(folder / "registry"))
        checkout, commit = _project(folder, shape, forge)
        forge.repo(REPOSITORY, folder / "remote.git").check_run("test", commit)
        dist = folder / "dist"
        dist.mkdir()
        archives = files.small_archives(shape)
        for name, content in {**archives, **files.listings(shape, archives, commit)}.items():
            (dist / name).write_bytes(content)
        env = _environment(folder, forge, registry)
        yield Fresh(
            checkout=checkout, dist=dist, forge=forge, registry=registry, env={**env, "DIST": str(dist)}
        )


def _by_hand(world: Fresh) -> Command:
    return Command(argv=("bash", "-c", _BY_HAND), cwd=world.checkout, env=world.env)


def _converge(world: Fresh) -> Command:
    argv = (program("release"), "converge", TAG, "--yes", "--dist", str(world.dist), "--json")
    return Command(argv=argv, cwd=world.checkout, env=world.env)


def _requests(assets: int) -> int:
    with fresh(Shape(packages=0, assets=assets)) as world:
        world.forge.journal.clear()
        measure(_converge(world))
        return sum(one.host in ("api", "uploads") for one in world.forge.requests)


def _project(folder: Path, shape: Shape, forge: Forge) -> tuple[Path, str]:
    checkout, remote = folder / "widget", folder / "remote.git"
    checkout.mkdir()
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    run_git(checkout, "init", "--quiet", "--initial-branch=main")
    run_git(checkout, "remote", "add", "origin", str(remote))
    own = files.project_files(shape)
    repository = f'repository = "{REPOSITORY}"'
    uploads = f'{repository}\nuploads = "{forge.uploads_url}"'
    own["release.toml"] = own["release.toml"].replace(repository, uploads)
    for name, text in own.items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run_git(checkout, "add", "--all")
    run_git(checkout, "commit", "--quiet", "-m", "Release")
    run_git(checkout, "push", "--quiet", "origin", "main")
    return checkout, run_git(checkout, "rev-parse", "HEAD")


def _environment(folder: Path, forge: Forge, registry: Registry) -> dict[str, str]:
    config = folder / "gh"
    config.mkdir()
    (config / "hosts.yml").write_text(f'"{forge.tls_host}":\n    oauth_token: {TOKEN}\n    user: ada\n')
    registry.npmrc(folder / ".npmrc")
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.invalid",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.invalid",
        "GH_CONFIG_DIR": str(config),
        "GH_HOST": forge.tls_host,
        "GH_PROMPT_DISABLED": "1",
        "SSL_CERT_FILE": str(forge.ca_file),
        "GITHUB_API_URL": forge.api_url,
        "GITHUB_TOKEN": TOKEN,
        "NODE_AUTH_TOKEN": registry.token,
        "npm_config_registry": registry.url,
        "NO_PROXY": "127.0.0.1,localhost",
    }
