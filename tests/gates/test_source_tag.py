"""source-tag: the tag on the remote peels to the canonical commit, and stays there."""

from dataclasses import dataclass

import pytest
from worldkit import COMMIT, OTHER, World, a_plan, a_record, a_tag, look, only

from gates import source_tag
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import TagFacts
from release.domain.plan import Tag
from release.domain.reasons import Who
from release.domain.state import State


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    tag: TagFacts | None
    first: tuple[Evidence, ...] = ()
    branches: tuple[str, ...] = ()
    reason: str


SEEN_HERE = (a_record(Kind.FIRST_SEEN, "tag:v1.2.3"),)
SEEN_ELSEWHERE = (a_record(Kind.FIRST_SEEN, "tag:v1.2.3", commit=OTHER),)

ROWS = (
    Row(name="right", tag=a_tag(), reason="tag.agrees"),
    Row(name="right, lightweight", tag=a_tag(annotated=False), reason="tag.agrees"),
    Row(name="right, seen before", tag=a_tag(), first=SEEN_HERE, reason="tag.agrees"),
    Row(
        name="right, on an allowed branch",
        tag=a_tag(branches=("main",)),
        branches=("main",),
        reason="tag.agrees",
    ),
    Row(name="absent", tag=None, reason="tag.absent"),
    Row(name="absent, seen before", tag=None, first=SEEN_HERE, reason="tag.removed"),
    Row(name="empty", tag=a_tag(commit=None), reason="tag.not-a-commit"),
    Row(name="another commit", tag=a_tag(commit=OTHER), reason="tag.commit-differs"),
    Row(name="different", tag=a_tag(), first=SEEN_ELSEWHERE, reason="tag.changed-since"),
    Row(
        name="moved away",
        tag=a_tag(commit=OTHER),
        first=SEEN_HERE,
        reason="tag.changed-since",
    ),
    Row(name="off every allowed branch", tag=a_tag(), branches=("main",), reason="tag.off-branch"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_tag(row: Row, world: World) -> None:
    """Every state of a tag on the remote has its reason (K17, K18, C161, C165, C166)."""
    if row.tag is not None:
        world.git.tags["v1.2.3"] = row.tag
    world.remember(row.first)
    assert only(source_tag, a_plan(branches=row.branches), world).reason == row.reason


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        (a_tag(), f"v1.2.3 (annotated) peels to {COMMIT}"),
        (a_tag(annotated=False), f"v1.2.3 (lightweight) peels to {COMMIT}"),
        (a_tag(branches=("main", "v1")), f"v1.2.3 (annotated) peels to {COMMIT}, on main, v1"),
    ],
)
def test_says_what_the_tag_is(tag: TagFacts, text: str, world: World) -> None:
    """Annotated or lightweight, and on which branches."""
    world.git.tags["v1.2.3"] = tag
    assert only(source_tag, a_plan(), world).message == text


def test_unreachable_is_never_a_verdict(world: World) -> None:
    """A remote that cannot be asked is pending and cannot-tell, although the tag may be there."""
    world.git.tags["v1.2.3"] = a_tag()
    world.break_all(CannotTell("git.unreachable", "no route"))
    finding = only(source_tag, a_plan(), world)
    assert (finding.reason, finding.state, finding.who) == ("git.unreachable", State.PENDING, Who.CANNOT_TELL)


def test_claims_the_peeled_commit(world: World) -> None:
    """The agreement table gets what the tag peels to, not what the plan hoped for (G11, G25)."""
    world.git.tags["v1.2.3"] = a_tag(commit=OTHER)
    finding = only(source_tag, a_plan(), world)
    assert [claim.commit for claim in finding.claims] == [OTHER]
    assert OTHER in finding.message
    assert COMMIT in finding.message


def test_partial_tags_are_separate_subjects(world: World) -> None:
    """Of two package tags one is there: each has its own finding, with / and @ in the name."""
    tags = tuple(Tag(name=f"{name}@1.2.3", version="1.2.3", package=name) for name in ("@acme/a", "@acme/b"))
    world.git.tags["@acme/a@1.2.3"] = a_tag("@acme/a@1.2.3")
    findings = look(source_tag, a_plan(tags=tags), world)
    assert {name: finding.reason for name, finding in findings.items()} == {
        "@acme/a@1.2.3": "tag.agrees",
        "@acme/b@1.2.3": "tag.absent",
    }
