"""A release of which nothing exists, or all of it: what converge says and writes, and in which order."""

import json

import pytest
from converge_kit import ANNOUNCED, ASSETS, DRAFTED, EVERYTHING, TAGGED, Acting, published, uploaded
from kit import CLI, CORE, TAG, VERSION, World
from kit_project import git

LEDGER = f"refs/convergence/ledger/{TAG}"


def test_a_fresh_release_is_completed_in_order_and_then_left_alone(world: World) -> None:
    """Draft, uploads, tag, npm by dependency, the announcement: irreversible last (G18); again: 0 writes."""
    acting = Acting(world).nothing()
    done = acting.converge().require(0, *EVERYTHING)
    assert done.acts[0] == f"GitHub: create the draft release for {TAG}"
    assert sorted(done.acts[1:6]) == sorted(f"GitHub: upload {name}" for name in ASSETS)
    assert done.acts[6:] == [
        f"git remote: create the annotated tag {TAG} on the canonical commit",
        f"npm registry: publish {CORE}@{VERSION}",
        f"npm registry: publish {CLI}@{VERSION}",
        f"GitHub: publish the draft release for {TAG}",
    ]
    assert git(world.remote, "cat-file", "-t", f"refs/tags/{TAG}") == "tag"
    before = acting.truth()
    again = acting.converge("--discard-interrupted").require(0)
    assert (again.acts, again.kept, acting.truth()) == ([], (), before)


def test_what_others_completed_is_written_to_by_nobody(world: World) -> None:
    """A complete release that we never converged: no channel is written to; the ledger begins, once."""
    acting = Acting(world)
    first, second = acting.converge().require(0), acting.converge().require(0)
    assert (first.kept, second.kept) == ((LEDGER,), ())


@pytest.mark.parametrize("yes", [False, True])
def test_nothing_is_written_where_nothing_can_be_done(yes: bool, world: World) -> None:
    """A check of the commit failed: not even a draft is created, and no lease is taken; exit 1."""
    acting = Acting(world).nothing()
    world.repo.check_run("build", world.commit, conclusion="failure")
    done = (acting.converge() if yes else acting.plan("--json")).require(1)
    assert done.kept == ()


def test_the_plan_of_actions_is_said_and_nothing_is_done(world: World) -> None:
    """Without --yes and a terminal: each action with where, whether it can be undone, and after what."""
    acting = Acting(world).draft(*ASSETS[:2])
    shown = acting.plan().require(2)
    assert shown.kept == ()
    assert f"1. upload {ASSETS[2]}  [GitHub, reversible]" in shown.result.stdout
    waiting = f"publish {CORE}@{VERSION}  [npm registry, irreversible]\n     after: source-tag, asset-upload"
    assert waiting in shown.result.stdout
    for name in (f"create the annotated tag {TAG}", f"publish {CORE}@{VERSION}", f"publish {CLI}@{VERSION}"):
        assert name in shown.result.stdout
    assert "create the draft" not in shown.result.stdout


def test_the_plan_of_actions_is_json_of_a_schema(world: World) -> None:
    """`--json` without --yes: release-convergence/actions/v1, with the report; in the order of acting."""
    acting = Acting(world).draft(*ASSETS[:2])
    said = acting.plan("--json").require(2)
    value = json.loads(said.result.stdout)
    assert value["schema"] == "release-convergence/actions/v1"
    assert value["report"]["state"] == "partial"
    actions = value["actions"]
    assert all(set(one) == {"gate", "subject", "does", "where", "effect", "waits_for"} for one in actions)
    free = {one["does"] for one in actions if not one["waits_for"]}
    assert free == {f"upload {name}" for name in ASSETS[2:]}
    gates = [one["gate"] for one in actions]
    assert gates == sorted(gates, key=["asset-upload", "source-tag", "npm-publish", "github-release"].index)


def test_a_complete_release_has_no_plan_of_actions(world: World) -> None:
    """Nothing to do: no action is listed, exit 0, and no ref of ours is made by asking."""
    said = Acting(world).plan("--json").require(0)
    assert json.loads(said.result.stdout)["actions"] == []
    assert said.kept == ()


def test_until_ends_before_what_cannot_be_undone(world: World) -> None:
    """`--until asset-upload` leaves a draft with all assets; `--until source-tag` adds the tag, no more."""
    acting = Acting(world).nothing()
    acting.converge("--until", "asset-upload").require(2, DRAFTED, *uploaded())
    acting.converge("--until", "source-tag").require(2, TAGGED)
    acting.converge("--until", "source-tag").require(2)
    acting.converge().require(0, *published(CORE, CLI), ANNOUNCED)


def test_a_gate_alone_acts(world: World) -> None:
    """`--gate npm-publish` publishes what is missing in npm, and leaves the draft a draft."""
    acting = Acting(world)
    world.release.set(draft=True)
    world.npm.forget(CLI)
    acting.converge("--gate", "npm-publish", dist=False).require(2, *published(CLI))
    acting.converge("--gate", "source-tag").require(2)
    acting.converge("--gate", "github-release").require(0, ANNOUNCED)


@pytest.mark.parametrize("option", [("--until", "checksums"), ("--gate", "no-such-gate")])
def test_a_gate_that_never_acts_is_no_bound(option: tuple[str, ...], world: World) -> None:
    """A name that means nothing here is an error of the call: exit 4, and nothing is written."""
    acting = Acting(world).nothing()
    assert acting.converge(*option).require(4).kept == ()
