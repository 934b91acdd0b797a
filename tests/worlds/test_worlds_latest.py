"""Where GitHub's ``latest`` points: by policy and version, never by when a release was made (K32)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kit import TAG, Row, World, look
from worlds_channel import LATEST

NOW = datetime.now(UTC)


def others(*tags: str, latest: str = "", **options: Any) -> Callable[[World], None]:
    """Return a change: these releases are there, too, each a day younger; GitHub calls ``latest`` so."""

    def change(w: World) -> None:
        for day, tag in enumerate(tags, start=1):
            w.repo.release(tag, created_at=NOW + timedelta(days=day), **options)
        if latest:
            w.repo.latest_override(latest)

    return change


def policy(value: object, *tags: str) -> Callable[[World], None]:
    """Return a change: ``[release] latest`` in release.toml, and other releases."""

    def change(w: World) -> None:
        w.config["release"]["latest"] = value
        others(*tags)(w)

    return change


def drafted_beside(w: World) -> None:
    """The next version is being prepared."""
    w.repo.release("v2.0.0", draft=True)


def differs(name: str, cases: str, change: Any, *says: str) -> Row:
    """Return a row in which latest points at the wrong release."""
    return Row(
        id=name, cases=cases, change=change, open={LATEST: "release.latest-differs"}, exit=1, says=says
    )


def superseded(name: str, cases: str, change: Any) -> Row:
    """Return a row in which latest has rightly moved on."""
    return Row(id=name, cases=cases, change=change, done={LATEST: "release.latest-superseded"})


ROWS = [
    differs("older backport", "K32 C285 G12", others("v1.1.9"), "latest is v1.1.9, it must be v1.2.3"),
    differs("older major", "K32 C285", others("v0.9.0", "v0.9.1"), "v0.9.1"),
    differs("repair of an old tag", "K32 C287", others("v1.0.0", latest="v1.0.0"), "v1.0.0"),
    differs("alpha is latest", "K32 C289 G13", others("v2.0.0-alpha.1"), "v2.0.0-alpha.1"),
    differs("not the newest of all", "K32", others("v2.0.0", "v1.3.0"), "v1.3.0, it must be v2.0.0"),
    differs("policy says no", "K32", policy(False), "must not be"),
    differs("policy says yes", "K32", policy(True, "v2.0.0"), "v2.0.0"),
    superseded("newer stable", "K32", others("v1.3.0")),
    superseded("newer by number, not by letters", "K32", others("v1.10.0")),
    Row(id="newer prerelease beside", cases="K32", change=others("v2.0.0-rc.1", prerelease=True)),
    Row(id="newer draft beside", cases="K32", change=drafted_beside),
    Row(id="older beside", cases="K32", change=others("v1.1.9", latest=TAG)),
    Row(id="other families beside", cases="K32", change=others("docs-9.9.9", latest=TAG)),
    Row(id="policy says no, and it is not", cases="K32", change=policy(False, "v2.0.0")),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_latest(row: Row, world: World) -> None:
    """Each row: which releases are there, and whether latest is right (K32)."""
    look(row, world)


def test_the_way_to_mend_latest_is_printed(world: World) -> None:
    """The next step names the release that must be latest, as a command (K32, C285)."""
    others("v1.1.9")(world)
    steps = [step["command"] for step in world.status().report["next"]]
    assert steps == [f"gh release edit {TAG} --repo acme/widget --latest"]
