"""What may be done next: pure rules over findings (DESIGN §6).

An action belongs to one reason of one gate. It may run when every need is complete and every subject it
follows is complete; of those, only the lowest stage runs. An irreversible action also needs that nothing
has failed, except what an action itself would mend.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from release.domain.finding import Finding
from release.domain.plan import Subject
from release.domain.reasons import Who
from release.domain.state import State

ACCEPTED_HERE = ("acceptance#source", "acceptance#packedNpm", "acceptance#builtBinary")
"""Needs: every acceptance of what can be had before anything irreversible is done."""

ONE_RELEASE = ("github-release#release",)
"""Unbroken where assets are touched: of several releases of one tag, none is the one to write to."""

Findings = Mapping[str, tuple[Finding, ...]]


class Effect(StrEnum):
    """What acting would do to the world."""

    READ_ONLY = "read-only"
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"


class Order(IntEnum):
    """The order of actions: each waits until nothing before it is left to do."""

    STAGE = 1
    TAG = 2
    NPM = 3
    PUBLISH = 4


@dataclass(frozen=True, kw_only=True)
class Action:
    """What acting on one reason does. ``needs``: ``gate`` or ``gate#role``, which must be complete.

    ``unbroken``, written alike, must not have failed; where ``unfinished`` is complete, it is too late.

    ``does`` is a sentence with ``{subject}``; ``where`` says on which channel the thing is created;
    ``option`` is a command-line option without which it never runs.
    """

    does: str
    where: str
    order: Order
    effect: Effect
    needs: tuple[str, ...] = ()
    unbroken: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    option: str = ""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action for one subject; ``blocked`` lists what is not complete yet (empty: it may run)."""

    subject: Subject
    finding: Finding
    action: Action
    blocked: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What would be done, for people."""
        return self.action.does.format(subject=self.subject.name)


def runnable(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps that may run now: unblocked, and of the lowest order among those."""
    free = [step for step in steps if not step.blocked]
    if not free:
        return ()
    lowest = min(step.action.order for step in free)
    return tuple(step for step in free if step.action.order == lowest)


def blockers(
    action: Action,
    subject: Subject,
    follows: tuple[str, ...],
    findings: Findings,
    roles: Mapping[tuple[str, str], str],
) -> tuple[str, ...]:
    """Return what keeps the action from running: incomplete needs and subjects of its own gate.

    ``roles`` maps (gate, subject name) to the subject's role, for needs of the form ``gate#role``.
    """
    waits = [need for need in action.needs if not _complete(need, findings, roles)]
    waits += [need for need in action.unbroken if _failed(need, findings, roles)]
    own = {finding.subject: finding for finding in findings.get(subject.gate, ())}
    waits += [
        f"{subject.gate} {name}" for name in follows if name in own and own[name].state is not State.COMPLETE
    ]
    return tuple(waits)


def is_over(action: Action, findings: Findings, roles: Mapping[tuple[str, str], str]) -> bool:
    """Say whether what the action belongs to is complete: it would come too late."""
    return bool(action.unfinished) and all(_complete(need, findings, roles) for need in action.unfinished)


def held_back(step: Step, steps: Iterable[Step], findings: Findings) -> Step:
    """Block an irreversible step while anything has failed that no action would mend.

    The tag, the first of them, also waits until every channel could be looked at: one that could not may hold
    what makes this version impossible.
    """
    if step.action.effect is not Effect.IRREVERSIBLE:
        return step
    mendable = {(other.subject.gate, other.subject.name) for other in steps}
    blind = step.action.order is Order.TAG
    against = tuple(
        f"{finding.gate} {finding.subject} ({finding.reason})"
        for of_gate in findings.values()
        for finding in of_gate
        if (finding.state is State.FAILED and (finding.gate, finding.subject) not in mendable)
        or (blind and finding.who is Who.CANNOT_TELL)
    )
    return replace(step, blocked=(*step.blocked, *against))


def _complete(need: str, findings: Findings, roles: Mapping[tuple[str, str], str]) -> bool:
    return all(finding.state is State.COMPLETE for finding in _of(need, findings, roles))


def _failed(need: str, findings: Findings, roles: Mapping[tuple[str, str], str]) -> bool:
    return any(finding.state is State.FAILED for finding in _of(need, findings, roles))


def _of(need: str, findings: Findings, roles: Mapping[tuple[str, str], str]) -> list[Finding]:
    gate, _, role = need.partition("#")
    return [
        finding
        for finding in findings.get(gate, ())
        if not role or roles.get((gate, finding.subject)) == role
    ]
