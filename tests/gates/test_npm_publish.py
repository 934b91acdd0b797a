"""npm-publish, the versions: the identity rule step by step, against what the commit packs to."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import npm_absent
import npm_present
import pytest
from npm_rows import HERE, MANIFEST, MINUTE, NEEDS_B, SPEC, URL, Row, publish
from worldkit import (
    COMMIT,
    OTHER,
    a_package,
    a_packument,
    a_plan,
    look,
    packed,
)
from worldkit_facts import POLICY

from gates import npm_publish
from release.domain.errors import CannotTell
from release.domain.finding import Claim, Finding
from release.domain.plan import Plan
from release.domain.state import State

FAULT = CannotTell("npm.unreachable", "connection refused")
ROWS = {**npm_present.ROWS, **npm_absent.ROWS}


def plan(**changes: Any) -> Plan:
    return a_plan(packages=(a_package(),), **changes)


def look_at(row: Row, **changes: Any) -> Finding:
    packages = (a_package(), a_package("@acme/b"))
    return look(npm_publish, a_plan(packages=packages, deep=row.deep, **changes), row.world())[SPEC]


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    """Each world gives its reason, state, words and next command (K01, K03, K06, K08, K11, G14, G15, G22)."""
    row = ROWS[name]
    finding = look_at(row)
    assert (finding.reason, finding.state, finding.next) == (row.reason, row.state, row.next)
    assert row.says in finding.message
    assert row.never_says not in finding.message


@pytest.mark.parametrize("name", ROWS)
def test_what_git_head_says_is_a_claim(name: str) -> None:
    """The agreement table shows what the channel says, and nothing where it does not say (C057, C061)."""
    row = ROWS[name]
    head = row.stated.get("git_head") if row.there else None
    commit = head if head in (COMMIT, OTHER) else None
    finding = look_at(row)
    assert finding.claims == (Claim(channel=f"npm {SPEC} gitHead", commit=commit),)
    assert finding.commit == commit


@pytest.mark.parametrize("question", ["packument", "tarball", "packed", "satisfied"])
def test_unreachable(question: str) -> None:
    """Whatever could not be looked at, the answer is cannot-tell (rule 2)."""
    world = replace(ROWS["right"], stated={"manifest": {**MANIFEST, **NEEDS_B}}).world()
    world.npm.faults[question] = FAULT
    packages = (a_package(), a_package("@acme/b"))
    finding = look(npm_publish, a_plan(packages=packages), world)[SPEC]
    assert (finding.reason, finding.state) == ("npm.unreachable", State.PENDING)


def test_evidence_names_the_tarball_and_the_pack() -> None:
    """A stranger can look at the same two things."""
    assert look_at(ROWS["right"]).evidence == (URL, "sha256:0")
    assert look_at(ROWS["not packed"]).evidence == (URL,)
    assert look_at(ROWS["absent"]).evidence == ()


def test_the_window_is_the_plans() -> None:
    """``[npm] propagation`` decides, not a constant."""
    npm = replace(a_plan().npm, propagation=timedelta(hours=8))
    assert look_at(ROWS["partial"], npm=npm).reason == "npm.tarball-propagating"


def test_dependencies_that_the_registry_satisfies_by_another_version_are_fine() -> None:
    """What counts is what npm can install, not which version is planned."""
    row = replace(ROWS["dependency is there"], here=packed(HERE))
    world = row.world()
    finding = look(npm_publish, a_plan(packages=(a_package(), a_package("@acme/b"))), world)
    assert finding[SPEC].reason == "npm.identical"
    assert finding["@acme/b@1.2.3"].reason == "npm.absent"


def test_an_unsatisfied_range_on_a_published_package_is_no_waiting() -> None:
    """The other package's planned version is out, and the range does not take it (C011)."""
    row = ROWS["dependency is awaited"]
    world = row.world()
    world.npm.packuments["@acme/b"] = a_packument(HERE, name="@acme/b")
    finding = look(npm_publish, a_plan(packages=(a_package(), a_package("@acme/b"))), world)[SPEC]
    assert finding.reason == "npm.dependency-unsatisfied"
    world.npm.packuments["@acme/b"] = a_packument(HERE, name="@acme/b", versions=("1.0.0",), published=None)
    finding = look(npm_publish, a_plan(packages=(a_package(), a_package("@acme/b"))), world)[SPEC]
    assert finding.reason == "npm.dependency-absent"


def test_a_shallow_look_downloads_nothing_and_a_deep_one_everything() -> None:
    """Equal metadata does not prove that the tarball is served; only a deep look asks (C035)."""
    for deep, expected in ((True, 1), (False, 0)):
        world = ROWS["right"].world()
        look(npm_publish, plan(deep=deep), world)
        assert world.npm.asked("tarball") == expected


def test_one_of_two_packages() -> None:
    """Each package and tag is a subject of its own: what is missing is named (G01, C001)."""
    world = ROWS["right"].world()
    plan = a_plan(packages=(a_package(), a_package("@acme/b", dist_tags=("next",))))
    found = look(npm_publish, plan, world)
    assert {name: finding.reason for name, finding in found.items()} == {
        "acme@1.2.3": "npm.identical",
        "acme@latest": "npm.dist-tag-agrees",
        "@acme/b@1.2.3": "npm.absent",
        "@acme/b@next": "npm.dist-tag-absent",
        "@acme/b@latest": "npm.dist-tag-unwatched",
    }


def test_no_packages_no_subjects() -> None:
    """A project without npm packages has nothing to show here."""
    assert npm_publish.subjects(a_plan(packages=())) == ()


def test_evidence_of_this_commit_and_policy_counts() -> None:
    """The rows about other commits and policies differ in nothing else."""
    assert publish(MINUTE).commit == COMMIT
    assert publish(MINUTE).policy == POLICY == a_plan().policy
