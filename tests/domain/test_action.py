"""What may be done next: blockers, order and roles, as pure rules."""

from datetime import UTC, datetime
from typing import Any

import pytest

from release.contract import found
from release.domain.action import Action, Effect, Findings, Order, Step, blockers, runnable
from release.domain.plan import Subject

NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
DONE, OPEN, WRONG = "tag.agrees", "tag.absent", "tag.commit-differs"
PLAN: Any = None


def subject(name: str, gate: str = "make", role: str = "") -> Subject:
    return Subject(gate=gate, name=name, plan=PLAN, role=role)


def action(order: Order = Order.STAGE, **changes: Any) -> Action:
    values: dict[str, Any] = {"does": "make {subject}", "where": "here", "effect": Effect.REVERSIBLE}
    return Action(order=order, **{**values, **changes})


def step(name: str, order: Order = Order.STAGE, *blocked: str) -> Step:
    one = subject(name)
    return Step(subject=one, finding=found(one, OPEN, "", NOW), action=action(order), blocked=blocked)


def findings(gate: str, **reasons: str) -> Findings:
    return {gate: tuple(found(subject(name, gate), reason, "", NOW) for name, reason in reasons.items())}


def test_the_lowest_unblocked_order_runs_and_nothing_else() -> None:
    """A tag waits for every upload that can still be made, npm for every tag, and so on."""
    steps = (step("npm", Order.NPM), step("a"), step("tag", Order.TAG), step("b"))
    assert [one.subject.name for one in runnable(steps)] == ["a", "b"]
    assert [one.subject.name for one in runnable(steps[:1] + steps[2:3])] == ["tag"]


def test_what_is_blocked_holds_nobody_up() -> None:
    """A blocked step of a lower order does not run, and does not keep a free one from running."""
    steps = (step("a", Order.STAGE, "something"), step("tag", Order.TAG))
    assert [one.subject.name for one in runnable(steps)] == ["tag"]
    assert runnable((step("a", Order.STAGE, "something"),)) == ()
    assert runnable(()) == ()


def test_the_orders_are_those_of_the_design() -> None:
    """Reversible staging, then the tag, then npm, then publishing the draft (DESIGN §6)."""
    assert list(Order) == sorted([Order.PUBLISH, Order.NPM, Order.TAG, Order.STAGE])
    assert Order.STAGE < Order.TAG < Order.NPM < Order.PUBLISH


@pytest.mark.parametrize(("reason", "waits"), [(DONE, ()), (OPEN, ("needed",)), (WRONG, ("needed",))])
def test_a_need_must_be_complete(reason: str, waits: tuple[str, ...]) -> None:
    """Pending and failed needs block alike; the blocker is named as it stands in ``needs``."""
    seen = findings("needed", one=DONE, two=reason)
    assert blockers(action(needs=("needed",)), subject("x"), (), seen, {}) == waits


def test_a_need_without_subjects_blocks_nothing() -> None:
    """A gate that the plan declares nothing for has nothing to wait for."""
    assert blockers(action(needs=("needed", "needed#role")), subject("x"), (), {}, {}) == ()


def test_a_need_with_a_role_counts_only_that_role() -> None:
    """``acceptance#source`` waits for source acceptances, and for no other (DESIGN §6)."""
    seen = findings("acceptance", source=DONE, registry=OPEN)
    roles = {("acceptance", "source"): "source", ("acceptance", "registry"): "registryNpm"}
    need = action(needs=("acceptance#source",))
    assert blockers(need, subject("x"), (), seen, roles) == ()
    other = action(needs=("acceptance#registryNpm",))
    assert blockers(other, subject("x"), (), seen, roles) == ("acceptance#registryNpm",)
    assert blockers(action(needs=("acceptance",)), subject("x"), (), seen, roles) == ("acceptance",)


def test_a_subject_waits_for_those_that_it_follows() -> None:
    """Packages are published in dependency order: a follower names whom it waits for."""
    seen = findings("make", core=OPEN, cli=OPEN, other=DONE)
    assert blockers(action(), subject("cli"), ("core",), seen, {}) == ("make core",)
    assert blockers(action(), subject("cli"), ("other", "unknown"), seen, {}) == ()


def test_the_sentence_names_the_subject() -> None:
    """What a person is asked to agree to says which thing is made."""
    assert step("v1.2.3").sentence == "make v1.2.3"
