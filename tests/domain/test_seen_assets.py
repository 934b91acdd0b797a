"""explain_missing: why an asset is not on the release that holds the tag's assets."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from release.domain.facts.github import ReleaseFacts
from release.domain.holder import Holder
from release.domain.identity import Identity
from release.domain.reasons import reason_of
from release.domain.seen_assets import REASONS, SeenAsset, explain_missing
from release.domain.state import State

THEN = datetime(2026, 1, 1, tzinfo=UTC)
RELEASE = ReleaseFacts(
    id=1,
    tag_name="v1.2.3",
    name=None,
    draft=False,
    prerelease=False,
    immutable=None,
    target_commitish="main",
    html_url="",
    upload_url="",
    created_at=THEN,
    published_at=THEN,
)
DRAFT = replace(RELEASE, draft=True, published_at=None)
SEALED = replace(RELEASE, immutable=True)
OTHER = replace(DRAFT, id=2)
THIRD = replace(DRAFT, id=3)
NAME = "acme 1.tgz"


def seen(release: ReleaseFacts = RELEASE, others: tuple[ReleaseFacts, ...] = (), **changes: Any) -> SeenAsset:
    """A look at a release without the asset."""
    bare = SeenAsset(
        holder=Holder(release=release, others=others),
        asset=None,
        names=(),
        elsewhere=(),
        expected=(),
        first=None,
        seen_before=False,
        download=None,
    )
    return replace(bare, **changes)


IS_NOT = "'acme 1.tgz' is not on "
ROWS: dict[str, tuple[SeenAsset, str, str]] = {
    "on a draft": (seen(DRAFT), "asset.absent", "draft 1"),
    "on a release": (seen(), "asset.absent", "release 1"),
    "on an immutable release": (seen(SEALED), "asset.missing-in-immutable", "release 1"),
    "on a draft that will be immutable": (
        seen(replace(DRAFT, immutable=True)),
        "asset.absent",
        "draft 1",
    ),
    "seen before": (seen(seen_before=True), "asset.removed", "release 1"),
    "seen before, immutable": (seen(SEALED, seen_before=True), "asset.missing-in-immutable", "release 1"),
    "beside another draft": (
        seen(others=(OTHER,)),
        "asset.absent",
        "release 1 (the tag also has draft 2)",
    ),
    "in another draft": (
        seen(others=(OTHER,), elsewhere=(OTHER,)),
        "asset.in-other-draft",
        "release 1; draft 2 of the same tag holds it",
    ),
    "in two other drafts": (
        seen(others=(OTHER, THIRD), elsewhere=(OTHER, THIRD)),
        "asset.in-other-draft",
        "release 1; draft 2, draft 3 of the same tag holds it",
    ),
    "of two drafts, in the other": (
        seen(DRAFT, others=(OTHER,), elsewhere=(OTHER,)),
        "asset.absent",
        "draft 1; draft 2 of the same tag holds it",
    ),
    "in another draft, immutable": (
        seen(SEALED, others=(OTHER,), elsewhere=(OTHER,)),
        "asset.missing-in-immutable",
        "release 1; draft 2 of the same tag holds it",
    ),
    "removed, and in another draft": (
        seen(others=(OTHER,), elsewhere=(OTHER,), seen_before=True),
        "asset.removed",
        "release 1; draft 2 of the same tag holds it",
    ),
    "renamed": (
        seen(names=("other", "acme.1.tgz")),
        "asset.renamed",
        "release 1, which holds acme.1.tgz instead",
    ),
    "renamed, on an immutable release": (
        seen(SEALED, names=("acme.1.tgz",), seen_before=True),
        "asset.renamed",
        "release 1, which holds acme.1.tgz instead",
    ),
    "another name": (seen(names=("acme-2.tgz",)), "asset.absent", "release 1"),
}


@pytest.mark.parametrize("name", ROWS)
def test_why_it_is_missing(name: str) -> None:
    """Renamed by GitHub, gone, terminal, in a draft that lost a race, or just not there (G06, G08, G09)."""
    looked, reason, text = ROWS[name]
    assert explain_missing(NAME, frozenset({NAME}), looked) == (reason, IS_NOT + text)


def test_a_planned_name_is_no_rewriting() -> None:
    """What the plan itself asks for under that name is not what GitHub made of another."""
    there = seen(names=("acme.1.tgz",))
    assert explain_missing(NAME, frozenset({NAME, "acme.1.tgz"}), there)[0] == "asset.absent"


def test_every_identity_has_a_reason() -> None:
    """The identity rule is total, each answer has its own code, and only *same* is complete."""
    assert set(REASONS) == set(Identity)
    assert len(set(REASONS.values())) == len(REASONS)
    complete = {identity for identity, code in REASONS.items() if reason_of(code).state is State.COMPLETE}
    assert complete == {Identity.SAME}
