"""A later plan may ask for more, never silently for less (DESIGN §10, law 3)."""

from dataclasses import replace

import pytest

from release.domain.plan_change import covers, strictest, weaker
from release.domain.plan_record import PlanRecord, parse_plan

PLAN = PlanRecord(
    version="1.0.0",
    commit="a" * 40,
    policy="0" * 64,
    gates={"npm-publish": ("acme#latest", "acme@1.0.0"), "source-tag": ("v1.0.0",)},
    required=("npm-publish", "source-tag"),
    packages={"acme@1.0.0": ("latest", "next")},
    floors={"npm.stable_reads": 3},
    fixed={"npm.registry": "https://r.example.test"},
)

ROWS = {
    "gate npm-publish": replace(PLAN, gates={"source-tag": ("v1.0.0",)}, required=("source-tag",)),
    "subject npm-publish acme#latest": replace(PLAN, gates={**PLAN.gates, "npm-publish": ("acme@1.0.0",)}),
    "required npm-publish": replace(PLAN, required=("source-tag",)),
    "package acme@1.0.0": replace(PLAN, packages={}),
    "dist-tag acme@1.0.0 next": replace(PLAN, packages={"acme@1.0.0": ("latest",)}),
    "npm.stable_reads 3 -> 1": replace(PLAN, floors={"npm.stable_reads": 1}),
    "npm.registry https://r.example.test -> https://evil.example.test": replace(
        PLAN, fixed={"npm.registry": "https://evil.example.test"}
    ),
    "npm.registry https://r.example.test -> nothing": replace(PLAN, fixed={}),
}


@pytest.mark.parametrize("name", ROWS)
def test_each_loss_is_named(name: str) -> None:
    """One difference, one name; the strictest plan restores it, and the recorded one is not covered."""
    less = ROWS[name]
    assert weaker(PLAN, less) == (name,)
    assert weaker(PLAN, strictest(PLAN, less)) == ()
    assert covers(PLAN, less) == ("evil" not in name)


@pytest.mark.parametrize("name", ROWS)
def test_growing_back_is_no_loss(name: str) -> None:
    """The same difference the other way round is a plan that asks for more, unless it is another value."""
    lost = weaker(ROWS[name], PLAN)
    assert lost == () or "evil" in lost[0]


def test_another_commit_or_policy_with_the_same_demands_is_no_loss() -> None:
    """What is measured are demands; the digest of the policy changes with every word of release.toml."""
    assert weaker(PLAN, replace(PLAN, commit="b" * 40, policy="1" * 64)) == ()


def test_a_record_survives_json() -> None:
    """What is written is what is read."""
    assert parse_plan(PLAN.content(), "plan.json") == PLAN
