"""In-memory simulators of the read ports: they hold a world as plain values and answer from it.

A fault is set per method (``world.github.faults["assets"] = CannotTell(…)``) and raised instead of an
answer. ``calls`` records every question, for tests that count. Nothing here can write.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import ChangesetFacts, TagFacts
from release.domain.facts.github import (
    AssetFacts,
    CheckFacts,
    Downloaded,
    PullFacts,
    ReleaseFacts,
    ReleaseListing,
)
from release.domain.facts.npm import DistTagReads, NotPacked, PackResult, Packument, Published, Tarball
from release.domain.plan import Changesets, Package, Plan
from release.ports import Read


@dataclass(kw_only=True)
class Simulator:
    """What all simulators share: faults by method name and a record of the questions."""

    faults: dict[str, CannotTell] = field(default_factory=dict)
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def ask(self, method: str, *arguments: str) -> None:
        """Record the question, and raise the method's fault where one is set."""
        self.calls.append((method, *arguments))
        if fault := self.faults.get(method) or self.faults.get("*"):
            raise fault

    def asked(self, method: str) -> int:
        """Count the questions to one method."""
        return sum(call[0] == method for call in self.calls)


def _no_changesets() -> ChangesetFacts:
    return ChangesetFacts(unconsumed=(), version_commit=None, changed=())


@dataclass(kw_only=True)
class GitSimulator(Simulator):
    """A remote and the canonical commit's history: tags by name, ancestors, changed paths by commit."""

    tags: dict[str, TagFacts] = field(default_factory=dict)
    changeset_facts: ChangesetFacts = field(default_factory=_no_changesets)
    ancestors: set[str] = field(default_factory=set)
    changed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def tag(self, name: str) -> TagFacts | None:
        self.ask("tag", name)
        return self.tags.get(name)

    def changesets(self, spec: Changesets) -> ChangesetFacts:
        self.ask("changesets", spec.directory)
        return self.changeset_facts

    def is_ancestor(self, ancestor: str) -> bool:
        self.ask("is_ancestor", ancestor)
        return ancestor in self.ancestors

    def changed_paths(self, commit: str) -> tuple[str, ...]:
        self.ask("changed_paths", commit)
        return self.changed.get(commit, ())


@dataclass(kw_only=True)
class NpmSimulator(Simulator):
    """A registry by package name, tarballs by URL, and what the commit packs to by package name.

    ``packuments[name].published`` is answered only for its own version. ``reads[(name, tag)]`` are the
    consecutive answers of a dist-tag; where unset, the packument's own tag, as often as asked.
    """

    packuments: dict[str, Packument] = field(default_factory=dict)
    tarballs: dict[str, Tarball] = field(default_factory=dict)
    packs: dict[str, PackResult] = field(default_factory=dict)
    reads: dict[tuple[str, str], tuple[str | None, ...]] = field(default_factory=dict)
    unsatisfied: set[tuple[str, str]] = field(default_factory=set)

    def packument(self, name: str, version: str) -> Packument | None:
        self.ask("packument", name, version)
        document = self.packuments.get(name)
        if document is None or document.published is None or document.published.version == version:
            return document
        return replace(document, published=None)

    def tarball(self, published: Published) -> Tarball | None:
        self.ask("tarball", published.tarball_url)
        return self.tarballs.get(published.tarball_url)

    def dist_tag(self, name: str, tag: str, reads: int) -> DistTagReads:
        self.ask("dist_tag", name, tag)
        packument = self.packuments.get(name)
        now = packument.dist_tags.get(tag) if packument else None
        return DistTagReads(tag=tag, reads=self.reads.get((name, tag), (now,) * reads))

    def satisfied(self, name: str, wanted: str) -> bool:
        self.ask("satisfied", name, wanted)
        return (name, wanted) not in self.unsatisfied

    def packed(self, package: Package) -> PackResult:
        self.ask("packed", package.name)
        return self.packs.get(package.name, NotPacked(other=False))


@dataclass(kw_only=True)
class GitHubSimulator(Simulator):
    """One repository. ``bodies`` are the bytes that an asset's download serves, by asset id."""

    listed: list[ReleaseFacts] = field(default_factory=list)
    held: dict[int, list[AssetFacts]] = field(default_factory=dict)
    bodies: dict[int, bytes] = field(default_factory=dict)
    drafts_visible: bool = True
    latest_release: ReleaseFacts | None = None
    check_facts: dict[str, list[CheckFacts]] = field(default_factory=dict)
    pull_facts: dict[str, list[PullFacts]] = field(default_factory=dict)

    def releases(self) -> ReleaseListing:
        self.ask("releases")
        seen = (release for release in self.listed if self.drafts_visible or not release.draft)
        return ReleaseListing(releases=tuple(seen), drafts_visible=self.drafts_visible)

    def assets(self, release: ReleaseFacts) -> tuple[AssetFacts, ...]:
        self.ask("assets", str(release.id))
        return tuple(self.held.get(release.id, ()))

    def latest(self) -> ReleaseFacts | None:
        self.ask("latest")
        return self.latest_release

    def checks(self, commit: str) -> tuple[CheckFacts, ...]:
        self.ask("checks", commit)
        return tuple(self.check_facts.get(commit, ()))

    def pulls(self, head_branch: str) -> tuple[PullFacts, ...]:
        self.ask("pulls", head_branch)
        return tuple(self.pull_facts.get(head_branch, ()))

    def download(self, asset: AssetFacts, algorithms: tuple[str, ...]) -> Downloaded:
        self.ask("download", asset.name)
        body = self.bodies[asset.id]
        digests = tuple(Digest(name, hashlib.new(name, body).hexdigest()) for name in algorithms)
        return Downloaded(
            url=asset.url, size=len(body), digests=digests, content_type="application/octet-stream"
        )

    def content(self, asset: AssetFacts, limit: int) -> bytes:
        self.ask("content", asset.name)
        body = self.bodies[asset.id]
        if len(body) > limit:
            raise CannotTell("download.bad-answer", f"{asset.name} has more than {limit} bytes")
        return body


@dataclass(kw_only=True)
class EvidenceSimulator(Simulator):
    """A store of records, oldest first."""

    records: list[Evidence] = field(default_factory=list)

    def find(self, kind: Kind, subject: str) -> tuple[Evidence, ...]:
        self.ask("find", kind, subject)
        return tuple(one for one in self.records if one.kind is kind and one.subject == subject)


@dataclass(kw_only=True)
class World:
    """All channels of one release; ``read(plan)`` hands them to a gate."""

    git: GitSimulator = field(default_factory=GitSimulator)
    npm: NpmSimulator = field(default_factory=NpmSimulator)
    github: GitHubSimulator = field(default_factory=GitHubSimulator)
    evidence: EvidenceSimulator = field(default_factory=EvidenceSimulator)

    def read(self, plan: Plan) -> Read:
        return Read(plan=plan, git=self.git, npm=self.npm, github=self.github, evidence=self.evidence)

    def remember(self, records: Iterable[Evidence]) -> None:
        """Add evidence records."""
        self.evidence.records.extend(records)

    def break_all(self, fault: CannotTell) -> None:
        """Make every question to every outside channel fail; evidence stays readable."""
        for simulator in (self.git, self.npm, self.github):
            simulator.faults["*"] = fault
