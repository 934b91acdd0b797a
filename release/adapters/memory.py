"""What is remembered of one release: the ledger on the remote, and a local one where that may not be written.

Both live in a bare repository of ours, ``ledger.git``. It also keeps the remote ledger's last seen head, so
that a ledger that was rewound, rewritten or removed behind our back is noticed on this machine.
"""

import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from release.adapters.git.command import Setup, demand
from release.adapters.git.location import Location
from release.adapters.git.refs import Pushed, RefStore
from release.adapters.git.remote import OURS
from release.adapters.ledger import Draft, Ledger, LedgerAltered
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell
from release.domain.first_seen import joined
from release.domain.ledger import Breach, Entry, Recall, breaches, first_facts, recorded_plan
from release.domain.plan_change import strictest

_WHY = {
    Pushed.DENIED: "refused to store it",
    Pushed.UNKNOWN: "did not say whether it stored it",
    Pushed.LOST: "was always written to by others first",
}


@dataclass(frozen=True, kw_only=True)
class Kept:
    """Where an entry was kept: ``note`` is empty where that is the remote."""

    pushed: Pushed
    note: str = ""


class Memory:
    """``remote`` says where the remote is and how to get in; its ``git_dir`` is ``ledger.git``."""

    def __init__(self, remote: RefStore, key: str, algorithm: str) -> None:
        self._home, self._algorithm, self._shown = remote.git_dir, algorithm, remote.location.shown
        self._ref, self._seen_ref = f"{OURS}ledger/{key}", f"{OURS}seen/{key}"
        here = Location(url=str(self._home), shown=str(self._home), path=self._home)
        self.remote = Ledger(remote, self._ref)
        self._local = Ledger(RefStore(git_dir=self._home, location=here, scratch=remote.scratch), self._ref)
        self._lock = threading.RLock()

    def recall(self, head: str | None) -> Recall:
        """Return what both ledgers hold; ``head`` is the remote ledger's commit, None: it has none."""
        with self._lock:
            if head is None and not self._exists:
                return Recall()
            self._prepare()
            try:
                entries, broken = self._remote_entries(head)
            except CannotTell as fault:
                return replace(self._joined((), ()), blind=fault)
            return self._joined(entries, broken)

    def recall_blind(self, fault: CannotTell) -> Recall:
        """Return what the local ledger holds, where the remote can't be asked."""
        with self._lock:
            if not self._exists:
                return Recall()
            return replace(self._joined((), ()), blind=fault if self._last_seen() else None)

    def append(self, draft: Draft) -> Kept:
        """Append to the remote's ledger, or to the local one where that is not possible, and say so."""
        with self._lock:
            self._prepare()
            try:
                pushed = self.remote.append(self._with_local_facts(draft))
                why = _WHY.get(pushed, "")
            except LedgerAltered as error:
                return Kept(
                    pushed=Pushed.DENIED, note=f"nothing was added to the ledger: {error.problems[0]}"
                )
            except CannotTell as fault:
                pushed, why = Pushed.UNKNOWN, f"could not be asked ({fault.reason})"
            if pushed is Pushed.DONE:
                with suppress(CannotTell):
                    self._note_head(self.remote.head())
                return Kept(pushed=pushed)
            return self._append_here(draft, why)

    def _append_here(self, draft: Draft, why: str) -> Kept:
        pushed = self._local.append(draft)
        note = f"the ledger is kept on this machine only, in {self._home}, because {self._shown} {why}"
        return Kept(pushed=pushed, note=note)

    def _joined(self, entries: tuple[Entry, ...], broken: tuple[Breach, ...]) -> Recall:
        here = self._local_entries()
        facts, plan = first_facts(entries), recorded_plan(entries)
        own_facts, own_plan = first_facts(here), recorded_plan(here)
        note = f"some of what is remembered is kept on this machine only, in {self._home}"
        is_news = bool(own_facts.keys() - facts.keys()) or (own_plan is not None and plan is None)
        shown = entries or here
        return Recall(
            entries=shown,
            facts=joined(facts, own_facts),
            plan=strictest(own_plan, plan) if plan else own_plan,
            accepted=next((entry.accepted for entry in reversed(shown) if entry.accepted), None),
            breaches=(*broken, *breaches(entries), *breaches(here)),
            notes=(note,) if is_news else (),
        )

    def _remote_entries(self, head: str | None) -> tuple[tuple[Entry, ...], tuple[Breach, ...]]:
        last = self._last_seen()
        entries = self.remote.entries(head) if head else ()
        if last is not None and not _holds(entries, last):
            # another process here may have appended after our look: ask again before saying anything
            head = self.remote.head()
            entries = self.remote.entries(head) if head else ()
            if not _holds(entries, last):
                return entries, (Breach(commit=last, message=_rewritten(head)),)
        if head != last:
            self._note_head(head)
        return entries, ()

    def _local_entries(self) -> tuple[Entry, ...]:
        head = self._local.refs.kept(self._ref)
        return self._local.entries(head) if head else ()

    def _with_local_facts(self, draft: Draft) -> Draft:
        here = first_facts(self._local_entries())
        return replace(draft, seen=(*here.values(), *draft.seen))

    def _last_seen(self) -> str | None:
        return self._local.refs.kept(self._seen_ref)

    def _note_head(self, head: str | None) -> None:
        if head is not None and self._local.refs.has(head):
            self._local.refs.keep(self._seen_ref, head)

    @property
    def _exists(self) -> bool:
        return (self._home / "HEAD").exists()

    def _prepare(self) -> None:
        if not self._exists:
            make_repository(self._home, self._algorithm)


def make_repository(home: Path, algorithm: str) -> None:
    """Make an empty bare repository, whole at once; another process may make it at the same time."""
    options = ("--bare", "--quiet", "--template=", f"--object-format={algorithm}")
    try:
        home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=home.parent) as folder:
            fresh = Path(folder, "repository")
            demand(Setup(cwd=home.parent), Redactor(), "init", *options, "--", str(fresh))
            fresh.rename(home)
    except OSError as error:
        if not (home / "HEAD").exists():
            raise CannotTell("tool.failed", f"{home} cannot be made: {error.strerror}") from error


def _holds(entries: tuple[Entry, ...], commit: str) -> bool:
    return any(entry.commit == commit for entry in entries)


def _rewritten(head: str | None) -> str:
    if head is None:
        return "this machine saw this entry, and the ledger is gone from the remote"
    return f"this machine saw this entry, and the ledger at {head} does not lead back to it"
