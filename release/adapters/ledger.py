"""The ledger: a fast-forward-only git ref that remembers a release outside its channels (DESIGN §6).

Each survey that changed something appends a commit with the canonical report and the first-seen facts.
Facts are only added, never changed; the chain is checked whole when it is read. Where the remote may not
be written, the ledger is a local ref of the same shape, and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from release.adapters.git.refs import Pushed, RefStore
from release.domain.errors import CannotTell, InputError
from release.domain.first_seen import Facts, FirstSeen, merged, parse_facts

REPORT, FACTS = "report.json", "first-seen.json"
_TRIES = 5


@dataclass(frozen=True, kw_only=True)
class Head:
    """The newest entry: its commit, facts, and report as JSON (None: the ledger is empty)."""

    commit: str | None
    facts: Facts
    report: object


class Ledger:
    """The ledger of one release under ``ref``."""

    def __init__(self, refs: RefStore, ref: str) -> None:
        self._refs, self._ref = refs, ref

    def head(self) -> Head:
        """Return the newest entry; ``CannotTell`` where the remote can't be asked."""
        oid = self._refs.read(self._ref)
        if oid is None:
            return Head(commit=None, facts={}, report=None)
        self._refs.fetch(self._ref, oid)
        return self._entry(oid)

    def entries(self) -> tuple[Head, ...]:
        """Return every entry, oldest first; raise ``InputError`` where a later one changes a fact."""
        head = self.head()
        if head.commit is None:
            return ()
        chain = tuple(self._entry(oid) for oid in self._refs.history(head.commit))
        for earlier, later in pairwise(chain):
            _only_added(earlier, later, self._ref)
        return chain

    def append(self, report: Mapping[str, object], seen: tuple[FirstSeen, ...], now: datetime) -> Pushed:
        """Append an entry if the report's content or the facts changed; merge with what others appended.

        DENIED: this credential may not write; the caller says so and goes on.
        """
        for _ in range(_TRIES):
            head = self.head()
            facts = merged(head.facts, seen)
            if head.commit is not None and facts == head.facts and _same(head.report, report):
                return Pushed.DONE
            files = {REPORT: report, FACTS: {key: fact.content() for key, fact in facts.items()}}
            message = f"{report.get('state')}"
            new = self._refs.commit(files, head.commit, message, int(now.timestamp()))
            pushed = self._refs.swap(self._ref, head.commit, new)
            if pushed is not Pushed.LOST:
                return pushed
        return Pushed.LOST

    def _entry(self, oid: str) -> Head:
        facts = parse_facts(self._refs.load(oid, FACTS), f"{self._ref}: {FACTS} in {oid}")
        return Head(commit=oid, facts=facts, report=self._refs.load(oid, REPORT))


def _same(old: object, new: Mapping[str, object]) -> bool:
    """Compare reports without what changes on every look: times, budget, and the sentences."""
    return isinstance(old, Mapping) and _essence(old) == _essence(new)


def _essence(report: Mapping[str, object]) -> object:
    gates = report.get("gates")
    if not isinstance(gates, list):
        raise CannotTell("git.bad-answer", "the ledger's report has no gates")
    return (
        report.get("release"),
        report.get("state"),
        [
            (gate.get("name"), subject.get("subject"), subject.get("reason"))
            for gate in gates
            for subject in gate.get("subjects", ())
        ],
    )


def _only_added(earlier: Head, later: Head, ref: str) -> None:
    for key, fact in earlier.facts.items():
        if later.facts.get(key) != fact:
            raise InputError(
                f"the fact {key} was changed or removed",
                file=ref,
                place=f"commit {later.commit}",
                fix="find out who wrote to the ledger; the entry before it holds the first fact",
            )
