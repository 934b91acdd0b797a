"""The composition root: the only file that imports both gates and adapters, and that reads the clock.

A call becomes a plan, read ports, a survey and a report, in that order. Nothing here decides anything.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import release.config as configuration
from gates import ACTING, GATES
from release.assembly import Assembly
from release.converge import Convergence, converge, steps_of
from release.domain.action import Findings, Order, Step
from release.domain.decision import Circumstances, decide
from release.domain.errors import CannotTell, UsageError
from release.domain.gate_card import GateCard
from release.domain.plan import Plan, Subject
from release.domain.report import Budget, Report
from release.opening import Session, opened
from release.options import OnProgress, Options, Progress
from release.ports import Read
from release.report.json_report import report_value
from release.survey import OnDone, subjects_of, survey
from release.write_ports import Write

_CLAIMS = {gate.NAME: gate.CLAIM for gate in GATES}


def run_status(options: Options, on_progress: OnProgress) -> Report:
    """Survey the release and return the report; writes to no channel."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        gates = tuple(gate for gate in GATES if not options.gates or gate.NAME in options.gates)
        plan = replace(session.plan, required=()) if options.gates else session.plan
        findings = survey(plan, gates, ports.read(), _now(), _shown(on_progress))
        return _decided(session, ports, findings)


def plan_actions(options: Options, on_progress: OnProgress) -> tuple[Report, tuple[Step, ...]]:
    """Survey the release; return the report and every action that converging would take, in order."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        findings = survey(session.plan, GATES, ports.read(), _now(), _shown(on_progress))
        steps = steps_of(session.plan, GATES, ACTING, findings, _given(options))
        return _decided(session, ports, findings), steps


def run_converge(options: Options, on_progress: OnProgress, on_act: Callable[[Step], None]) -> Report:
    """Create what is missing under the lease, append to the ledger, and return the last report."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        lease = ports.lease()
        lease.take()
        try:
            work = Convergence(
                plan=session.plan,
                gates=GATES,
                acting=ACTING,
                world=_World(ports=ports, options=options),
                fence=lease,
                on_done=_shown(on_progress),
                on_act=on_act,
                only=options.gates,
                until=_until(options),
                given=_given(options),
            )
            findings, _ = converge(work)
            report = _decided(session, ports, findings)
            lease.check()
            _record(ports, report, findings)
            return report
        finally:
            with suppress(CannotTell):
                lease.release()


@dataclass(frozen=True, kw_only=True)
class _World:
    """The world as ``release.converge`` asks for it."""

    ports: Assembly
    options: Options

    def read(self) -> Read:
        return self.ports.read()

    def write(self, read: Read) -> Write:
        return self.ports.write(read, discard_interrupted=self.options.discard_interrupted)

    def now(self) -> datetime:
        return _now()

    def pause(self, attempt: int) -> bool:
        return self.ports.pause(attempt, self.options.wait)


def _until(options: Options) -> Order:
    """The last order in which an action of the named gate stands; without a name, all."""
    if options.until is None:
        return Order.PUBLISH
    orders = {gate.NAME: max(action.order for action in gate.ACTIONS.values()) for gate in ACTING}
    if options.until not in orders:
        raise UsageError(f"{options.until} never acts", fix=f"--until takes one of {', '.join(orders)}")
    return orders[options.until]


def _given(options: Options) -> frozenset[str]:
    return frozenset({"--discard-interrupted"} if options.discard_interrupted else ())


def _record(ports: Assembly, report: Report, findings: Findings) -> None:
    seen = tuple(fact for of_gate in findings.values() for finding in of_gate for fact in finding.seen)
    ports.remember(report_value(report), seen)


def _shown(on_progress: OnProgress) -> OnDone:
    def on_done(subject: Subject, done: int, total: int) -> None:
        on_progress(Progress(gate=subject.gate, subject=subject.name, done=done, total=total))

    return on_done


def _decided(session: Session, ports: Assembly, findings: Findings) -> Report:
    meter = ports.meter
    circumstances = Circumstances(
        claims=_CLAIMS,
        budget=Budget(requests=meter.requests, not_modified=meter.not_modified, remaining=meter.remaining),
        now=_now(),
        commit_source=session.canonical.words,
        selected=session.options.gates if not session.options.acting else (),
    )
    return decide(session.plan, findings, circumstances)


def check_config(options: Options) -> Plan:
    """Validate release.toml and the manifests at the commit, and return the plan."""
    with opened(options, tuple(_CLAIMS)) as session:
        return session.plan


def planned_subjects(plan: Plan) -> Mapping[str, tuple[Subject, ...]]:
    """Return every gate's subjects, in order."""
    return subjects_of(plan, GATES)


def config_schema() -> str:
    """Return the JSON Schema of release.toml."""
    return configuration.config_schema()


def gate_cards() -> tuple[GateCard, ...]:
    """Return what each gate says about itself, in order."""
    return tuple(
        GateCard(
            name=gate.NAME,
            claim=gate.CLAIM,
            binding=(gate.__doc__ or "").strip(),
            needs=gate.NEEDS,
            stage=gate.STAGE.value,
            effect=gate.EFFECT.value,
            recheck=gate.RECHECK,
        )
        for gate in GATES
    )


def _now() -> datetime:
    return datetime.now(UTC)
