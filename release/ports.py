"""What the machine asks of the world. Read ports look and never change anything.

Every method may raise ``CannotTell``: absence is a value (None, an empty tuple), not being able to look
is never one. Implementations are thread-safe, bounded in time, and answer equal questions of one survey
from one request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

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
from release.domain.facts.npm import DistTagReads, PackResult, Packument, Published, Tarball
from release.domain.plan import Changesets, Package, Plan


class SourceTree(Protocol):
    """Files at the canonical commit, read from git objects and never from the working tree."""

    def read(self, path: str) -> bytes | None:
        """Return the blob at the POSIX ``path``, or None where the commit has no such file."""
        ...

    def read_parent(self, path: str) -> bytes | None:
        """Return the blob at ``path`` in the first parent; None where there is no parent or no file."""
        ...


class GitRead(Protocol):
    """Refs on the remote and objects at the canonical commit."""

    def tag(self, name: str) -> TagFacts | None:
        """Return the remote's tag, fully peeled, or None where the remote has none of exactly this name."""
        ...

    def changesets(self, spec: Changesets) -> ChangesetFacts:
        """Return what the canonical commit says of Changesets."""
        ...

    def is_ancestor(self, ancestor: str) -> bool:
        """Say whether ``ancestor`` is the canonical commit or one of its ancestors."""
        ...

    def changed_paths(self, commit: str) -> tuple[str, ...]:
        """Return the paths that differ between ``commit`` and its first parent, sorted."""
        ...


class NpmRead(Protocol):
    """A registry, and what the commit packs to."""

    def packument(self, name: str, version: str) -> Packument | None:
        """Return the package's document with ``version`` looked up, or None where the package is unknown."""
        ...

    def tarball(self, published: Published) -> Tarball | None:
        """Download, hash and read the published tarball; None where its URL answers 404."""
        ...

    def dist_tag(self, name: str, tag: str, reads: int) -> DistTagReads:
        """Read the dist-tag ``reads`` times in a row, past every cache of ours."""
        ...

    def satisfied(self, name: str, wanted: str) -> bool:
        """Say whether any version of ``name`` in the registry satisfies the range ``wanted``."""
        ...

    def packed(self, package: Package) -> PackResult:
        """Pack the package from a clean checkout with scripts ignored, or find the build's evidence."""
        ...


class GitHubRead(Protocol):
    """Releases, assets, checks and pull requests of the one configured repository."""

    def releases(self) -> ReleaseListing:
        """Return every release and visible draft."""
        ...

    def assets(self, release: ReleaseFacts) -> tuple[AssetFacts, ...]:
        """Return every asset of the release, paginated to the end."""
        ...

    def latest(self) -> ReleaseFacts | None:
        """Return what GitHub calls the latest release, or None where there is none."""
        ...

    def checks(self, commit: str) -> tuple[CheckFacts, ...]:
        """Return every check run (all attempts) and commit status of the commit."""
        ...

    def pulls(self, head_branch: str) -> tuple[PullFacts, ...]:
        """Return all pull requests from the branch of this repository, newest first."""
        ...

    def download(self, asset: AssetFacts, algorithms: tuple[str, ...]) -> Downloaded:
        """Download the asset anew, counting and hashing while streaming."""
        ...

    def content(self, asset: AssetFacts, limit: int) -> bytes:
        """Return the bytes of a small asset; more than ``limit`` bytes is ``CannotTell`` (bad-answer)."""
        ...


class EvidenceRead(Protocol):
    """Evidence records, from the local store and from every ``--evidence`` directory."""

    def find(self, kind: Kind, subject: str) -> tuple[Evidence, ...]:
        """Return all valid records of the kind and subject, oldest first, of any commit and policy."""
        ...


@dataclass(frozen=True, kw_only=True)
class Read:
    """All read ports of one survey. ``github`` is None where the plan has no GitHub gates."""

    plan: Plan
    git: GitRead
    npm: NpmRead
    github: GitHubRead | None
    evidence: EvidenceRead

    def forge(self) -> GitHubRead:
        """Return the GitHub port; a gate that asks for it in a plan without one is a bug."""
        if self.github is None:
            raise LookupError("the plan has no [github]: no gate may ask for it")
        return self.github


Budget = Mapping[str, int | None]
