"""The emulated GitHub as one object: three listeners on loopback, builders, faults, journal.

Use it as a context manager. A mistake of the forge itself makes leaving it fail, so that it is never taken
for an outage that a test asked for.
"""

import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType

from forge import git, tls
from forge.builder import RepoHandle
from forge.dispatch import Dispatcher
from forge.journal import Asked, Write, losses
from forge.links import Links
from forge.server import Listener, Loop, Place
from forge.state import Access, Actor, Repo
from forge.world import World, utc_now


class Forge:
    """An emulated GitHub. ``state_dir`` (default: a temporary folder) keeps uploads and own repositories.

    With ``secure`` the api also answers on ``tls_url`` (GitHub Enterprise paths, below ``/api/v3``), trusted
    through ``ca_file``. ``port`` is the api's; 0: any free one. ``clock`` dates whatever the API creates.
    """

    def __init__(
        self,
        state_dir: Path | None = None,
        *,
        port: int = 0,
        secure: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._own = state_dir is None
        self.folder = Path(tempfile.mkdtemp(prefix="forge-")) if state_dir is None else state_dir
        self.folder.mkdir(parents=True, exist_ok=True)
        self.world = World(folder=self.folder, clock=clock)
        self.dispatcher = Dispatcher(world=self.world)
        self.faults = self.dispatcher.faults
        self.journal = self.dispatcher.journal
        self.limits = self.dispatcher.limits
        self.settings = self.dispatcher.settings
        self._secret = secrets.token_bytes(16)
        self._listeners = self._plain(port) + (self._secure() if secure else [])
        self._loop = Loop(self._listeners)

    def __enter__(self) -> "Forge":
        """Return the running forge."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop; raise ``RuntimeError`` where the forge itself had failed and nothing else did."""
        self.stop()
        if self.errors and error is None:
            raise RuntimeError("the forge itself failed:\n" + "\n".join(self.errors))

    def stop(self) -> None:
        """Close all sockets and remove the temporary folder."""
        self.dispatcher.stopping.set()
        self._loop.stop()
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def repo(
        self,
        full_name: str,
        git_dir: Path | None = None,
        *,
        private: bool = False,
        immutable: bool = False,
        default_branch: str = "main",
    ) -> RepoHandle:
        """Add the repository ``owner/name`` over a bare repository (None: an empty one of our own)."""
        owner, name = full_name.split("/")
        if git_dir is None:
            git_dir = self.folder / f"{owner}+{name}.git"
            git.create(git_dir, default_branch)
        made = Repo(
            id=self.world.new_id(),
            owner=owner,
            name=name,
            git_dir=git_dir,
            private=private,
            immutable=immutable,
            default_branch=default_branch,
            created_at=self.world.clock(),
        )
        self.world.repos[made.id] = made
        return RepoHandle(self.world, made.id)

    def token(
        self,
        token: str,
        *,
        pull: bool = True,
        push: bool = False,
        admin: bool | None = None,
        login: str = "acme-bot",
        repos: tuple[str, ...] | None = None,
    ) -> str:
        """Make the token known and return it. ``admin`` None: as ``push``. ``repos`` None: all of them."""
        access = Access.PULL if pull else Access.NONE
        if push:
            access = Access.PUSH if admin is False else Access.ADMIN
        names = None if repos is None else frozenset(repos)
        actor = Actor(login=login, id=self.world.user_id(login), access=access, token=token, repos=names)
        self.world.tokens[token] = actor
        return token

    def send_downloads_to(self, url: str) -> None:
        """Let signed addresses lead to another server, which serves ``/release-assets/REPO_ID/ASSET_ID``."""
        for listener in self._listeners:
            links = replace(listener.place.links, download=url)
            listener.place = replace(listener.place, links=links)

    @property
    def api_url(self) -> str:
        """The api host, without a prefix and without a final slash."""
        return f"http://127.0.0.1:{self._listeners[0].port}"

    @property
    def uploads_url(self) -> str:
        """The upload host."""
        return f"http://127.0.0.1:{self._listeners[1].port}"

    @property
    def download_url(self) -> str:
        """The download host."""
        return f"http://127.0.0.1:{self._listeners[2].port}"

    @property
    def tls_host(self) -> str:
        """``localhost:PORT`` of the TLS listener; only with ``secure``."""
        return f"localhost:{self._listeners[3].port}"

    @property
    def tls_url(self) -> str:
        """The api over TLS, with the Enterprise prefix; only with ``secure``."""
        return f"https://{self.tls_host}/api/v3"

    @property
    def ca_file(self) -> Path:
        """The certificate that clients of the TLS listeners have to trust."""
        return self.folder / "ca.pem"

    @property
    def requests(self) -> tuple[Asked, ...]:
        """Every request so far."""
        return self.journal.requests

    @property
    def writes(self) -> tuple[Write, ...]:
        """Every change through the API so far."""
        return self.journal.writes

    @property
    def errors(self) -> list[str]:
        """Tracebacks of the forge's own mistakes."""
        return self.dispatcher.errors

    def assert_never_overwritten(self) -> None:
        """Fail where the API changed or threw away the bytes of any name."""
        found = losses(self.writes)
        assert not found, "\n".join(found)

    def _plain(self, port: int) -> list[Listener]:
        made = [Listener(port, self.dispatcher), Listener(0, self.dispatcher), Listener(0, self.dispatcher)]
        api, uploads, download = (f"http://127.0.0.1:{one.port}" for one in made)
        links = Links(api=api, uploads=uploads, download=download, secret=self._secret)
        for host, listener in zip(("api", "uploads", "download"), made, strict=True):
            listener.place = Place(host=host, links=links, folder=self.folder)
        return made

    def _secure(self) -> list[Listener]:
        tls.certificate(self.folder)
        context = tls.server_context(self.folder)
        made = [Listener(0, self.dispatcher), Listener(0, self.dispatcher)]
        base = f"https://localhost:{made[0].port}/api"
        # Another name than the api's, so that clients which compare host names see two hosts.
        download = f"https://127.0.0.1:{made[1].port}"
        links = Links(api=f"{base}/v3", uploads=f"{base}/uploads", download=download, secret=self._secret)
        for host, listener in zip(("api", "download"), made, strict=True):
            listener.place = Place(host=host, links=links, folder=self.folder, tls=context)
        return made
