"""Where the project is released: a bare git remote, an npm registry (Verdaccio) and an emulated GitHub.

Everything lives below one folder and in this process or its children: leaving the ``with`` block ends it.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from forge import Forge, ReleaseHandle
from forge.blobs import Blob
from registry import Registry

from demonstration.project import REPOSITORY, TAG, Project, make_project, run_git

_TOKEN = "demo-token"
_LOCAL = "127.0.0.1,localhost"


@dataclass(frozen=True, kw_only=True)
class World:
    """One running world. ``release`` is the GitHub release (a draft) of the project's tag."""

    project: Project
    forge: Forge
    registry: Registry
    release: ReleaseHandle

    def publish(self, package: str) -> None:
        """Publish one package with the real npm."""
        self.registry.publish(self.project.folder(package))

    def upload(self, *names: str) -> None:
        """Put built files onto the draft."""
        for name in names:
            self.release.asset(name, self.project.built[name])

    def replace_asset(self, name: str, content: bytes) -> None:
        """Let the asset hold other bytes, as somebody with the right to push can do; GitHub says so truly."""
        asset = next(one for one in self.release.assets if one.value.name == name)
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        asset.set(blob=Blob(content), size=len(content), digest=digest)

    def written(self) -> tuple[object, ...]:
        """Return all that was written so far: through GitHub's API, to git's refs, to the registry."""
        refs = run_git(self.project.remote, "for-each-ref")
        documents = (path.read_bytes() for path in sorted(self.registry.storage.glob("**/package.json")))
        return len(self.forge.writes), refs, tuple(documents)

    def variables(self) -> dict[str, str]:
        """Return what ``release`` must know of this world, by environment variable."""
        return {
            # as on an Enterprise server, whose API and uploads have one address
            "GITHUB_API_URL": f"{self.forge.api_url}/api/v3",
            "GITHUB_TOKEN": _TOKEN,
            "npm_config_registry": self.registry.url,
            "NODE_AUTH_TOKEN": self.registry.token,
            "NO_PROXY": _LOCAL,
        }


@contextmanager
def running(folder: Path) -> Iterator[World]:
    """Start a world below ``folder`` in which the tag is pushed, its check is green and a draft exists."""
    # this process talks to loopback only, whatever proxy the machine uses
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = _LOCAL
    with ExitStack() as stack:
        project = make_project(folder)
        registry = stack.enter_context(Registry(folder / "registry"))
        forge = stack.enter_context(Forge(folder / "forge"))
        forge.token(_TOKEN, push=True)
        repository = forge.repo(REPOSITORY, project.remote)
        repository.check_run("test", project.commit)
        release = repository.release(TAG, draft=True)
        yield World(project=project, forge=forge, registry=registry, release=release)
