"""The ledger on a real remote: it outlives machines, tampering and lost credentials (R-CONV)."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from git_fixtures import git
from ledger_fixtures import KEY, LEDGER, LESS, NPM, PLAN, TAG, draft, home_of, memory, report
from refs_fixtures import Machines

from release.adapters.git.location import Location
from release.adapters.git.refs import Pushed, RefStore
from release.adapters.memory import Memory
from release.domain.errors import CannotTell
from release.domain.ledger import Accepted, Recall


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """A remote and machines that know it."""
    return Machines(tmp_path)


def recall(remembered: Memory) -> Recall:
    """What is remembered, as of a look now."""
    return remembered.recall(remembered.remote.head())


def entries(machines: Machines) -> int:
    """How many commits the remote's ledger has."""
    return len(git(machines.remote, "rev-list", LEDGER).splitlines())


def test_nothing_is_remembered_of_a_new_release(machines: Machines) -> None:
    """No ledger: no facts, no plan, and nothing is made on this machine by looking."""
    one = memory(machines)
    assert not recall(one).exists
    assert not home_of(one).exists()


def test_facts_and_plan_survive_the_machine(machines: Machines) -> None:
    """What one ephemeral machine saw first is the baseline on the next one."""
    assert memory(machines).append(draft("partial", TAG)).pushed is Pushed.DONE
    assert memory(machines).append(draft("complete", NPM)).note == ""
    seen = recall(memory(machines))
    assert dict(seen.facts) == {TAG.key: TAG, NPM.key: NPM}
    assert seen.plan == PLAN
    assert [entry.report and entry.report["state"] for entry in seen.entries] == ["partial", "complete"]
    assert (seen.breaches, seen.notes, seen.blind) == ((), (), None)


def test_a_first_fact_is_never_replaced(machines: Machines) -> None:
    """What is seen later under the same key does not count: the first one stands."""
    memory(machines).append(draft("complete", TAG))
    memory(machines).append(draft("failed", replace(TAG, commit="b" * 40)))
    assert recall(memory(machines)).facts[TAG.key] == TAG


def test_nothing_new_appends_nothing(machines: Machines) -> None:
    """Times, sentences, the source of the commit and the budget are not news."""
    one = memory(machines)
    one.append(draft("complete", TAG))
    again = {**report("complete", tag="tag.complete"), "generated_at": "2025-01-03T00:00:00Z", "budget": {}}
    assert one.append(draft("complete", TAG, report=again)).pushed is Pushed.DONE
    assert memory(machines).append(draft("complete", TAG)).pushed is Pushed.DONE
    assert entries(machines) == 1


def test_many_append_at_once_and_none_is_lost(machines: Machines) -> None:
    """Four machines append different facts at the same moment: the chain is whole and has them all."""
    facts = [replace(NPM, key=f"npm:acme-{number}@1.0.0") for number in range(4)]
    remembered = [memory(machines, machines.folder / f"m{number}" / "ledger.git") for number in range(4)]
    pairs = zip(remembered, facts, strict=True)
    threads = [threading.Thread(target=one.append, args=(draft("partial", fact),)) for one, fact in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = recall(memory(machines))
    assert seen.facts.keys() == {fact.key for fact in facts}
    assert seen.breaches == ()


def test_a_credential_that_may_only_read_keeps_the_ledger_here_and_says_so(machines: Machines) -> None:
    """Refused by the remote: a local ledger of the same shape, read together with the remote's, and joined
    to it as soon as that is possible."""
    memory(machines).append(draft("partial", TAG))
    machines.refuse("refs/convergence/*")
    one = memory(machines)
    kept = one.append(draft("complete", NPM))
    assert kept.pushed is Pushed.DONE
    assert kept.note == (
        f"the ledger is kept on this machine only, in {home_of(one)}, because origin refused to store it"
    )
    assert entries(machines) == 1
    again = recall(memory(machines, home_of(one)))
    assert again.facts.keys() == {TAG.key, NPM.key}
    assert again.notes == (f"some of what is remembered is kept on this machine only, in {home_of(one)}",)
    machines.allow()
    assert memory(machines, home_of(one)).append(draft("complete")).note == ""
    assert recall(memory(machines)).facts.keys() == {TAG.key, NPM.key}
    assert recall(memory(machines, home_of(one))).notes == ()


def test_a_remote_that_is_gone_keeps_the_ledger_here(machines: Machines, tmp_path: Path) -> None:
    """Unreachable is not a reason to forget; what was known stays known, and that it is blind is said."""
    one = memory(machines)
    one.append(draft("partial", TAG))
    machines.remote.rename(tmp_path / "elsewhere.git")
    assert "could not be asked (git.unreachable)" in one.append(draft("complete", NPM)).note
    seen = memory(machines, home_of(one)).recall_blind(CannotTell("git.unreachable", "gone"))
    assert seen.facts.keys() == {NPM.key}
    assert seen.blind is not None


def test_of_two_ledgers_the_earlier_fact_stands(machines: Machines) -> None:
    """A local fact that was seen before the remote's is the first one."""
    machines.refuse("refs/convergence/*")
    one = memory(machines)
    one.append(draft("complete", TAG))
    machines.allow()
    later = replace(TAG, commit="b" * 40, at=NPM.at)
    memory(machines).append(draft("complete", later))
    assert recall(memory(machines, home_of(one))).facts[TAG.key] == TAG


def test_the_recorded_plan_only_grows(machines: Machines) -> None:
    """A plan that asks for less changes nothing in the ledger; one that asks for more is added."""
    one = memory(machines)
    one.append(draft("partial", plan=LESS))
    one.append(draft("partial", plan=PLAN))
    one.append(draft("complete", plan=LESS))
    assert recall(one).plan == PLAN


def test_an_acceptance_lowers_the_plan_by_name(machines: Machines) -> None:
    """With every lost difference named, the lower plan counts, and who accepted it and why stays visible."""
    one = memory(machines)
    one.append(draft("partial"))
    accepted = Accepted(changes=("gate npm-publish",), because="not on npm any more", by="ada")
    one.append(draft("partial", plan=LESS, accepted=accepted))
    one.append(draft("complete", TAG, plan=LESS))
    seen = recall(memory(machines))
    assert seen.plan == LESS
    assert seen.accepted == accepted
    assert seen.breaches == ()


def forge(machines: Machines, files: dict[str, object | None], parent: str = LEDGER) -> None:
    """Push by hand an entry that is the newest one with some files changed."""
    store = machines.store()
    old = git(machines.remote, "rev-parse", parent)
    store.fetch(LEDGER, git(machines.remote, "rev-parse", LEDGER))
    names = git(machines.remote, "ls-tree", "--name-only", old).splitlines()
    content: dict[str, object] = {name: json.loads(store.load(old, name)) for name in names}
    content |= {name: value for name, value in files.items() if value is not None}
    for name in [name for name, value in files.items() if value is None]:
        del content[name]
    oid = store.commit(content, old, "by hand", 1735787045)
    git(store.git_dir, "push", "-q", "--force", str(machines.remote), f"{oid}:{LEDGER}")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"first-seen.json": {TAG.key: {"commit": "b" * 40}}}, "the fact tag:v1.0.0 was changed"),
        ({"first-seen.json": {}}, "the fact tag:v1.0.0 was removed"),
        ({"first-seen.json": {TAG.key: {"colour": "red"}}}, "unknown or malformed member 'colour'"),
        ({"first-seen.json": {"x": {"id": "one"}}}, "`id` is no decimal number"),
        ({"first-seen.json": {"x": {"at": "2025-01-02T03:04:05"}}}, "`at` has no time zone"),
        ({"first-seen.json": []}, "first-seen facts are an object"),
        ({"first-seen.json": None}, "first-seen.json is missing"),
        ({"report.json": {"schema": "x"}}, "report.json: is not a report"),
        ({"plan.json": {**PLAN.content(), "gates": {}}}, "asks for less, and nobody accepted it"),
        ({"plan.json": {**PLAN.content(), "more": 1}}, "is not a recorded plan"),
        ({"plan.json": None}, "the recorded plan was removed"),
        ({"accepted.json": {"changes": [], "because": "x", "by": "y"}}, "is not an acceptance"),
        ({"notes.txt": {}}, "notes.txt does not belong here"),
    ],
)
def test_tampering_is_seen_and_the_first_facts_stay(
    machines: Machines, files: dict[str, object | None], said: str
) -> None:
    """Whoever pushes an entry that changes or drops something is found out, and gains nothing by it."""
    memory(machines).append(draft("complete", TAG))
    forge(machines, files)
    seen = recall(memory(machines))
    assert any(said in breach.message for breach in seen.breaches), seen.breaches
    assert seen.facts[TAG.key] == TAG
    assert seen.plan == PLAN
    head = machines.refs()[LEDGER]
    assert "nothing was added to the ledger" in memory(machines).append(draft("complete", NPM)).note
    assert machines.refs()[LEDGER] == head


def test_malformed_json_is_tampering(machines: Machines) -> None:
    """A file that is no JSON, or has a name twice, is a breach and never "no facts"."""
    memory(machines).append(draft("complete", TAG))
    for text in (b"{", b'{"tag:v1.0.0": {}, "tag:v1.0.0": {}}', b'{"x": NaN}', b"\xff"):
        store = machines.store()
        old = git(machines.remote, "rev-parse", LEDGER)
        blob = git(machines.remote, "hash-object", "-w", "--stdin", stdin=text)
        tree = git(machines.remote, "mktree", stdin=f"100644 blob {blob}\tfirst-seen.json\n".encode())
        oid = git(machines.remote, "commit-tree", tree, "-p", old, "-m", "bad")
        git(machines.remote, "update-ref", LEDGER, oid)
        seen = recall(memory(machines))
        assert any("first-seen.json: is not JSON" in breach.message for breach in seen.breaches)
        assert seen.facts[TAG.key] == TAG
        git(machines.remote, "update-ref", LEDGER, old)
        assert store.read(LEDGER) == old


def test_a_merge_is_tampering(machines: Machines) -> None:
    """Each entry follows exactly one earlier entry."""
    memory(machines).append(draft("partial", TAG))
    memory(machines).append(draft("complete", TAG))
    tree, head = (git(machines.remote, "rev-parse", name) for name in (f"{LEDGER}^{{tree}}", LEDGER))
    oid = git(machines.remote, "commit-tree", tree, "-p", head, "-p", machines.commit, "-m", "merge")
    git(machines.remote, "update-ref", LEDGER, oid)
    seen = recall(memory(machines))
    assert [breach.message for breach in seen.breaches] == ["does not follow exactly one earlier entry"]


@pytest.mark.parametrize("how", ["rewound", "rewritten", "removed"])
def test_a_machine_notices_that_what_it_saw_is_gone(machines: Machines, how: str) -> None:
    """A ledger that does not lead back to what this machine saw is altered, however consistent it is."""
    one = memory(machines)
    one.append(draft("partial", TAG))
    one.append(draft("complete", TAG, NPM))
    saw = machines.refs()[LEDGER]
    match how:
        case "rewound":
            git(machines.remote, "update-ref", LEDGER, f"{LEDGER}^")
        case "removed":
            git(machines.remote, "update-ref", "-d", LEDGER)
        case _:
            git(machines.remote, "update-ref", "-d", LEDGER)
            memory(machines).append(draft("complete", replace(TAG, commit="b" * 40)))
    seen = recall(memory(machines, home_of(one)))
    assert [breach.commit for breach in seen.breaches] == [saw]
    assert "this machine saw this entry" in seen.breaches[0].message


def test_an_older_look_is_not_taken_for_a_rewound_ledger(machines: Machines) -> None:
    """Another process on this machine appended after our look: that is no breach."""
    one = memory(machines)
    one.append(draft("partial", TAG))
    looked = one.remote.head()
    memory(machines, home_of(one)).append(draft("complete", TAG))
    seen = one.recall(looked)
    assert seen.breaches == ()
    assert len(seen.entries) == 2


def test_a_ledger_for_an_odd_tag(machines: Machines) -> None:
    """A tag with @ and / has a ledger of its own."""
    store = memory(machines).remote.refs
    for key in ("@acme/core@1.2.3", "release/2025/v1"):
        one = Memory(store, key, "sha1")
        one.append(draft("complete", TAG))
        assert f"refs/convergence/ledger/{key}" in machines.refs()
        assert recall(Memory(store, key, "sha1")).facts == {TAG.key: TAG}


def test_a_sha256_remote_has_a_sha256_ledger(tmp_path: Path) -> None:
    """The ledger speaks the remote's object format."""
    git(tmp_path, "init", "-q", "--bare", "--object-format=sha256", "remote.git")
    where = Location(url=str(tmp_path / "remote.git"), shown="origin", path=tmp_path / "remote.git")
    one = Memory(RefStore(git_dir=tmp_path / "ledger.git", location=where), KEY, "sha256")
    assert one.append(draft("complete", TAG)).pushed is Pushed.DONE
    assert recall(one).facts == {TAG.key: TAG}
