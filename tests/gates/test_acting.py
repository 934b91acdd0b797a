"""Acting on tags and releases: only what is missing is created, and only if it still is right before."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from worldkit import COMMIT, NOW, OTHER, World, a_plan, a_record, a_release, a_spec, a_tag
from worldkit_writes import Acts

from gates import ACTING, GATES, asset_upload, github_release, source_tag
from release.contract import Acting, found
from release.domain.action import ACCEPTED_HERE, Action, Effect, Order
from release.domain.evidence import Kind
from release.domain.plan import Latest, Subject, Tag
from release.domain.reasons import reason_of
from release.domain.state import State

DRAFT = a_release(draft=True, published_at=None)
SECOND = a_release(2, draft=True, published_at=None)
STAGE, TAG, NPM, PUBLISH = Order

ACTIONS = {
    "asset.absent": (STAGE, Effect.REVERSIBLE, ""),
    "asset.upload-interrupted": (STAGE, Effect.REVERSIBLE, "--discard-interrupted"),
    "tag.absent": (TAG, Effect.IRREVERSIBLE, ""),
    "npm.absent": (NPM, Effect.IRREVERSIBLE, ""),
    "npm.dist-tag-absent": (NPM, Effect.IRREVERSIBLE, ""),
    "npm.dist-tag-stale": (NPM, Effect.IRREVERSIBLE, ""),
    "release.absent": (STAGE, Effect.REVERSIBLE, ""),
    "release.draft": (PUBLISH, Effect.IRREVERSIBLE, ""),
}
CREATING = {reason: action for gate in ACTING for reason, action in gate.ACTIONS.items()}


def test_what_can_be_done_and_when() -> None:
    """Reversible things first, npm after the tag, the draft last; deleting needs its own option (G20)."""
    shown = {reason: (action.order, action.effect, action.option) for reason, action in CREATING.items()}
    assert shown == ACTIONS


@pytest.mark.parametrize("reason", CREATING)
def test_actions_are_for_what_is_not_complete(reason: str) -> None:
    """An action belongs to a reason of the catalogue that is not complete, and needs only gates there are."""
    assert reason_of(reason).state in (State.PENDING, State.FAILED)
    names = {gate.NAME for gate in GATES}
    assert {need.partition("#")[0] for need in CREATING[reason].needs} <= names


@pytest.mark.parametrize("reason", ["tag.absent", "npm.absent", "release.draft"])
def test_irreversible_actions_need_all_that_can_be_proved_before(reason: str) -> None:
    """What was built, evaluated, accepted, uploaded and downloaded again comes before (DESIGN §6)."""
    proved = {"version-pr", "commit-checks", "package-build", "evaluation", "binary-build"}
    assert proved | {"asset-upload", "checksums", *ACCEPTED_HERE} <= set(CREATING[reason].needs)


def test_each_irreversible_action_needs_the_one_before() -> None:
    """The tag, then npm, then the announcement; nothing needs itself."""
    assert "source-tag" in CREATING["npm.absent"].needs
    assert {"source-tag", "npm-publish"} <= set(CREATING["release.draft"].needs)
    assert "github-release" not in {need for action in CREATING.values() for need in action.needs}


@pytest.mark.parametrize("gate", [asset_upload, source_tag, github_release])
def test_nothing_waits_for_its_own_gate(gate: Acting) -> None:
    """Tags, assets and releases do not follow one another; packages do."""
    assert gate.follows(Subject(gate=gate.NAME, name="x", plan=a_plan())) == ()


@pytest.mark.parametrize("action", CREATING.values(), ids=CREATING)
def test_sentences_name_the_subject(action: Action) -> None:
    """People read what would be done, and to what."""
    assert "{subject}" in action.does
    assert action.where in ("GitHub", "git remote", "npm registry")


def test_creates_the_tag_on_the_commit(world: World) -> None:
    """The tag's version is its own, which differs from the release's where tags are per package."""
    plan = a_plan(tags=(Tag(name="@acme/b@2.0.0", version="2.0.0", package="@acme/b"),))
    acts = Acts(gate=source_tag, plan=plan, world=world)
    assert acts.act("@acme/b@2.0.0") == [("tag", "@acme/b@2.0.0", COMMIT, "acme 2.0.0")]
    assert acts.look("@acme/b@2.0.0").reason == "tag.agrees"


def test_only_a_tag_can_be_created() -> None:
    """A subject of something else is a bug."""
    world, plan = World(), a_plan()
    subject = Subject(gate="source-tag", name="x", plan=plan, item="x")
    finding = found(subject, "tag.absent", "", NOW)
    with pytest.raises(TypeError, match="'x' is not a tag"):
        source_tag.act(subject, finding, world)


def releases(world: World, *listed: object, **changes: object) -> Acts:
    world.github.listed = list(listed)
    world.git.tags["v1.2.3"] = a_tag()
    return Acts(gate=github_release, plan=a_plan(releases=(a_spec(**changes),)), world=world)


def test_creates_one_draft(world: World) -> None:
    """A draft for the tag, at the commit, with its notes; once."""
    acts = releases(world, a_release(7, tag_name="v1.2.2"))
    assert acts.act("v1.2.3") == [("draft", "v1.2.3", COMMIT, "notes of v1.2.3")]
    assert acts.look("v1.2.3").reason == "release.draft"


@pytest.mark.parametrize("there", [(DRAFT,), (a_release(),), (DRAFT, SECOND)])
def test_creates_no_second_release(there: tuple[object, ...], world: World) -> None:
    """Somebody else made one since the look: two would be ambiguous (G09)."""
    acts = releases(world)
    assert acts.act("v1.2.3", lambda world: world.github.listed.extend(there)) == []


def test_creates_no_draft_where_drafts_cannot_be_seen(world: World) -> None:
    """There may be one already, and this token would not know."""
    acts = releases(world)
    assert acts.act("v1.2.3", lambda world: setattr(world.github, "drafts_visible", False)) == []


def test_creates_no_draft_in_place_of_one_that_is_gone(world: World) -> None:
    """A release that the ledger remembers was deleted by somebody: that is not for us to repair."""
    acts = releases(world)
    seen = a_record(Kind.FIRST_SEEN, "release:v1.2.3", data={"id": 4})
    assert acts.act("v1.2.3", lambda world: world.remember([seen])) == []


def test_publishes_the_one_draft_by_its_id(world: World) -> None:
    """Exactly the draft that was looked at becomes the release; other tags' drafts stay."""
    acts = releases(world, replace(SECOND, tag_name="v9.9.9"), DRAFT)
    assert acts.act("v1.2.3") == [("publish", "1", "v1.2.3", "true")]
    assert acts.look("v1.2.3").reason == "release.published"


@pytest.mark.parametrize(
    ("listed", "latest", "said"),
    [
        ((), Latest.AUTO, "true"),
        ((a_release(3, tag_name="v2.0.0"),), Latest.AUTO, "false"),
        ((a_release(3, tag_name="v2.0.0"),), Latest.YES, "true"),
        ((a_release(3, tag_name="v2.0.0", draft=True),), Latest.AUTO, "true"),
        ((), Latest.NO, "false"),
    ],
)
def test_says_whether_it_becomes_latest(
    listed: tuple[object, ...], latest: Latest, said: str, world: World
) -> None:
    """An older line never takes latest from a newer published one (G12); drafts do not count."""
    assert releases(world, DRAFT, *listed, latest=latest).act("v1.2.3") == [("publish", "1", "v1.2.3", said)]


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda world: world.github.listed.append(SECOND),
        lambda world: world.github.listed.clear(),
        lambda world: world.github.listed.__setitem__(0, a_release()),
        lambda world: world.git.tags.clear(),
        lambda world: world.git.tags.update({"v1.2.3": a_tag(commit=OTHER)}),
    ],
    ids=["another draft", "draft gone", "published", "tag gone", "tag moved"],
)
def test_publishes_nothing_else(meanwhile: Callable[[World], object], world: World) -> None:
    """Without the tag GitHub would make one itself; with another commit it would announce that (G11)."""
    assert releases(world, DRAFT).act("v1.2.3", meanwhile) == []


@pytest.mark.parametrize("listed", [(a_release(),), (DRAFT, SECOND)])
def test_acts_on_no_other_reason(listed: tuple[object, ...], world: World) -> None:
    """Published or ambiguous: there is nothing to create; ``latest`` is never set by hand."""
    acts = releases(world, *listed)
    assert acts.act("v1.2.3") == []
    assert acts.act("latest") == []
