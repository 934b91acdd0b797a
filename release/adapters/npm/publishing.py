"""Publishing with the real npm: exactly the packed tarball, once, and dist-tags (APIS.md §3).

The token reaches npm by environment only. npm's exit code and texts are never believed: E401, E402, E404
and ENEEDAUTH are refusals of the credential by code; everything else leaves the outcome open, and the caller
looks at the registry. No method is ever called for a version that the registry has.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import msgspec

from release.adapters.environment import environment
from release.adapters.evidence import BlobStore
from release.adapters.process import Command, Finished, run
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.npm import Packed
from release.domain.plan import Package, Plan
from release.write_ports import Refused

_TIMEOUT = 600.0
_WORDS = 400
_TOKEN = "RELEASE_NPM_TOKEN"  # noqa: S105 - the variable's name
_DENIED: Mapping[str, str] = {
    "E401": "the credential is missing, wrong or expired",
    "ENEEDAUTH": "no credential: set NODE_AUTH_TOKEN or NPM_TOKEN",
    "E402": "a new scoped package is private by default, and the account may not have those",
    "E404": "npm answers 404 to a publish that the credential may not make (a new name, or another's scope)",
}
_CI = ("ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SIGSTORE_ID_TOKEN")
_CI_KEPT = (*_CI, "GITHUB_ACTIONS", "GITLAB_CI", "CI", "RUNNER_ENVIRONMENT")


class _Words(msgspec.Struct):
    code: str | None = None
    summary: str = ""


class _Failure(msgspec.Struct):
    error: _Words


@dataclass(frozen=True, kw_only=True)
class NpmWriter:
    """Implements ``release.write_ports.NpmWrite`` for one registry.

    ``is_published(package)`` looks anew whether the registry has the version; ``published(package, packed)``
    notes that the registry took a publish, so that the propagation window has a beginning. ``scratch`` is
    where temporary files are made; None: in the system's own place. ``unsettled`` are the specs whose publish
    in this run has an open outcome.
    """

    registry: str
    token: str | None = field(repr=False)
    blobs: BlobStore
    others: tuple[BlobStore, ...] = ()
    scratch: Path | None = None
    is_published: Callable[[Package], bool]
    published: Callable[[Package, Packed], None]
    unsettled: set[str] = field(default_factory=set)

    def publish(self, package: Package, packed: Packed, dist_tag: str) -> None:
        """Publish the packed bytes under ``dist_tag``. Refused: npm.publish-denied."""
        if self.is_published(package):
            return
        file = self._packed_file(package, packed)
        with file, tempfile.TemporaryDirectory(prefix="npm-", dir=self.scratch) as home:
            named = Path(home, "package.tgz")
            with named.open("wb") as copy:
                shutil.copyfileobj(file, copy)
            options = [f"--tag={dist_tag}", "--access=public", *self._place(package), *self._provenance()]
            done = self._npm(Path(home), "publish", str(named), *options)
        code = _code(done)
        # E403 also means "it exists": after a publish whose outcome is open, that is no refusal (C020)
        refused = code == "E403" and package.spec not in self.unsettled
        if code in _DENIED or (refused and not self.is_published(package)):
            raise Refused("npm.publish-denied", self._denial(f"publishing {package.spec}", code, done))
        if done.code != 0:
            self.unsettled.add(package.spec)
            # not noted: a publish that never arrived must not look like one that is on its way
            text = f"npm publish {package.spec} ended with {code or done.code}: looking at the registry"
            raise CannotTell("npm.unreachable", text)
        self.published(package, packed)

    def add_dist_tag(self, package: Package, dist_tag: str) -> None:
        """Point ``dist_tag`` at the version. Refused: npm.dist-tag-denied."""
        with tempfile.TemporaryDirectory(prefix="npm-", dir=self.scratch) as home:
            done = self._npm(Path(home), "dist-tag", "add", package.spec, dist_tag)
        code = _code(done)
        if code in _DENIED or code == "E403":
            what = f"pointing {dist_tag} at {package.spec}"
            raise Refused("npm.dist-tag-denied", self._denial(what, code, done))
        if done.code != 0:
            text = f"npm dist-tag add {package.spec} {dist_tag} ended with {code or done.code}"
            raise CannotTell("npm.unreachable", text)

    def _packed_file(self, package: Package, packed: Packed) -> BinaryIO:
        """Open the packed bytes, verified, from our own store or one that was brought with ``--evidence``."""
        for store in (self.blobs, *self.others):
            file = store.open(packed.tarball.sha256)
            if file is not None:
                return file
        raise CannotTell("tool.failed", f"the packed tarball of {package.spec} is not here any more")

    def _npm(self, home: Path, verb: str, *arguments: str) -> Finished:
        parts = urlsplit(self.registry)
        place = f"//{parts.netloc}{parts.path.rstrip('/')}/"
        lines = [f"registry={self.registry.rstrip('/')}/"]
        lines += [f"{place}:_authToken=${{{_TOKEN}}}"] if self.token else []
        (home / "npmrc").write_text("\n".join(lines) + "\n", encoding="utf-8")
        # npm takes the nearest folder with a package.json for the project, and reads the .npmrc in it
        (home / "package.json").write_text("{}\n", encoding="utf-8")
        extra = {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "npm_config_userconfig": str(home / "npmrc"),
            "npm_config_globalconfig": str(home / "none"),
            "npm_config_cache": str(home / "cache"),
            "npm_config_ignore_scripts": "true",
            "npm_config_update_notifier": "false",
            "npm_config_audit": "false",
            "npm_config_fund": "false",
            "npm_config_fetch_retries": "0",
            "npm_config_logs_max": "0",
            **({_TOKEN: self.token} if self.token else {}),
        }
        argv = ("npm", verb, *arguments, "--json", "--no-workspaces")
        return run(Command(argv=argv, env=environment(_CI_KEPT, extra), cwd=home, timeout=_TIMEOUT))

    def _place(self, package: Package) -> tuple[str, ...]:
        """Name the registry on the command line: only there it outranks the package's own publishConfig."""
        scope = package.name.partition("/")[0] if package.name.startswith("@") else ""
        own = (f"--{scope}:registry={self.registry.rstrip('/')}/",) if scope else ()
        return (f"--registry={self.registry.rstrip('/')}/", *own)

    def _provenance(self) -> tuple[str, ...]:
        return ("--provenance",) if any(os.environ.get(name) for name in _CI) else ()

    def _denial(self, what: str, code: str, done: Finished) -> str:
        why = _DENIED.get(code, "the registry refuses it (permission or policy)")
        said = Redactor([self.token] if self.token else []).clean(_failure(done).summary)[:_WORDS]
        return f"{what}: {code}: {why}" + (f" (npm says: {said})" if said else "")


def _failure(done: Finished) -> _Words:
    for text in (done.stdout, done.stderr):
        start = text.find(b"{")
        if start < 0:
            continue
        try:
            return msgspec.json.decode(text[start:].strip(), type=_Failure).error
        except msgspec.MsgspecError:
            continue
    return _Words()


def _code(done: Finished) -> str:
    return "" if done.code == 0 else _failure(done).code or ""


def publish_record(plan: Plan, tree: str, package: Package, packed: Packed, at: datetime) -> Evidence:
    """Return the record that the registry took a publish at ``at`` (UTC): the propagation window begins."""
    return Evidence(
        id="",
        kind=Kind.NPM_PUBLISH,
        release=plan.name,
        version=plan.version,
        commit=plan.commit,
        tree=tree,
        subject=package.spec,
        digest=str(packed.tarball.integrity),
        size=packed.tarball.size,
        policy=plan.policy,
        verdict="pass",
        exit_code=None,
        started_at=at,
        ended_at=at,
        platform="",
        isolation="",
        tools={"npm": packed.npm_version},
        data={"registry": plan.npm.registry},
    )
