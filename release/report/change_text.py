"""A change between two looks as one line, or as one line of JSON, for `release watch`."""

import json
from datetime import UTC, datetime

from release.domain.changes import Change
from release.report.visible import visible_ascii

SCHEMA = "release-convergence/change/v1"


def render_change(change: Change) -> str:
    """Return ``TIME  GATE  SUBJECT  OLD -> NEW  MESSAGE`` with a final newline."""
    old, new = change.before or "-", change.after or "gone"
    parts = (_time(change.at), change.gate, change.subject, f"{old} -> {new}", change.message)
    return visible_ascii("  ".join(part for part in parts if part)) + "\n"


def render_change_json(change: Change) -> str:
    """Return the change as one line of ASCII JSON."""
    value = {
        "schema": SCHEMA,
        "at": _time(change.at),
        "gate": change.gate,
        "subject": change.subject,
        "before": change.before,
        "after": change.after,
        "state": change.state.value if change.state else None,
        "message": change.message,
    }
    return json.dumps(value, ensure_ascii=True) + "\n"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
