"""Two real `release converge --yes` processes on one world, and what converging costs a complete release."""

from stateful_fresh import Fresh, ended


def test_a_fresh_release_converges(fresh: Fresh) -> None:
    """One process creates everything and exits 0; a second run writes nothing at all (DESIGN §6)."""
    first = fresh.converge()
    assert first.exit == 0, first.said
    fresh.require_finished_once()
    writes, refs = fresh.world.forge.writes, fresh.refs("refs")
    again = fresh.converge()
    assert again.exit == 0, again.said
    assert fresh.world.forge.writes == writes
    assert fresh.refs("refs") == refs


def test_two_processes_create_one_of_each_thing(fresh: Fresh) -> None:
    """Started together, one waits for the other; both exit 0, and nothing was created twice (R-CONV)."""
    elsewhere = fresh.another_checkout()
    pair = [fresh.start("--yes", "--json"), fresh.start("--yes", "--json", checkout=elsewhere)]
    results = [ended(process) for process in pair]
    assert [result.exit for result in results] == [0, 0], [result.said for result in results]
    fresh.require_finished_once()
    assert all(result.report["state"] == "complete" for result in results)
