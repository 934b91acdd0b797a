"""Many packages in one release: platform packages and their umbrella, prereleases."""

from converge_kit import ANNOUNCED, ASSETS, DRAFTED, TAGGED, Acting, published, uploaded
from converge_registry import Answer
from kit import CLI, CORE, TAG, VERSION, World
from kit_project import commit, files_of, repacked, toml, write
from scale_kit import manifest, plan_packages

PLATFORMS = tuple(f"@acme/cli-{name}" for name in ("linux-x64", "darwin-arm64", "win32-x64"))
DENIED = Answer(status=403, body=b'{"error":"You do not have permission to publish"}')


def test_a_family_that_failed_half_way_is_finished_umbrella_last(world: World) -> None:
    """G04: after a denial the rest is not tried; the umbrella waits until all it needs is visible."""
    acting = Acting(world)
    umbrella = manifest(CLI, optionalDependencies=dict.fromkeys(PLATFORMS, VERSION))
    plan_packages(acting, [umbrella, *(manifest(name) for name in PLATFORMS)])
    linux, darwin, windows = PLATFORMS
    with acting.registry() as registry:
        registry.deny(f"/{darwin}", DENIED)
        before = acting.converge().require(1, DRAFTED, *uploaded(), TAGGED, *published(linux))
        assert before.open[f"npm-publish/{darwin}@{VERSION}"] == "npm.publish-denied"
        registry.allow(f"/{darwin}")
        registry.bend("GET", f"/{windows}", lambda _: Answer(status=404))
        acting.converge().require(2, *published(darwin, windows))
        registry.straighten()
        acting.converge().require(0, *published(CLI), ANNOUNCED)
        assert [registry.count(f"/{name}") for name in (linux, windows, CLI)] == [1, 1, 1]


def test_a_prerelease_goes_to_its_own_dist_tag(world: World) -> None:
    """G13: 1.3.0-next.1 is published as `next`; npm's and GitHub's latest stay where they are."""
    version, tag = "1.3.0-next.1", "v1.3.0-next.1"
    for table in ("binary", "manifest", "checksums"):
        del world.config[table]
    acting = Acting(world)
    write(world.checkout, {**files_of(version), "release.toml": toml(world.config)})
    world.commit = commit(world.checkout, "Version Packages")
    world.push(f"{world.commit}:refs/heads/main")
    world.repo.check_run("build", world.commit)
    world.packs.clear()
    world.repo.latest_override(TAG)
    done = acting.run("converge", tag, "--commit", world.commit, "--yes", "--json")
    packages = published(CORE, CLI, version=version, tag="next")
    done.require(0, f"release.create {tag}", f"git refs/tags/{tag}", *packages, f"release.publish {tag}")
    assert acting.truth().dist_tags[f"{CLI}@latest"] == VERSION
    assert world.repo.value.latest_id == world.release.id


def test_the_first_stable_version_of_a_package_takes_latest_from_a_prerelease(world: World) -> None:
    """The other side of G13: where only a prerelease is published, 1.2.3 is `latest`."""
    acting = Acting(world).draft(*ASSETS)
    world.tag(TAG, world.commit)
    world.npm.publish(CORE, VERSION, world.packs[CORE])
    early = repacked(world.packs[CLI], version="1.2.0-next.0")
    world.npm.publish(CLI, "1.2.0-next.0", early, tags=("latest", "next"))
    acting.converge().require(0, *published(CLI), ANNOUNCED)
