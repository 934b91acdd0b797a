"""What keeps an action from running besides its needs: anything broken, unseen, or over already."""

from datetime import UTC, datetime
from typing import Any

import pytest

from release.contract import found
from release.domain.action import Action, Effect, Findings, Order, Step, blockers, held_back, is_over
from release.domain.finding import Finding
from release.domain.plan import Subject

NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
PLAN: Any = None
DONE, OPEN, WRONG, UNSEEN = "tag.agrees", "tag.absent", "tag.commit-differs", "git.unreachable"


def a_finding(gate: str, name: str, reason: str) -> Finding:
    return found(Subject(gate=gate, name=name, plan=PLAN), reason, "", NOW)


def a_step(order: Order, effect: Effect = Effect.IRREVERSIBLE, name: str = "x", *blocked: str) -> Step:
    subject = Subject(gate="make", name=name, plan=PLAN)
    action = Action(does="make {subject}", where="here", order=order, effect=effect)
    return Step(subject=subject, finding=found(subject, OPEN, "", NOW), action=action, blocked=blocked)


def seen(**reasons: str) -> Findings:
    """One finding a gate, of the subject ``one``."""
    return {gate: (a_finding(gate, "one", reason),) for gate, reason in reasons.items()}


@pytest.mark.parametrize(
    ("effect", "reason", "blocked"),
    [
        (Effect.IRREVERSIBLE, WRONG, ("other one (tag.commit-differs)",)),
        (Effect.IRREVERSIBLE, OPEN, ()),
        (Effect.IRREVERSIBLE, DONE, ()),
        (Effect.REVERSIBLE, WRONG, ()),
        (Effect.READ_ONLY, WRONG, ()),
    ],
)
def test_nothing_irreversible_while_anything_has_failed(
    effect: Effect, reason: str, blocked: tuple[str, ...]
) -> None:
    """A failure anywhere may mean that this version can never be: what can be undone may still run."""
    step = a_step(Order.NPM, effect)
    assert held_back(step, (step,), seen(other=reason)).blocked == blocked


def test_what_blocked_before_blocks_still() -> None:
    """Failures come after the needs that are not complete."""
    step = a_step(Order.NPM, Effect.IRREVERSIBLE, "x", "source-tag")
    assert held_back(step, (), seen(other=WRONG, more=WRONG)).blocked == (
        "source-tag",
        "other one (tag.commit-differs)",
        "more one (tag.commit-differs)",
    )


def test_a_failure_that_an_action_would_mend_holds_nothing_up() -> None:
    """A dist-tag that is behind has failed, and setting it is the remedy; its namesake elsewhere is none."""
    step = a_step(Order.NPM)
    mend = a_step(Order.NPM, Effect.IRREVERSIBLE, "tag")
    findings = {"make": (a_finding("make", "tag", WRONG),), "other": (a_finding("other", "tag", WRONG),)}
    assert held_back(step, (step, mend), findings).blocked == ("other tag (tag.commit-differs)",)
    findings["other"] = (a_finding("other", "x", DONE),)
    assert held_back(step, (step, mend), findings).blocked == ()


@pytest.mark.parametrize(
    ("order", "blocked"),
    [(Order.TAG, ("other one (git.unreachable)",)), (Order.NPM, ()), (Order.PUBLISH, ())],
)
def test_the_tag_waits_until_everything_could_be_looked_at(order: Order, blocked: tuple[str, ...]) -> None:
    """What could not be seen may be what makes the version impossible; later steps have their own needs."""
    step = a_step(order)
    assert held_back(step, (step,), seen(other=UNSEEN)).blocked == blocked
    assert held_back(a_step(order, Effect.REVERSIBLE), (), seen(other=UNSEEN)).blocked == ()
    assert held_back(step, (step,), seen(other=OPEN, more=DONE)).blocked == ()


ROLES = {("other", "one"): "release", ("other", "two"): "latest"}


def action(**changes: Any) -> Action:
    return Action(does="", where="", order=Order.STAGE, effect=Effect.REVERSIBLE, **changes)


@pytest.mark.parametrize(
    ("reason", "waits"), [(WRONG, ("other#release",)), (OPEN, ()), (UNSEEN, ()), (DONE, ())]
)
def test_what_must_be_unbroken(reason: str, waits: tuple[str, ...]) -> None:
    """It need not be complete yet, and must not have failed; another role of the gate does not count."""
    subject = Subject(gate="make", name="x", plan=PLAN)
    findings = {"other": (a_finding("other", "one", reason), a_finding("other", "two", WRONG))}
    assert blockers(action(unbroken=("other#release",)), subject, (), findings, ROLES) == waits


@pytest.mark.parametrize(
    ("unfinished", "one", "two", "over"),
    [
        (("other#release",), DONE, OPEN, True),
        (("other#release",), OPEN, DONE, False),
        (("other",), DONE, OPEN, False),
        (("other",), DONE, DONE, True),
        (("other#release", "other#latest"), DONE, OPEN, False),
        ((), DONE, DONE, False),
    ],
)
def test_what_comes_too_late(unfinished: tuple[str, ...], one: str, two: str, over: bool) -> None:
    """Something that belongs to an unpublished release is not done to one that is complete."""
    findings = {"other": (a_finding("other", "one", one), a_finding("other", "two", two))}
    assert is_over(action(unfinished=unfinished), findings, ROLES) is over
