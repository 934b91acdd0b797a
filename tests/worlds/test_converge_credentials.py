"""A git remote that keeps no ref of ours: nothing acts without the lease, the ledger stays here."""

from converge_kit import ANNOUNCED, Acting
from kit import ARCHIVES, CLI, World
from worlds_channel import put

HOOK = """#!/bin/sh
while read -r old new ref; do
  case "$ref" in refs/convergence/*) echo "no such refs here" >&2; exit 1 ;; esac
done
"""


def refuse_our_refs(world: World) -> None:
    """Let the remote refuse every ref below refs/convergence."""
    hook = world.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)


def test_nothing_acts_without_the_lease(world: World) -> None:
    """Issue 3, Build 6: the lease can't be stored: exit 4, it is said what for, and no channel is touched."""
    refuse_our_refs(world)
    done = Acting(world).nothing().converge().require(4)
    assert done.kept == ()
    assert "refused to store the lease" in done.result.stderr
    assert "nothing acts without the lease" in done.result.stderr


def test_the_ledger_is_kept_here_and_says_so(world: World) -> None:
    """Issue 3, Build 6: a complete release: exit 0, and a note that only this machine remembers it."""
    refuse_our_refs(world)
    acting = Acting(world)
    done = acting.converge().require(0)
    notes = done.result.report["notes"]
    assert any("kept on this machine only" in note and "refused to store it" in note for note in notes)
    assert done.kept == ()


def test_what_is_remembered_here_counts(world: World) -> None:
    """The local ledger finds drift on this machine as the remote's would."""
    refuse_our_refs(world)
    acting = Acting(world)
    acting.converge().require(0)
    put(world, ARCHIVES[0], b"something else")
    assert acting.status().require(1).open[f"asset-upload/{ARCHIVES[0]}"] == "asset.changed-since"


def test_a_token_for_npm_alone_is_not_enough(world: World) -> None:
    """Preflight: what is missing is said before anything is written, the lease included; exit 4."""
    acting = Acting(world)
    world.release.set(draft=True)
    world.npm.forget(CLI)
    world.env["NODE_AUTH_TOKEN"] = ""
    done = acting.converge().require(4)
    assert (done.kept, "no npm token is set" in done.result.stderr) == ((), True)
    acting.converge("--gate", "github-release").require(2)
    world.env["NODE_AUTH_TOKEN"] = world.npm.registry.token
    assert ANNOUNCED in acting.converge().wrote
