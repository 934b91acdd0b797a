"""Refs of our own on the remote: small commits of JSON files, written by compare-and-swap only.

A push names the id that the ref must still have ("" for: must not exist), so two writers can never both
win. No ref is ever deleted, and no ref outside refs/convergence/ is ever moved; a tag is only created.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from release.adapters.git.command import Setup, demand, run, words
from release.adapters.git.location import Location, headers
from release.adapters.git.remote import OURS
from release.adapters.http.model import Credential
from release.adapters.redact import Redactor
from release.domain.digests import is_commit
from release.domain.errors import CannotTell

_IDENTITY = "release-convergence <release-convergence@users.noreply.github.com>"
_TIMEOUT = 120.0


class Pushed(StrEnum):
    """What a push came to. UNKNOWN: it may or may not have taken effect; only looking again tells."""

    DONE = "done"
    LOST = "lost"
    DENIED = "denied"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class RefStore:
    """Reads and writes refs on ``location`` through our cache repository ``git_dir``."""

    git_dir: Path
    location: Location
    credentials: tuple[Credential, ...] = field(default=(), repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)

    def read(self, ref: str) -> str | None:
        """Return the id that the remote has under exactly ``ref``, asked anew each time."""
        listing = self._remote("ls-remote", "--quiet", self.location.url, ref)
        for line in listing.splitlines():
            oid, _, name = line.partition("\t")
            if name == ref and is_commit(oid):
                return oid
        return None

    def fetch(self, ref: str, oid: str) -> None:
        """Bring the commit of ``ref`` with its history into the cache repository."""
        self._remote("fetch", "--no-tags", "--quiet", self.location.url, f"+{ref}:refs/kept/{oid}")

    def commit(self, files: Mapping[str, object], parent: str | None, message: str, when: int) -> str:
        """Write a commit of JSON files on ``parent`` and return its id; ``when`` is in Unix seconds."""
        entries = "".join(
            f"100644 blob {self._blob(content)}\t{name}\n" for name, content in sorted(files.items())
        )
        tree = self._local("mktree", stdin=entries.encode()).strip()
        parents = f"parent {parent}\n" if parent else ""
        stamp = f"{_IDENTITY} {when} +0000"
        body = f"tree {tree}\n{parents}author {stamp}\ncommitter {stamp}\n\n{message}\n"
        return self._local("hash-object", "-t", "commit", "-w", "--stdin", stdin=body.encode()).strip()

    def tag_object(self, name: str, commit: str, message: str, when: int) -> str:
        """Write an annotated tag object; equal arguments give an equal id, on every machine."""
        body = f"object {commit}\ntype commit\ntag {name}\ntagger {_IDENTITY} {when} +0000\n\n{message}\n"
        return self._local("mktag", stdin=body.encode()).strip()

    def load(self, oid: str, name: str) -> object:
        """Return the JSON file ``name`` of the commit ``oid``; malformed is ``CannotTell`` git.bad-answer."""
        text = self._local("cat-file", "blob", f"{oid}:{name}")
        try:
            return json.loads(text)
        except ValueError as error:
            raise CannotTell("git.bad-answer", f"{name} in commit {oid} is not JSON") from error

    def history(self, oid: str) -> tuple[str, ...]:
        """Return the first-parent history of ``oid``, oldest first."""
        return tuple(reversed(self._local("rev-list", "--first-parent", oid).split()))

    def swap(self, ref: str, old: str | None, new: str) -> Pushed:
        """Point ``ref`` at ``new`` only if it still is ``old`` (None: only if it does not exist)."""
        if not ref.startswith(OURS) and (old is not None or not ref.startswith("refs/tags/")):
            raise ValueError(f"refusing to write {ref}: only our own refs move, and tags are only created")
        lease = f"--force-with-lease={ref}:{old or ''}"
        options = ("push", "--porcelain", "--quiet", "--no-verify", "--no-signed", lease)
        finished = run(self._setup(), *options, self.location.url, f"{new}:{ref}")
        if finished.code == 0:
            return Pushed.DONE
        if self.read(ref) == new:
            return Pushed.DONE
        # the remote's own verdict stands in the porcelain line of exactly this ref: "!\tsrc:dst\t[…] (…)"
        if any(line.startswith("!") and f":{ref}\t" in line for line in finished.text.splitlines()):
            return Pushed.LOST if self.read(ref) != old else Pushed.DENIED
        return Pushed.UNKNOWN

    def _blob(self, content: object) -> str:
        text = json.dumps(content, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
        return self._local("hash-object", "-t", "blob", "-w", "--stdin", stdin=text.encode()).strip()

    def _setup(self) -> Setup:
        return Setup(git_dir=self.git_dir, config=headers(self.location, self.credentials), timeout=_TIMEOUT)

    def _local(self, *arguments: str, stdin: bytes = b"") -> str:
        return demand(Setup(git_dir=self.git_dir), self.redactor, *arguments, stdin=stdin).text

    def _remote(self, *arguments: str) -> str:
        finished = run(self._setup(), *arguments)
        if finished.code != 0:
            said = words(finished, self.redactor)
            raise CannotTell("git.unreachable", f"{self.location.shown}: {said}")
        return finished.text
