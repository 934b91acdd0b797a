"""Look over everything that the first write would need, without writing: credentials, files, room.

Gathers facts with read-only questions; ``release.domain.preflight`` judges them.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from release.adapters.github.reader import GitHubReader
from release.adapters.github.rights import Rights, rights_of
from release.adapters.http import Http
from release.adapters.npm.login import login_of
from release.assembly import Assembly
from release.domain.action import Step
from release.domain.coming import Coming, coming
from release.domain.errors import ReleaseError
from release.domain.evidence import Kind
from release.domain.expected import by_build, by_upload
from release.domain.facts.npm import Packed
from release.domain.identity import Content
from release.domain.plan import Asset, Plan
from release.domain.preflight import Local, Login, Machine, Standing, notes, problems
from release.ports import Read
from release.write_ports import Files

_IDENTITY = ("ACTIONS_ID_TOKEN_REQUEST_URL", "SIGSTORE_ID_TOKEN")
_OF_THE_FOLDER = "dist:"


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """The check of one opened call; ``say`` is told what is notable."""

    ports: Assembly
    now: Callable[[], datetime]
    say: Callable[[str], None]

    def check(self, steps: tuple[Step, ...]) -> None:
        """Return where the run may begin; raise ``ReleaseError`` with every problem."""
        acting = self.ports.session.options.gates
        todo = coming(steps, uploads=not acting or "asset-upload" in acting)
        standing, machine = self._standing(todo), self._machine(todo)
        found = problems(self.ports.session.plan, todo, standing, machine)
        if found:
            raise ReleaseError.of(found)
        for note in notes(todo, standing):
            self.say(note)

    def _standing(self, todo: Coming) -> Standing:
        session = self.ports.session
        rights = self._rights(todo) if session.github_token else Rights()
        return Standing(
            github_token=session.github_token is not None,
            npm_token=session.npm_token is not None,
            may_push=rights.push,
            immutable=rights.immutable,
            remaining=self.ports.meter.remaining,
            npm_login=self._login() if todo.npm else Login.UNKNOWN,
            identity=any(session.options.env.get(name) for name in _IDENTITY),
        )

    def _rights(self, todo: Coming) -> Rights:
        session = self.ports.session
        if session.plan.github is None or not todo.github:
            return Rights()
        reader = GitHubReader(
            policy=session.plan.github,
            token=session.github_token,
            http=self._http(),
            etags=None,
            meter=self.ports.meter,
            sleep=time.sleep,
            clock=self.now,
        )
        try:
            return rights_of(reader.transport, session.plan.github.repository, settings=bool(todo.releases))
        finally:
            reader.close()

    def _login(self) -> Login:
        credential, http = self.ports.session.npm_credential, self._http()
        try:
            return (
                login_of(http, self.ports.session.plan.npm.registry, credential)
                if credential
                else Login.UNKNOWN
            )
        finally:
            http.close()

    def _http(self) -> Http:
        return Http(cache=None, meter=self.ports.meter, clock=self.now)

    def _machine(self, todo: Coming) -> Machine:
        session, read = self.ports.session, self.ports.read()
        files = self.ports.files()
        packs = {package.spec: read.npm.packed(package) for package in todo.packages}
        return Machine(
            files={asset.ledger_name: local for asset in todo.uploads if (local := _local(files, asset))},
            built={asset.ledger_name: _built(session.plan, asset, read) for asset in todo.uploads},
            packed={spec: one.tarball.size for spec, one in packs.items() if isinstance(one, Packed)},
            free=_free(str(session.state)),
            dist=str(session.options.dist or ""),
        )


def _local(files: Files, asset: Asset) -> Local | None:
    found = files.find(asset)
    return Local(size=found.size, digest=f"sha256:{found.sha256}") if found else None


def _built(plan: Plan, asset: Asset, read: Read) -> tuple[Content, ...]:
    """Return what evidence says of the file, without what the folder of files says of itself."""
    said = (
        *by_build(plan, read.evidence.find(Kind.BINARY_BUILD, asset.name)),
        *by_upload(plan, asset, read.evidence.find(Kind.ASSET_UPLOAD, asset.name)),
    )
    return tuple(content for content in said if not content.evidence.startswith(_OF_THE_FOLDER))


def _free(folder: str) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
