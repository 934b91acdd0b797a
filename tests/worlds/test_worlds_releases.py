"""GitHub Releases that are not one, not finished, not for this commit, or not what the plan says."""

import pytest
from kit import ARCHIVES, MANIFEST, SUMS, TAG, VERSION, Row, World, look
from kit_npm import LONG_AGO
from worlds_names import ASSETS, BINARIES, LATEST, RELEASE

LINUX, MAC, WINDOWS = ARCHIVES


def two_drafts(w: World) -> None:
    """Two jobs made a draft each, and uploaded to their own."""
    w.release.set(draft=True, published_at=None)
    other = w.repo.release(TAG, draft=True, created_at=LONG_AGO)
    for name in (MAC, WINDOWS):
        asset = w.asset(name)
        other.asset(name, w.assets()[name])
        asset.remove()


def published_beside_a_draft(w: World) -> None:
    """One of two drafts was published, without what the other one holds."""
    other = w.repo.release(TAG, draft=True)
    for name in (MAC, WINDOWS):
        other.asset(name, w.assets()[name])
        w.asset(name).remove()


def published_twice(w: World) -> None:
    """An orphan draft for the tag is left, with nothing that is missing."""
    w.repo.release(TAG, draft=True)


def mutable(w: World) -> None:
    """The plan wants an immutable release, and it is not."""
    w.config["release"]["immutable"] = True


def immutable(w: World) -> None:
    """The plan wants an immutable release, and it is."""
    mutable(w)
    w.release.set(immutable=True)


def prerelease_flag(w: World) -> None:
    """A stable version was published as a prerelease."""
    w.release.set(prerelease=True)


def backport_is_latest(w: World) -> None:
    """A newer version was released, and then this one was made latest."""
    w.repo.release("v2.0.0")
    w.repo.latest_override(TAG)


def newer_is_latest(w: World) -> None:
    """The project has moved on."""
    w.repo.release("v2.0.0")


def older_is_latest(w: World) -> None:
    """An older version's repair took latest back."""
    w.repo.release("v1.2.2")
    w.repo.latest_override("v1.2.2")


def prerelease_is_latest(w: World) -> None:
    """An alpha that was not marked as a prerelease is latest."""
    w.repo.release("v2.0.0-alpha.1")


def made_again(w: World) -> None:
    """The release was deleted and made again, and all of it agrees with itself."""
    w.evidence.first_seen(f"release:{TAG}", data={"id": w.release.id - 1, "draft": False})


def deleted(w: World) -> None:
    """The release was there when it was first seen."""
    w.evidence.first_seen(f"release:{TAG}", data={"id": w.release.id, "draft": False})
    for name in ASSETS:
        w.evidence.first_seen(f"asset:{TAG}/{name}", digest=w.asset(name).value.digest)
    w.release.remove()


def drafts_hidden(w: World) -> None:
    """Nothing is published, and the token may not see drafts."""
    w.release.set(draft=True, published_at=None)
    w.forge.token("reader")
    w.env["GITHUB_TOKEN"] = "reader"


def built_from_the_parent(w: World) -> None:
    """The binaries were built from the release branch, the tag is at another commit."""
    rows = w.assets()
    parent = rows[MANIFEST].replace(w.commit.encode(), w.parent.encode())
    archives = {name: rows[name] for name in ARCHIVES}
    w.put_assets({**archives, MANIFEST: parent})


ABSENT = {
    f"checksums/{MAC}": "checksums.asset-absent",
    f"checksums/{WINDOWS}": "checksums.asset-absent",
    f"checksums/{SUMS}": "checksums.asset-absent",
}

ROWS = (
    Row(
        id="two-drafts",
        cases="C128 C140 G10",
        change=two_drafts,
        open={
            RELEASE: "release.ambiguous",
            LATEST: "release.latest-pending",
            f"asset-upload/{MAC}": "asset.absent",
            f"asset-upload/{WINDOWS}": "asset.absent",
            **ABSENT,
        },
        states={"github-release": "failed", "asset-upload": "partial"},
        says=("2 releases exist for v1.2.3", "with 3 assets", "with 2 assets", "holds it"),
        exit=1,
    ),
    Row(
        id="published-beside-a-draft-that-holds-the-rest",
        cases="G09",
        change=published_beside_a_draft,
        open={
            RELEASE: "release.ambiguous",
            f"asset-upload/{MAC}": "asset.in-other-draft",
            f"asset-upload/{WINDOWS}": "asset.in-other-draft",
            **ABSENT,
        },
        states={"github-release": "failed", "asset-upload": "failed"},
        says=("2 releases exist for v1.2.3", "holds it"),
        exit=1,
    ),
    Row(
        id="orphan-draft",
        cases="C140",
        change=published_twice,
        open={RELEASE: "release.ambiguous"},
        states={"github-release": "failed", "asset-upload": "complete", "checksums": "complete"},
        exit=1,
    ),
    Row(id="not-immutable", cases="K29", change=mutable, open={RELEASE: "release.not-immutable"}, exit=1),
    Row(id="immutable", cases="K29", change=immutable, done={RELEASE: "release.published"}),
    Row(
        id="prerelease-flag",
        cases="C289",
        change=prerelease_flag,
        open={RELEASE: "release.prerelease-differs"},
        states={"github-release": "failed"},
        exit=1,
    ),
    Row(
        id="backport-is-latest",
        cases="C285 C287",
        change=backport_is_latest,
        open={LATEST: "release.latest-differs"},
        says=("latest is v1.2.3, it must be v2.0.0",),
        states={"github-release": "failed"},
        exit=1,
    ),
    Row(
        id="newer-is-latest",
        cases="C285",
        change=newer_is_latest,
        done={LATEST: "release.latest-superseded"},
    ),
    Row(
        id="older-is-latest",
        cases="C287",
        change=older_is_latest,
        open={LATEST: "release.latest-differs"},
        says=("it must be v1.2.3",),
        exit=1,
    ),
    Row(
        id="prerelease-is-latest",
        cases="C289",
        change=prerelease_is_latest,
        open={LATEST: "release.latest-differs"},
        says=("latest is v2.0.0-alpha.1",),
        exit=1,
    ),
    Row(
        id="made-again",
        cases="C266 G08",
        change=made_again,
        open={RELEASE: "release.changed-since"},
        exit=1,
    ),
    Row(
        id="deleted",
        cases="C266 G08",
        change=deleted,
        open={
            RELEASE: "release.removed",
            LATEST: "release.latest-pending",
            **{f"asset-upload/{name}": "asset.removed" for name in ASSETS},
            "asset-upload/(unexpected)": "asset.no-release",
            **{f"checksums/{name}": "checksums.no-release" for name in ASSETS},
            **{f"binary-build/{name}": "binary.not-built" for name in BINARIES},
        },
        states={"github-release": "failed", "asset-upload": "failed"},
        exit=1,
    ),
    Row(
        id="drafts-hidden",
        cases="C138 K24",
        change=drafts_hidden,
        open={
            RELEASE: "release.drafts-not-visible",
            LATEST: "release.latest-pending",
            **{f"asset-upload/{name}": "release.drafts-not-visible" for name in (*ASSETS, "(unexpected)")},
            **{f"checksums/{name}": "release.drafts-not-visible" for name in ASSETS},
            **{f"binary-build/{name}": "binary.not-built" for name in BINARIES},
        },
        states={"github-release": "pending", "asset-upload": "pending"},
        exit=4,
    ),
    Row(
        id="binaries-of-another-commit",
        cases="G11 C154 C275",
        change=built_from_the_parent,
        open={
            **{f"binary-build/{name}": "binary.commit-differs" for name in BINARIES},
            **{f"asset-upload/{name}": "asset.not-compared" for name in ARCHIVES},
        },
        states={"binary-build": "failed", "checksums": "complete", "asset-upload": "partial"},
        exit=1,
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_github_release_is_judged_as_it_is(row: Row, world: World) -> None:
    """Each row's ``cases``: one release for the tag, published as planned, with this commit's binaries."""
    look(row, world)


def test_the_commit_table_shows_which_channel_is_of_another_commit(world: World) -> None:
    """Tag and release agree, the manifest does not: the report's commit table says so (G11, C154)."""
    built_from_the_parent(world)
    commits = world.status().commits
    assert commits["binary-manifest"] is False
    assert (commits[f"tag {TAG}"], commits[f"release {TAG}"]) == (True, True)
    assert VERSION in TAG
