"""The loop of converge, with small gates over a world of named things that exist or do not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event
from typing import Any

import pytest

from release.contract import Effect, Stage, found
from release.converge import Convergence, converge, steps_of
from release.domain.action import Action, Findings, Order, Step
from release.domain.errors import CannotTell, ReleaseError
from release.domain.finding import Finding
from release.domain.plan import Subject
from release.domain.state import State
from release.write_ports import Refused, Write

NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
COMMIT = "c" * 40


@dataclass
class Tag:
    """What the world's git says of a tag."""

    commit: str


@dataclass
class World:
    """Things by name, with what is to be said of each; what was written, and how often was looked."""

    reasons: dict[str, str]
    tags: dict[str, Tag] = field(default_factory=dict)
    acted: list[str] = field(default_factory=list)
    looks: int = 0
    pauses: int = 0
    patience: int = 0
    on_pause: Callable[["World"], None] = lambda _: None
    effects: dict[str, Callable[["World", str], None]] = field(default_factory=dict)

    def read(self) -> Any:
        self.looks += 1
        return _Read(git=_Git(self), world=self)

    def write(self, read: Any) -> Any:
        return self

    def now(self) -> datetime:
        return NOW

    def pause(self, attempt: int) -> bool:
        if self.pauses >= self.patience:
            return False
        self.pauses += 1
        self.on_pause(self)
        return True


@dataclass
class _Git:
    world: World

    def tag(self, name: str) -> Tag | None:
        return self.world.tags.get(name)


@dataclass
class _Read:
    git: _Git
    world: World


@dataclass(frozen=True)
class FakePlan:
    """What the loop itself reads of a plan."""

    commit: str = COMMIT
    required: tuple[str, ...] = ()
    tags: tuple[Any, ...] = ()


@dataclass
class FakeGate:
    """A gate over ``names``; acting does what the world's ``effects`` say, else makes the thing exist."""

    NAME: str
    names: tuple[str, ...]
    ACTIONS: Mapping[str, Action] = field(default_factory=dict)
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    CLAIM: str = "it is there"
    NEEDS: tuple[str, ...] = ()
    STAGE: Stage = Stage.STAGE
    EFFECT: Effect = Effect.REVERSIBLE
    RECHECK: str = ""

    def subjects(self, plan: Any) -> tuple[Subject, ...]:
        return tuple(Subject(gate=self.NAME, name=name, plan=plan, role=name) for name in self.names)

    def observe(self, subject: Subject, read: Any) -> str:
        return str(read.world.reasons[subject.name])

    def judge(self, subject: Subject, seen: str, now: datetime) -> Finding:
        return found(subject, seen, f"{subject.name}: {seen}", now)

    def follows(self, subject: Subject) -> tuple[str, ...]:
        return self.after.get(subject.name, ())

    def act(self, subject: Subject, finding: Finding, write: Write) -> None:
        world: Any = write
        world.acted.append(subject.name)
        effect = world.effects.get(subject.name)
        if effect is None:
            world.reasons[subject.name] = "tag.agrees"
        else:
            effect(world, subject.name)


@dataclass
class FakeFence:
    """Counts; ``busy`` is how often somebody else holds the lease, ``broken`` what a check raises."""

    busy: int = 0
    broken: Exception | None = None
    entered: list[tuple[Step, ...]] = field(default_factory=list)
    checks: int = 0

    def enter(self, steps: tuple[Step, ...]) -> bool:
        self.entered.append(steps)
        self.busy -= 1
        return self.busy < 0

    def check(self) -> None:
        self.checks += 1
        if self.broken:
            raise self.broken


def makes(order: Order = Order.STAGE, reason: str = "tag.absent", **changes: Any) -> dict[str, Action]:
    effect = Effect.REVERSIBLE if order is Order.STAGE else Effect.IRREVERSIBLE
    action = Action(does="make {subject}", where="here", order=order, effect=effect)
    return {reason: replace(action, **changes)}


STAGED = FakeGate("asset-upload", ("a", "b"), makes())
TAGGED = FakeGate("source-tag", ("tag",), makes(Order.TAG, needs=("asset-upload",)))
SHIPPED = FakeGate("npm-publish", ("core", "cli"), makes(Order.NPM), {"cli": ("core",)})
LOOKED = FakeGate("checks", ("check",))
GATES = (STAGED, TAGGED, SHIPPED, LOOKED)


def a_world(**reasons: str) -> World:
    everything = dict.fromkeys(("a", "b", "tag", "core", "cli"), "tag.absent")
    return World(reasons={**everything, "check": "tag.agrees", **reasons})


def work(world: World, gates: tuple[FakeGate, ...] = GATES, **changes: Any) -> Convergence:
    values: dict[str, Any] = {
        "plan": FakePlan(),
        "gates": gates,
        "acting": tuple(gate for gate in gates if gate.ACTIONS),
        "world": world,
        "fence": FakeFence(),
        "on_done": lambda *_: None,
        "on_act": lambda _: None,
    }
    return Convergence(**{**values, **changes})


def of(findings: Findings, name: str) -> Finding:
    return next(one for of_gate in findings.values() for one in of_gate if one.subject == name)


def states(findings: Findings) -> set[State]:
    return {one.state for of_gate in findings.values() for one in of_gate}


def test_everything_is_made_once_and_in_order() -> None:
    """Staging, then the tag, then packages in dependency order; each exactly once."""
    world = a_world()
    findings, steps = converge(work(world))
    assert sorted(world.acted[:2]) == ["a", "b"]
    assert world.acted[2:] == ["tag", "core", "cli"]
    assert [step.subject.name for step in steps] == world.acted
    assert states(findings) == {State.COMPLETE}


def test_a_complete_release_never_enters() -> None:
    """Nothing to do: no lease is taken, no fence checked, nothing written, one survey made."""
    world, fence = a_world(**dict.fromkeys(("a", "b", "tag", "core", "cli"), "tag.agrees")), FakeFence()
    _, steps = converge(work(world, fence=fence))
    assert (steps, fence.entered, fence.checks, world.looks) == ((), [], 0, 1)


def test_after_waiting_for_another_the_world_is_looked_at_again() -> None:
    """The other finished the release meanwhile: nothing is written, and the lease is not taken."""
    world = a_world()

    class Waits(FakeFence):
        def enter(self, steps: tuple[Step, ...]) -> bool:
            world.reasons = dict.fromkeys(world.reasons, "tag.agrees")
            return super().enter(steps)

    fence = Waits(busy=1)
    findings, steps = converge(work(world, fence=fence))
    assert (steps, world.acted, fence.checks) == ((), [], 0)
    assert states(findings) == {State.COMPLETE}


def test_the_fence_is_shown_every_step_of_the_call() -> None:
    """Blocked steps too: the preflight must see everything that this run will need."""
    fence = FakeFence()
    converge(work(a_world(), fence=fence))
    assert [step.subject.name for step in fence.entered[0]] == ["a", "b", "tag", "core", "cli"]


def test_the_fence_is_checked_before_each_write_and_stops_it() -> None:
    """A holder that lost the lease writes nothing more (fencing)."""
    world, fence = a_world(), FakeFence(broken=ReleaseError("somebody else took the lease over"))
    with pytest.raises(ReleaseError, match="took the lease over"):
        converge(work(world, fence=fence))
    assert world.acted == []
    assert fence.checks >= 1


def test_a_subject_that_changed_since_the_survey_is_not_acted_on() -> None:
    """Each subject is looked at again right before: made by another meanwhile, it is left alone."""
    world = a_world(b="tag.agrees", tag="tag.agrees", core="tag.agrees", cli="tag.agrees")

    class Overtaken(FakeFence):
        def enter(self, steps: tuple[Step, ...]) -> bool:
            world.reasons["a"] = "tag.agrees"
            return True

    findings, steps = converge(work(world, fence=Overtaken()))
    assert (world.acted, steps, states(findings)) == ([], (), {State.COMPLETE})


def test_an_unknown_outcome_is_looked_at_and_sent_again_only_if_absent() -> None:
    """A cut write whose effect is there is not repeated; one without effect is, after a look."""

    def cut_after(world: World, name: str) -> None:
        world.reasons[name] = "tag.agrees"
        raise CannotTell("git.unreachable", "cut")

    world = a_world()
    world.effects["a"] = cut_after
    findings, _ = converge(work(world))
    assert world.acted.count("a") == 1
    assert states(findings) == {State.COMPLETE}


def test_an_unknown_outcome_hides_nothing_that_was_seen_since() -> None:
    """A publish that was cut and is on its way is said to be on its way, not to be unknown."""

    def cut_after(world: World, name: str) -> None:
        world.reasons[name] = "npm.propagating"
        raise CannotTell("npm.unreachable", "cut")

    world = a_world(a="tag.agrees", b="tag.agrees", tag="tag.agrees")
    world.effects["core"] = cut_after
    findings, _ = converge(work(world))
    assert of(findings, "core").reason == "npm.propagating"


def test_an_outcome_that_stays_open_is_tried_three_times_and_said() -> None:
    """After three attempts the run ends, says "cannot tell" of that subject, and goes no further."""

    def cut_before(world: World, name: str) -> None:
        raise CannotTell("git.unreachable", "cut")

    world = a_world()
    world.effects["a"] = cut_before
    findings, _ = converge(work(world))
    assert world.acted.count("a") == 3
    assert of(findings, "a").reason == "git.unreachable"
    assert "tag" not in world.acted


def test_a_refusal_stops_everything_and_is_said_as_failed() -> None:
    """A credential that may not write is not tried on the next thing, and not on this one again."""

    def refuse(world: World, name: str) -> None:
        raise Refused("npm.publish-denied", "no access")

    world = a_world(a="tag.agrees", b="tag.agrees", tag="tag.agrees")
    world.effects["core"] = refuse
    findings, _ = converge(work(world))
    assert world.acted == ["core"]
    assert (of(findings, "core").reason, of(findings, "core").state) == ("npm.publish-denied", State.FAILED)
    assert of(findings, "cli").state is State.PENDING


def test_a_refusal_of_one_upload_does_not_hide_what_the_others_did() -> None:
    """Uploads run side by side: the refused one is said, the other is complete, and nothing follows."""
    made = Event()

    def refuse(world: World, name: str) -> None:
        assert made.wait(10)
        raise Refused("github.write-denied", "no access")

    def make(world: World, name: str) -> None:
        world.reasons[name] = "tag.agrees"
        made.set()

    world = a_world()
    world.effects |= {"a": refuse, "b": make}
    findings, _ = converge(work(world))
    assert of(findings, "a").reason == "github.write-denied"
    assert of(findings, "b").state is State.COMPLETE
    assert "tag" not in world.acted


def test_a_refusal_must_be_a_failure() -> None:
    """A refusal with a reason that is no failure is a bug, not a green light."""

    def refuse(world: World, name: str) -> None:
        raise Refused("tag.agrees", "what?")

    world = a_world()
    world.effects["a"] = refuse
    with pytest.raises(ValueError, match="a refusal must be a failure"):
        converge(work(world))


def test_irreversible_steps_are_held_back_by_any_failure() -> None:
    """A failed check that no action mends stops the tag; uploads, which can be undone, go on."""
    world = a_world(check="tag.commit-differs")
    findings, _ = converge(work(world))
    assert sorted(world.acted) == ["a", "b"]
    assert of(findings, "check").state is State.FAILED


def test_a_failure_that_an_action_mends_holds_nothing_back() -> None:
    """A stale dist-tag is failed and mendable: it does not block its own repair."""
    gate = FakeGate("npm-publish", ("stale",), makes(Order.NPM, reason="npm.dist-tag-stale"))
    world = World(reasons={"stale": "npm.dist-tag-stale"})
    findings, _ = converge(work(world, (gate,)))
    assert (world.acted, states(findings)) == (["stale"], {State.COMPLETE})


def test_an_action_with_an_option_needs_it() -> None:
    """Discarding an interrupted upload happens only when the option is on the command line."""
    gate = FakeGate("asset-upload", ("wreck",), makes(reason="asset.upload-interrupted", option="--discard"))
    world = World(reasons={"wreck": "asset.upload-interrupted"})
    converge(work(world, (gate,)))
    assert world.acted == []
    converge(work(world, (gate,), given=frozenset({"--discard"})))
    assert world.acted == ["wreck"]


def test_until_is_the_last_order_that_acts() -> None:
    """``--until source-tag`` tags and publishes nothing."""
    world = a_world()
    converge(work(world, until=Order.TAG))
    assert sorted(world.acted) == ["a", "b", "tag"]


def test_only_the_named_gates_act() -> None:
    """``--gate`` narrows who acts, never what is looked at: blockers still count."""
    world = a_world()
    converge(work(world, only=("source-tag",)))
    assert world.acted == []
    converge(work(world, only=("asset-upload",)))
    assert sorted(world.acted) == ["a", "b"]
    converge(work(world, only=("source-tag",)))
    assert sorted(world.acted) == ["a", "b", "tag"]


@pytest.mark.parametrize("commit", ["d" * 40, None])
def test_a_tag_on_another_commit_stops_irreversible_steps(commit: Any) -> None:
    """The remote tag is resolved again right before each irreversible step (DESIGN §3)."""
    world = a_world(a="tag.agrees", b="tag.agrees", tag="tag.agrees")
    world.tags["v1"] = Tag(commit=commit)
    plan = FakePlan(tags=(FakeGateTag("v1"),))
    converge(work(world, plan=plan))
    assert world.acted == []
    world.tags["v1"] = Tag(commit=COMMIT)
    converge(work(world, plan=plan))
    assert world.acted == ["core", "cli"]


@dataclass(frozen=True)
class FakeGateTag:
    """A planned tag."""

    name: str


def test_tags_that_cannot_be_looked_at_stop_irreversible_steps() -> None:
    """Could not look is no licence to write, and ends nothing either (cases rule 2)."""
    world = a_world(a="tag.agrees", b="tag.agrees", tag="tag.agrees")

    class Blind(dict[str, Tag]):
        def get(self, *_: Any) -> Any:
            raise CannotTell("git.unreachable", "the remote is gone")

    world.tags = Blind()
    findings, _ = converge(work(world, plan=FakePlan(tags=(FakeGateTag("v1"),))))
    assert world.acted == []
    assert of(findings, "core").reason == "git.unreachable"


def test_a_fence_that_cannot_be_checked_stops_the_write_and_not_the_run() -> None:
    """Whether the lease is still held is not known: nothing is written, and that is said."""
    world = a_world()
    findings, steps = converge(
        work(world, fence=FakeFence(broken=CannotTell("git.unreachable", "no remote")))
    )
    assert (world.acted, steps) == ([], ())
    assert of(findings, "a").reason == "git.unreachable"


def test_time_is_waited_for_only_where_only_time_helps() -> None:
    """Propagation is waited for; then the next step follows, and the waiting starts anew."""

    def publishes(world: World, name: str) -> None:
        world.reasons[name] = "npm.propagating"

    def arrives(world: World) -> None:
        world.reasons["core"] = "tag.agrees"

    world = a_world(a="tag.agrees", b="tag.agrees", tag="tag.agrees")
    world.effects["core"], world.on_pause, world.patience = publishes, arrives, 3
    findings, _ = converge(work(world))
    assert (world.acted, world.pauses, states(findings)) == (["core", "cli"], 1, {State.COMPLETE})


def test_waiting_ends_when_the_patience_is_used_up() -> None:
    """What still propagates then is pending, with ``wait``; nothing was sent twice."""
    world = a_world(**dict.fromkeys(("a", "b", "tag", "cli"), "tag.agrees"), core="npm.propagating")
    world.patience = 2
    findings, _ = converge(work(world))
    assert (world.pauses, world.acted, of(findings, "core").reason) == (2, [], "npm.propagating")


def test_nothing_is_waited_for_where_something_failed() -> None:
    """A failure does not go away by waiting."""
    world = a_world(
        **dict.fromkeys(("a", "b", "tag", "cli"), "tag.agrees"),
        core="npm.propagating",
        check="tag.commit-differs",
    )
    world.patience = 2
    converge(work(world))
    assert world.pauses == 0


def test_the_plan_of_actions_names_what_each_waits_for() -> None:
    """Printed without --yes: every action, in order, each with its blockers."""
    world = a_world(check="tag.commit-differs")
    findings = {
        gate.NAME: tuple(
            gate.judge(one, gate.observe(one, world.read()), NOW) for one in gate.subjects(FakePlan())
        )
        for gate in GATES
    }
    plan: Any = FakePlan()
    steps = steps_of(plan, GATES, GATES[:3], findings)
    blocked = {step.subject.name: step.blocked for step in steps}
    failed = "checks check (tag.commit-differs)"
    assert blocked == {
        "a": (),
        "b": (),
        "tag": ("asset-upload", failed),
        "core": (failed,),
        "cli": ("npm-publish core", failed),
    }
