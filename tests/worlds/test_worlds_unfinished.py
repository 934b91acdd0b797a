"""Releases that stopped half-way: what is there counts, and what is missing is named."""

import pytest
from kit import ARCHIVES, CLI, CORE, MANIFEST, SUMS, TAG, VERSION, Row, World, look
from worlds_names import (
    LATEST,
    NO_CLI,
    NO_CORE,
    NO_RELEASE,
    NO_TAG,
    NOT_BUILT,
    RELEASE,
    V_CLI,
    V_CORE,
)

DONE = {"commit-checks": "complete", "package-build": "complete"}


def only_committed(w: World) -> None:
    """Nothing is published anywhere."""
    w.untag()
    w.npm.clear()
    w.release.remove()


def only_tagged(w: World) -> None:
    """The tag is there, and nothing else."""
    w.npm.clear()
    w.release.remove()


def one_of_two(w: World) -> None:
    """The first package was published, then the job died."""
    w.npm.forget(CLI)


def other_of_two(w: World) -> None:
    """The package that others need was not published, the one that needs it was."""
    w.npm.forget(CORE)


def npm_only(w: World) -> None:
    """Every package is live, and the later steps never ran."""
    w.untag()
    w.release.remove()


def no_release(w: World) -> None:
    """The release job was skipped."""
    w.release.remove()


def drafted(w: World) -> None:
    """The draft holds everything, and was never published."""
    w.release.set(draft=True, published_at=None)


def bare_release(w: World) -> None:
    """The release was published before anything was attached."""
    for asset in w.release.assets:
        asset.remove()


def one_missing(w: World) -> None:
    """One upload was lost."""
    w.asset(ARCHIVES[1]).remove()


def one_missing_in_immutable(w: World) -> None:
    """One upload was lost, and the release can't take it any more."""
    one_missing(w)
    w.config["release"]["immutable"] = True
    w.release.set(immutable=True)


def packed_elsewhere(w: World) -> None:
    """The packages declare a build, and no evidence of one is here."""
    for package in w.config["package"]:
        package["build"] = ["npm", "run", "build"]
    w.packs.clear()


def packed_from_the_parent(w: World) -> None:
    """The packages declare a build, and the evidence is of the commit before."""
    packed_elsewhere(w)
    for name, tarball in w.template.packs.items():
        w.evidence.packed(name, tarball, commit=w.parent)


def brought_from_elsewhere(w: World) -> None:
    """The packages declare a build; another machine built them, and its evidence was brought here."""
    packed_elsewhere(w)
    folder = w.folder / "brought"
    for name, tarball in w.template.packs.items():
        w.evidence.packed(name, tarball, folder=folder)
    w.arguments = (TAG, "--evidence", str(folder))


def not_packed(reason: str) -> dict[str, str]:
    """Return what is open where the builds' evidence is missing."""
    built = {f"package-build/{name}": reason for name in (CORE, CLI)}
    return {**built, V_CORE: "npm.not-packed", V_CLI: "npm.not-packed"}


ROWS = (
    Row(
        id="nothing-published",
        cases="G21",
        change=only_committed,
        open={**NO_TAG, **NO_CORE, **NO_CLI, **NO_RELEASE},
        states={**DONE, "source-tag": "pending", "npm-publish": "pending", "github-release": "pending"},
        exit=2,
    ),
    Row(
        id="tag-only",
        cases="C013 C295",
        change=only_tagged,
        open={**NO_CORE, **NO_CLI, **NO_RELEASE},
        states={**DONE, "source-tag": "complete", "npm-publish": "pending"},
        exit=2,
    ),
    Row(
        id="one-of-two-packages",
        cases="G01 C001 C005",
        change=one_of_two,
        open=NO_CLI,
        states={"npm-publish": "partial"},
        says=(f"{CLI}@{VERSION} is not in",),
        exit=2,
    ),
    Row(
        id="dependent-before-its-dependency",
        cases="G04 C086",
        change=other_of_two,
        open={**NO_CORE, V_CLI: "npm.dependency-absent"},
        states={"npm-publish": "partial"},
        says=(f"{CORE}@^{VERSION}",),
        exit=2,
    ),
    Row(
        id="npm-without-tag-and-release",
        cases="C003 C294",
        change=npm_only,
        open={**NO_TAG, **NO_RELEASE},
        states={"npm-publish": "complete", "source-tag": "pending", "github-release": "pending"},
        exit=2,
    ),
    Row(
        id="release-job-skipped",
        cases="C327 C329 G21",
        change=no_release,
        open=NO_RELEASE,
        states={"source-tag": "complete", "npm-publish": "complete", "asset-upload": "pending"},
        exit=2,
    ),
    Row(
        id="draft-only",
        cases="C138 G10 C345",
        change=drafted,
        open={RELEASE: "release.draft", LATEST: "release.latest-pending"},
        states={"asset-upload": "complete", "checksums": "complete", "github-release": "pending"},
        exit=2,
    ),
    Row(
        id="published-without-assets",
        cases="C112 C347 C349 C350",
        change=bare_release,
        open={
            **NOT_BUILT,
            **{f"asset-upload/{name}": "asset.absent" for name in (*ARCHIVES, MANIFEST, SUMS)},
            **{f"checksums/{name}": "checksums.asset-absent" for name in (*ARCHIVES, MANIFEST)},
            f"checksums/{SUMS}": "checksums.file-absent",
        },
        states={"github-release": "complete", "asset-upload": "partial", "checksums": "pending"},
        exit=2,
    ),
    Row(
        id="one-asset-missing",
        cases="G19 C110",
        change=one_missing,
        open={
            f"asset-upload/{ARCHIVES[1]}": "asset.absent",
            f"checksums/{ARCHIVES[1]}": "checksums.asset-absent",
            f"checksums/{SUMS}": "checksums.asset-absent",
        },
        states={"asset-upload": "partial"},
        exit=2,
    ),
    Row(
        id="missing-in-immutable",
        cases="C269",
        change=one_missing_in_immutable,
        open={
            f"asset-upload/{ARCHIVES[1]}": "asset.missing-in-immutable",
            f"checksums/{ARCHIVES[1]}": "checksums.asset-absent",
            f"checksums/{SUMS}": "checksums.asset-absent",
        },
        states={"asset-upload": "failed"},
        exit=1,
    ),
    Row(
        id="built-elsewhere",
        cases="C301",
        change=packed_elsewhere,
        open=not_packed("package.not-built"),
        states={"package-build": "pending", "npm-publish": "partial"},
        exit=2,
    ),
    Row(id="built-elsewhere-and-brought", cases="C301", change=brought_from_elsewhere),
    Row(
        id="built-from-another-commit",
        cases="C319 C275",
        change=packed_from_the_parent,
        open=not_packed("package.evidence-for-other-commit"),
        states={"package-build": "pending", "npm-publish": "partial"},
        exit=2,
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_an_unfinished_release_is_never_complete(row: Row, world: World) -> None:
    """Each row's ``cases``: the missing subjects are pending by name, and what is there stays complete."""
    look(row, world)


def test_an_unfinished_release_says_what_to_run(world: World) -> None:
    """Each open subject's next step is a command for this release (C301, G01)."""
    packed_elsewhere(world)
    world.npm.forget(CLI)
    steps = {step["gate"]: step["command"] for step in world.status().report["next"]}
    assert steps["package-build"] == "release build packages"
    assert steps["npm-publish"] in ("release build packages", f"release converge {TAG}")
