"""Many assets and many packages: paced, two requests an asset, memory that does not grow with them.

The large ones take minutes: they run only with RELEASE_SCALE=1 in the environment.
"""

import os

import pytest
from converge_kit import ANNOUNCED, DRAFTED, TAGGED, Acting, published, uploaded
from kit import World
from scale_kit import Measured, manifest, measure, plan_assets, plan_packages, start_over

from release.adapters.pacing import PER_MINUTE

LARGE = pytest.mark.skipif(not os.environ.get("RELEASE_SCALE"), reason="NOT RUN: set RELEASE_SCALE=1")
LISTING = 0.1
"""Requests an asset that listing may cost beside its upload and its download: pages of a hundred."""


def of_assets(world: World) -> Acting:
    """Return a release of assets only, of which nothing exists."""
    acting = Acting(world).nothing()
    del world.config["package"]
    world.packs.clear()
    return acting


def cost(acting: Acting, number: int, size: int = 64) -> Measured:
    """Converge a fresh release of so many assets of ``size`` bytes, and see that it is complete."""
    start_over(acting)
    plan_assets(acting, number, size)
    spent = measure(acting)
    assert spent.exit == 0, spent.said
    assert len(acting.truth().assets) == number
    assert len(spent.times) == number + 2  # the draft, and its announcement
    return spent


def test_assets_cost_two_requests_each_and_are_paced(world: World) -> None:
    """An upload and a download an asset, 80 writes in any minute, and memory as for a few (DESIGN §9)."""
    acting = of_assets(world)
    few, many, heavy = cost(acting, 20), cost(acting, 120), cost(acting, 20, size=4 << 20)
    assert (many.api - few.api) / 100 <= 2 + LISTING, (few.api, many.api)
    assert heavy.api == few.api
    assert many.most_in(60) == PER_MINUTE
    assert max(many.times) == 60.0, "122 writes need a second minute, and no third"
    assert many.memory - few.memory < 16, (few.memory, many.memory)
    assert heavy.memory - few.memory < 16, (few.memory, heavy.memory)


def test_six_packages_are_published_in_one_run(world: World) -> None:
    """Each by the real npm, once, the one that needs the others last."""
    acting = Acting(world)
    names = [f"@acme/part-{number}" for number in range(5)]
    whole = manifest("@acme/all", dependencies=dict.fromkeys(names, "1.2.3"))
    plan_packages(acting, [whole, *(manifest(name) for name in names)])
    done = acting.converge()
    done.require(0, DRAFTED, *uploaded(), TAGGED, *published(*names, "@acme/all"), ANNOUNCED)
    assert done.acts[-2] == "npm registry: publish @acme/all@1.2.3"


@LARGE
def test_a_thousand_assets(world: World) -> None:
    """The most that a release holds: paced, two requests each, flat memory."""
    acting = of_assets(world)
    few, many = cost(acting, 20), cost(acting, 1000)
    print(
        f"1000 assets: {many.api} requests, {max(many.times):.0f} s of writes, {many.memory:.0f} MiB; {few}"
    )
    assert (many.api - few.api) / 980 <= 2 + 2 * LISTING
    assert many.most_in(60) == PER_MINUTE
    assert max(many.times) == 60.0 * (1002 // PER_MINUTE)
    assert many.memory - few.memory < 96


@LARGE
def test_a_hundred_packages_and_many_assets(world: World) -> None:
    """A hundred packages by the real npm and 200 assets, all in one run."""
    acting = Acting(world)
    names = [f"@acme/part-{number:02}" for number in range(100)]
    plan_packages(acting, [manifest(name) for name in names])
    plan_assets(acting, 200)
    spent = measure(acting)
    assert spent.exit == 0, spent.said
    assert set(acting.truth().versions) == {f"{name}@1.2.3" for name in names}
    assert spent.most_in(60) <= PER_MINUTE
    acting.converge().require(0)
