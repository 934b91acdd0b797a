"""The ledger as values: its entries, and the laws that hold along the chain (DESIGN §6).

Facts are only added; the recorded plan only grows, unless an entry accepts what it loses by name. A law
that is broken is a ``Breach``, never a reason to look away: the first fact stays the baseline.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from release.domain.errors import CannotTell, InputError
from release.domain.first_seen import Facts
from release.domain.plan_change import weaker
from release.domain.plan_record import PlanRecord


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """Somebody accepted that the plan asks for less: which differences, why, and who."""

    changes: tuple[str, ...]
    because: str
    by: str

    def content(self) -> dict[str, object]:
        """Return it as JSON members."""
        return {"changes": list(self.changes), "because": self.because, "by": self.by}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One commit of the ledger; ``problems`` says what of it could not be understood.

    ``report`` is the report's JSON, None where an entry only freezes or changes the plan.
    """

    commit: str
    parents: tuple[str, ...]
    at: datetime
    facts: Facts = field(default_factory=dict)
    report: Mapping[str, object] | None = None
    plan: PlanRecord | None = None
    accepted: Accepted | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Breach:
    """A law of the ledger that does not hold: at which commit, and what is wrong."""

    commit: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Recall:
    """What is remembered of a release. ``blind`` is why the remote's ledger could not be read, if so.

    ``notes`` say where it is kept, if not on the remote; ``accepted`` is the newest acceptance.
    """

    entries: tuple[Entry, ...] = ()
    facts: Facts = field(default_factory=dict)
    plan: PlanRecord | None = None
    accepted: Accepted | None = None
    breaches: tuple[Breach, ...] = ()
    blind: CannotTell | None = None
    notes: tuple[str, ...] = ()

    @property
    def exists(self) -> bool:
        """Say whether there is a ledger, or there is one that could not be read."""
        return bool(self.entries or self.breaches or self.blind)


def breaches(entries: tuple[Entry, ...]) -> tuple[Breach, ...]:
    """Return every law that the chain, oldest first, breaks."""
    return tuple(_breaches(entries))


def first_facts(entries: tuple[Entry, ...]) -> Facts:
    """Return every fact as the first entry that knows it has it: a later one cannot replace or drop it."""
    found: Facts = {}
    for entry in entries:
        found = {**entry.facts, **found}
    return found


def recorded_plan(entries: tuple[Entry, ...]) -> PlanRecord | None:
    """Return the plan that counts: the newest one that did not lose anything without acceptance."""
    counted: PlanRecord | None = None
    for entry in entries:
        if entry.plan is not None and _may_follow(counted, entry):
            counted = entry.plan
    return counted


def parse_accepted(content: object, file: str) -> Accepted:
    """Read an acceptance from JSON; raise ``InputError``."""
    match content:
        case {"changes": [*changes], "because": str(because), "by": str(by), **rest} if because and not rest:
            texts = tuple(change for change in changes if isinstance(change, str))
            if texts and len(texts) == len(changes):
                return Accepted(changes=texts, because=because, by=by)
    raise InputError("is not an acceptance: changes, because and by", file=file)


def _breaches(entries: tuple[Entry, ...]) -> Iterator[Breach]:
    known: Facts = {}
    plan: PlanRecord | None = None
    for index, entry in enumerate(entries):
        yield from (Breach(commit=entry.commit, message=problem) for problem in entry.problems)
        if entry.parents != ((entries[index - 1].commit,) if index else ()):
            yield Breach(commit=entry.commit, message="does not follow exactly one earlier entry")
        for key, fact in known.items():
            if key not in entry.facts:
                yield Breach(commit=entry.commit, message=f"the fact {key} was removed")
            elif entry.facts[key] != fact:
                yield Breach(commit=entry.commit, message=f"the fact {key} was changed")
        known = {**entry.facts, **known}
        if entry.plan is None:
            if plan is not None:
                yield Breach(commit=entry.commit, message="the recorded plan was removed")
        elif _may_follow(plan, entry):
            plan = entry.plan
        else:
            yield Breach(
                commit=entry.commit, message="the recorded plan asks for less, and nobody accepted it"
            )


def _may_follow(earlier: PlanRecord | None, entry: Entry) -> bool:
    if earlier is None or entry.plan is None:
        return True
    lost = weaker(earlier, entry.plan)
    return not lost or (entry.accepted is not None and set(entry.accepted.changes) >= set(lost))
