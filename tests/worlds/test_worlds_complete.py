"""The complete release, looked at in every way: the base that every other world differs from by one thing."""

from kit import ARCHIVES, CLI, CORE, MANIFEST, SUMS, TAG, VERSION, Row, World, look
from kit_npm import LONG_AGO

COMPLETE = Row(id="complete", cases="", change=lambda w: None)
ASSETS = (*ARCHIVES, MANIFEST, SUMS)


def test_a_complete_release_is_complete(world: World) -> None:
    """Every channel agrees on one commit: exit 0, and each channel says its own (G25)."""
    result = look(COMPLETE, world)
    assert set(result.gates.values()) == {"complete"}
    assert result.commits == dict.fromkeys(
        (
            f"package {CORE}",
            f"package {CLI}",
            "binary-manifest",
            f"tag {TAG}",
            f"npm {CORE}@{VERSION} gitHead",
            f"npm {CLI}@{VERSION} gitHead",
            f"release {TAG}",
        ),
        True,
    )


def test_a_process_of_its_own_says_the_same(world: World) -> None:
    """The command as users start it exits 0 and prints the report, and nothing else, on stdout."""
    result = world.status_process()
    assert (result.exit, result.open) == (0, {}), result.stderr
    assert world.forge.writes == ()


def test_what_the_real_npm_packs_and_publishes_is_complete(world: World) -> None:
    """Packed here anew from a clean checkout, the packages are those that `npm publish` sent (C061)."""
    for name in (CORE, CLI):
        world.npm.forget(name)
        world.npm.publish_folder(world.checkout / "packages" / name.rpartition("/")[2])
        world.npm.date(name, VERSION, LONG_AGO)
    world.packs.clear()
    look(COMPLETE, world)


def test_a_second_look_finds_what_the_first_one_packed(world: World) -> None:
    """Packing is kept as evidence: without npm the second look answers as the first did."""
    world.packs.clear()
    assert world.status().exit == 0
    world.env["PATH"] = str(world.programs())
    result = look(COMPLETE, world)
    assert result.reason("package-build", CORE) == "package.packed"


def test_a_shallow_look_never_claims_what_it_did_not_download(world: World) -> None:
    """`--shallow` exits 2: the checksums gate is pending until something was downloaded."""
    result = world.status(deep=False)
    assert result.open == {f"checksums/{name}": "checksums.not-downloaded" for name in ASSETS}
    assert (result.exit, result.state("npm-publish")) == (2, "complete")
    assert world.forge.writes == ()


def test_looking_twice_is_cheap(world: World) -> None:
    """The second look revalidates: GitHub answers not-modified, and nothing is asked twice in one look."""
    first, second = (world.status().report["budget"] for _ in range(2))
    assert second["not_modified"] > first["not_modified"]
