"""What a report says, line by line, for every format that people read: the same words everywhere."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from release.domain.finding import Finding
from release.domain.report import CommitRow, GateReport, NextStep, Report
from release.domain.state import State

COLLAPSE_OVER = 3


@dataclass(frozen=True, kw_only=True)
class Line:
    """One subject, or a count of complete ones: ``message`` is empty where there is nothing to add."""

    state: State
    subject: str
    reason: str
    who: str
    message: str = ""


def gate_lines(gate: GateReport) -> Iterator[Line]:
    """Yield a line per subject; more than three complete ones become one line a reason, with a count."""
    complete = [finding for finding in gate.findings if finding.state is State.COMPLETE]
    collapse = len(complete) > COLLAPSE_OVER
    if collapse:
        for reason, count in Counter(finding.reason for finding in complete).items():
            yield Line(state=State.COMPLETE, subject=f"{count} subjects", reason=reason, who="nobody")
    for finding in gate.findings:
        if not (collapse and finding.state is State.COMPLETE):
            yield _line(finding)


def by_command(steps: tuple[NextStep, ...]) -> Iterator[tuple[str, tuple[NextStep, ...]]]:
    """Yield each command once, in order, with every step that it is for."""
    for command in dict.fromkeys(step.command for step in steps):
        yield command, tuple(step for step in steps if step.command == command)


def agreement(row: CommitRow) -> str:
    """Return how the channel's commit compares with the canonical one."""
    match row.agrees:
        case True:
            return "agrees"
        case False:
            return "differs"
        case None:
            return "does not say"


def headline(report: Report) -> str:
    """Return name, version and tags in one line."""
    tags = ", ".join(report.tags)
    return f"{report.name} {report.version}" + (f" ({tags})" if tags else "")


def verdict(report: Report) -> str:
    """Return the state and exit code in one line, and which gates were asked for, if not all."""
    only = f", only {', '.join(report.selected)}" if report.selected else ""
    return f"{report.state} (exit {report.exit}{only})"


def spent(report: Report) -> str:
    """Return what the survey cost."""
    budget = report.budget
    left = "" if budget.remaining is None else f", {budget.remaining} left"
    return f"{budget.requests} requests, {budget.not_modified} not modified{left}"


def depth(report: Report) -> str:
    """Return how much was downloaded."""
    return "deep: assets and tarballs downloaded and hashed" if report.deep else "shallow: nothing downloaded"


def _line(finding: Finding) -> Line:
    waived = f" (waived: {finding.waiver})" if finding.waiver else ""
    return Line(
        state=finding.state,
        subject=finding.subject,
        reason=finding.reason,
        who=finding.who,
        message=finding.message + waived,
    )
