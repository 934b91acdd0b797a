"""`release converge` on a world: what it said, exactly what it wrote, and that nothing which existed changed.

``Acting(world).converge()`` runs `release converge v1.2.3 --yes --json` by the real command line, with the
real npm, and compares the remotes' own storage before and after. ``wrote`` is all that came into being on the
channels, ``kept`` what changed in our own refs; anything that was lost or changed is an error.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from converge_registry import Registry
from kit import CLI, CORE, TAG, VERSION, World
from kit_binaries import ARCHIVES, MANIFEST, SUMS
from kit_project import git
from kit_result import Result

import release.assembly

ASSETS = (*ARCHIVES, MANIFEST, SUMS)
REFS = "refs/convergence/"
DRAFTED, TAGGED, ANNOUNCED = f"release.create {TAG}", f"git refs/tags/{TAG}", f"release.publish {TAG}"


def uploaded(*names: str) -> set[str]:
    """Return the writes that upload the assets; without names, all of them."""
    return {f"asset.create {TAG}/{name}" for name in names or ASSETS}


def published(*names: str, version: str = VERSION, tag: str = "latest") -> set[str]:
    """Return the writes that publish the packages under a dist-tag."""
    return {text for name in names for text in (f"npm {name}@{version}", f"npm {name}@{tag} = {version}")}


EVERYTHING = {DRAFTED, *uploaded(), TAGGED, *published(CORE, CLI), ANNOUNCED}


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What the remotes hold, read from their own storage and never through us."""

    versions: Mapping[str, str]
    dist_tags: Mapping[str, str]
    refs: Mapping[str, str]
    assets: Mapping[int, str]
    releases: Mapping[int, str]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one run ended: what was said, what it wrote to the channels, and which refs of ours changed."""

    result: Result
    wrote: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def exit(self) -> int:
        """The exit code."""
        return self.result.exit

    @property
    def open(self) -> dict[str, str]:
        """``gate/subject`` → reason of everything that is not complete."""
        return self._looked.open

    @property
    def said(self) -> str:
        """Everything that is not complete, with its message, and stderr: for the message of an assertion."""
        looked = self._looked if self.result.report else None
        pairs = [key.split("/", 1) for key in looked.open] if looked else []
        lines = [f"{gate}/{name}: {looked.message(gate, name)}" for gate, name in pairs if looked]
        return "\n".join([f"exit {self.exit}", *lines, self.result.stderr])

    @property
    def _looked(self) -> Result:
        # the plan of actions holds the report
        return replace(self.result, report=self.result.report.get("report", self.result.report))

    @property
    def acts(self) -> list[str]:
        """What it told of on stderr while it acted, in order."""
        channels = ("GitHub: ", "git remote: ", "npm registry: ")
        return [line for line in self.result.stderr.splitlines() if line.startswith(channels)]

    def require(self, code: int, *wrote: str) -> "Outcome":
        """See that it ended so, having written exactly this, each once; return itself."""
        assert sorted(self.wrote) == sorted(wrote), f"wrote {sorted(self.wrote)}\n{self.said}"
        assert self.exit == code, self.said
        return self


@dataclass
class Acting:
    """``world`` as one in which converge can act; ``dist`` holds the files that its build made."""

    world: World
    dist: Path = field(init=False)

    def __post_init__(self) -> None:
        world, self.dist = self.world, self.world.folder / "dist"
        self.dist.mkdir()
        self.build(world.assets())
        world.env |= {
            "PATH": os.environ["PATH"],
            "NODE_AUTH_TOKEN": world.npm.registry.token,
            # as on an Enterprise server: uploads go to the API's own origin, and release.toml stays as it is
            "GITHUB_API_URL": f"{world.forge.api_url}/api/v3",
        }
        git(world.remote, "config", "core.logAllRefUpdates", "always")
        world.monkeypatch.setattr(release.assembly, "_FIRST_PAUSE", 0.1)

    def build(self, files: Mapping[str, bytes]) -> None:
        """Put built files into ``dist``."""
        for name, body in files.items():
            (self.dist / name).write_bytes(body)

    def nothing(self) -> "Acting":
        """Let nothing be released but the commit; return itself."""
        self.world.release.remove()
        self.world.untag()
        self.world.npm.clear()
        return self

    def draft(self, *assets: str) -> "Acting":
        """Let the release be a draft with these assets only, and nothing else be released."""
        bodies = self.world.assets()
        self.nothing()
        self.world.release = self.world.repo.release(TAG, draft=True, target=self.world.commit)
        for name in assets:
            self.world.release.asset(name, bodies[name])
        return self

    def registry(self) -> Registry:
        """Return a registry in front of the registry, used from now on; stop it (``with``)."""
        made = Registry(self.world.npm.url)
        self.world.env["npm_config_registry"] = made.url
        return made

    def converge(self, *options: str, dist: bool = True) -> Outcome:
        """Act, with --yes."""
        return self.plan("--yes", "--json", *options, dist=dist)

    def plan(self, *options: str, dist: bool = True) -> Outcome:
        """Ask what would be done; where stdin is no terminal."""
        folder = ("--dist", str(self.dist)) if dist else ()
        return self.run("converge", TAG, "--commit", self.world.commit, *folder, *options)

    def status(self, *options: str) -> Outcome:
        """Look."""
        return self.run("status", TAG, "--commit", self.world.commit, "--json", *options)

    def run(self, *command: str) -> Outcome:
        """Run any command of `release`; whatever it is, nothing that was there may be lost or changed."""
        forge, before = self.world.forge, self.truth()
        earlier = len(forge.writes)
        result = self.world.call(*command)
        after = self.truth()
        forge.assert_never_overwritten()
        require_kept(before, after)
        assert "Traceback" not in result.stderr and "internal error" not in result.stderr, result.stderr
        channel = [f"{write.what} {write.name}" for write in forge.writes[earlier:]]
        fresh = [*_new(before.versions, after.versions, "npm {}")]
        tags = [
            f"npm {name} = {at}" for name, at in after.dist_tags.items() if before.dist_tags.get(name) != at
        ]
        refs = _new(before.refs, after.refs, "git {}")
        return Outcome(
            result=result,
            wrote=(*channel, *fresh, *tags, *(one for one in refs if REFS not in one)),
            kept=tuple(
                name
                for name in {**before.refs, **after.refs}
                if name.startswith(REFS) and before.refs.get(name) != after.refs.get(name)
            ),
        )

    def truth(self) -> Truth:
        """Read what the remotes hold."""
        state = self.world.forge.world
        shown = git(self.world.remote, "for-each-ref", "--format=%(refname) %(objectname)")
        versions: dict[str, str] = {}
        dist_tags: dict[str, str] = {}
        for path in self.world.npm.registry.storage.glob("**/package.json"):
            document = json.loads(path.read_text())
            name = document["name"]
            for version in document["versions"]:
                body = self.world.npm.tarball(name, version)
                versions[f"{name}@{version}"] = _sha256(body.read_bytes()) if body.exists() else ""
            dist_tags |= {f"{name}@{tag}": at for tag, at in document["dist-tags"].items()}
        return Truth(
            versions=versions,
            dist_tags=dist_tags,
            refs=dict(line.split(" ") for line in shown.splitlines()),
            assets={
                one.id: f"{one.release_id}/{one.name}: {one.state} {one.digest} {_sha256(one.blob.read())}"
                for one in state.assets.values()
            },
            releases={one.id: f"{one.tag_name} {one.draft or ''}" for one in state.releases.values()},
        )


def require_kept(before: Truth, after: Truth) -> None:
    """See that whatever was whole before is there unchanged: versions, tags, releases and assets."""
    for name, digest in before.versions.items():
        assert after.versions.get(name) == digest, f"{name} was changed or removed"
    for name, commit in before.refs.items():
        if not name.startswith(REFS):
            assert after.refs.get(name) == commit, f"{name} was moved or removed"
    for number, text in before.assets.items():
        if ": uploaded " in text:
            assert after.assets.get(number) == text, f"{text} was changed or removed"
    for number, text in before.releases.items():
        assert after.releases.get(number, "").split(" ")[0] == text.split(" ")[0], f"release {number} is gone"


def _new(before: Mapping[str, str], after: Mapping[str, str], form: str) -> list[str]:
    return [form.format(name) for name in after if name not in before]


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


Change = Callable[[Acting], object]
