"""The composition root: the only file that imports both gates and adapters, and that reads the clock.

A call becomes a plan, read ports, a survey and a report, in that order. Nothing here decides anything.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import release.config as configuration
from gates import ACTING, GATES
from release.adapters.lease import held
from release.assembly import Assembly
from release.converge import Convergence, converge, steps_of
from release.domain.action import Findings, Order, Step
from release.domain.decision import Circumstances, decide
from release.domain.errors import UsageError
from release.domain.gate_card import GateCard
from release.domain.lease import LeaseFacts
from release.domain.ledger import Recall
from release.domain.ledger_judgement import CLAIM, GROUP
from release.domain.plan import Plan, Subject
from release.domain.plan_record import record_plan
from release.domain.report import Budget, Report
from release.entrance import Before, Entrance, Patience
from release.opening import Session, opened
from release.options import OnProgress, Options, Progress
from release.ports import Read
from release.preflight import Preflight
from release.report.json_report import report_value
from release.survey import OnDone, subjects_of, survey
from release.upkeep import Upkeep, free_lease
from release.watch import Rhythm, Shown, Watched, Watching, watch
from release.write_ports import Write

_CLAIMS = {gate.NAME: gate.CLAIM for gate in GATES}


def run_status(options: Options, on_progress: OnProgress) -> Report:
    """Survey the release and return the report; writes to no channel."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        return _looked(session, ports, on_progress)


def run_watch(options: Options, rhythm: Rhythm, shown: Shown) -> Watched:
    """Look again and again until complete, failed or timed out; writes to no channel."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:

        def look() -> Report:
            ports.evidence.reload()
            return _looked(session, ports, shown.on_progress)

        return watch(
            Watching(look=look, now=_now, sleep=time.sleep, on_change=shown.on_change, rhythm=rhythm)
        )


def lease_of(options: Options) -> tuple[LeaseFacts | None, datetime]:
    """Return what the remote says of the lease (None: nobody ever took it), and the time."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        return ports.lease().show(), _now()


def release_lease(options: Options, holder: str | None, *, steal: bool) -> LeaseFacts | None:
    """Release the lease for others; None where nobody held it. ``UsageError``: its holder may be at work."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        return free_lease(ports, holder, _now(), steal=steal)


def ledger_of(options: Options) -> Recall:
    """Return what is remembered of the release; ``CannotTell`` where the remote can't be asked."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        return ports.recall()


def accept_changes(options: Options, changes: tuple[str, ...], because: str, by: str) -> Recall:
    """Record in the ledger that the plan asks for less; return the ledger."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports, held(ports.lease()):
        return _upkeep(session, ports).accept(changes, because, by)


def plan_actions(options: Options, on_progress: OnProgress) -> tuple[Report, tuple[Step, ...]]:
    """Survey the release; return the report and every action that converging would take, in order."""
    with opened(options, tuple(_CLAIMS)) as session, Assembly(session, _now) as ports:
        findings = _survey(session, ports, on_progress)
        steps = steps_of(session.plan, GATES, ACTING, findings, _given(options))
        return _decided(session, ports, findings), steps


def run_converge(
    options: Options,
    on_progress: OnProgress,
    on_act: Callable[[Step], None],
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Create what is missing under the lease, append to the ledger, and return the last report.

    Where nothing is to be done, the lease is not taken and nothing is written; ``say`` is told what is waited
    for, and what is notable before the first write.
    """
    with (
        opened(options, tuple(_CLAIMS)) as session,
        Assembly(session, _now) as ports,
        _entrance(session, ports, say) as fence,
    ):
        if not _upkeep(session, ports).may_act():
            return _decided(session, ports, _survey(session, ports, on_progress))
        work = Convergence(
            plan=session.plan,
            gates=GATES,
            acting=ACTING,
            world=_World(ports=ports, options=options),
            fence=fence,
            on_done=_shown(on_progress),
            on_act=on_act,
            only=options.gates,
            until=_until(options),
            given=_given(options),
        )
        findings, acted = converge(work)
        report = _decided(session, ports, findings)
        fence.check()
        return _recorded(session, ports, report, findings) if acted or _is_news(ports, findings) else report


def _entrance(session: Session, ports: Assembly, say: Callable[[str], None]) -> Entrance:
    check = Preflight(ports=ports, now=_now, say=say).check
    before = Before(check=check, begin=lambda: _upkeep(session, ports).freeze())
    patience = Patience(limit=session.options.lease_wait, sleep=time.sleep, say=say)
    return Entrance(lease=ports.lease(), before=before, patience=patience)


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


def _survey(session: Session, ports: Assembly, on_progress: OnProgress) -> Findings:
    return survey(session.plan, GATES, ports.read(), _now(), _shown(on_progress))


def _looked(session: Session, ports: Assembly, on_progress: OnProgress) -> Report:
    asked = session.options.gates
    gates = tuple(gate for gate in GATES if not asked or gate.NAME in asked)
    plan = replace(session.plan, required=()) if asked else session.plan
    return _decided(session, ports, survey(plan, gates, ports.read(), _now(), _shown(on_progress)))


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


def _is_news(ports: Assembly, findings: Findings) -> bool:
    """Say whether a look without an act is worth an entry: something is there, or was once."""
    return ports.recall().exists or any(one.seen for of_gate in findings.values() for one in of_gate)


def _recorded(session: Session, ports: Assembly, report: Report, findings: Findings) -> Report:
    note = _upkeep(session, ports).record(report_value(report), findings)
    return replace(report, notes=tuple(dict.fromkeys((*report.notes, note)))) if note else report


def _upkeep(session: Session, ports: Assembly) -> Upkeep:
    current = record_plan(session.plan, subjects_of(session.plan, GATES))
    return Upkeep(ports=ports, current=current, now=_now())


def _shown(on_progress: OnProgress) -> OnDone:
    def on_done(subject: Subject, done: int, total: int) -> None:
        on_progress(Progress(gate=subject.gate, subject=subject.name, done=done, total=total))

    return on_done


def _decided(session: Session, ports: Assembly, findings: Findings) -> Report:
    meter, plan = ports.meter, session.plan
    selected = session.options.gates if not session.options.acting else ()
    judged = findings if selected else _upkeep(session, ports).judged(findings)
    if plan.required and GROUP in judged:
        plan = replace(plan, required=(*plan.required, GROUP))
    circumstances = Circumstances(
        claims={**_CLAIMS, GROUP: CLAIM},
        budget=Budget(requests=meter.requests, not_modified=meter.not_modified, remaining=meter.remaining),
        now=_now(),
        commit_source=session.canonical.words,
        selected=selected,
    )
    return replace(decide(plan, judged, circumstances), notes=ports.recall().notes)


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
