"""Assets: whole, with the bytes that were built, as first seen, and no others (K12, K13, K15, K28, K29)."""

from datetime import UTC, datetime, timedelta

import pytest
import worlds_assets as change
from kit import Row, World, look
from worlds_channel import (
    ARCHIVES,
    ASSETS,
    DARWIN,
    LATEST,
    LINUX,
    MANIFEST,
    NOT_BUILT,
    RELEASE,
    SUMS,
    UNEXPECTED,
    every,
    sum_of,
    up,
)

DRAFT = {RELEASE: "release.draft", LATEST: "release.latest-pending"}
CUT = {up(LINUX): "asset.upload-interrupted", sum_of(LINUX): "checksums.asset-absent"}
OPEN = {up(LINUX): "asset.processing", sum_of(LINUX): "checksums.asset-absent"}
WRONG = {up(LINUX): "asset.digest-differs", sum_of(LINUX): "checksums.mismatch"}
REPLACED = {up(LINUX): "asset.changed-since", sum_of(LINUX): "checksums.differs-from-build"}
SUMMED = tuple(sum_of(name) for name in ASSETS)
GONE = {
    **NOT_BUILT,
    **every(tuple(map(up, ARCHIVES)), "asset.removed"),
    **every((up(MANIFEST), up(SUMS), UNEXPECTED), "asset.no-release"),
    **every(SUMMED, "checksums.no-release"),
    RELEASE: "release.removed",
    LATEST: "release.latest-pending",
}
NO_SUMS = {up(SUMS): "asset.upload-interrupted", **every(SUMMED, "checksums.file-absent")}
NO_MANIFEST = {
    **NOT_BUILT,
    **every(tuple(map(up, ARCHIVES)), "asset.not-compared"),
    up(MANIFEST): "asset.upload-interrupted",
    sum_of(MANIFEST): "checksums.asset-absent",
}
SEALED = {
    **every((up(LINUX), up(DARWIN)), "asset.missing-in-immutable"),
    **every((sum_of(LINUX), sum_of(DARWIN), sum_of(SUMS)), "checksums.asset-absent"),
}
SHALLOW = dict.fromkeys(SUMMED, "checksums.not-downloaded")


WRECKS = [
    Row(id="starter", cases="K12 C100 C102 G20", change=change.wreck(LINUX, "starter"), open=CUT, exit=1),
    Row(
        id="starter on a draft",
        cases="K12 C100 G20",
        change=change.wreck(LINUX, "starter", draft=True),
        open={**CUT, **DRAFT},
        exit=1,
    ),
    Row(id="young starter", cases="K12", change=change.wreck(LINUX, "starter", hours=0), open=CUT, exit=1),
    Row(id="open", cases="K12", change=change.wreck(LINUX, "open"), open=CUT, exit=1),
    Row(id="young open", cases="K12 C150", change=change.wreck(LINUX, "open", hours=0), open=OPEN, exit=2),
    Row(
        id="young open on a draft",
        cases="K12",
        change=change.wreck(LINUX, "open", draft=True, hours=0),
        open={**OPEN, **DRAFT},
        exit=2,
    ),
    Row(id="checksum file starter", cases="K12", change=change.wreck(SUMS, "starter"), open=NO_SUMS, exit=1),
    Row(
        id="manifest starter", cases="K12", change=change.wreck(MANIFEST, "starter"), open=NO_MANIFEST, exit=1
    ),
    Row(
        id="archive lost, its own checksum there",
        cases="K12 C110",
        change=change.orphan,
        open={up(LINUX): "asset.absent", **every((sum_of(LINUX), sum_of(SUMS)), "checksums.asset-absent")},
        exit=2,
    ),
]
BYTES = [
    Row(
        id="other bytes",
        cases="K13 C121 K27 C257",
        change=change.other_bytes,
        open=WRONG,
        exit=1,
        says=("the manifest says",),
    ),
    Row(
        id="truncated before the upload",
        cases="K12 K22",
        change=change.cut_bytes,
        open={**WRONG, up(LINUX): "asset.size-differs"},
        exit=1,
        says=("40 bytes",),
    ),
    Row(
        id="no bytes",
        cases="K12 C112",
        change=change.no_bytes,
        open={**WRONG, up(LINUX): "asset.empty"},
        exit=1,
    ),
    Row(
        id="swapped",
        cases="K14 K35 C302",
        change=change.swapped,
        open={
            **every((up(LINUX), up(DARWIN)), "asset.size-differs"),
            **every((sum_of(LINUX), sum_of(DARWIN)), "checksums.mismatch"),
        },
        exit=1,
    ),
    Row(
        id="GitHub states another digest",
        cases="K12",
        change=change.states(digest=f"sha256:{'0' * 64}"),
        open={up(LINUX): "asset.digest-differs", sum_of(LINUX): "checksums.digest-differs"},
        exit=1,
    ),
    Row(
        id="GitHub states a smaller size",
        cases="K12",
        change=change.states(size=7),
        open={up(LINUX): "asset.size-differs", sum_of(LINUX): "checksums.size-differs"},
        exit=1,
    ),
    Row(id="no digests", cases="K12", change=change.without_digests),
    Row(
        id="no digests, shallow",
        cases="K12",
        change=change.without_digests,
        open={**every(tuple(map(up, ASSETS)), "asset.digest-unknown"), **SHALLOW},
        deep=False,
        exit=2,
    ),
    Row(id="as uploaded", cases="K02", change=change.built()),
    Row(
        id="other than uploaded",
        cases="K28 C259 C261 G07",
        change=change.both(change.built(), change.other_bytes),
        open={up(LINUX): "asset.digest-differs", sum_of(LINUX): "checksums.differs-from-build"},
        exit=1,
        says=("the upload's evidence",),
    ),
]
DRIFT = [
    Row(id="as first seen", cases="K28", change=change.seen(None)),
    Row(id="replaced", cases="K28 G07 C259 C264", change=change.seen(b"then"), open=REPLACED, exit=1),
    Row(
        id="replaced with all that vouches",
        cases="K28 G07 G08",
        change=change.replaced_with_all,
        open=REPLACED,
        exit=1,
        says=("first seen with",),
    ),
    Row(
        id="removed",
        cases="K28",
        change=change.removed,
        open={
            up(LINUX): "asset.removed",
            **every((sum_of(LINUX), sum_of(SUMS)), "checksums.asset-absent"),
        },
        exit=1,
    ),
    Row(
        id="release made again",
        cases="K28 G08 C266",
        change=change.remade,
        open={RELEASE: "release.changed-since"},
        exit=1,
    ),
    Row(id="release gone", cases="K28 C266", change=change.gone, open=GONE, exit=1),
    Row(
        id="missing from an immutable release",
        cases="K29 C269 C271",
        change=change.sealed_without(LINUX, DARWIN),
        open=SEALED,
        exit=1,
        says=("is not on release",),
    ),
    Row(id="immutable and whole", cases="K29 C274", change=change.sealed_without()),
]


@pytest.mark.parametrize("row", [*WRECKS, *BYTES, *DRIFT], ids=lambda row: row.id)
def test_assets(row: Row, world: World) -> None:
    """Each row: what became of an asset, and what is said of it (K12-K15, K22, K28, K29)."""
    look(row, world)


def test_an_interrupted_upload_names_the_one_safe_remedy(world: World) -> None:
    """Only on a draft may the wreck be discarded, and the command says so (G20)."""
    change.wreck(LINUX, "starter", draft=True)(world)
    assert world.status().finding(*up(LINUX).split("/"))["next"].endswith("--discard-interrupted")
    world.release.set(draft=False)
    assert "discard" not in world.status().stdout


def test_an_asset_that_came_after_publishing_is_said_to_be_late(world: World) -> None:
    """Right bytes are right whenever they came; that they came hours later is in the message (K28, C263)."""
    late = datetime.now(UTC) + timedelta(hours=9)
    world.asset(LINUX).set(created_at=late)
    result = look(Row(id="late", cases="C263", change=lambda w: None), world)
    assert "after the release was published" in result.message(*up(LINUX).split("/"))
