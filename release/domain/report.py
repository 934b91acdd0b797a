"""The report: what one survey showed, decided. Values only; ``release.report`` turns them into text."""

from dataclasses import dataclass
from datetime import datetime

from release.domain.finding import Finding
from release.domain.state import State


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """One gate: its claim, whether the release's state counts it, the join of its findings."""

    name: str
    claim: str
    required: bool
    state: State
    findings: tuple[Finding, ...]


@dataclass(frozen=True, kw_only=True)
class CommitRow:
    """One row of the commit-agreement table. ``agrees`` None: it does not say, which is no agreement."""

    channel: str
    commit: str | None
    agrees: bool | None


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """One command to type, for which gate, and why."""

    gate: str
    command: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Requests sent, answered 304, and what the server says is left (None: it did not say)."""

    requests: int
    not_modified: int
    remaining: int | None


@dataclass(frozen=True, kw_only=True)
class Report:
    """One release as one survey showed it; times are UTC.

    ``commit_source`` says in words where the canonical commit comes from; ``repository`` is the GitHub
    repository or None; ``selected`` names the gates asked for with ``--gate`` (empty: all of them);
    ``notes`` say what people should know beside it, such as where the ledger is kept.
    """

    name: str
    version: str
    tags: tuple[str, ...]
    commit: str
    commit_source: str
    repository: str | None
    state: State
    exit: int
    gates: tuple[GateReport, ...]
    commits: tuple[CommitRow, ...]
    next: tuple[NextStep, ...]
    budget: Budget
    generated_at: datetime
    deep: bool
    selected: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
