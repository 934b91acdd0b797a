"""Two at once, and a stranger: any interleaving of two converges, a status, faults, crashes and an outsider.

The real loop, gates, lease and ledger run over one simulated world, one step of one process at a time; which
step comes next is hypothesis' choice. ``RELEASE_LONG=1`` searches for longer and with other seeds.
"""

import json
import os
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from model_actors import Actor, convergence, started, status
from model_ports import chain_of
from model_steps import Process
from model_truth import (
    CLI,
    CORE,
    FILES,
    LEASE,
    OLD,
    PACKED,
    TAG_REF,
    VERSION,
    WRONG,
    Truth,
    object_id,
    wrong_tarball,
)
from worldkit import COMMIT, OTHER

import release.adapters.ledger
import release.converge
import release.survey
from release.adapters.lease_record import FILE, encode
from release.domain.errors import CannotTell, ReleaseError
from release.domain.lease import LeaseFacts
from release.domain.reasons import Who
from release.domain.report import Report
from release.domain.state import State

LONG = os.environ.get("RELEASE_LONG") == "1"
PROCESSES = ("first", "second", "status")
MOST_STEPS = 3000

packages = st.sampled_from((CORE, CLI))
converging = st.sampled_from(PROCESSES[:2])
anyone = st.sampled_from(PROCESSES)


@pytest.fixture(autouse=True)
def one_thread_a_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each process do one thing at a time, so that a run can be repeated; read the ledger from memory."""
    with steady_world(monkeypatch):
        yield


class steady_world:  # noqa: N801 - used as a function
    """The patches of ``one_thread_a_process``, for ``with``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def __enter__(self) -> None:
        self._patch.setattr(release.adapters.ledger, "read_chain", chain_of)
        self._patch.setattr(release.survey, "WORKERS", 1)
        self._patch.setattr(release.converge, "UPLOADS", 1)

    def __exit__(self, *_: object) -> None:
        self._patch.undo()


class TwoAtOnceAndAStranger(RuleBasedStateMachine):
    """The world, its processes and everything that can happen to them."""

    @initialize(trouble=st.sampled_from([0, 0, 1, 1, 1, 2, 3]))
    def begin(self, trouble: int) -> None:
        """Begin with nothing released; ``trouble`` is how much damage the stranger does at most."""
        self.truth, self.trouble = Truth(), trouble
        self.running: dict[str, tuple[Process, Actor]] = {}

    # our processes

    @rule(name=anyone, discard=st.booleans(), steps=st.integers(0, 60))
    def start(self, name: str, discard: bool, steps: int) -> None:
        """Start a process where it does not run, and let it take some steps."""
        if name not in self.running:
            body = status if name == "status" else convergence
            self.running[name] = started(self.truth, name, body, discard=discard)
        self.advance(name, steps)

    @precondition(lambda self: self.running)
    @rule(name=anyone, steps=st.integers(1, 80))
    def advance(self, name: str, steps: int) -> None:
        """Let a process take some steps."""
        if name not in self.running:
            return
        process = self.running[name][0]
        for _ in range(steps):
            if not process.grant():
                break
            self.nothing_is_broken()
        self._bury(name)

    @rule(turns=st.lists(st.tuples(anyone, st.integers(1, 12)), min_size=2, max_size=12))
    def take_turns(self, turns: list[tuple[str, int]]) -> None:
        """Let all processes run, a few steps each in turn."""
        for name, steps in turns:
            self.start(name, False, steps)

    @rule(
        name=converging,
        seconds=st.sampled_from([0, 130, 200]),
        steps=st.sampled_from([10, 40, 120]),
        stolen=st.booleans(),
    )
    def stand_still_before_a_write(self, name: str, seconds: int, steps: int, stolen: bool) -> None:
        """Let a process get as far as its next write, and the other go on meanwhile; then let it go on."""
        self.start(name, False, 0)
        while name in self.running and not self.running[name][0].near:
            self.advance(name, 1)
        if stolen:
            self.stranger_steals_the_lease(released=True)
        self.let_time_pass(seconds)
        other = PROCESSES[1 - PROCESSES.index(name)]
        self.start(other, False, steps)
        self.advance(name, steps)

    @precondition(lambda self: self.running)
    @rule(name=converging, steps=st.integers(0, 40))
    def kill(self, name: str, steps: int) -> None:
        """End a process some steps further."""
        self.advance(name, steps)
        if name in self.running:
            self.running.pop(name)[0].kill()

    @precondition(lambda self: self.running)
    @rule(
        name=converging,
        kind=st.sampled_from(["write before", "write after", "write starter", "read before"]),
    )
    def break_the_next(self, name: str, kind: str) -> None:
        """Let the next write or read of a process be cut, or its next upload leave a wreck."""
        if name in self.running:
            self.running[name][0].fault = kind

    @rule(seconds=st.sampled_from([1, 30, 70, 130, 700]))
    def let_time_pass(self, seconds: int) -> None:
        """Let time pass for all."""
        self.truth.now += timedelta(seconds=seconds)

    # the stranger

    def _stranger(self, harm: bool, act: Callable[[], object]) -> None:
        """Do it: what is right always, what is wrong as long as there is trouble left."""
        if harm and self.trouble <= 0:
            return
        before = self.truth.version
        act()
        self.trouble -= harm and self.truth.version != before

    @precondition(lambda self: self.truth.releases)
    @rule(index=st.integers(0, len(FILES)), right=st.booleans())
    def stranger_uploads(self, index: int, right: bool) -> None:
        """Upload an asset that is not there yet, right or wrong, or one that nobody planned."""
        release = max(self.truth.releases)
        held = {one.name for one in self.truth.assets[release].values()}
        missing = [name for name in FILES if name not in held] or ["surprise.txt"]
        name = missing[index] if index < len(missing) else "surprise.txt"
        body = FILES.get(name, WRONG) if right else WRONG
        self._stranger(body is WRONG, lambda: self.truth.upload("stranger", release, name, body))

    @precondition(lambda self: any(self.truth.assets.values()))
    @rule(data=st.data())
    def stranger_deletes(self, data: st.DataObject) -> None:
        """Delete an asset."""
        held = [(release, one) for release, assets in self.truth.assets.items() for one in assets]
        release, one = data.draw(st.sampled_from(sorted(held)))
        self._stranger(True, lambda: self.truth.delete_asset("stranger", release, one))

    @rule(commit=st.sampled_from([COMMIT, OTHER]))
    def stranger_tags(self, commit: str) -> None:
        """Create the tag, or move it."""

        def tag() -> None:
            if self.truth.refs.get(TAG_REF) != commit:
                self.truth.refs[TAG_REF] = commit
                self.truth.wrote("stranger", "tag", TAG_REF)

        self._stranger(commit == OTHER, tag)

    @rule(name=packages, right=st.booleans())
    def stranger_publishes(self, name: str, right: bool) -> None:
        """Publish a package, right or wrong."""
        tarball = PACKED[name] if right else wrong_tarball(name)
        self._stranger(not right, lambda: self.truth.publish_package("stranger", name, tarball, "latest"))

    @rule(name=packages)
    def stranger_moves_the_dist_tag(self, name: str) -> None:
        """Point latest back at the old version."""
        self.truth.point("stranger", name, "latest", OLD)

    @precondition(lambda self: any(one.draft for one in self.truth.of_tag()))
    @rule(latest=st.booleans())
    def stranger_publishes_the_draft(self, latest: bool) -> None:
        """Flip the newest draft to published."""
        draft = max(one.id for one in self.truth.of_tag() if one.draft)
        self._stranger(not latest, lambda: self.truth.publish_release("stranger", draft, latest=latest))

    @precondition(lambda self: len(self.truth.releases) < 2)
    @rule()
    def stranger_drafts(self) -> None:
        """Create a draft: the first one is as good as ours."""
        self._stranger(bool(self.truth.releases), lambda: self.truth.create_draft("stranger"))

    @rule(released=st.booleans())
    def stranger_steals_the_lease(self, released: bool) -> None:
        """Take the lease over by force, or release somebody else's."""
        old = self.truth.refs.get(LEASE)
        facts = LeaseFacts(
            commit="",
            holder="stranger",
            epoch=99,
            term=timedelta(minutes=2),
            expires_at=self.truth.now + timedelta(minutes=2),
            released=released,
        )
        content = json.dumps(encode(facts, object_id(old, self.truth.now))).encode()
        oid = object_id(content, old)
        self.truth.commits[oid] = {FILE: content}, old, 0
        self.truth.refs[LEASE] = oid

    # what must hold

    @invariant()
    def nothing_is_broken(self) -> None:
        """No process of ours ever did what none may do."""
        if hasattr(self, "truth"):
            assert self.truth.broken == [], (self.truth.broken, self.truth.journal)

    def teardown(self) -> None:
        """Faults and stranger stop: then the release is finished, or what makes that impossible is said."""
        if not hasattr(self, "truth"):
            return
        for name in list(self.running):
            self.running[name][0].fault = ""
            self._finish(name)
        self.truth.now += timedelta(minutes=30)
        self.running["first"] = started(self.truth, "first", convergence, discard=True)
        report = self._finish("first").report
        assert report is not None, "the last converge reported nothing"
        self._judge(report)

    def _finish(self, name: str) -> Actor:
        process, actor = self.running[name]
        for _ in range(MOST_STEPS):
            if not process.grant():
                break
            self.nothing_is_broken()
        assert process.ended, f"{name} takes more than {MOST_STEPS} steps"
        self._bury(name)
        return actor

    def _bury(self, name: str) -> None:
        process = self.running[name][0]
        if process.ended:
            del self.running[name]
            if not isinstance(process.error, None | CannotTell | ReleaseError):
                raise process.error

    def _judge(self, report: Report) -> None:
        conflicts, findings = self.truth.conflicts(), [one for gate in report.gates for one in gate.findings]
        journal, open_ = self.truth.journal, [one for one in findings if one.state is not State.COMPLETE]
        said = [f"{one.gate} {one.subject}: {one.reason}" for one in open_]
        assert (report.state is State.COMPLETE) is self.truth.complete(), (said, conflicts, journal)
        assert self.truth.complete() or conflicts, (said, journal)
        if report.state is not State.COMPLETE:
            assert report.state is State.FAILED, (said, conflicts)
            assert any(one.who in (Who.YOU, Who.NOBODY) or one.state is State.FAILED for one in open_), said


TwoAtOnceAndAStranger.TestCase.settings = settings(
    max_examples=1500 if LONG else 100,
    stateful_step_count=60 if LONG else 40,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


class TestTwoAtOnceAndAStranger(TwoAtOnceAndAStranger.TestCase):  # type: ignore[name-defined,misc]
    """Nothing is overwritten, complete is true, status writes nothing, and it ends converged (R-CONV)."""


def test_one_process_alone_finishes_the_release() -> None:
    """The model can be finished at all: one converge makes everything exactly once, and it is complete."""
    truth = Truth()
    process, actor = started(truth, "first", convergence)
    while process.grant():
        pass
    assert process.error is None
    assert truth.complete()
    assert actor.report is not None
    assert actor.report.exit == 0
    made = [what for _, what, _ in truth.journal]
    assert made == ["draft", *["asset uploaded"] * len(FILES), "tag", "npm", "npm", "publish"]
    assert truth.broken == []


def test_the_model_can_see_what_must_not_be() -> None:
    """Each thing that is forbidden to our own processes is noticed, so that the search can find it."""
    truth = Truth()
    release = truth.create_draft("first").id
    truth.create_draft("second")
    number = 0
    truth.upload("first", release, "SHA256SUMS", FILES["SHA256SUMS"])
    number = next(iter(truth.assets[release]))
    truth.delete_asset("second", release, number)
    truth.swap("first", TAG_REF, None, COMMIT)
    truth.swap("second", TAG_REF, COMMIT, OTHER)
    truth.upload("status", release, "SHA256SUMS", FILES["SHA256SUMS"])
    truth.dist_tags[CORE]["latest"] = "2.0.0"
    truth.point("first", CORE, "latest", VERSION)
    forbidden = [text for text in truth.broken if "held the lease" not in text]
    assert [text.split()[1] for text in forbidden] == ["created", "deleted", "moved", "did", "took"]
    assert len(truth.broken) > len(forbidden)
