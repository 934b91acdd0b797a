"""A subject that does not belong to its gate is a bug, and is told by name: it is never judged."""

from dataclasses import replace

import pytest
from worldkit import NOW, World, a_plan
from worldkit_release import publish

from gates import (
    acceptance,
    asset_upload,
    binary_build,
    checksums,
    github_release,
    npm_publish,
    package_build,
    version_pr,
)
from release.contract import Gate
from release.domain.plan import Subject

OF_AN_ITEM = (acceptance, binary_build, checksums, github_release, npm_publish, package_build)


def strange(gate: Gate) -> Subject:
    return Subject(gate=gate.NAME, name="strange", plan=a_plan(changesets=None), item="nothing of ours")


@pytest.mark.parametrize("gate", [*OF_AN_ITEM, version_pr])
def test_what_is_not_planned_cannot_be_looked_at(gate: Gate, world: World) -> None:
    """Each gate looks only at the kind of thing that it has subjects for."""
    with pytest.raises((TypeError, LookupError), match=r"nothing of ours|strange|no subject"):
        gate.judge(strange(gate), gate.observe(strange(gate), world.read(a_plan())), NOW)


def test_what_is_seen_of_an_asset_is_of_an_asset(world: World) -> None:
    """What was seen of one subject cannot be judged as another's."""
    plan = a_plan()
    (subject, *_) = asset_upload.subjects(plan)
    publish(world, {})
    seen = asset_upload.observe(subject, world.read(plan))
    with pytest.raises(LookupError, match="asset-upload has no asset for 'nothing of ours'"):
        asset_upload.judge(replace(subject, item="nothing of ours"), seen, NOW)
