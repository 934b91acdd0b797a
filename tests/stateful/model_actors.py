"""What the processes run: the real loop, gates, lease and ledger, over the simulated ports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from model_ports import (
    SimEvidence,
    SimFiles,
    SimGit,
    SimGitHub,
    SimGitHubWrite,
    SimNpm,
    SimNpmWrite,
    SimRefs,
)
from model_steps import Process
from model_truth import PLAN, TAG, Truth

import gates
from release.adapters.git.writer import GitWriter
from release.adapters.lease import Clocks, Lease
from release.adapters.ledger import Draft, Ledger
from release.converge import Convergence, converge
from release.domain.action import Findings
from release.domain.decision import Circumstances, decide
from release.domain.first_seen import as_evidence
from release.domain.ledger import first_facts
from release.domain.report import Budget, Report
from release.domain.state import State
from release.entrance import Before, Entrance, Patience
from release.ports import Read
from release.report.json_report import report_value
from release.survey import survey
from release.write_ports import Write


@dataclass
class Actor:
    """What one process knows while it runs, and what it reported at its end."""

    truth: Truth
    process: Process
    discard: bool = False
    report: Report | None = None
    looked_at: int = -1
    refs: SimRefs = field(init=False)

    def __post_init__(self) -> None:
        self.refs = SimRefs(self.truth, self.process)
        self.ledger = Ledger(self.refs, f"refs/convergence/ledger/{TAG}")  # type: ignore[arg-type]

    def read(self) -> Read:
        """Return fresh ports; what the ledger saw first is part of the evidence."""
        self.process.release()
        self.looked_at = self.truth.version
        first = ()
        head = self.ledger.head()
        if head is not None:
            facts = first_facts(self.ledger.entries(head)).values()
            first = tuple(
                as_evidence(one, release="acme", version="1.2.3", commit=PLAN.commit) for one in facts
            )
        ports: dict[str, Any] = {
            "git": SimGit(self.truth, self.process),
            "npm": SimNpm(self.truth, self.process),
            "github": SimGitHub(self.truth, self.process),
            "evidence": SimEvidence(first),
        }
        return Read(plan=PLAN, **ports)

    def write(self, read: Read) -> Write:
        """Return write ports."""
        ports: dict[str, Any] = {
            "git": GitWriter(refs=self.refs, when=0),  # type: ignore[arg-type]
            "npm": SimNpmWrite(self.truth, self.process),
            "github": SimGitHubWrite(self.truth, self.process),
            "files": SimFiles(),
        }
        return Write(read=read, discard_interrupted=self.discard, **ports)

    def now(self) -> datetime:
        """Return the one clock's time."""
        return self.truth.now

    def steady(self) -> float:
        """Return the same in seconds."""
        return self.truth.now.timestamp()

    def pause(self, attempt: int) -> bool:
        """Wait twice, a minute each."""
        if attempt >= 2:
            return False
        self.sleep(60.0)
        return True

    def sleep(self, seconds: float) -> None:
        """Let time pass, as one step."""

        def pass_by() -> None:
            self.truth.now += timedelta(seconds=seconds)

        self.process.call("git", pass_by)

    def decided(self, findings: Findings) -> Report:
        """Build the report as the command line does."""
        claims = {gate.NAME: gate.CLAIM for gate in gates.GATES}
        budget = Budget(requests=0, not_modified=0, remaining=None)
        return decide(PLAN, findings, Circumstances(claims=claims, budget=budget, now=self.truth.now))

    def end(self, findings: Findings) -> Report:
        """Report, and hold "complete" against the truth where nothing changed since the last look."""
        self.report = self.decided(findings)
        unchanged = self.looked_at == self.truth.version
        if self.report.state is State.COMPLETE and unchanged and not self.truth.complete():
            self.truth.broken.append(f"{self.process.name} said complete, and it is not")
        return self.report


class UnbrokenFence(Entrance):
    """The real entrance; nothing comes between its check and the write that it allows.

    No server of ours could tell a write that was checked in time from one that was not: a holder that stands
    still between the two for longer than its lease is the one case that only the server could prevent.
    """

    process: Process

    def check(self) -> None:
        self.process.near = True
        self.process.call("git", lambda: None)  # here it can stand still
        super().check()
        self.process.hold()


def status(actor: Actor) -> None:
    """Look once, and report."""
    actor.end(survey(PLAN, gates.GATES, actor.read(), actor.now(), lambda *_: None))


def convergence(actor: Actor) -> None:
    """Converge as ``release.wiring.run_converge`` does."""
    clocks = Clocks(now=actor.now, steady=actor.steady)
    lease = Lease(actor.refs, f"refs/convergence/lease/{TAG}", actor.process.name, clocks)  # type: ignore[arg-type]
    patience = Patience(limit=600.0, sleep=actor.sleep, say=lambda _: None)
    fence = UnbrokenFence(
        lease=lease, before=Before(check=lambda _: None, begin=lambda: None), patience=patience
    )
    fence.process = actor.process
    with fence:
        work = Convergence(
            plan=PLAN,
            gates=gates.GATES,
            acting=gates.ACTING,
            world=actor,
            fence=fence,
            on_done=lambda *_: None,
            on_act=lambda _: None,
            given=frozenset({"--discard-interrupted"} if actor.discard else ()),
        )
        findings, acted = converge(work)
        actor.process.release()
        report = actor.end(findings)
        Entrance.check(fence)
        seen = tuple(fact for of_gate in findings.values() for one in of_gate for fact in one.seen)
        if acted or seen:
            actor.ledger.append(Draft(at=actor.now(), report=report_value(report), seen=seen))


def started(
    truth: Truth, name: str, body: Callable[[Actor], None], *, discard: bool = False
) -> tuple[Process, Actor]:
    """Start a process; it stands at its first step."""
    box: list[Actor] = []

    def run(process: Process) -> None:
        box.append(Actor(truth, process, discard))
        body(box[0])

    process = Process(name, run)
    return process, box[0]
