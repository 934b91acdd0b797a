"""Dist-tags: each planned one points at the version, `latest` at the highest stable one."""

import itertools

import pytest
from kit import CORE, VERSION, Row, World, look
from kit_npm import ago
from kit_project import PATHS, commit, files_of, npm_pack, repacked, write
from worlds_names import T_CORE

FAILED = {"npm-publish": "failed"}


def another(w: World, version: str, *tags: str) -> None:
    """Publish another version of core."""
    w.npm.publish(CORE, version, repacked(w.packs[CORE], version=version), tags=tags)


def stale(w: World) -> None:
    """The version is there, `latest` stayed at the one before."""
    another(w, "1.2.2", "latest")


def stale_and_young(w: World) -> None:
    """The same, a minute after the publish."""
    stale(w)
    w.npm.date(CORE, VERSION, ago(minutes=1))


def missing(w: World) -> None:
    """The version was published under another tag, and nothing is `latest`."""
    w.proxy.change(f"/{CORE}", lambda body: body.replace(b'"latest":', b'"next":'))


def moved_on(w: World) -> None:
    """A newer version was released since."""
    another(w, "1.3.0", "latest")


def backport(w: World) -> None:
    """Version 2 is out, and then this one took `latest`."""
    another(w, "2.0.0")
    w.npm.tag(CORE, "latest", VERSION)


def planned_backport(w: World) -> None:
    """Version 2 is out, and this one is planned and tagged as v1-lts."""
    another(w, "2.0.0", "latest")
    w.config["package"][0]["dist_tags"] = ["v1-lts"]
    w.npm.tag(CORE, "v1-lts", VERSION)


def careless_backport(w: World) -> None:
    """The backport is tagged as planned, and took `latest` as well."""
    planned_backport(w)
    w.npm.tag(CORE, "latest", VERSION)


def prerelease_took_latest(w: World) -> None:
    """A later prerelease was published without --tag."""
    another(w, "1.3.0-beta.1", "latest")


def unsteady(w: World) -> None:
    """Two reads of the document in a row disagree."""
    another(w, "1.2.2")
    turns = itertools.cycle((VERSION, "1.2.2"))

    def change(body: bytes) -> bytes:
        return body.replace(f'"latest": "{VERSION}"'.encode(), f'"latest": "{next(turns)}"'.encode())

    w.proxy.change(f"/{CORE}", change)


ROWS = (
    Row(id="stale-inside-the-window", cases="G22 C049", change=stale_and_young,
        open={T_CORE: "npm.dist-tag-propagating"}, states={"npm-publish": "partial"}, exit=2),
    Row(id="stale-past-the-window", cases="G22 C055", change=stale,
        open={T_CORE: "npm.dist-tag-stale"}, states=FAILED, exit=1),
    Row(id="no-such-tag", cases="C054", change=missing,
        open={T_CORE: "npm.dist-tag-stale"}, states=FAILED, exit=1),
    Row(id="moved-on", cases="K05", change=moved_on, done={T_CORE: "npm.dist-tag-superseded"}),
    Row(id="backport-took-latest", cases="G12 C049 C050", change=backport,
        open={T_CORE: "npm.latest-on-older"}, states=FAILED,
        says=("the highest stable version is 2.0.0",), exit=1),
    Row(id="backport-as-planned", cases="G12 C052", change=planned_backport,
        done={f"npm-publish/{CORE}@v1-lts": "npm.dist-tag-agrees", T_CORE: "npm.dist-tag-free"}),
    Row(id="backport-took-latest-as-well", cases="G12 C050", change=careless_backport,
        open={T_CORE: "npm.latest-on-older"}, states=FAILED, exit=1),
    Row(id="prerelease-took-latest", cases="G13 C045 C047", change=prerelease_took_latest,
        open={T_CORE: "npm.prerelease-on-latest"}, states=FAILED,
        says=("points at 1.3.0-beta.1",), exit=1),
    Row(id="reads-disagree", cases="C033 G22", change=unsteady,
        open={T_CORE: "npm.dist-tag-unstable"}, states={"npm-publish": "partial"}, exit=4),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_dist_tag_is_judged_by_where_it_points(row: Row, world: World) -> None:
    """Each row's ``cases``: version and tag are two subjects, and `latest` is watched even when unplanned."""
    result = look(row, world)
    assert result.finding("npm-publish", f"{CORE}@{VERSION}")["state"] == "complete"


def test_a_stale_tag_comes_with_its_command(world: World) -> None:
    """The next step is the one `npm dist-tag add` that mends it (G13, G22)."""
    stale(world)
    steps = [step["command"] for step in world.status().report["next"]]
    assert steps == [f"npm dist-tag add {CORE}@{VERSION} latest --registry {world.npm.url}"]


def beta(w: World, *tags: str) -> str:
    """Release 1.3.0-beta.1 of everything under ``tags``; return the version."""
    version = "1.3.0-beta.1"
    files = files_of(version)
    del files["release.toml"]
    write(w.checkout, files)
    w.commit = commit(w.checkout, "Version Packages")
    w.arguments = (f"v{version}",)
    w.tag(f"v{version}", w.commit)
    w.repo.check_run("build", w.commit)
    w.repo.release(f"v{version}", prerelease=True)
    for table in ("binary", "checksums", "manifest"):
        del w.config[table]
    for name, path in PATHS.items():
        w.packs[name] = npm_pack(w.checkout / path, w.folder / "npm")
        w.npm.publish(name, version, w.packs[name], tags=tags, git_head=w.commit)
    return version


def test_a_prerelease_has_its_own_tag_and_leaves_latest_alone(world: World) -> None:
    """A beta under `beta` is complete: nobody asked for `latest`, and nobody took it (G13)."""
    beta(world, "beta")
    result = world.status()
    assert (result.open, result.exit) == ({}, 0)
    assert result.reason("npm-publish", f"{CORE}@beta") == "npm.dist-tag-agrees"
    assert result.reason("npm-publish", f"{CORE}@latest") == "npm.dist-tag-free"


def test_a_prerelease_on_latest_is_wrong(world: World) -> None:
    """A beta that was published without --tag fails, with the two commands that mend it (G13, C045)."""
    version = beta(world, "beta", "latest")
    result = world.status()
    assert result.open == dict.fromkeys(
        (f"npm-publish/{CORE}@latest", "npm-publish/@acme/cli@latest"), "npm.prerelease-on-latest"
    )
    assert result.exit == 1
    command = result.finding("npm-publish", f"{CORE}@latest")["next"]
    assert f"npm dist-tag add {CORE}@{VERSION} latest" in command
    assert f"npm dist-tag add {CORE}@{version} beta" in command
