"""The lease: one writer over all machines, fenced before each write, succeeded after it expired (R-CONV)."""

import contextlib
import json
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from git_fixtures import git
from refs_fixtures import REF, START, Machines, Time, lease

from release.adapters.git.refs import Pushed, RefStore
from release.adapters.lease import Lease, LeaseHeld, held
from release.adapters.steady import steady
from release.domain.errors import CannotTell, ReleaseError


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """A remote and machines that know it."""
    return Machines(tmp_path)


@pytest.fixture
def time() -> Time:
    """The clocks of all machines, unless a test gives one its own."""
    return Time()


def test_the_second_is_told_who_holds_it(machines: Machines, time: Time) -> None:
    """While one holds the lease another cannot take it, and learns who has it and from when it is free."""
    one, two = lease(machines, "one:1", time), lease(machines, "two:2", time)
    one.take()
    with pytest.raises(LeaseHeld, match=r"one:1 is converging this release \(epoch 1\)") as caught:
        two.take()
    assert "03:06:05" in caught.value.problems[0].fix
    assert not two.is_open()
    one.check()


def test_releasing_lets_another_in_at_once_and_deletes_nothing(machines: Machines, time: Time) -> None:
    """A released lease is taken by another with the next epoch; the history of the ref keeps both."""
    one, two = lease(machines, "one:1", time), lease(machines, "two:2", time)
    one.take()
    one.release()
    assert two.is_open()
    two.take()
    shown = two.show()
    assert shown is not None
    assert (shown.holder, shown.epoch, shown.released) == ("two:2", 2, False)
    assert len(git(machines.remote, "rev-list", REF).splitlines()) == 3
    with pytest.raises(LeaseHeld, match="not held any more"):
        one.check()


def test_an_expired_lease_is_free_only_past_the_margin(machines: Machines, time: Time) -> None:
    """A dead holder is succeeded a fifth of the term after expiry, not right at it: clocks may differ."""
    lease(machines, "dead:1", time).take()
    two = lease(machines, "two:2", time)
    time.pass_(119)
    with pytest.raises(LeaseHeld, match="dead:1"):
        two.take()
    time.pass_(1)
    two.take()
    shown = two.show()
    assert shown is not None
    assert (shown.holder, shown.epoch) == ("two:2", 2)


def test_the_holder_stops_before_others_may_begin(machines: Machines, time: Time) -> None:
    """Its checks fail a tenth of the term before expiry, also where nobody took it over, and for good."""
    one = lease(machines, "one:1", time)
    one.take()
    time.pass_(90)
    with pytest.raises(LeaseHeld, match="expired while this process was busy or paused"):
        one.check()
    time.pass_(-60)
    with pytest.raises(LeaseHeld, match="not held any more"):
        one.check()


@pytest.mark.parametrize("clock", ["steady", "wall"])
def test_either_clock_ends_it(machines: Machines, time: Time, clock: str) -> None:
    """A wall clock that was set back does not extend the lease, nor does a steady one that stood still."""
    one = lease(machines, "one:1", time)
    one.take()
    if clock == "steady":
        time.steady += 95
    else:
        time.wall += timedelta(seconds=95)
    with pytest.raises(LeaseHeld, match="expired"):
        one.check()


def test_checking_renews_past_half_of_the_term(machines: Machines, time: Time) -> None:
    """A holder that goes on checking keeps the lease for as long as it likes, in one epoch."""
    one = lease(machines, "one:1", time)
    one.take()
    for _ in range(10):
        time.pass_(30)
        one.check()
    shown = one.show()
    assert shown is not None
    assert shown.epoch == 1
    assert shown.expires_at > time.wall
    assert len(git(machines.remote, "rev-list", REF).splitlines()) == 6


def test_a_holder_that_was_succeeded_is_fenced(machines: Machines, time: Time) -> None:
    """After a takeover the earlier holder's check fails even where its own clocks say that it has time."""
    own = Time()
    one, two = lease(machines, "one:1", own), lease(machines, "two:2", time)
    one.take()
    time.pass_(130)
    two.take()
    with pytest.raises(LeaseHeld, match="somebody else took the lease over"):
        one.check()
    two.check()


def test_a_holder_whose_clock_is_far_ahead_does_not_lock_others_out(machines: Machines, time: Time) -> None:
    """A lease that ends tomorrow by its holder's clock is free once it stood still for term and margin."""
    ahead = Time(wall=START + timedelta(days=1))
    lease(machines, "ahead:1", ahead).take()
    two = lease(machines, "two:2", time)
    assert not two.is_open()
    time.pass_(119)
    assert not two.is_open()
    time.pass_(1)
    two.take()


def test_a_holder_that_renews_is_not_seen_as_standing_still(machines: Machines, time: Time) -> None:
    """Where the lease moves, the watcher's patience begins anew."""
    ahead = Time(wall=START + timedelta(days=1))
    one, two = lease(machines, "ahead:1", ahead), lease(machines, "two:2", time)
    one.take()
    for _ in range(5):
        assert not two.is_open()
        for clock in (ahead, time):
            clock.pass_(60)
        one.check()
    assert not two.is_open()


def test_threads_may_check_at_once(machines: Machines, time: Time) -> None:
    """Uploads side by side check one lease; a renewal by one of them is not taken for a stranger's."""
    one = lease(machines, "one:1", time)
    one.take()
    time.pass_(60)
    errors: list[Exception] = []

    def check() -> None:
        try:
            one.check()
        except (CannotTell, ReleaseError) as error:
            errors.append(error)

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(git(machines.remote, "rev-list", REF).splitlines()) == 2


class Flaky(RefStore):
    """A store whose pushes can reach the remote, or not, while nobody knows."""

    mode = "good"

    def swap(self, ref: str, old: str | None, new: str) -> Pushed:
        """Push as ``mode`` says."""
        if self.mode == "lost-answer":
            super().swap(ref, old, new)
        return super().swap(ref, old, new) if self.mode == "good" else Pushed.UNKNOWN


def flaky(machines: Machines) -> Flaky:
    """A flaky store on a new machine."""
    plain = machines.store()
    return Flaky(git_dir=plain.git_dir, location=plain.location)


def test_a_renewal_of_unknown_outcome_is_recognised(
    machines: Machines, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to a renewal was lost: whether it arrived or not, the holder goes on as the holder."""
    for mode in ("lost-answer", "never-arrived"):
        store = flaky(machines)
        one = lease(machines, "one:1", time, store)
        one.take()
        time.pass_(60)
        monkeypatch.setattr(Flaky, "mode", mode)
        one.check()
        one.check()
        monkeypatch.setattr(Flaky, "mode", "good")
        time.pass_(5)
        one.check()
        one.release()


def test_a_renewal_that_never_arrives_ends_with_the_term(
    machines: Machines, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was granted holds to its end and not beyond."""
    one = lease(machines, "one:1", time, flaky(machines))
    one.take()
    monkeypatch.setattr(Flaky, "mode", "never-arrived")
    time.pass_(85)
    one.check()
    time.pass_(6)
    with pytest.raises(LeaseHeld, match="expired"):
        one.check()


def test_taking_with_a_lost_answer_is_finished_by_taking_again(
    machines: Machines, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is acting while it is unknown; the next attempt finds its own commit and holds the lease."""
    one = lease(machines, "one:1", time, flaky(machines))
    monkeypatch.setattr(Flaky, "mode", "lost-answer")
    with pytest.raises(CannotTell, match="not known"):
        one.take()
    with pytest.raises(LeaseHeld, match="not held"):
        one.check()
    monkeypatch.setattr(Flaky, "mode", "good")
    one.take()
    one.check()


def test_two_holders_of_one_name_are_two(machines: Machines, time: Time) -> None:
    """Containers share host names and process ids: equal leases at the same moment are different commits."""
    one, two = lease(machines, "host:7", time), lease(machines, "host:7", time)
    one.take()
    with pytest.raises(LeaseHeld, match="host:7"):
        two.take()
    one.release()
    two.take()
    with pytest.raises(LeaseHeld, match="not held"):
        one.check()


def test_a_remote_that_refuses_the_lease_is_an_error_with_the_fix(machines: Machines, time: Time) -> None:
    """Without a lease nothing acts: exit 4, naming the remote and what to do."""
    machines.refuse("refs/convergence/*")
    one = lease(machines, "one:1", time)
    with pytest.raises(ReleaseError, match="origin refused to store the lease") as caught:
        one.take()
    assert caught.value.exit_code == 4
    assert "may push" in caught.value.problems[0].fix
    assert REF not in machines.refs()


def test_freeing_somebodys_lease_stops_him(machines: Machines, time: Time) -> None:
    """`release lease release`: the holder's next check fails; then the lease is free, in a later epoch."""
    one, other = lease(machines, "one:1", time), lease(machines, "me:2", time)
    one.take()
    seen = other.show()
    assert seen is not None
    other.free(seen)
    with pytest.raises(LeaseHeld, match="somebody else took the lease over"):
        one.check()
    shown = other.show()
    assert shown is not None
    assert (shown.released, shown.epoch) == (True, 2)
    with pytest.raises(LeaseHeld, match="took the lease first"):
        other.free(seen)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "other"}, "schema"),
        ({"epoch": 0}, "epoch"),
        ({"epoch": True}, "epoch"),
        ({"expires_at": "2025-01-02T03:04:05"}, "expires_at"),
        ({"released": "no"}, "released"),
        ({"more": 1}, "more"),
        ({"term": -1}, "term"),
    ],
)
def test_a_malformed_lease_is_neither_free_nor_held(
    machines: Machines, time: Time, change: dict[str, object], said: str
) -> None:
    """Whoever wrote it, it is cannot-tell: nobody acts on half a lease."""
    store = machines.store()
    lease(machines, "one:1", time, store).take()
    oid = store.read(REF)
    assert oid is not None
    content = {**json.loads(store.load(oid, "lease.json")), **change}
    bad = store.commit({"lease.json": content}, oid, "bad", 1735787045)
    assert store.swap(REF, oid, bad) is Pushed.DONE
    with pytest.raises(CannotTell, match=said):
        lease(machines, "two:2", time).take()


def test_held_renews_while_a_long_write_runs(machines: Machines) -> None:
    """Nobody checks during an upload of many minutes: the lease is renewed beside it, and then released."""
    real = lease(machines, "one:1", Time())
    moving = Time()
    short = Lease(
        machines.store(), REF, "one:1", replace(moving.clocks(), steady=steady), timedelta(seconds=1)
    )
    with held(short):
        first = machines.refs()[REF]
        threading.Event().wait(0.9)
        assert machines.refs()[REF] != first
        short.check()
    shown = real.show()
    assert shown is not None
    assert shown.released


def test_held_releases_after_a_failure_too(machines: Machines, time: Time) -> None:
    """An error inside the block leaves the lease free for the next run."""
    one = lease(machines, "one:1", time)
    with contextlib.suppress(KeyError), held(one):
        raise KeyError("defect")
    assert lease(machines, "two:2", time).is_open()
