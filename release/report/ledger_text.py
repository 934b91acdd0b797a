"""A ledger as text or JSON, for `release ledger`: what was remembered when, and what changed."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from release.domain.changes import reasons_of
from release.domain.first_seen import FirstSeen
from release.domain.ledger import Entry, Recall
from release.domain.ledger_judgement import GROUP
from release.domain.wording import count
from release.report.visible import visible_ascii

SCHEMA = "release-convergence/ledger/v1"
_SHOWN = 20


def render_ledger(recall: Recall) -> str:
    """Return every entry with what changed in it, then the facts, with a final newline."""
    return "".join(visible_ascii(line) + "\n" for line in _lines(recall))


def render_ledger_json(recall: Recall) -> str:
    """Return the ledger as ASCII JSON with a final newline."""
    plan = recall.plan
    value = {
        "schema": SCHEMA,
        "entries": [
            {
                "commit": entry.commit,
                "at": _time(entry.at),
                "state": _state(entry),
                "changed": list(changed),
                "accepted": entry.accepted.content() if entry.accepted else None,
            }
            for entry, changed in _history(recall.entries)
        ],
        "facts": {key: fact.content() for key, fact in sorted(recall.facts.items())},
        "plan": plan.content() if plan else None,
        "breaches": [{"commit": breach.commit, "message": breach.message} for breach in recall.breaches],
        "notes": list(recall.notes),
    }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def render_verdict(recall: Recall) -> str:
    """Return what verifying showed, with a final newline."""
    if not recall.breaches:
        what = f"{count(len(recall.entries), 'commit')}, {count(len(recall.facts), 'fact')}"
        lines = [f"intact: {what}, everything hashed again"]
    else:
        lines = [f"altered: {breach.commit}: {breach.message}" for breach in recall.breaches]
    return "".join(visible_ascii(line) + "\n" for line in lines)


def _lines(recall: Recall) -> Iterator[str]:
    if not recall.entries:
        yield "no ledger: nothing was remembered of this release"
    for entry, changed in _history(recall.entries):
        yield f"{_time(entry.at)}  {entry.commit[:12]}  {_state(entry)}"
        yield from (f"    {line}" for line in changed[:_SHOWN])
        if len(changed) > _SHOWN:
            yield f"    and {len(changed) - _SHOWN} more"
    if recall.facts:
        yield from ("", "first seen")
    for key, fact in sorted(recall.facts.items()):
        yield f"  {key}  {_fact(fact)}"
    for breach in recall.breaches:
        yield f"altered: {breach.commit}: {breach.message}"
    yield from (f"note: {note}" for note in recall.notes)


def _history(entries: tuple[Entry, ...]) -> Iterator[tuple[Entry, tuple[str, ...]]]:
    earlier: Entry | None = None
    for entry in entries:
        yield entry, tuple(_changed(earlier, entry))
        earlier = entry


def _changed(earlier: Entry | None, entry: Entry) -> Iterator[str]:
    before, after = reasons_of(earlier.report if earlier else None), reasons_of(entry.report)
    for (gate, subject), reason in after.items():
        if gate == GROUP:
            continue  # what the ledger says of itself is not what it remembers
        old = before.get((gate, subject))
        if old != reason:
            yield f"{gate} {subject}: {old} -> {reason}" if old else f"{gate} {subject}: {reason}"
    for gate, subject in sorted(before.keys() - after.keys()):
        yield f"{gate} {subject}: not looked at any more"
    known = earlier.facts if earlier else {}
    yield from (f"first seen: {key}" for key in entry.facts if key not in known)
    if entry.accepted is not None:
        names = "; ".join(entry.accepted.changes)
        yield f"accepted by {entry.accepted.by}: {names} ({entry.accepted.because})"


def _state(entry: Entry) -> str:
    match entry.report:
        case {"state": str(state)}:
            return state
        case _:
            return "planned"


def _fact(fact: FirstSeen) -> str:
    parts = (
        fact.commit,
        fact.digest,
        f"id {fact.id}" if fact.id else None,
        _time(fact.at) if fact.at else None,
    )
    return "  ".join(part for part in parts if part)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
