"""Long lists: every page is read, and the requests are bounded by pages (K19, K12)."""

from datetime import UTC, datetime, timedelta

import pytest
import worlds_assets as change
from kit import SUMS, TAG, Row, World, look
from worlds_channel import UNEXPECTED, add_extras, listed, put, sum_of, up
from worlds_names import ASSETS
from worlds_outages import Change

NOW = datetime.now(UTC)


def extras(total: int) -> tuple[str, ...]:
    """Return names that bring the release to ``total`` assets."""
    return tuple(f"part-{number:04}.bin" for number in range(total - len(ASSETS)))


def assets(total: int) -> Change:
    """Return a change: the release has so many assets, all planned and listed."""
    return lambda w: add_extras(w, extras(total))


def last_missing(w: World) -> None:
    """Of 101 assets the last is missing: it would be the only one on page 2."""
    assets(101)(w)
    w.asset(extras(101)[-1]).remove()


def last_unexpected(w: World) -> None:
    """Of 1,000 planned assets all are there, and one more is on page 11."""
    assets(1000)(w)
    w.release.asset("stray.bin", b"stray")
    put(w, SUMS, listed(w))


def releases(count: int, *, prerelease: bool) -> Change:
    """Return a change: so many releases are newer than this one."""

    def change(w: World) -> None:
        for number in range(count):
            tag = f"v2.0.0-rc.{number}" if prerelease else f"v1.1.{number}"
            at = NOW + timedelta(minutes=number + 1)
            w.repo.release(tag, prerelease=prerelease, created_at=at)
        w.repo.latest_override(TAG)

    return change


def drafts(count: int) -> Change:
    """Return a change: so many drafts of other tags are newer, and this release is a draft, too."""

    def change(w: World) -> None:
        for number in range(count):
            at = NOW + timedelta(minutes=number + 1)
            w.repo.release(f"v3.0.{number}", draft=True, created_at=at)

    return change


ROWS = [
    Row(id="31 assets", cases="K19 C177", change=assets(31)),
    Row(id="101 assets", cases="K19 C179", change=assets(101)),
    Row(id="39 newer prereleases", cases="K19 C181", change=releases(39, prerelease=True)),
    Row(id="120 newer prereleases", cases="K19 C181", change=releases(120, prerelease=True)),
    Row(id="120 older versions, younger", cases="K19 K32", change=releases(120, prerelease=False)),
    Row(id="120 newer drafts", cases="K19 K16", change=drafts(120)),
    Row(
        id="the 101st asset is missing",
        cases="K19 C179",
        change=last_missing,
        open={
            up(extras(101)[-1]): "asset.absent",
            sum_of(extras(101)[-1]): "checksums.asset-absent",
            sum_of(SUMS): "checksums.asset-absent",
        },
        exit=2,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_long_lists(row: Row, world: World) -> None:
    """Each row: a list that is longer than a page, read to its end (K19, C177, C179, C181)."""
    look(row, world)


def test_a_thousand_assets(world: World) -> None:
    """GitHub's most: all are judged, with one request a page and none an asset when shallow (K19, C115)."""
    assets(1000)(world)
    result = world.status(deep=False)
    assert set(result.open.values()) == {"checksums.not-downloaded"}
    assert len(result.open) == 1000
    assert result.report["budget"]["requests"] < 50


def test_one_asset_too_many_is_found_on_the_last_page(world: World) -> None:
    """1,001 assets: the one that no plan names is named (K19, K13, C119)."""
    last_unexpected(world)
    result = world.status("--gate", "asset-upload")
    assert result.open == {UNEXPECTED: "asset.unexpected"}
    assert "stray.bin" in result.message(*UNEXPECTED.split("/"))


def test_a_thousand_downloads(world: World) -> None:
    """Deep: each of 1,000 assets is downloaded once, hashed and compared (K19, K22)."""
    assets(1000)(world)
    change.states(size=7)(world)
    result = world.status("--gate", "checksums")
    assert set(result.open.values()) == {"checksums.size-differs"}
    asked = [one.path for one in world.forge.requests if one.host == "download"]
    assert len(set(asked)) == 1000
    assert len(asked) == 1000 + 1
