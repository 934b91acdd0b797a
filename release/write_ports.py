"""What acting asks of the world. Every write is create-only: none can replace, move or delete.

A write never reports success: the loop looks again. ``Refused`` says that the credential may not do it;
``CannotTell`` says that the outcome is unknown. Neither is ever retried blindly.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from release.domain.facts.github import AssetFacts, ReleaseFacts
from release.domain.facts.npm import Packed
from release.domain.plan import Asset, Package, ReleaseSpec, Tag
from release.ports import Read


class Refused(Exception):
    """The world refused a write for good. ``reason`` is a catalogue code whose state is failed."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        self.message = message
        super().__init__(f"{reason}: {message}")


@dataclass(frozen=True, kw_only=True)
class LocalFile:
    """One local artifact: where its bytes are and what they were when they were hashed."""

    path: Path
    size: int
    sha256: str


class Files(Protocol):
    """The artifacts that this machine can upload."""

    def find(self, asset: Asset) -> LocalFile | None:
        """Return the local file for the asset, hashed anew; None where there is none."""
        ...

    def notes(self, spec: ReleaseSpec) -> str:
        """Return the changelog's section for the release, or a plain sentence where there is none."""
        ...


class GitWrite(Protocol):
    """One kind of write on the git remote."""

    def create_tag(self, tag: Tag, commit: str, message: str) -> None:
        """Create an annotated tag on the remote, only if no ref of that name exists."""
        ...


class NpmWrite(Protocol):
    """Writes to the registry."""

    def publish(self, package: Package, packed: Packed, dist_tag: str) -> None:
        """Publish exactly the packed bytes under ``dist_tag``; never called for a version that exists."""
        ...

    def add_dist_tag(self, package: Package, dist_tag: str) -> None:
        """Point ``dist_tag`` at the planned version."""
        ...


class GitHubWrite(Protocol):
    """Writes to the one configured repository. Releases and assets are named by numeric id."""

    def create_draft(self, spec: ReleaseSpec, commit: str, notes: str) -> None:
        """Create one draft release for the tag."""
        ...

    def upload(self, release: ReleaseFacts, asset: Asset, file: LocalFile) -> None:
        """Upload one asset under its planned name; an answer with another name is an error."""
        ...

    def publish(self, release: ReleaseFacts, spec: ReleaseSpec, make_latest: str) -> None:
        """Turn the draft into a release, with the planned flags; ``make_latest`` is "true" or "false"."""
        ...

    def discard_interrupted(self, release: ReleaseFacts, asset: AssetFacts) -> None:
        """Delete an upload that never finished, only on a draft, only if it is unchanged when re-read."""
        ...


@dataclass(frozen=True, kw_only=True)
class Write:
    """All write ports of one act, and a fresh ``read`` to look through right before."""

    read: Read
    git: GitWrite
    npm: NpmWrite
    github: GitHubWrite | None
    files: Files
    discard_interrupted: bool = False

    def forge(self) -> GitHubWrite:
        """Return the GitHub port; asking for it in a plan without [github] is a bug."""
        if self.github is None:
            raise LookupError("the plan has no [github]: no gate may act on it")
        return self.github
