"""In-memory simulators of the write ports: each write is recorded, and done to the simulated world.

``Acts`` looks at one subject, lets the test change the world, and then lets the gate act on the old finding.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from worldkit import NOW, World, a_packument, a_release, a_tag, sha256, stored

from release.contract import Acting, Gate
from release.domain.facts.github import AssetFacts, ReleaseFacts
from release.domain.facts.npm import Packed
from release.domain.finding import Finding
from release.domain.plan import Asset, Package, Plan, ReleaseSpec, Subject, Tag
from release.write_ports import LocalFile, Write


class ActingGate(Gate, Acting, Protocol):
    """A gate that can act: both halves of the contract."""


@dataclass(kw_only=True)
class Writes:
    """All write ports on one world; ``done`` holds what was written, in order, as words."""

    world: World
    done: list[tuple[str, ...]] = field(default_factory=list)
    local: dict[str, bytes] = field(default_factory=dict)

    def record(self, *words: object) -> None:
        self.done.append(tuple(map(str, words)))


@dataclass(frozen=True)
class GitWrites:
    """The remote: a tag is created as annotated."""

    writes: Writes

    def create_tag(self, tag: Tag, commit: str, message: str) -> None:
        self.writes.record("tag", tag.name, commit, message)
        self.writes.world.git.tags[tag.name] = a_tag(tag.name, commit)


@dataclass(frozen=True)
class NpmWrites:
    """The registry: a version is published under one dist-tag, which then points at it."""

    writes: Writes

    def publish(self, package: Package, packed: Packed, dist_tag: str) -> None:
        self.writes.record("publish", package.spec, packed.tarball.sha256, dist_tag)
        document = a_packument(packed.tarball, name=package.name, version=package.expected_version)
        self.writes.world.npm.packuments[package.name] = replace(
            document, dist_tags={dist_tag: package.expected_version}
        )

    def add_dist_tag(self, package: Package, dist_tag: str) -> None:
        self.writes.record("dist-tag", package.spec, dist_tag)
        document = self.writes.world.npm.packuments[package.name]
        tags = {**document.dist_tags, dist_tag: package.expected_version}
        self.writes.world.npm.packuments[package.name] = replace(document, dist_tags=tags)


@dataclass(frozen=True)
class GitHubWrites:
    """The forge: drafts by tag, assets by release, and publishing by id."""

    writes: Writes

    def create_draft(self, spec: ReleaseSpec, commit: str, notes: str) -> None:
        self.writes.record("draft", spec.tag, commit, notes)
        draft = a_release(90, tag_name=spec.tag, draft=True, published_at=None)
        self.writes.world.github.listed.append(draft)

    def upload(self, release: ReleaseFacts, asset: Asset, file: LocalFile) -> None:
        self.writes.record("upload", release.id, asset.name, file.sha256)
        body = self.writes.local[asset.name]
        self.writes.world.github.held.setdefault(release.id, []).append(stored(900, asset.name, body))

    def publish(self, release: ReleaseFacts, spec: ReleaseSpec, make_latest: str) -> None:
        self.writes.record("publish", release.id, spec.tag, make_latest)
        listed = self.writes.world.github.listed
        listed[:] = [replace(one, draft=False) if one.id == release.id else one for one in listed]

    def discard_interrupted(self, release: ReleaseFacts, asset: AssetFacts) -> None:
        self.writes.record("discard", release.id, asset.id)
        self.writes.world.github.held[release.id].remove(asset)


@dataclass(frozen=True)
class LocalFiles:
    """The files of this machine, by asset name."""

    writes: Writes

    def find(self, asset: Asset) -> LocalFile | None:
        body = self.writes.local.get(asset.name)
        if body is None:
            return None
        return LocalFile(path=Path("dist", asset.name), size=len(body), sha256=sha256(body).hex)

    def notes(self, spec: ReleaseSpec) -> str:
        return f"notes of {spec.tag}"


Change = Callable[[World], object]


@dataclass(kw_only=True)
class Acts:
    """One gate on one world; ``local`` are this machine's files."""

    gate: ActingGate
    plan: Plan
    world: World
    local: dict[str, bytes] = field(default_factory=dict)
    discard: bool = False

    def look(self, name: str) -> Finding:
        """Look at one subject."""
        subject = self._subject(name)
        return self.gate.judge(subject, self.gate.observe(subject, self.world.read(self.plan)), NOW)

    def act(self, name: str, meanwhile: Change = lambda _: None) -> list[tuple[str, ...]]:
        """Look, change the world, act on what was seen; return what was written."""
        finding = self.look(name)
        meanwhile(self.world)
        return self.act_on(name, finding)

    def act_on(self, name: str, finding: Finding) -> list[tuple[str, ...]]:
        """Act on a finding, whatever it says."""
        writes = Writes(world=self.world, local=self.local)
        ports = Write(
            read=self.world.read(self.plan),
            git=GitWrites(writes),
            npm=NpmWrites(writes),
            github=GitHubWrites(writes),
            files=LocalFiles(writes),
            discard_interrupted=self.discard,
        )
        self.gate.act(self._subject(name), finding, ports)
        return writes.done

    def _subject(self, name: str) -> Subject:
        return next(one for one in self.gate.subjects(self.plan) if one.name == name)
