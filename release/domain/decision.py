"""From findings to a report: pure, total, and never greener than what was seen (DESIGN §2).

A gate's state is the join of its findings; the release's is the join of its required gates. A required
gate without findings is an error. Nothing that could not be looked at ever exits 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from release.domain.errors import ConfigError, Problem
from release.domain.finding import Finding
from release.domain.plan import Plan
from release.domain.reasons import Who
from release.domain.report import Budget, CommitRow, GateReport, NextStep, Report
from release.domain.state import State, join_all

Findings = Mapping[str, tuple[Finding, ...]]

CANNOT_TELL_EXIT = 4
EXIT_CODES: Mapping[State, int] = {
    State.COMPLETE: 0,
    State.FAILED: 1,
    State.PARTIAL: 2,
    State.PENDING: 3,
}


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """How the survey was made: gate claims, requests spent, the clock, where the commit came from.

    ``selected`` are the gates asked for with ``--gate``: they alone are counted, whether required or not.
    """

    claims: Mapping[str, str]
    budget: Budget
    now: datetime
    commit_source: str = ""
    selected: tuple[str, ...] = ()


def decide(plan: Plan, findings: Findings, circumstances: Circumstances) -> Report:
    """Build the report from findings by gate, in gate order.

    Raises ``ConfigError`` where a gate that is required or asked for has no subject in the plan, and
    ``NothingToJoin`` where there is nothing at all to judge.
    """
    counted = _counted(plan, findings, circumstances.selected)
    gates = tuple(
        GateReport(
            name=name,
            claim=circumstances.claims.get(name, ""),
            required=name in counted,
            state=join_all(finding.state for finding in of_gate),
            findings=of_gate,
        )
        for name, of_gate in findings.items()
    )
    state = join_all(gate.state for gate in gates if gate.required)
    return Report(
        name=plan.name,
        version=plan.version,
        tags=tuple(tag.name for tag in plan.tags),
        commit=plan.commit,
        commit_source=circumstances.commit_source,
        repository=plan.github.repository if plan.github else None,
        state=state,
        exit=exit_code(state, gates),
        gates=gates,
        commits=_commit_rows(plan, gates),
        next=_next_steps(gates),
        budget=circumstances.budget,
        generated_at=circumstances.now,
        deep=plan.deep,
        selected=circumstances.selected,
    )


def exit_code(state: State, gates: tuple[GateReport, ...]) -> int:
    """Return the exit code: failed wins, then "could not look" in any required gate, then the state."""
    required = (finding for gate in gates if gate.required for finding in gate.findings)
    blind = any(finding.who is Who.CANNOT_TELL for finding in required)
    if state is not State.FAILED and blind:
        return CANNOT_TELL_EXIT
    return EXIT_CODES[state]


def _counted(plan: Plan, findings: Findings, selected: tuple[str, ...]) -> frozenset[str]:
    wanted = selected or plan.required or tuple(findings)
    without = tuple(name for name in wanted if not findings.get(name))
    if not without:
        return frozenset(wanted)
    names = ", ".join(name for name, of_gate in findings.items() if of_gate) or "none"
    asked = "--gate" if selected else "gates.required"
    problems = tuple(
        Problem(
            place=asked,
            message=f"the gate {name!r} has no subject in this plan, so it can never be complete",
            fix=f"declare what it should check in release.toml, or name one of: {names}",
        )
        for name in without
    )
    raise ConfigError.of(problems)


def _commit_rows(plan: Plan, gates: tuple[GateReport, ...]) -> tuple[CommitRow, ...]:
    rows = (
        CommitRow(
            channel=claim.channel,
            commit=claim.commit,
            agrees=None if claim.commit is None else claim.commit == plan.commit,
        )
        for gate in gates
        for finding in gate.findings
        for claim in finding.claims
    )
    return tuple(dict.fromkeys(rows))


def _next_steps(gates: tuple[GateReport, ...]) -> tuple[NextStep, ...]:
    steps: dict[tuple[str, str], list[Finding]] = {}
    for gate in gates:
        for finding in gate.findings:
            if finding.next and finding.state is not State.COMPLETE:
                steps.setdefault((gate.name, finding.next), []).append(finding)
    return tuple(
        NextStep(gate=name, command=command, why=_why(reasons)) for (name, command), reasons in steps.items()
    )


def _why(findings: list[Finding]) -> str:
    first = findings[0]
    if len(findings) == 1:
        return first.message
    return f"{len(findings)} subjects, the first is {first.subject}: {first.message}"
