"""Our own refs on a real remote: compare-and-swap, nothing deleted, nothing of others moved."""

import threading
from pathlib import Path

import pytest
from git_fixtures import git
from git_http_server import git_server
from refs_fixtures import REF, Machines

from release.adapters.git.location import Location, locate
from release.adapters.git.refs import Pushed, RefStore
from release.domain.errors import CannotTell

LEDGER = "refs/convergence/ledger/v1.0.0"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """A remote and machines that know it."""
    return Machines(tmp_path)


def entry(store: RefStore, text: str, parent: str | None = None) -> str:
    """A commit of ours."""
    return store.commit({"a.json": {"text": text}}, parent, text, 1735787045)


def test_a_ref_is_created_once_and_moved_only_from_what_was_seen(machines: Machines) -> None:
    """Of two machines that expect the same, one wins and the other has lost; the ref is the winner's."""
    one, two = machines.store(), machines.store()
    first, other = entry(one, "first"), entry(two, "other")
    assert one.swap(REF, None, first) is Pushed.DONE
    assert two.swap(REF, None, other) is Pushed.LOST
    two.fetch(REF, first)
    second = entry(two, "second", first)
    assert two.swap(REF, first, second) is Pushed.DONE
    assert one.swap(REF, first, entry(one, "late", first)) is Pushed.LOST
    assert machines.refs()[REF] == second
    assert one.read(REF) == second


def test_racing_threads_have_one_winner(machines: Machines) -> None:
    """Eight pushes at the same moment with the same expectation: one is done, seven are lost, none denied."""
    stores = [machines.store() for _ in range(8)]
    commits = [entry(store, f"racer {number}") for number, store in enumerate(stores)]
    outcomes: list[Pushed] = []

    def push(store: RefStore, commit: str) -> None:
        outcomes.append(store.swap(REF, None, commit))

    threads = [threading.Thread(target=push, args=pair) for pair in zip(stores, commits, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [Pushed.DONE, *[Pushed.LOST] * 7]
    assert machines.refs()[REF] in commits


def test_refs_of_others_are_never_written(machines: Machines) -> None:
    """A branch, a moved tag and a note are refused before git is started."""
    store = machines.store()
    made = entry(store, "mine")
    for ref, old in (
        ("refs/heads/main", machines.commit),
        ("refs/heads/new", None),
        ("refs/tags/v1.0.0", machines.commit),
        ("refs/notes/commits", None),
        ("refs/convergencex/lease", None),
    ):
        with pytest.raises(ValueError, match="refusing to write"):
            store.swap(ref, old, made)
    with pytest.raises(ValueError, match="refusing to write"):
        store.keep("refs/heads/main", machines.commit)
    assert set(machines.refs()) == {"refs/heads/main"}


def test_a_refusal_is_denied_and_the_ref_stays(machines: Machines) -> None:
    """A remote whose hook declines our refs: denied, whether the ref exists or not."""
    store = machines.store()
    first = entry(store, "first")
    assert store.swap(REF, None, first) is Pushed.DONE
    machines.refuse("refs/convergence/*")
    assert store.swap(LEDGER, None, first) is Pushed.DENIED
    assert store.swap(REF, first, entry(store, "second", first)) is Pushed.DENIED
    assert machines.refs()[REF] == first
    assert LEDGER not in machines.refs()


def test_an_answer_that_was_lost_is_decided_by_looking(machines: Machines) -> None:
    """The remote stores the push and then fails to answer: the ref holds our commit, so it is done."""
    store = machines.store()
    hook = machines.remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
    hook.chmod(0o755)
    made = entry(store, "stored")
    assert store.swap(REF, None, made) is Pushed.DONE
    assert machines.refs()[REF] == made


def test_a_remote_that_is_gone_leaves_the_outcome_unknown(machines: Machines, tmp_path: Path) -> None:
    """No answer to the push and none to the look: unknown, which is neither done nor lost."""
    store = machines.store()
    made = entry(store, "mine")
    machines.remote.rename(tmp_path / "elsewhere.git")
    assert store.swap(REF, None, made) is Pushed.UNKNOWN
    with pytest.raises(CannotTell, match="does not exist"):
        store.read(REF)


@pytest.mark.parametrize("tag", ["@acme/core@1.2.3", "release/2025/v1", "v1.0.0+build.7", "ünïcode-1"])
def test_odd_tag_names_are_exact(machines: Machines, tag: str) -> None:
    """Names with @, / and + are refs of their own; a ref that only ends with the name is another one."""
    store = machines.store()
    made = entry(store, "odd")
    assert store.swap(f"refs/convergence/lease/x/{tag}", None, made) is Pushed.DONE
    assert store.read(f"refs/convergence/lease/{tag}") is None
    assert store.swap(f"refs/convergence/lease/{tag}", None, made) is Pushed.DONE
    assert store.read(f"refs/convergence/lease/{tag}") == made


def test_a_file_url_is_a_remote_like_any_other(machines: Machines) -> None:
    """file:// works for reading, writing and refusing."""
    where = locate(f"file://{machines.remote}", machines.folder, None)
    store = machines.store(where)
    made = entry(store, "by url")
    assert store.swap(REF, None, made) is Pushed.DONE
    assert machines.store(where).read(REF) == made
    machines.refuse("refs/convergence/*")
    assert store.swap(REF, made, entry(store, "more", made)) is Pushed.DENIED


def test_a_credential_that_may_only_read_is_denied_over_http(machines: Machines) -> None:
    """A server that gives the refs and answers 403 to a push: denied (HTTP says so), not unreachable."""
    with git_server(machines.folder) as server:
        url = f"{server.url}/remote.git"
        store = machines.store(Location(url=url, shown=url))
        made = entry(store, "mine")
        assert store.read(REF) is None
        assert store.swap(REF, None, made) is Pushed.DENIED
        assert REF not in machines.refs()
        git(machines.remote, "config", "http.receivepack", "true")
        assert store.swap(REF, None, made) is Pushed.DONE
        assert store.read(REF) == made
    assert store.swap(REF, made, entry(store, "more", made)) is Pushed.UNKNOWN


def test_the_remote_fetches_with_history(machines: Machines) -> None:
    """What another machine wrote, with everything before it, is here after a fetch."""
    one, two = machines.store(), machines.store()
    first = entry(one, "first")
    second = entry(one, "second", first)
    assert one.swap(REF, None, second) is Pushed.DONE
    two.fetch(REF, second)
    assert two.has(first)
    assert two.load(second, "a.json") == b'{\n "text": "second"\n}\n'
    with pytest.raises(CannotTell, match="does not give"):
        two.fetch(REF, "1" * 40)


def test_a_strict_remote_takes_our_objects(machines: Machines) -> None:
    """A remote that checks every object and refuses what is no fast-forward takes our commits and tags."""
    git(machines.remote, "config", "receive.fsckObjects", "true")
    git(machines.remote, "config", "receive.denyNonFastForwards", "true")
    git(machines.remote, "config", "receive.denyDeletes", "true")
    store = machines.store()
    first = entry(store, "first")
    assert store.swap(REF, None, first) is Pushed.DONE
    assert store.swap(REF, first, entry(store, "second", first)) is Pushed.DONE
    tag = store.tag_object("v1.0.0", machines.commit, "acme 1.0.0", 1735787045)
    assert store.swap("refs/tags/v1.0.0", None, tag) is Pushed.DONE
    git(machines.remote, "fsck", "--strict")


def test_a_lock_of_another_push_is_no_refusal(machines: Machines) -> None:
    """While the remote stores another writer's push the ref is locked: ours is sent again, not denied."""
    store = machines.store()
    made = entry(store, "mine")
    lock = machines.remote / f"{REF}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    free = threading.Timer(0.3, lock.unlink)
    free.start()
    assert store.swap(REF, None, made) is Pushed.DONE
    free.join()
    assert machines.refs()[REF] == made
