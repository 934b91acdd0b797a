"""github-release: one release per tag, published as planned; ``latest`` by version, not by date."""

from dataclasses import dataclass, field

import pytest
from worldkit import (
    COMMIT,
    OTHER,
    UNREACHABLE,
    World,
    a_plan,
    a_record,
    a_release,
    a_spec,
    a_tag,
    look,
    stored,
)

from gates import github_release
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import TagFacts
from release.domain.facts.github import ReleaseFacts
from release.domain.finding import Finding
from release.domain.plan import ReleaseSpec
from release.domain.reasons import Who

DRAFT = a_release(draft=True, published_at=None)
SECOND = a_release(2, draft=True, published_at=None)


def first_seen(number: int, **data: object) -> tuple[Evidence, ...]:
    return (a_record(Kind.FIRST_SEEN, "release:v1.2.3", data={"id": number, **data}),)


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    reason: str
    releases: tuple[ReleaseFacts, ...] = (a_release(),)
    tag: TagFacts | None = field(default_factory=a_tag)
    first: tuple[Evidence, ...] = ()
    drafts_visible: bool = True
    spec: ReleaseSpec = field(default_factory=a_spec)


ROWS = (
    Row(name="right", reason="release.published"),
    Row(name="right, same id as first", first=first_seen(1), reason="release.published"),
    Row(
        name="right, immutable",
        releases=(a_release(immutable=True),),
        spec=a_spec(immutable=True),
        reason="release.published",
    ),
    Row(
        name="right, prerelease",
        releases=(a_release(prerelease=True),),
        spec=a_spec(prerelease=True),
        reason="release.published",
    ),
    Row(
        name="right, other tags do not count",
        releases=(a_release(), a_release(3, tag_name="v1.2.30")),
        reason="release.published",
    ),
    Row(name="absent", releases=(), reason="release.absent"),
    Row(name="absent, of another tag", releases=(a_release(tag_name="v1.2.2"),), reason="release.absent"),
    Row(
        name="absent, drafts not visible",
        releases=(DRAFT,),
        drafts_visible=False,
        reason="release.drafts-not-visible",
    ),
    Row(name="absent, seen before", releases=(), first=first_seen(1), reason="release.removed"),
    Row(
        name="absent, draft seen before, drafts not visible",
        releases=(),
        first=first_seen(1),
        drafts_visible=False,
        reason="release.drafts-not-visible",
    ),
    Row(
        name="absent, published before, drafts not visible",
        releases=(),
        first=first_seen(1, draft=False),
        drafts_visible=False,
        reason="release.removed",
    ),
    Row(name="partial", releases=(DRAFT,), reason="release.draft"),
    Row(name="partial, no tag yet", releases=(DRAFT,), tag=None, reason="release.draft"),
    Row(name="two drafts", releases=(DRAFT, SECOND), reason="release.ambiguous"),
    Row(name="published and draft", releases=(a_release(), SECOND), reason="release.ambiguous"),
    Row(name="empty", tag=None, reason="release.tag-missing"),
    Row(name="another commit", tag=a_tag(commit=OTHER), reason="release.commit-differs"),
    Row(name="tag without a commit", tag=a_tag(commit=None), reason="release.commit-differs"),
    Row(name="different", releases=(a_release(prerelease=True),), reason="release.prerelease-differs"),
    Row(name="prerelease planned", spec=a_spec(prerelease=True), reason="release.prerelease-differs"),
    Row(name="made again", first=first_seen(4), reason="release.changed-since"),
    Row(name="made again as draft", releases=(DRAFT,), first=first_seen(4), reason="release.changed-since"),
    Row(name="not immutable", spec=a_spec(immutable=True), reason="release.not-immutable"),
    Row(
        name="immutable is false",
        releases=(a_release(immutable=False),),
        spec=a_spec(immutable=True),
        reason="release.not-immutable",
    ),
)


def look_at(world: World, row: Row) -> Finding:
    world.github.listed = list(row.releases)
    world.github.drafts_visible = row.drafts_visible
    if row.tag is not None:
        world.git.tags["v1.2.3"] = row.tag
    world.remember(row.first)
    return look(github_release, a_plan(releases=(row.spec,)), world)["v1.2.3"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_release(row: Row, world: World) -> None:
    """Cardinality, first look, tag and flags each have their reason (G08–G10, K16, K17, C266)."""
    assert look_at(world, row).reason == row.reason


def test_ambiguous_names_all_ids_and_their_assets(world: World) -> None:
    """A split draft is told with ids and the number of assets on each (C142, C143)."""
    world.github.held[1] = [stored(10, "a", b"a")]
    world.github.held[2] = [stored(20, "b", b"b"), stored(21, "c", b"c")]
    finding = look_at(world, Row(name="", reason="", releases=(DRAFT, SECOND)))
    assert "draft 1 with 1 asset, draft 2 with 2 assets" in finding.message


def test_assets_are_not_listed_for_one_release(world: World) -> None:
    """Counting assets costs requests: only where it tells several releases apart."""
    look_at(world, Row(name="", reason=""))
    assert world.github.asked("assets") == 0


def test_claims_the_commit_of_the_tag(world: World) -> None:
    """The release shows what its tag peels to, never target_commitish (G11)."""
    row = Row(name="", reason="", releases=(a_release(target_commitish=COMMIT),), tag=a_tag(commit=OTHER))
    finding = look_at(world, row)
    assert [(claim.channel, claim.commit) for claim in finding.claims] == [("release v1.2.3", OTHER)]


@pytest.mark.parametrize("releases", [(), (DRAFT,)])
def test_a_draft_claims_no_commit(releases: tuple[ReleaseFacts, ...], world: World) -> None:
    """A channel that does not say is not agreement."""
    finding = look_at(world, Row(name="", reason="", releases=releases))
    assert [claim.commit for claim in finding.claims] == [None]
    assert finding.next == "release converge v1.2.3"


@pytest.mark.parametrize(
    "row",
    [
        Row(name="", reason=""),
        Row(name="", reason="", releases=(), drafts_visible=False),
        Row(name="", reason="", releases=(), first=first_seen(1)),
        Row(name="", reason="", tag=None),
    ],
)
def test_only_a_missing_publication_has_a_next_command(row: Row, world: World) -> None:
    """Nothing is proposed for what is done, what cannot be seen, or what acting would not mend."""
    assert look_at(world, row).next == ""


def test_evidence_names_the_release_and_the_first_look(world: World) -> None:
    """What the judgement rests on: the release's page, and the record of the first look."""
    finding = look_at(world, Row(name="", reason="", first=first_seen(4)))
    assert finding.evidence == (a_release().html_url, first_seen(4)[0].id)


def test_a_tag_without_a_commit_is_told(world: World) -> None:
    """The message says that the tag peels to no commit."""
    assert "at no commit" in look_at(world, Row(name="", reason="", tag=a_tag(commit=None))).message


def test_drafts_not_visible_is_cannot_tell(world: World) -> None:
    """A token without push access cannot say that nothing is there."""
    row = Row(name="", reason="", releases=(), drafts_visible=False)
    assert look_at(world, row).who is Who.CANNOT_TELL


@pytest.mark.parametrize("port", ["git", "github"])
def test_unreachable_is_never_a_verdict(port: str, world: World) -> None:
    """Neither the forge nor the tag's remote can be left out."""
    (world.git if port == "git" else world.github).faults["*"] = UNREACHABLE
    assert look_at(world, Row(name="", reason="")).reason == "github.unreachable"
