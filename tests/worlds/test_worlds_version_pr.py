"""Changesets: the release's commit has none left, and what consumed them changed versions only."""

from datetime import UTC, datetime

import pytest
from kit import CORE, Row, World, look

PULL = "version-pr/version-packages"
BRANCH = "changeset-release/main"
MERGED = datetime(2026, 1, 2, 4, tzinfo=UTC)
CHANGESET = {".changeset/brave-cats-sing.md": f"---\n'{CORE}': patch\n---\n\nSing.\n"}
CODE = {"packages/core/index.js": "module.exports = () => 'changed';\n"}


def changesets(w: World) -> None:
    """The project uses Changesets."""
    w.config["changesets"] = {}


def left(w: World) -> None:
    """A changeset is left at the release's commit."""
    changesets(w)
    w.recommit({**CHANGESET, ".changeset/README.md": "# Changesets\n", ".changeset/config.json": "{}\n"})


def pull(w: World, **options: object) -> None:
    """Add the Version Packages pull request, number 7."""
    w.repo.pull(7, "Version Packages", head=BRANCH, **options)  # type: ignore[arg-type]


def merged(w: World) -> None:
    """Its merge is the release's commit."""
    changesets(w)
    pull(w, merged_at=MERGED, merge_commit_sha=w.commit)


def merged_then_more(w: World) -> None:
    """A commit without a version landed on top of the merge, and that is released."""
    merged(w)
    w.move_to(w.commit_on("main", {"NOTES.md": "more\n"}))


def left_with_open(w: World) -> None:
    """The pull request waits for somebody."""
    left(w)
    pull(w)


def left_with_closed(w: World) -> None:
    """Somebody closed the pull request."""
    left(w)
    pull(w, state="closed")


def left_with_merged(w: World) -> None:
    """One more changeset landed between the pull request and its merge."""
    left(w)
    pull(w, merged_at=MERGED, merge_commit_sha=w.commit)


def left_with_fork(w: World) -> None:
    """Somebody else's pull request has the branch's name."""
    left(w)
    pull(w, head_owner="mallory")


def mixed(w: World) -> None:
    """The version was bumped in an implementation commit."""
    changesets(w)
    w.recommit(CODE)


def mixed_pull(w: World) -> None:
    """The pull request that bumped the versions also changed code."""
    mixed(w)
    pull(w, merged_at=MERGED, merge_commit_sha=w.commit)


def merged_elsewhere(w: World) -> None:
    """The pull request was merged into a branch that the release does not come from."""
    changesets(w)
    other = w.commit_on("other", {"NOTES.md": "other\n"})
    w.git("reset", "--quiet", "--hard", w.commit)
    pull(w, merged_at=MERGED, merge_commit_sha=other)


def bumped_by_hand_later(w: World) -> None:
    """An older version's pull request is in the history; this version was bumped by hand, with code."""
    changesets(w)
    pull(w, merged_at=MERGED, merge_commit_sha=w.parent)
    w.recommit(CODE)


ROWS = (
    Row(id="no-changesets", cases="K33", change=lambda w: None),
    Row(id="version-commit", cases="K33", change=changesets, done={PULL: "version-pr.version-commit"}),
    Row(id="merged", cases="K33", change=merged, done={PULL: "version-pr.merged"}),
    Row(id="merged-then-more", cases="K33", change=merged_then_more, done={PULL: "version-pr.merged"}),
    Row(id="open", cases="C292 C294", change=left_with_open, open={PULL: "version-pr.open"},
        states={"version-pr": "pending"}, says=("#7 is open", "brave-cats-sing.md"), exit=2),
    Row(id="left-without-pull", cases="C290 C295", change=left, open={PULL: "version-pr.missing"},
        states={"version-pr": "pending"}, says=("1 changeset left",), exit=2),
    Row(id="left-with-a-fork's-pull", cases="C290", change=left_with_fork,
        open={PULL: "version-pr.missing"}, exit=2),
    Row(id="closed", cases="C292", change=left_with_closed, open={PULL: "version-pr.closed"}, exit=1),
    Row(id="merged-with-one-left", cases="C292", change=left_with_merged,
        open={PULL: "version-pr.unconsumed"}, exit=1),
    Row(id="mixed", cases="K33", change=mixed, open={PULL: "version-pr.mixed"},
        says=("packages/core/index.js",), exit=1),
    Row(id="mixed-pull", cases="K33", change=mixed_pull, open={PULL: "version-pr.mixed"},
        says=("#7", "packages/core/index.js"), exit=1),
    Row(id="merged-elsewhere", cases="K33 G11", change=merged_elsewhere,
        open={PULL: "version-pr.not-ancestor"}, exit=1),
    Row(id="bumped-by-hand-after-an-older-pull", cases="K33", change=bumped_by_hand_later,
        open={PULL: "version-pr.mixed"}, exit=1),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_the_versions_were_set_alone(row: Row, world: World) -> None:
    """Each row's ``cases``: nobody releases with changesets left, or from an implementation commit."""
    look(row, world)


def test_a_project_without_changesets_has_no_such_gate(world: World) -> None:
    """Without [changesets] nothing is checked, and nothing claims to be (K33)."""
    assert world.status().state("version-pr") == "absent"
