"""Create what is missing, in order, and look again: survey → choose → act → survey (DESIGN §6).

Level-triggered, so a run that was killed anywhere is finished by the next one. Each step is looked at
again right before it is acted on; irreversible steps also look at the tags again. A write's own answer is
never believed, and no write is ever sent twice for one observation.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from release.contract import Acting, Gate, found
from release.domain.action import Effect, Findings, Order, Step, blockers, held_back, is_over, runnable
from release.domain.errors import CannotTell
from release.domain.finding import Finding
from release.domain.plan import Plan, Subject
from release.domain.reasons import Who, reason_of
from release.domain.state import State
from release.ports import Read
from release.survey import OnDone, look, subjects_of, survey
from release.write_ports import Refused, Write

UPLOADS, LOOK = 4, 100


class Fence(Protocol):
    """The lease: taken before the first write, and checked right before each one."""

    def enter(self, steps: tuple[Step, ...]) -> bool:
        """Become the one writer of ``steps``, or stay it; False where it waited: look at the world again."""
        ...

    def check(self) -> None:
        """Return only while the lease is held and not expired; raises when this is no more the one writer."""
        ...


class World(Protocol):
    """Fresh ports for each look, and the clock; made by wiring."""

    def read(self) -> Read:
        """Return read ports that remember nothing of earlier looks."""
        ...

    def write(self, read: Read) -> Write:
        """Return write ports that look through ``read``."""
        ...

    def now(self) -> datetime:
        """Return the time (UTC)."""
        ...

    def pause(self, attempt: int) -> bool:
        """Wait before looking again at something that time resolves; False when waiting is over."""
        ...


@dataclass
class Run:
    """What this run did: acts attempted per (gate, subject, reason), what was refused, what stayed open."""

    attempts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refused: dict[tuple[str, str], Finding] = field(default_factory=dict)
    unknown: dict[tuple[str, str, str], Finding] = field(default_factory=dict)
    acted: list[Step] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Convergence:
    """One converge: what to look through, which gates there are and which can act, and the bounds.

    ``only`` names the gates that may act (empty: all), ``until`` the last order; ``given`` are the options
    on the command line.
    """

    plan: Plan
    gates: tuple[Gate, ...]
    acting: tuple[Acting, ...]
    world: World
    fence: Fence
    on_done: OnDone
    on_act: Callable[[Step], None]
    only: tuple[str, ...] = ()
    until: Order = Order.PUBLISH
    given: frozenset[str] = frozenset()
    attempts: int = 3


def converge(work: Convergence) -> tuple[Findings, tuple[Step, ...]]:
    """Act until complete, or until nothing more can be done; return the last findings and all acts."""
    run, waits = Run(), 0
    while True:
        seen = _survey(work)
        wanted = _wanted(work, seen)
        todo = _todo(work, wanted, run)
        if todo and work.fence.enter(wanted):
            waits = 0
            _act_all(work, todo, run)
        elif todo:
            continue  # another writer may have finished the release meanwhile
        elif _only_time_helps(seen) and not run.refused and work.world.pause(waits):
            waits += 1
        else:
            return _overlay(seen, run), tuple(run.acted)


def steps_of(
    plan: Plan,
    gates: tuple[Gate, ...],
    acting: tuple[Acting, ...],
    findings: Findings,
    given: frozenset[str] = frozenset(),
) -> tuple[Step, ...]:
    """Return every action that the findings ask for, blocked or not, in order: the plan of actions.

    ``given`` are the options on the command line that allow actions of their own.
    """
    declared = subjects_of(plan, gates)
    roles = {
        (subject.gate, subject.name): subject.role for subjects in declared.values() for subject in subjects
    }
    steps: list[Step] = []
    for gate in acting:
        for subject, finding in zip(declared.get(gate.NAME, ()), findings.get(gate.NAME, ()), strict=True):
            action = gate.ACTIONS.get(finding.reason)
            if action is None or is_over(action, findings, roles):
                continue
            blocked = blockers(action, subject, gate.follows(subject), findings, roles)
            if action.option and action.option not in given:
                blocked = (action.option, *blocked)
            steps.append(Step(subject=subject, finding=finding, action=action, blocked=blocked))
    steps = [held_back(step, steps, findings) for step in steps]
    return tuple(sorted(steps, key=lambda step: step.action.order))


def _survey(work: Convergence) -> Findings:
    return survey(work.plan, work.gates, work.world.read(), work.world.now(), work.on_done)


def _overlay(findings: Findings, run: Run) -> Findings:
    """Lay this run's refusals, and writes whose outcome stayed open, over what is still pending."""

    def laid(finding: Finding) -> Finding:
        key = finding.gate, finding.subject
        said = run.refused.get(key) or run.unknown.get((*key, finding.reason))
        return said if said and finding.state is State.PENDING else finding

    return {gate: tuple(laid(finding) for finding in of_gate) for gate, of_gate in findings.items()}


def _wanted(work: Convergence, findings: Findings) -> tuple[Step, ...]:
    """Return every step, blocked or not, that this call allows."""
    return tuple(
        step
        for step in steps_of(work.plan, work.gates, work.acting, findings, work.given)
        if step.action.order <= work.until and (not work.only or step.subject.gate in work.only)
    )


def _todo(work: Convergence, wanted: tuple[Step, ...], run: Run) -> tuple[Step, ...]:
    if run.refused:
        return ()
    return tuple(step for step in runnable(wanted) if run.attempts.get(_key(step), 0) < work.attempts)


def _key(step: Step) -> tuple[str, str, str]:
    return step.subject.gate, step.subject.name, step.finding.reason


def _act_all(work: Convergence, steps: tuple[Step, ...], run: Run) -> None:
    """Uploads run side by side, many after one look; everything else one by one; a refusal ends it."""
    for step in steps:
        if not run.refused and not _is_upload(step):
            _act(work, step, work.world.read(), run)
    uploads = [step for step in steps if _is_upload(step)]
    for start in range(0, len(uploads), LOOK):
        if run.refused:
            return
        # Looking for each would list every asset each time. That the look gets older meanwhile is harmless:
        # GitHub takes no second asset of a name, and the next survey compares.
        read = work.world.read()
        with ThreadPoolExecutor(max_workers=UPLOADS) as pool:
            list(pool.map(lambda step, read=read: _act(work, step, read, run), uploads[start : start + LOOK]))


def _is_upload(step: Step) -> bool:
    """Say whether the step only adds an asset; what needs an option does not."""
    return step.subject.gate == "asset-upload" and not step.action.option


def _act(work: Convergence, step: Step, read: Read, run: Run) -> None:
    """Look again, check the fence, write once; the next survey says what came of it."""
    run.attempts[_key(step)] = run.attempts.get(_key(step), 0) + 1
    gates: Mapping[str, Gate] = {gate.NAME: gate for gate in work.gates}
    again = look(gates[step.subject.gate], step.subject, read, work.world.now())
    # evidence names what was looked at: another asset of this name, as wrong as the first, is another one
    if (again.reason, again.evidence) != (step.finding.reason, step.finding.evidence):
        return
    acting = next(gate for gate in work.acting if step.subject.gate == gate.NAME)
    try:
        if not _tags_hold(work, step, read):
            return
        work.fence.check()
        work.on_act(step)
        run.acted.append(step)
        acting.act(step.subject, again, work.world.write(read))
    except Refused as refusal:
        run.refused[step.subject.gate, step.subject.name] = _refusal(step.subject, refusal, work.world.now())
    except CannotTell as fault:
        # not sent, or sent with an unknown outcome: only looking again can tell, and the next survey does
        run.unknown[_key(step)] = found(
            step.subject, fault.reason, fault.message, work.world.now(), evidence=fault.evidence
        )


def _refusal(subject: Subject, refusal: Refused, now: datetime) -> Finding:
    if reason_of(refusal.reason).state is not State.FAILED:
        raise ValueError(f"a refusal must be a failure: {refusal.reason}")
    return found(subject, refusal.reason, refusal.message, now)


def _tags_hold(work: Convergence, step: Step, read: Read) -> bool:
    """Right before an irreversible step: no tag of the plan is on another commit (DESIGN §3)."""
    if step.action.effect is not Effect.IRREVERSIBLE:
        return True
    tags = [read.git.tag(tag.name) for tag in work.plan.tags]
    return all(tag is None or tag.commit == work.plan.commit for tag in tags)


def _only_time_helps(findings: Findings) -> bool:
    everything = [finding for of_gate in findings.values() for finding in of_gate]
    if any(finding.state is State.FAILED for finding in everything):
        return False
    return any(finding.who is Who.WAIT for finding in everything)
