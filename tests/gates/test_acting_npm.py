"""Acting on npm: exactly the packed bytes, once, after what they depend on; dist-tags never go backwards."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from worldkit import EARLIER, NOW, World, a_package, a_packument, a_plan, a_record, a_tarball, packed
from worldkit_writes import Acts

from gates import npm_publish
from release.domain.evidence import Kind
from release.domain.facts.npm import NotPacked, PackFailed, PackResult
from release.domain.plan import Package

HERE = a_tarball({"name": "acme", "version": "1.2.3"})
SPEC, TAG = "acme@1.2.3", "acme@latest"
PUBLISHED = ("publish", SPEC, str(HERE.sha256))


def acts(world: World, *packages: Package) -> Acts:
    for package in packages or (a_package(),):
        world.npm.packs[package.name] = packed(HERE)
    return Acts(gate=npm_publish, plan=a_plan(packages=packages or (a_package(),)), world=world)


def known(world: World, versions: tuple[str, ...], **changes: Any) -> None:
    world.npm.packuments["acme"] = replace(
        a_packument(HERE), **{"versions": versions, "published": None, "dist_tags": {}, **changes}
    )


def test_publishes_what_was_packed(world: World) -> None:
    """The very bytes that package-build looked at, under the planned tag, once."""
    there = acts(world)
    assert there.act(SPEC) == [(*PUBLISHED, "latest")]
    assert there.act(SPEC) == []


MEANWHILE: dict[str, Callable[[World], object]] = {
    "published": lambda world: world.npm.packuments.update({"acme": a_packument(HERE)}),
    "unpublished": lambda world: known(world, (), unpublished=True),
    "on its way": lambda world: world.remember([a_record(Kind.NPM_PUBLISH, SPEC, ended_at=NOW)]),
    "was there once": lambda world: world.remember([a_record(Kind.FIRST_SEEN, f"npm:{SPEC}")]),
    "not packed": lambda world: world.npm.packs.update({"acme": NotPacked(other=False)}),
    "failed to pack": lambda world: world.npm.packs.update({"acme": PackFailed(message="no")}),
}


@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE)
def test_publishes_nothing_where_the_world_changed(
    meanwhile: Callable[[World], object], world: World
) -> None:
    """Looked at again right before: a version is published only where it is absent and packed (G14, G15)."""
    assert acts(world).act(SPEC, meanwhile) == []


@pytest.mark.parametrize("result", [NotPacked(other=True), PackFailed(message="no")])
def test_publishes_only_what_is_packed(result: PackResult, world: World) -> None:
    """Without a tarball from the commit there is nothing to publish."""
    there = acts(world)
    world.npm.packs["acme"] = result
    assert there.act(SPEC) == []


FIRST_TAGS = (
    ("1.2.3", ("latest",), (), "latest"),
    ("1.2.3", ("latest",), ("1.2.2",), "latest"),
    ("1.2.3", ("latest",), ("1.2.2", "2.0.0-rc.1"), "latest"),
    ("1.2.3", ("latest",), ("1.10.0",), "release-1.2"),
    ("1.2.3", ("latest", "v1"), ("2.0.0",), "v1"),
    ("1.2.3", ("v1", "latest"), ("1.0.0",), "v1"),
    ("1.2.3", ("v1",), ("2.0.0",), "v1"),
    ("2.0.0-rc.1", ("latest",), ("1.0.0",), "next"),
    ("2.0.0-rc.1", ("latest",), ("1.0.0-rc.1",), "latest"),
    ("2024.04.01", ("latest",), ("1.0.0",), "latest"),
)


@pytest.mark.parametrize(("version", "planned", "versions", "tag"), FIRST_TAGS)
def test_the_first_tag(
    version: str, planned: tuple[str, ...], versions: tuple[str, ...], tag: str, world: World
) -> None:
    """npm gives each version a tag: ``latest`` never goes to an older one, nor to a prerelease (G12, G13)."""
    if versions:
        known(world, versions)
    package = a_package(version=version, expected_version=version, dist_tags=planned)
    assert acts(world, package).act(package.spec) == [("publish", package.spec, str(HERE.sha256), tag)]


@pytest.mark.parametrize("at", [None, "1.2.2"])
def test_points_a_dist_tag_at_the_version(at: str | None, world: World) -> None:
    """A tag that is missing, or behind, is set to the version that is there."""
    known(world, ("1.2.2", "1.2.3"), published=a_packument(HERE).published, dist_tags={"latest": at})
    there = acts(world)
    assert there.act(TAG) == [("dist-tag", SPEC, "latest")]
    assert there.look(TAG).reason == "npm.dist-tag-agrees"
    assert there.act(TAG) == []


def test_a_tag_whose_version_has_no_time_is_set_too(world: World) -> None:
    """Some registries state no time of publication."""
    known(world, ("1.2.3",), published=a_packument(HERE).published, times={})
    there = acts(world)
    assert there.look(TAG).reason == "npm.dist-tag-absent"
    assert there.act(TAG) == [("dist-tag", SPEC, "latest")]


def test_no_tag_points_at_nothing(world: World) -> None:
    """The version is not there: its tags come later, and nothing is published in their place."""
    there = acts(world)
    assert there.look(TAG).reason == "npm.dist-tag-absent"
    assert there.act(TAG) == []


@pytest.mark.parametrize(
    ("versions", "package"),
    [
        (("1.0.0", "1.2.3", "2.0.0"), a_package()),
        (("1.0.0", "2.0.0-rc.1"), a_package(version="2.0.0-rc.1", expected_version="2.0.0-rc.1")),
    ],
)
def test_latest_is_never_pointed_wrongly(versions: tuple[str, ...], package: Package, world: World) -> None:
    """What would be judged a fault afterwards is not done: an older version, a prerelease (G12, G13)."""
    published = a_packument(HERE, version=package.expected_version).published
    times = {package.expected_version: EARLIER}
    known(world, versions, published=published, dist_tags={"latest": "1.0.0"}, times=times)
    there = acts(world, package)
    assert there.look(TAG).reason == "npm.dist-tag-stale"
    assert there.act(TAG) == []


@pytest.mark.parametrize("versions", [("1.2.3",), ()])
def test_an_unplanned_latest_is_never_set(versions: tuple[str, ...], world: World) -> None:
    """``latest`` that the plan does not ask for is watched, not written; nor is it listed as work."""
    if versions:
        known(world, versions, published=a_packument(HERE).published)
    there = acts(world, a_package(dist_tags=("next",)))
    finding = there.look(TAG)
    assert finding.reason not in npm_publish.ACTIONS
    for reason in ("npm.dist-tag-absent", "npm.dist-tag-stale"):
        assert there.act_on(TAG, replace(finding, reason=reason)) == []


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda world: known(
            world, ("1.2.3",), published=a_packument(HERE).published, dist_tags={"latest": "1.2.3"}
        ),
        lambda world: known(
            world, ("1.2.3", "1.3.0"), published=a_packument(HERE).published, dist_tags={"latest": "1.3.0"}
        ),
        lambda world: world.npm.packuments.clear(),
        lambda world: world.npm.reads.update({("acme", "latest"): ("1.2.3", "1.2.2")}),
    ],
    ids=["moved", "superseded", "version gone", "unstable"],
)
def test_points_nothing_where_the_world_changed(meanwhile: Callable[[World], object], world: World) -> None:
    """The tag is read again right before it is moved."""
    known(world, ("1.2.2", "1.2.3"), published=a_packument(HERE).published, dist_tags={"latest": "1.2.2"})
    assert acts(world).act(TAG, meanwhile) == []


def test_what_a_version_follows() -> None:
    """A package waits for those of this release that it installs, itself left out; a tag for its version."""
    needs = {"dependencies": {"@acme/b": "^1.2.0", "left-pad": "1"}, "devDependencies": {"@acme/c": "1"}}
    optional = {"optionalDependencies": {"@acme/c": "1.2.3", "acme": "1.2.3"}}
    package = a_package(manifest={"name": "acme", **needs, **optional})
    plan = a_plan(packages=(package, a_package("@acme/b"), a_package("@acme/c", dist_tags=("next",))))
    follows = {subject.name: npm_publish.follows(subject) for subject in npm_publish.subjects(plan)}
    assert follows == {
        SPEC: ("@acme/b@1.2.3", "@acme/c@1.2.3"),
        TAG: (SPEC,),
        "@acme/b@1.2.3": (),
        "@acme/b@latest": ("@acme/b@1.2.3",),
        "@acme/c@1.2.3": (),
        "@acme/c@next": ("@acme/c@1.2.3",),
        "@acme/c@latest": ("@acme/c@1.2.3",),
    }


def test_a_stale_tag_inside_the_window_is_left_alone(world: World) -> None:
    """The registry is still spreading it: nobody must act."""
    times = {"1.2.3": NOW - timedelta(minutes=1)}
    known(world, ("1.2.3",), published=a_packument(HERE).published, times=times)
    there = acts(world)
    assert there.act(TAG) == []
