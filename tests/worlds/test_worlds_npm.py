"""npm versions: there, missing, on their way, lost, taken back, or not what the commit packs to."""

import pytest
from kit import CLI, CORE, VERSION, Row, World, look
from kit_npm import LONG_AGO, ago
from kit_project import recompressed, repacked
from kit_proxy import Reply
from worlds_names import ASSETS, NO_CLI, V_CLI, V_CORE

SPEC = f"{CORE}@{VERSION}"
FAILED = {"npm-publish": "failed"}


def replaced(w: World, tarball: bytes, **options: object) -> None:
    """Publish other bytes under core's version."""
    w.npm.forget(CORE)
    w.npm.publish(CORE, VERSION, tarball, git_head=w.commit, **options)  # type: ignore[arg-type]


def lost(w: World) -> None:
    """A publish of cli succeeded, long ago."""
    w.npm.forget(CLI)
    w.evidence.published(f"{CLI}@{VERSION}", LONG_AGO)


def travelling(w: World) -> None:
    """A publish of cli succeeded, a minute ago."""
    w.npm.forget(CLI)
    w.evidence.published(f"{CLI}@{VERSION}", ago(minutes=1))


def travelling_slowly(w: World) -> None:
    """A publish of cli succeeded 20 minutes ago, and the plan allows 30."""
    w.npm.forget(CLI)
    w.config["npm"] = {"propagation": "30m"}
    w.evidence.published(f"{CLI}@{VERSION}", ago(minutes=20))


def refused(w: World) -> None:
    """A publish of cli was tried, and failed."""
    w.npm.forget(CLI)
    w.evidence.published(f"{CLI}@{VERSION}", ago(minutes=1), verdict="fail", exit_code=1)


def published_from_the_parent(w: World) -> None:
    """The record of a publish is of another commit: it says nothing of this one."""
    w.npm.forget(CLI)
    w.evidence.published(f"{CLI}@{VERSION}", ago(minutes=1), commit=w.parent)


def seen_and_gone(w: World) -> None:
    """The version was there when it was first seen; nothing is left of the package."""
    w.npm.forget(CLI)
    w.evidence.first_seen(f"npm:{CLI}@{VERSION}", at=LONG_AGO)


def tarball_lost(w: World) -> None:
    """The version is listed since long ago, and its tarball answers 404."""
    w.proxy.answer(f"/{CORE}/-/core-{VERSION}.tgz", Reply(404, b"{}"))


def tarball_travelling(w: World) -> None:
    """The version is listed since a minute, and its tarball answers 404."""
    tarball_lost(w)
    w.npm.date(CORE, VERSION, ago(minutes=1))


def corrupt(w: World) -> None:
    """The registry serves other bytes than those whose integrity it states."""
    w.npm.tarball(CORE, VERSION).write_bytes(repacked(w.packs[CORE], {"index.js": "other()\n"}))


def other_content(w: World) -> None:
    """The version was published by hand, from a dirty tree."""
    replaced(w, repacked(w.packs[CORE], {"index.js": "other()\n", "stray.txt": "here\n"}))


def other_compression(w: World) -> None:
    """A packer wrote the same tar with another gzip level and time."""
    replaced(w, recompressed(w.packs[CORE]))


def other_tar(w: World) -> None:
    """A packer wrote the same files with other metadata."""
    replaced(w, repacked(w.packs[CORE]))


def changed_since(w: World) -> None:
    """The integrity is not the one that was first seen."""
    w.evidence.first_seen(f"npm:{SPEC}", digest=f"sha512:{'ab' * 64}")


def wrong_version_inside(w: World) -> None:
    """The package.json in the tarball is the previous version's."""
    replaced(w, repacked(w.packs[CORE], version="1.2.2"), manifest={"main": "index.js"})


def git_head_of_the_parent(w: World) -> None:
    """The contents are equal, and gitHead names another commit."""
    with w.npm.edit(CORE) as document:
        document["versions"][VERSION]["gitHead"] = w.parent


def no_git_head(w: World) -> None:
    """Published from a tarball: there is no gitHead."""
    for name in (CORE, CLI):
        with w.npm.edit(name) as document:
            del document["versions"][VERSION]["gitHead"]


def old_shasum_only(w: World) -> None:
    """A registry that states only the SHA-1, as for versions from before 2017."""
    with w.npm.edit(CORE) as document:
        del document["versions"][VERSION]["dist"]["integrity"]


NOT_DOWNLOADED = {f"checksums/{name}": "checksums.not-downloaded" for name in ASSETS}

ROWS = (
    Row(id="propagating", cases="C031 C040 G22", change=travelling,
        open={**NO_CLI, V_CLI: "npm.propagating"}, states={"npm-publish": "partial"}, exit=2),
    Row(id="propagating-by-policy", cases="G22 G26", change=travelling_slowly,
        open={**NO_CLI, V_CLI: "npm.propagating"}, states={"npm-publish": "partial"}, exit=2),
    Row(id="lost-after-its-publish", cases="C018 C030 C042 G22", change=lost,
        open={**NO_CLI, V_CLI: "npm.not-visible"}, states=FAILED, exit=1),
    Row(id="publish-that-failed", cases="C018 C020", change=refused,
        open=NO_CLI, states={"npm-publish": "partial"}, exit=2),
    Row(id="publish-of-another-commit", cases="C319", change=published_from_the_parent,
        open=NO_CLI, states={"npm-publish": "partial"}, exit=2),
    Row(id="unpublished", cases="C266", change=lambda w: w.npm.unpublish(CLI, VERSION),
        open={**NO_CLI, V_CLI: "npm.removed"}, states=FAILED, exit=1),
    Row(id="seen-and-gone", cases="G08", change=seen_and_gone,
        open={**NO_CLI, V_CLI: "npm.removed"}, states=FAILED, exit=1),
    Row(id="tarball-propagating", cases="C035", change=tarball_travelling,
        open={V_CORE: "npm.tarball-propagating"}, states={"npm-publish": "partial"}, exit=2),
    Row(id="tarball-lost", cases="C035", change=tarball_lost,
        open={V_CORE: "npm.tarball-missing"}, states=FAILED, exit=1),
    Row(id="served-bytes-differ", cases="C096", change=corrupt,
        open={V_CORE: "npm.tarball-corrupt"}, states=FAILED, exit=1),
    Row(id="content-differs", cases="C028 C075 G03", change=other_content,
        open={V_CORE: "npm.integrity-differs"}, states=FAILED, says=("index.js", "stray.txt"), exit=1),
    Row(id="recompressed", cases="C098", change=other_compression,
        done={V_CORE: "npm.identical-content"}),
    Row(id="other-metadata", cases="C098", change=other_tar, done={V_CORE: "npm.identical-content"}),
    Row(id="not-compared-when-shallow", cases="C028", change=other_compression, deep=False,
        open={**NOT_DOWNLOADED, V_CORE: "npm.not-compared"}, states={"npm-publish": "partial"}, exit=2),
    Row(id="first-seen-differs", cases="G07 G08", change=changed_since,
        open={V_CORE: "npm.changed-since"}, states=FAILED, exit=1),
    Row(id="wrong-version-inside", cases="C078 C081", change=wrong_version_inside,
        open={V_CORE: "npm.identity-differs"}, states=FAILED, says=(f"{CORE}@1.2.2 is inside",), exit=1),
    Row(id="git-head-of-another-commit", cases="C064", change=git_head_of_the_parent,
        open={V_CORE: "npm.commit-differs"}, states=FAILED, exit=1),
    Row(id="no-git-head", cases="C057 C059 C061 C062", change=no_git_head,
        done={V_CORE: "npm.identical"}),
    Row(id="sha1-only", cases="K11", change=old_shasum_only, done={V_CORE: "npm.identical"}),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_published_version_is_judged_by_its_content(row: Row, world: World) -> None:
    """Each row's ``cases``: equal content is done, whoever packed it; anything else is said as what it is."""
    look(row, world)
