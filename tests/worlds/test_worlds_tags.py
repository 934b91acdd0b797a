"""Tags: of every kind and name, absent, moved, removed, off the branch, or on another commit."""

import pytest
from kit import CLI, CORE, TAG, VERSION, Row, World, look
from worlds_names import NO_TAG, RELEASE, SOURCE_TAG

FAILED = {"source-tag": "failed"}
MISSING = {RELEASE: "release.tag-missing"}


def nested(w: World) -> None:
    """A tag of a tag."""
    w.tag("inner", w.commit, annotated=True)
    w.tag(TAG, "inner", annotated=True)


def on_the_parent(w: World) -> None:
    """The tag is at another commit than the one that is released."""
    w.tag(TAG, w.parent)
    w.arguments = (TAG, "--commit", w.commit)


def on_the_tip(w: World) -> None:
    """The tag was made at the branch's tip, after one more commit."""
    w.tag(TAG, w.commit_on("main", {"NOTES.md": "more\n"}))
    w.arguments = (TAG, "--commit", w.commit)


def on_a_tree(w: World) -> None:
    """The tag is of a tree."""
    w.tag(TAG, f"{w.commit}^{{tree}}")
    w.arguments = (TAG, "--commit", w.commit)


def absent(w: World) -> None:
    """There is no tag, though the release is published."""
    w.untag()


def absent_beside_lookalikes(w: World) -> None:
    """There is no such tag, only a branch of the name, and tags that end with it or differ in case."""
    w.untag()
    w.push(f"{w.commit}:refs/heads/{TAG}")
    for name in (f"acme/{TAG}", f"{TAG}-rc.1", TAG.upper()):
        w.tag(name, w.commit)


def beside_a_branch(w: World) -> None:
    """A branch of the tag's name is somewhere else."""
    w.push(f"{w.parent}:refs/heads/{TAG}")


def moved(w: World) -> None:
    """The tag was somewhere else when it was first seen."""
    w.evidence.first_seen(f"tag:{TAG}", commit=w.parent)


def removed(w: World) -> None:
    """The tag was there when it was first seen."""
    w.evidence.first_seen(f"tag:{TAG}", commit=w.commit)
    w.untag()


def off_branch(w: World) -> None:
    """The release's commit is only on a branch that is not allowed."""
    w.config["release"]["branches"] = ["main"]
    w.push(f"{w.parent}:refs/heads/main", f"{w.commit}:refs/heads/feature")


def on_branch(w: World) -> None:
    """The release's commit is behind the tip of an allowed branch."""
    w.config["release"]["branches"] = ["release/1.x", "main"]
    w.commit_on("main", {"NOTES.md": "more\n"})


def with_slash(w: World) -> None:
    """Tags have a prefix with a slash."""
    w.config["release"]["tag"] = "release/acme/{version}"
    rename(w, f"release/acme/{VERSION}")


def rename(w: World, tag: str) -> None:
    """Release everything under another tag."""
    w.untag()
    w.tag(tag, w.commit)
    w.release.set(tag_name=tag, name=tag)
    w.arguments = (tag,)


def two_on_one_commit(w: World) -> None:
    """A release candidate's tag is at the same commit."""
    w.tag(f"{TAG}-rc.1", w.commit)
    w.repo.release(f"{TAG}-rc.1", prerelease=True)


ROWS = (
    Row(id="lightweight", cases="C161", change=lambda w: w.tag(TAG, w.commit)),
    Row(id="annotated", cases="C161", change=lambda w: w.tag(TAG, w.commit, annotated=True)),
    Row(id="nested", cases="C161", change=nested),
    Row(id="slash", cases="C170", change=with_slash),
    Row(id="two-tags-on-one-commit", cases="C173", change=two_on_one_commit),
    Row(id="beside-a-branch-of-its-name", cases="C165", change=beside_a_branch),
    Row(id="on-an-allowed-branch", cases="K31", change=on_branch),
    Row(id="absent", cases="C295", change=absent, open={**NO_TAG, **MISSING},
        states={"source-tag": "pending", "github-release": "failed"}, exit=1),
    Row(id="absent-beside-lookalikes", cases="C170", change=absent_beside_lookalikes,
        open={**NO_TAG, **MISSING}, exit=1),
    Row(id="on-another-commit", cases="C154 G11", change=on_the_parent,
        open={SOURCE_TAG: "tag.commit-differs", RELEASE: "release.commit-differs"},
        states=FAILED, exit=1),
    Row(id="on-the-tip", cases="G11 C154", change=on_the_tip,
        open={SOURCE_TAG: "tag.commit-differs", RELEASE: "release.commit-differs"},
        states=FAILED, exit=1),
    Row(id="on-a-tree", cases="C161", change=on_a_tree,
        open={SOURCE_TAG: "tag.not-a-commit", RELEASE: "release.commit-differs"}, states=FAILED, exit=1),
    Row(id="moved", cases="C165 C168", change=moved, open={SOURCE_TAG: "tag.changed-since"},
        states=FAILED, says=("first seen at",), exit=1),
    Row(id="removed", cases="C168", change=removed, open={SOURCE_TAG: "tag.removed", **MISSING},
        states=FAILED, exit=1),
    Row(id="off-branch", cases="G11", change=off_branch, open={SOURCE_TAG: "tag.off-branch"},
        states=FAILED, says=("on none of: main",), exit=1),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_tag_is_judged_by_the_commit_it_peels_to(row: Row, world: World) -> None:
    """Each row's ``cases``: the remote's tag of exactly this name, peeled, and nothing else."""
    look(row, world)


def independent(w: World) -> None:
    """Every package has its own tag and release; the binaries belong to core's."""
    w.config["release"]["tag"] = "{package}@{version}"
    for binary in w.config["binary"]:
        binary["package"] = CORE
    rename(w, f"{CORE}@{VERSION}")
    w.tag(f"{CLI}@{VERSION}", w.commit, annotated=True)
    w.repo.release(f"{CLI}@{VERSION}")


@pytest.mark.parametrize("tag", [f"{CORE}@{VERSION}", f"{CLI}@{VERSION}"])
def test_each_package_may_have_its_own_tag(tag: str, world: World) -> None:
    """`{package}@{version}` is complete, whichever of its tags is typed (C170, C171, C173)."""
    independent(world)
    world.arguments = (tag,)
    look(Row(id="independent", cases="C171", change=lambda w: None), world)


def test_one_of_two_tags_missing_is_partial(world: World) -> None:
    """One tag was never pushed: it is named, the other one is complete (C282, C013)."""
    independent(world)
    world.untag(f"{CLI}@{VERSION}")
    expected = {
        f"source-tag/{CLI}@{VERSION}": "tag.absent",
        f"github-release/{CLI}@{VERSION}": "release.tag-missing",
    }
    row = Row(id="", cases="", change=lambda w: None, open=expected, states={"source-tag": "partial"}, exit=1)
    look(row, world)


def test_a_tag_of_a_tree_names_no_commit(world: World) -> None:
    """Without --commit there is nothing to compare with: exit 4, and no report."""
    on_a_tree(world)
    world.arguments = (TAG,)
    result = world.status()
    assert (result.exit, result.report) == (4, {})
    assert "does not peel to a commit" in result.stderr


def test_a_remote_that_is_gone_is_no_verdict(world: World) -> None:
    """The remote can't be asked: exit 4 with git's reason, and no report that could be taken for one."""
    world.remote.rename(world.folder / "elsewhere.git")
    result = world.status()
    assert (result.exit, result.report) == (4, {})
    assert "git.unreachable" in result.stderr
