"""Names of assets: only the planned ones, and the checksum file has them as GitHub stored them (K15)."""

import pytest
import worlds_assets as change
from kit import SUMS, Row, World, look
from worlds_channel import UNEXPECTED, sum_of, up


def misnamed(id: str, cases: str, planned: str, local: str) -> Row:  # noqa: A002 - the row's own word
    """Return a row: the checksum file has the local name of an asset that is stored as planned."""
    return Row(
        id=id,
        cases=f"K15 {cases}",
        change=change.listed_as(planned, local),
        open={
            up(planned): "asset.not-compared",
            sum_of(planned): "checksums.not-listed",
            sum_of(SUMS): "checksums.names-differ",
        },
        exit=1,
        says=(local, f"(the asset is {planned})"),
    )


NAMES = [
    Row(
        id="a failed run's leftovers",
        cases="K13 C119",
        change=change.leftovers,
        open={UNEXPECTED: "asset.unexpected"},
        exit=1,
        says=("firmware-0.uf2",),
    ),
    Row(
        id="added afterwards",
        cases="K13 K26",
        change=change.unlisted,
        open={UNEXPECTED: "asset.unexpected", sum_of(SUMS): "checksums.not-listed"},
        exit=1,
        says=("notes.txt",),
    ),
    misnamed("a space", "G06 C133", "App.Manager_1.2.3.AppImage", "App Manager_1.2.3.AppImage"),
    misnamed("a tilde", "C131", "acme_1.2.3.1_amd64.deb", "acme_1.2.3~1_amd64.deb"),
    misnamed("a leading period", "C136", "env-1.2.3.tar.gz", ".env-1.2.3.tar.gz"),
    misnamed("other letters", "C129", "Ubersicht-1.2.3.zip", "Übersicht-1.2.3.zip"),
    Row(
        id="a plus became a period",
        cases="K15 C134",
        change=change.renamed("acme+x_1.2.3.deb", "acme.x_1.2.3.deb"),
        open={
            up("acme+x_1.2.3.deb"): "asset.renamed",
            sum_of("acme+x_1.2.3.deb"): "checksums.asset-absent",
            sum_of(SUMS): "checksums.not-listed",
        },
        exit=1,
        says=("acme+x_1.2.3.deb", "acme.x_1.2.3.deb"),
    ),
]


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row.id)
def test_asset_names(row: Row, world: World) -> None:
    """Each row: which names are stored and listed, and what is said of them (K13, K15, K26)."""
    look(row, world)


@pytest.mark.parametrize(
    "name", ["App Manager_1.2.3.AppImage", "acme_1.2.3~1_amd64.deb", ".env-1.2.3.tar.gz"]
)
def test_a_name_that_github_would_rewrite_can_not_be_planned(name: str, world: World) -> None:
    """It could never be found: an error of release.toml that shows the name GitHub keeps (K15, G06)."""
    world.config["release"]["extra_assets"] = [name]
    world.packs.clear()
    result = world.status()
    assert (result.exit, result.stdout) == (4, "")
    assert f"GitHub would store the asset '{name}' as" in result.stderr
