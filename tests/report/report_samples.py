"""Reports to print."""

from datetime import UTC, datetime

from release.domain.finding import Finding
from release.domain.report import Budget, CommitRow, GateReport, NextStep, Report
from release.domain.state import join_all

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
COMMIT = "a" * 40


def finding(gate: str, subject: str, reason: str, message: str = "as planned", **more: object) -> Finding:
    """One finding at the sample time."""
    return Finding(gate=gate, subject=subject, reason=reason, message=message, observed_at=NOW, **more)


def gate(name: str, *findings: Finding, required: bool = True) -> GateReport:
    """One gate whose state is the join of its findings."""
    state = join_all(each.state for each in findings)
    return GateReport(name=name, claim=f"Claim of {name}.", required=required, state=state, findings=findings)


def report(*gates: GateReport, **changes: object) -> Report:
    """A report of the given gates."""
    values: dict[str, object] = {
        "name": "acme",
        "version": "1.2.3",
        "tags": ("v1.2.3",),
        "commit": COMMIT,
        "commit_source": "tag v1.2.3 on the remote",
        "repository": "acme/acme",
        "state": join_all(each.state for each in gates if each.required),
        "exit": 2,
        "gates": gates,
        "commits": (
            CommitRow(channel="tag v1.2.3", commit=COMMIT, agrees=True),
            CommitRow(channel="npm acme@1.2.3", commit="b" * 40, agrees=False),
            CommitRow(channel="release v1.2.3", commit=None, agrees=None),
        ),
        "next": (
            NextStep(gate="npm-publish", command="release converge v1.2.3", why="acme@1.2.3 is not there"),
        ),
        "budget": Budget(requests=7, not_modified=3, remaining=4990),
        "generated_at": NOW,
        "deep": True,
    }
    return Report(**{**values, **changes})
