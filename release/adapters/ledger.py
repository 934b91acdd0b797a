"""The ledger: a fast-forward-only git ref that remembers a release outside its channels (DESIGN §6).

An entry is a commit with the canonical report, the first-seen facts and the frozen plan. It is read whole
each time its head is new, and appended to by compare-and-swap, merged with what others appended meanwhile.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from release.adapters.git.chain import Link, read_chain
from release.adapters.git.refs import Pushed, RefStore
from release.domain.errors import InputError
from release.domain.first_seen import Facts, FirstSeen, merged, parse_facts
from release.domain.ledger import Accepted, Entry, breaches, parse_accepted, recorded_plan
from release.domain.ledger_judgement import GROUP
from release.domain.plan_change import covers, strictest
from release.domain.plan_record import PlanRecord, parse_plan

REPORT, FACTS, PLAN, ACCEPTED = "report.json", "first-seen.json", "plan.json", "accepted.json"
REPORT_SCHEMA = "release-convergence/report/v1"
_TRIES = 8
_FILES = {REPORT, FACTS, PLAN, ACCEPTED}

T = TypeVar("T")


class LedgerAltered(InputError):
    """The ledger breaks its own laws: nothing is appended to it."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What to append: the report's JSON (None: only the plan), facts, the plan as it is now, acceptance."""

    at: datetime
    report: Mapping[str, object] | None = None
    seen: tuple[FirstSeen, ...] = ()
    plan: PlanRecord | None = None
    accepted: Accepted | None = None


class Ledger:
    """The ledger of one release under ``ref``. Thread-safe."""

    def __init__(self, refs: RefStore, ref: str) -> None:
        self.refs, self.ref = refs, ref
        self._lock = threading.Lock()
        self._read: tuple[str, tuple[Entry, ...]] = ("", ())

    def head(self) -> str | None:
        """Return the newest entry's commit, asked anew; ``CannotTell`` where the remote can't be asked."""
        return self.refs.read(self.ref)

    def entries(self, head: str) -> tuple[Entry, ...]:
        """Return every entry up to ``head``, oldest first; what can't be understood stands in them."""
        with self._lock:
            if self._read[0] != head:
                self.refs.fetch(self.ref, head)
                self._read = (head, tuple(_entry(link) for link in read_chain(self.refs.git_dir, head)))
            return self._read[1]

    def append(self, draft: Draft) -> Pushed:
        """Append an entry if it says something new; ``LedgerAltered`` where the chain is not whole."""
        for _ in range(_TRIES):
            head = self.head()
            past = self.entries(head) if head else ()
            _demand_whole(past, self.ref)
            newest = past[-1] if past else None
            facts = merged(newest.facts if newest else {}, draft.seen)
            plan = _plan_to_keep(recorded_plan(past), draft)
            if newest is not None and _says_nothing_new(newest, facts, plan, draft):
                return Pushed.DONE
            files = _files(newest, facts, plan, draft)
            new = self.refs.commit(files, head, _message(draft), int(draft.at.timestamp()))
            pushed = self.refs.swap(self.ref, head, new)
            if pushed is not Pushed.LOST:
                return pushed
        return Pushed.LOST


def _demand_whole(past: tuple[Entry, ...], ref: str) -> None:
    broken = breaches(past)
    if broken:
        raise LedgerAltered(
            broken[0].message,
            file=ref,
            place=f"commit {broken[0].commit}",
            fix="find out who wrote to the ledger (`release ledger verify`); restore its last good entry",
        )


def _plan_to_keep(recorded: PlanRecord | None, draft: Draft) -> PlanRecord | None:
    """The plan only grows; with an acceptance it becomes what it is now."""
    if draft.plan is None:
        return recorded
    if recorded is None or draft.accepted is not None:
        return draft.plan
    return recorded if covers(recorded, draft.plan) else strictest(recorded, draft.plan)


def _says_nothing_new(newest: Entry, facts: Facts, plan: PlanRecord | None, draft: Draft) -> bool:
    same_report = draft.report is None or _essence(newest.report) == _essence(draft.report)
    return draft.accepted is None and same_report and facts == newest.facts and plan == newest.plan


def _files(newest: Entry | None, facts: Facts, plan: PlanRecord | None, draft: Draft) -> dict[str, object]:
    files: dict[str, object] = {FACTS: {key: fact.content() for key, fact in facts.items()}}
    report = draft.report or (newest.report if newest else None)
    if report is not None:
        files[REPORT] = report
    if plan is not None:
        files[PLAN] = plan.content()
    if draft.accepted is not None:
        files[ACCEPTED] = draft.accepted.content()
    return files


def _message(draft: Draft) -> str:
    if draft.accepted is not None:
        return "accept a change of the plan"
    return "freeze the plan" if draft.report is None else f"{draft.report.get('state')}"


def _essence(report: Mapping[str, object] | None) -> object:
    """A report without what changes on every look: times, budget, sentences, and what the ledger says."""
    if report is None:
        return None
    gates = report.get("gates")
    if not isinstance(gates, list):
        return None
    match report.get("release"):
        case {"commit": str(commit), "version": str(version)}:
            about = (commit, version)
        case _:
            about = ("", "")
    return (
        about,
        report.get("state"),
        [
            (gate.get("name"), subject.get("subject"), subject.get("reason"))
            for gate in gates
            if gate.get("name") != GROUP
            for subject in gate.get("subjects", ())
        ],
    )


def _entry(link: Link) -> Entry:
    problems = [f"{name} does not belong here" for name in sorted({*link.files, *link.strange} - _FILES)]
    problems += [f"{name} is no plain file" for name in link.strange if name in _FILES]

    def read(name: str, parse: Callable[[object, str], T]) -> T | None:
        if name not in link.files:
            return None
        try:
            return parse(_json(link.files[name], name), name)
        except InputError as error:
            problems.append(str(error.problems[0]).splitlines()[0])
            return None

    facts = read(FACTS, parse_facts)
    if FACTS not in link.files:
        problems.append(f"{FACTS} is missing")
    entry = Entry(
        commit=link.commit,
        parents=link.parents,
        at=link.at,
        facts=facts or {},
        report=read(REPORT, _report),
        plan=read(PLAN, parse_plan),
        accepted=read(ACCEPTED, parse_accepted),
    )
    return replace(entry, problems=tuple(problems))


def _report(content: object, file: str) -> Mapping[str, object]:
    if not isinstance(content, dict) or content.get("schema") != REPORT_SCHEMA:
        raise InputError("is not a report", file=file)
    gates = content.get("gates")
    shapely = isinstance(gates, list) and all(
        isinstance(gate, dict)
        and isinstance(gate.get("subjects"), list)
        and all(isinstance(subject, dict) for subject in gate["subjects"])
        for gate in gates
    )
    if not shapely:
        raise InputError("has no gates with subjects", file=file)
    return content


def _json(content: bytes, file: str) -> object:
    """Parse JSON strictly: a name that stands twice, or NaN, is no JSON of ours."""
    try:
        return json.loads(content, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=file) from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return dict(pairs)


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
