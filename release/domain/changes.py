"""What changed between two looks at one release: which subjects have another reason now. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from release.domain.report import Report
from release.domain.state import State

Reasons = Mapping[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One subject whose reason is another one; ``before`` or ``after`` None: it was not, is not, looked at.

    ``message`` says what is seen now; ``state`` is that of ``after`` (None: gone).
    """

    at: datetime
    gate: str
    subject: str
    before: str | None
    after: str | None
    state: State | None
    message: str = ""


def changes_between(before: Report | None, after: Report) -> tuple[Change, ...]:
    """Return the changes, in the report's order; with no look before: everything that is not complete."""
    return tuple(_changes(before, after))


def reasons_of(report: Mapping[str, object] | None) -> Reasons:
    """Return each (gate, subject)'s reason from a report's JSON; what is malformed is left out."""
    gates = report.get("gates") if report is not None else None
    return dict(_pairs(gates)) if isinstance(gates, list) else {}


def _pairs(gates: list[object]) -> Iterator[tuple[tuple[str, str], str]]:
    for gate in gates:
        match gate:
            case {"name": str(name), "subjects": [*subjects]}:
                for subject in subjects:
                    match subject:
                        case {"subject": str(about), "reason": str(reason)}:
                            yield (name, about), reason
                        case _:
                            pass
            case _:
                pass


def _changes(before: Report | None, after: Report) -> Iterator[Change]:
    known = _reasons(before) if before is not None else {}
    seen = {}
    for gate in after.gates:
        for finding in gate.findings:
            key = gate.name, finding.subject
            seen[key] = finding
            is_old = known.get(key) == finding.reason
            if is_old or (before is None and finding.state is State.COMPLETE):
                continue
            yield Change(
                at=after.generated_at,
                gate=gate.name,
                subject=finding.subject,
                before=known.get(key),
                after=finding.reason,
                state=finding.state,
                message=finding.message,
            )
    for key in known.keys() - seen.keys():
        gate_name, subject = key
        yield Change(
            at=after.generated_at,
            gate=gate_name,
            subject=subject,
            before=known[key],
            after=None,
            state=None,
        )


def _reasons(report: Report) -> Reasons:
    return {(gate.name, one.subject): one.reason for gate in report.gates for one in gate.findings}
