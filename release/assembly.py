"""Ports for one opened call: fresh read ports for each look, write ports, the lease and the ledger.

What is expensive is shared by all looks (connections, the clean checkout, packed tarballs); what an earlier
look answered is not.
"""

import os
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from release.adapters.dist import Dist
from release.adapters.evidence import BlobStore, EvidenceStore
from release.adapters.evidence_union import Union
from release.adapters.git.reader import GitReader
from release.adapters.git.refs import RefStore
from release.adapters.git.remote import OURS
from release.adapters.git.writer import GitWriter
from release.adapters.github.reader import GitHubReader
from release.adapters.github.writer import GitHubWriter
from release.adapters.http import EtagStore, Http, Meter
from release.adapters.lease import TERM, Clocks, Lease
from release.adapters.ledger import Draft
from release.adapters.memory import Kept, Memory
from release.adapters.npm.pack import Packer
from release.adapters.npm.publishing import NpmWriter, publish_record
from release.adapters.npm.reader import NpmReader
from release.adapters.npm.shelf import Shelf
from release.adapters.pacing import Pacer
from release.adapters.steady import steady
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence
from release.domain.facts.npm import Packed
from release.domain.first_seen import as_evidence
from release.domain.ledger import Recall
from release.domain.plan import Package
from release.opening import Session
from release.ports import Read
from release.write_ports import Write

_CHANGELOG = "CHANGELOG.md"
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0


@dataclass
class Assembly(AbstractContextManager["Assembly"]):
    """All ports of ``session``; ``now`` is the wall clock (UTC). Use it in ``with``."""

    session: Session
    now: Callable[[], datetime]
    meter: Meter = field(default_factory=Meter)
    _stack: ExitStack = field(default_factory=ExitStack)
    _waited: float = 0.0
    _unsettled: set[str] = field(default_factory=set)

    def __enter__(self) -> "Assembly":
        state = self.session.state
        self.evidence = EvidenceStore(state / "evidence", self.session.evidence_directories)
        self.evidence.all()  # malformed evidence is an error of the call, before anything is looked at
        self._etags = EtagStore(state / "http")
        self._http = Http(cache=self._etags, meter=self.meter, clock=self.now)
        self._blobs = BlobStore(state / "evidence")
        self._pacer = Pacer(time.monotonic, time.sleep)
        self._others = others = tuple(BlobStore(directory) for directory in self.session.evidence_directories)
        self._packer = self._stack.enter_context(
            Packer(
                plan=self.session.plan,
                source=self.session.repository.source(self.session.plan.commit),
                shelf=Shelf(evidence=self.evidence, blobs=self._blobs, others=others),
                directory=self.session.scratch,
                clock=self.now,
            )
        )
        self._dist = self._open_dist()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def read(self) -> Read:
        """Return read ports that remember nothing of earlier looks, except for immutable things."""
        plan = self.session.plan
        self.session.repository.remote.forget()
        records = (*(self._dist.evidence() if self._dist else ()), *self._first_seen())
        evidence = Union(places=(self.evidence,), records=records)
        git = GitReader(self.session.repository, plan)
        github = self._github.fresh() if plan.github is not None else None
        return Read(plan=plan, git=git, npm=self._npm.fresh(), github=github, evidence=evidence)

    def write(self, read: Read, *, discard_interrupted: bool) -> Write:
        """Return write ports that look through ``read``."""
        source = self.session.repository.source(self.session.plan.commit)
        npm = NpmWriter(
            registry=self.session.plan.npm.registry,
            token=self.session.npm_token,
            blobs=self._blobs,
            others=self._others,
            scratch=self.session.scratch,
            is_published=self._is_published,
            published=self._note_publish,
            unsettled=self._unsettled,
        )
        github = None
        if self.session.plan.github is not None:
            reader = self._github
            github = GitHubWriter(
                policy=self.session.plan.github,
                access=reader.access,
                transport=reader.transport,
                pace=reader.pace,
                pacer=self._pacer,
                on_transfer=self.session.options.on_transfer,
            )
        return Write(
            read=read,
            git=GitWriter(refs=self.refs, when=source.commit_date),
            npm=npm,
            github=github,
            files=self.files(),
            discard_interrupted=discard_interrupted,
        )

    def files(self) -> Dist:
        """Return the artifacts that this machine can upload; none without ``--dist``."""
        return self._dist or Dist(folder=self.session.state / "no-dist", plan=self.session.plan)

    @property
    def refs(self) -> RefStore:
        """Our own refs on the remote."""
        repository = self.session.repository
        repository.require(self.session.plan.commit)
        return self._store(repository.store.git_dir)

    def lease(self, term: timedelta = TERM) -> Lease:
        """Return the lease of this release, not taken yet."""
        holder = f"{socket.gethostname()}:{os.getpid()}"
        clocks = Clocks(now=self.now, steady=steady)
        return Lease(self.refs, f"{OURS}lease/{self.key}", holder, clocks, term)

    def recall(self) -> Recall:
        """Return what the ledger holds, as of the last look at the remote's refs."""
        try:
            ours = self.session.repository.remote.refs().ours
        except CannotTell as fault:
            return self._memory.recall_blind(fault)
        return self._memory.recall(ours.get(f"{OURS}ledger/{self.key}"))

    @property
    def key(self) -> str:
        """The release's name in refs: its tag; the commit where there are several."""
        plan = self.session.plan
        return plan.tags[0].name if len(plan.tags) == 1 else f"commit/{plan.commit}"

    def pause(self, attempt: int, limit: float) -> bool:
        """Wait before looking again, longer each time; False when ``limit`` seconds in all are used up."""
        wait = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
        if self._waited + wait > limit:
            return False
        self._waited += wait
        time.sleep(wait)
        return True

    def remember(self, draft: Draft) -> Kept:
        """Append to the ledger what this look showed."""
        return self._memory.append(draft)

    @cached_property
    def _memory(self) -> Memory:
        commit = self.session.plan.commit
        store = self._store(self.session.state / "ledger.git")
        return Memory(store, self.key, "sha1" if len(commit) == 40 else "sha256")

    def _store(self, git_dir: Path) -> RefStore:
        return RefStore(
            git_dir=git_dir,
            location=self.session.repository.location,
            credentials=self.session.git_credentials,
            redactor=self.session.redactor,
            scratch=self.session.scratch,
        )

    def _first_seen(self) -> tuple[Evidence, ...]:
        plan = self.session.plan
        return tuple(
            as_evidence(fact, release=plan.name, version=plan.version, commit=plan.commit)
            for fact in self.recall().facts.values()
        )

    @cached_property
    def _npm(self) -> NpmReader:
        return NpmReader(
            http=self._http,
            registry=self.session.plan.npm.registry,
            credential=self.session.npm_credential,
            pack=self._packer,
        )

    @cached_property
    def _github(self) -> GitHubReader:
        policy = self.session.plan.github
        if policy is None:
            raise LookupError("the plan has no [github]")
        return GitHubReader(
            policy=policy,
            token=self.session.github_token,
            http=self._http,
            etags=self._etags,
            meter=self.meter,
            sleep=time.sleep,
            clock=self.now,
            on_transfer=self.session.options.on_transfer,
        )

    def _open_dist(self) -> Dist | None:
        folder = self.session.options.dist
        if folder is None:
            return None
        notes = self.session.repository.source(self.session.plan.commit).read(_CHANGELOG) or b""
        text = notes.decode("utf-8", "replace")
        return Dist(folder=self.session.options.cwd / folder, plan=self.session.plan, notes_text=text)

    def _is_published(self, package: Package) -> bool:
        packument = self.read().npm.packument(package.name, package.expected_version)
        return packument is not None and packument.published is not None

    def _note_publish(self, package: Package, packed: Packed) -> None:
        """Keep that a publish was sent: the propagation window begins, and nothing sends it again."""
        plan = self.session.plan
        tree = self.session.repository.source(plan.commit).tree_id
        self.evidence.put(publish_record(plan, tree, package, packed, self.now()))
