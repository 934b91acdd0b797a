"""The ports of one process over the truth: every question and every write is one step of that process."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from model_steps import Process
from model_truth import FILES, PACKED, TAG, VERSION, Truth, object_id
from worldkit import ARCHIVES, COMMIT, a_check, a_record, packed, sha256

from release.adapters.git.chain import Link
from release.adapters.git.refs import Pushed
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import TagFacts
from release.domain.facts.github import AssetFacts, CheckFacts, Downloaded, ReleaseFacts, ReleaseListing
from release.domain.facts.npm import DistTagReads, PackResult, Packument, Published, Tarball
from release.domain.plan import Asset, Package, ReleaseSpec
from release.write_ports import LocalFile, Refused

T = TypeVar("T")
BUILT = tuple(
    a_record(
        Kind.BINARY_BUILD if name in {one.name for one in ARCHIVES} else Kind.ASSET_UPLOAD,
        name,
        body,
        data={"tag": TAG},
    )
    for name, body in FILES.items()
)


@dataclass
class SimRefs:
    """``release.adapters.git.refs.RefStore`` over the truth."""

    truth: Truth
    process: Process

    location: Any = field(default_factory=lambda: SimpleNamespace(shown="the remote"))

    @property
    def git_dir(self) -> Any:
        """What ``chain_of`` reads from."""
        return self.truth

    def read(self, ref: str) -> str | None:
        return self.process.call("git", lambda: self.truth.refs.get(ref))

    def fetch(self, ref: str, oid: str) -> None:
        return

    def commit(self, files: Mapping[str, object], parent: str | None, message: str, when: int) -> str:
        content = {name: json.dumps(value).encode() for name, value in files.items()}
        oid = object_id(content, parent, message, when, self.process.name)
        self.truth.commits[oid] = content, parent, when
        return oid

    def load(self, oid: str, name: str) -> bytes:
        return self.truth.commits[oid][0][name]

    def tag_object(self, name: str, commit: str, message: str, when: int) -> str:
        oid = object_id("tag", name, commit, message, when)
        self.truth.tags[oid] = commit
        return oid

    def swap(self, ref: str, old: str | None, new: str) -> Pushed:
        try:
            return self.process.call(
                "git", lambda: self.truth.swap(self.process.name, ref, old, new), writes=True
            )
        except CannotTell:
            return Pushed.UNKNOWN


def chain_of(truth: Any, head: str) -> tuple[Link, ...]:
    """Stand in for ``release.adapters.git.chain.read_chain``."""
    links: list[Link] = []
    oid: str | None = head
    while oid is not None:
        files, parent, _ = truth.commits[oid]
        parents = (parent,) if parent else ()
        links.append(Link(commit=oid, parents=parents, at=truth.now, files=files, strange=()))
        oid = parent
    return tuple(reversed(links))


@dataclass
class Looking:
    """What one survey shares: equal questions are asked once."""

    truth: Truth
    process: Process
    known: dict[object, Any] = field(default_factory=dict)

    def once(self, channel: str, key: object, look: Callable[[], T]) -> T:
        if key not in self.known:
            self.known[key] = self.process.call(channel, look)
        found: T = self.known[key]
        return found


@dataclass
class SimGit(Looking):
    """``release.ports.GitRead``, as far as this plan asks."""

    def tag(self, name: str) -> TagFacts | None:
        def look() -> TagFacts | None:
            oid = self.truth.refs.get(f"refs/tags/{name}")
            if oid is None:
                return None
            commit = self.truth.peel(f"refs/tags/{name}")
            return TagFacts(name=name, object=oid, commit=commit, annotated=oid in self.truth.tags)

        return self.once("git", ("tag", name), look)


@dataclass
class SimNpm(Looking):
    """``release.ports.NpmRead``."""

    def packument(self, name: str, version: str) -> Packument | None:
        def look() -> Packument:
            held = self.truth.npm[name]
            there = held.get(version)
            published = there and Published(
                name=name,
                version=version,
                integrity=there[0].integrity,
                tarball_url=f"https://npm.example/{name}/-/{version}.tgz",
                git_head=None,
                manifest=there[0].manifest,
            )
            return Packument(
                name=name,
                versions=tuple(held),
                times={one: at for one, (_, at) in held.items()},
                dist_tags=dict(self.truth.dist_tags[name]),
                published=published or None,
                unpublished=False,
            )

        return self.once("npm", ("packument", name, version), look)

    def tarball(self, published: Published) -> Tarball | None:
        return self.truth.npm[published.name][published.version][0]

    def dist_tag(self, name: str, tag: str, reads: int) -> DistTagReads:
        look = lambda: self.truth.dist_tags[name].get(tag)  # noqa: E731
        return DistTagReads(tag=tag, reads=(self.once("npm", ("tag", name, tag), look),) * reads)

    def satisfied(self, name: str, wanted: str) -> bool:
        return VERSION in self.truth.npm[name]

    def packed(self, package: Package) -> PackResult:
        return packed(PACKED[package.name])


@dataclass
class SimGitHub(Looking):
    """``release.ports.GitHubRead``; the token may push."""

    def releases(self) -> ReleaseListing:
        def look() -> ReleaseListing:
            return ReleaseListing(releases=tuple(self.truth.releases.values()), drafts_visible=True)

        return self.once("github", "releases", look)

    def assets(self, release: ReleaseFacts) -> tuple[AssetFacts, ...]:
        def look() -> tuple[AssetFacts, ...]:
            if release.id not in self.truth.assets:
                raise CannotTell("github.bad-answer", "the release was listed and is gone")
            return tuple(self.truth.assets[release.id].values())

        return self.once("github", ("assets", release.id), look)

    def latest(self) -> ReleaseFacts | None:
        def look() -> ReleaseFacts | None:
            return self.truth.releases.get(self.truth.latest) if self.truth.latest else None

        return self.once("github", "latest", look)

    def checks(self, commit: str) -> tuple[CheckFacts, ...]:
        return (a_check(),) if commit == COMMIT else ()

    def download(self, asset: AssetFacts, algorithms: tuple[str, ...]) -> Downloaded:
        body = self.content(asset, 1 << 20)
        digests = tuple(sha256(body) for name in algorithms if name == "sha256")
        return Downloaded(url=asset.url, size=len(body), digests=digests, content_type="a/b")

    def content(self, asset: AssetFacts, limit: int) -> bytes:
        def look() -> bytes:
            if all(asset.id not in held for held in self.truth.assets.values()):
                raise CannotTell("download.bad-answer", f"{asset.name} is gone")
            return self.truth.bodies[asset.id]

        return self.once("github", ("content", asset.id), look)


@dataclass
class SimEvidence:
    """``release.ports.EvidenceRead``: the build's records, and what the ledger saw first."""

    first_seen: tuple[Evidence, ...]

    def find(self, kind: Kind, subject: str) -> tuple[Evidence, ...]:
        return tuple(one for one in (*BUILT, *self.first_seen) if (one.kind, one.subject) == (kind, subject))


@dataclass
class SimFiles:
    """``release.write_ports.Files``: every file is here."""

    def find(self, asset: Asset) -> LocalFile | None:
        body = FILES[asset.name]
        return LocalFile(path=Path(asset.name), size=len(body), sha256=sha256(body).hex)

    def notes(self, spec: ReleaseSpec) -> str:
        return "notes"


@dataclass
class SimNpmWrite:
    """``release.write_ports.NpmWrite``: looks whether the version is there, then publishes, in one go."""

    truth: Truth
    process: Process

    def publish(self, package: Package, wanted: Any, dist_tag: str) -> None:
        def put() -> int:
            if VERSION in self.truth.npm[package.name]:
                return 0
            return self.truth.publish_package(self.process.name, package.name, wanted.tarball, dist_tag)

        if self.process.call("npm", put, writes=True) == 409:
            self.truth.broken.append(f"{self.process.name} sent {package.name} although it is there")

    def add_dist_tag(self, package: Package, dist_tag: str) -> None:
        if VERSION not in self.truth.npm[package.name]:
            raise CannotTell("npm.unreachable", "the version is not there")
        name = self.process.name
        self.process.call("npm", lambda: self.truth.point(name, package.name, dist_tag, VERSION), writes=True)


@dataclass
class SimGitHubWrite:
    """``release.write_ports.GitHubWrite``."""

    truth: Truth
    process: Process

    def create_draft(self, spec: ReleaseSpec, commit: str, notes: str) -> None:
        self.process.call("github", lambda: self.truth.create_draft(self.process.name), writes=True)

    def upload(self, release: ReleaseFacts, asset: Asset, file: LocalFile) -> None:
        starter = self.process.fault == "write starter"
        if starter:
            self.process.fault = ""
        state = "starter" if starter else "uploaded"
        self._settle(lambda: self.truth.upload(self._name, release.id, asset.name, FILES[asset.name], state))

    def publish(self, release: ReleaseFacts, spec: ReleaseSpec, make_latest: str) -> None:
        latest = make_latest == "true"
        self._settle(lambda: self.truth.publish_release(self._name, release.id, latest=latest))

    def discard_interrupted(self, release: ReleaseFacts, asset: AssetFacts) -> None:
        assert release.draft
        assert asset.state != "uploaded"
        self.process.call(
            "github", lambda: self.truth.delete_asset(self._name, release.id, asset.id), writes=True
        )

    @property
    def _name(self) -> str:
        return self.process.name

    def _settle(self, send: Callable[[], int]) -> None:
        status = self.process.call("github", send, writes=True)
        if status == 404:
            raise Refused("github.write-denied", "404")
        if status not in (200, 201):
            raise CannotTell("github.bad-answer", f"answered {status}")
