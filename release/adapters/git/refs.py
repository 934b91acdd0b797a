"""Refs of our own on the remote: small commits of JSON files, written by compare-and-swap only.

A push names the id that the ref must still have ("" for: must not exist), so two writers can never both
win. No ref is ever deleted, and no ref outside refs/convergence/ is ever moved; a tag is only created.
"""

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from release.adapters.git.command import Setup, demand, run
from release.adapters.git.faults import refuses
from release.adapters.git.location import Location, headers
from release.adapters.git.remote import OURS, Access, Remote
from release.adapters.http.model import Credential
from release.adapters.process import Finished
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell

_IDENTITY = "release-convergence <release-convergence@users.noreply.github.com>"
_TIMEOUT = 120.0
# A remote that is just storing another writer's push refuses ours while the ref still looks unchanged.
_PAUSES = (0.2, 0.8)


class Pushed(StrEnum):
    """What a push came to. UNKNOWN: it may or may not have taken effect; only looking again tells."""

    DONE = "done"
    LOST = "lost"
    DENIED = "denied"
    UNKNOWN = "unknown"


class _Verdict(StrEnum):
    """What one push said of itself, before the ref was looked at again."""

    STORED = "stored"
    REJECTED = "rejected"
    FORBIDDEN = "forbidden"
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True)
class RefStore:
    """Reads and writes refs on ``location`` through our own repository ``git_dir``, which must exist.

    ``scratch`` is where temporary files are made; None: in the system's own place.
    """

    git_dir: Path
    location: Location
    credentials: tuple[Credential, ...] = field(default=(), repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    scratch: Path | None = None

    def read(self, ref: str) -> str | None:
        """Return the id that the remote has under exactly ``ref``, asked anew each time."""
        return self._remote.ref(ref)

    def fetch(self, ref: str, oid: str) -> None:
        """See to it that ``oid``, which ``ref`` was seen at, is in our repository with its history."""
        if self.has(oid):
            return
        self._remote.fetch(self.git_dir, (f"+{ref}:refs/kept/{oid}",))
        if not self.has(oid):
            raise CannotTell("git.bad-answer", f"{self.location.shown} does not give the {oid} of {ref}")

    def has(self, oid: str) -> bool:
        """Say whether the commit is in our repository."""
        return run(Setup(git_dir=self.git_dir), "cat-file", "-e", f"{oid}^{{commit}}").code == 0

    def kept(self, ref: str) -> str | None:
        """Return what our own repository, not the remote, has under ``ref``."""
        finished = run(Setup(git_dir=self.git_dir), "rev-parse", "--verify", "--quiet", ref)
        return finished.text.strip() or None if finished.code == 0 else None

    def keep(self, ref: str, oid: str) -> None:
        """Remember ``oid`` under ``ref`` of our own in our own repository."""
        if not ref.startswith(OURS):
            raise ValueError(f"refusing to write {ref}: it is not ours")
        self._local("update-ref", ref, oid)

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

    def load(self, oid: str, name: str) -> bytes:
        """Return the file ``name`` of the commit ``oid``."""
        return demand(Setup(git_dir=self.git_dir), self.redactor, "cat-file", "blob", f"{oid}:{name}").stdout

    def swap(self, ref: str, old: str | None, new: str) -> Pushed:
        """Point ``ref`` at ``new`` only if it still is ``old`` (None: only if it does not exist).

        Sent again only where the remote said no and the ref still is ``old``: the expectation makes it safe.
        """
        if not ref.startswith(OURS) and (old is not None or not ref.startswith("refs/tags/")):
            raise ValueError(f"refusing to write {ref}: only our own refs move, and tags are only created")
        for pause in (*_PAUSES, None):
            verdict = self._push(ref, old, new)
            outcome = self._outcome(verdict, ref, old, new)
            if verdict is not _Verdict.REJECTED or outcome is not Pushed.DENIED or pause is None:
                return outcome
            time.sleep(pause)
        raise AssertionError("the last pause is None")

    def _outcome(self, verdict: _Verdict, ref: str, old: str | None, new: str) -> Pushed:
        """Look again: what the ref holds decides, whatever the push said of itself."""
        if verdict is _Verdict.STORED:
            return Pushed.DONE
        try:
            seen = self.read(ref)
        except CannotTell:
            return Pushed.UNKNOWN
        if seen == new:
            return Pushed.DONE
        if seen != old:
            return Pushed.LOST
        return Pushed.UNKNOWN if verdict is _Verdict.UNCLEAR else Pushed.DENIED

    def _push(self, ref: str, old: str | None, new: str) -> _Verdict:
        options = (
            "--porcelain",
            "--quiet",
            "--no-verify",
            "--no-signed",
            f"--force-with-lease={ref}:{old or ''}",
        )
        with tempfile.TemporaryDirectory(prefix="git-", dir=self.scratch) as folder:
            trace = Path(folder, "trace")
            traced = {"GIT_TRACE_CURL": str(trace), "GIT_TRACE_CURL_NO_DATA": "1"}
            setup = Setup(
                git_dir=self.git_dir,
                config=headers(self.location, self.credentials),
                env=traced if self.location.is_http else {},
                timeout=_TIMEOUT,
            )
            try:
                finished = run(setup, "push", *options, self.location.url, f"{new}:{ref}")
            except CannotTell as fault:
                if fault.reason == "tool.missing":
                    raise
                return _Verdict.UNCLEAR
            return _verdict(finished, ref, trace)

    def _blob(self, content: object) -> str:
        text = json.dumps(content, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
        return self._local("hash-object", "-t", "blob", "-w", "--stdin", stdin=text.encode()).strip()

    @property
    def _remote(self) -> Remote:
        return Remote(
            Access(
                location=self.location,
                credentials=self.credentials,
                redactor=self.redactor,
                scratch=self.scratch,
            )
        )

    def _local(self, *arguments: str, stdin: bytes = b"") -> str:
        return demand(Setup(git_dir=self.git_dir), self.redactor, *arguments, stdin=stdin).text


def _verdict(finished: Finished, ref: str, trace: Path) -> _Verdict:
    """The remote's own word stands in the porcelain line of exactly this ref: ``!\\tsrc:dst\\t[…] (…)``."""
    if finished.code == 0:
        return _Verdict.STORED
    if any(line.startswith("!") and f":{ref}\t" in line for line in finished.text.splitlines()):
        return _Verdict.REJECTED
    return _Verdict.FORBIDDEN if refuses(trace) else _Verdict.UNCLEAR
