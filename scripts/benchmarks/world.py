"""A complete release of any size: in a git remote, an npm registry and an emulated GitHub, on loopback."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from demonstration.project import run_git
from demonstration.scratch import scratch
from forge import Forge, ReleaseHandle
from registry import Registry, RegistryError

from benchmarks import release_files as files
from benchmarks.chains import Sent
from benchmarks.measure import Command
from benchmarks.proxy import Proxy
from benchmarks.release_files import TAG, Shape

TOKEN = "bench-token"


@dataclass(frozen=True, kw_only=True)
class World:
    """One release. ``release`` is None where the shape has no assets, ``proxy`` where it has no packages."""

    shape: Shape
    checkout: Path
    forge: Forge
    release: ReleaseHandle | None
    proxy: Proxy | None

    def status(self, *options: str, cold: bool, exits: tuple[int, ...] = (0,)) -> Command:
        """Return ``release status`` as a command; ``cold``: with nothing remembered from an earlier run."""
        return Command(
            argv=(program("release"), "status", TAG, "--json", *options),
            cwd=self.checkout,
            env=self._environment(),
            exits=exits,
            prepare=lambda: self._prepare(cold=cold),
        )

    def set_latency(self, seconds: float) -> None:
        """Let both servers wait so long before each answer."""
        self.forge.settings.latency_ms = seconds * 1000
        if self.proxy is not None:
            self.proxy.latency = seconds

    def sent(self) -> tuple[Sent, ...]:
        """Return every request since the last run began, to both servers."""
        ours = tuple(
            Sent(
                server="GitHub",
                path=one.path,
                status=one.status,
                conditional=one.conditional,
                began=one.began,
                ended=one.ended,
            )
            for one in self.forge.requests
        )
        return (*ours, *(self.proxy.sent if self.proxy is not None else ()))

    def _prepare(self, *, cold: bool) -> None:
        if cold:
            shutil.rmtree(self.checkout / ".release", ignore_errors=True)
        self.forge.journal.clear()
        if self.proxy is not None:
            self.proxy.sent.clear()

    def _environment(self) -> dict[str, str]:
        own = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.checkout.parent),
            "GITHUB_API_URL": self.forge.api_url,
            "GITHUB_TOKEN": TOKEN,
            "NO_PROXY": "127.0.0.1,localhost",
        }
        registry = {"npm_config_registry": self.proxy.url} if self.proxy is not None else {}
        return {**own, **registry}


def program(name: str) -> str:
    """Return the path of an installed console script."""
    return str(Path(sys.executable).parent / name)


@contextmanager
def released(shape: Shape, archives: Mapping[str, bytes | Path] | None = None) -> Iterator[World]:
    """Make a complete release of ``shape``; ``archives`` None: small ones."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch("bench-world-"))
        checkout, commit = _make_project(folder, shape)
        forge = stack.enter_context(Forge(folder / "forge"))
        forge.token(TOKEN, push=True)
        forge.limits.set(TOKEN, limit=10**6, remaining=10**6)
        release = _release(forge, folder, shape, commit, archives)
        proxy = None
        if shape.packages:
            registry = stack.enter_context(Registry(folder / "registry"))
            _publish(registry, checkout, shape, commit)
            proxy = stack.enter_context(Proxy(registry.url))
        yield World(shape=shape, checkout=checkout, forge=forge, release=release, proxy=proxy)


def _make_project(folder: Path, shape: Shape) -> tuple[Path, str]:
    checkout, remote = folder / "widget", folder / "remote.git"
    checkout.mkdir()
    run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    run_git(checkout, "init", "--quiet", "--initial-branch=main")
    run_git(checkout, "remote", "add", "origin", str(remote))
    for name, text in files.project_files(shape).items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run_git(checkout, "add", "--all")
    run_git(checkout, "commit", "--quiet", "-m", "Release")
    run_git(checkout, "tag", TAG)
    run_git(checkout, "push", "--quiet", "origin", "main", TAG)
    return checkout, run_git(checkout, "rev-parse", "HEAD")


def _release(
    forge: Forge, folder: Path, shape: Shape, commit: str, archives: Mapping[str, bytes | Path] | None
) -> ReleaseHandle | None:
    if not shape.assets:
        return None
    repository = forge.repo(files.REPOSITORY, folder / "remote.git")
    repository.check_run("test", commit)
    release = repository.release(TAG)
    contents = files.small_archives(shape) if archives is None else archives
    for name, content in {**contents, **files.listings(shape, contents, commit)}.items():
        release.asset(name, content)
    return release


def _publish(registry: Registry, checkout: Path, shape: Shape, commit: str) -> None:
    for name in shape.names:
        if not shape.built:
            registry.publish(checkout / files.path_of(name))
            continue
        document = files.publish_document(name, commit, registry.url)
        status, said = registry.put(f"/{quote(name, safe='@')}", document, token=registry.token)
        if status != 201:
            raise RegistryError(f"publishing {name} was answered {status}: {said.decode(errors='replace')}")
