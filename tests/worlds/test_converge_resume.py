"""Half a release, however it came to be: converge creates exactly what is missing, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from converge_kit import ANNOUNCED, ASSETS, DRAFTED, TAGGED, Acting, published, uploaded
from forge import Fault
from kit import ARCHIVES, CLI, CORE, SUMS, TAG, VERSION, World
from kit_project import repacked

UPLOADS = r"/uploads/repos/acme/widget/releases/\d+/assets"


@dataclass(frozen=True)
class Half:
    """A start, and all that one run writes to complete it."""

    id: str
    start: Callable[[Acting], object]
    wrote: set[str]


def one_published(a: Acting) -> None:
    """The OTP expired after the first of two packages; everything else is ready."""
    a.draft(*ASSETS)
    a.world.tag(TAG, a.world.commit, annotated=True)
    a.world.npm.publish(CORE, VERSION, a.world.packs[CORE])


def npm_went_first(a: Acting) -> None:
    """The packages are published; there is neither a tag nor a release."""
    a.world.release.remove()
    a.world.untag()


def tag_alone(a: Acting) -> None:
    """Somebody pushed a lightweight tag by hand; npm is complete."""
    a.world.release.remove()


def no_latest(a: Acting) -> None:
    """A dist-tag was moved back, or never got through: it is where it was before."""
    a.world.npm.publish(CLI, "1.2.2", repacked(a.world.packs[CLI], version="1.2.2"))


def two_tags(a: Acting) -> None:
    """The plan has a second dist-tag, which nobody set."""
    for table in a.world.config["package"]:
        table["dist_tags"] = ["latest", "stable"]


HALVES = (
    Half("G01-one-of-two-packages", one_published, {*published(CLI), ANNOUNCED}),
    Half("G18-npm-went-first", npm_went_first, {DRAFTED, *uploaded(), TAGGED, ANNOUNCED}),
    Half("tag-alone", tag_alone, {DRAFTED, *uploaded(), ANNOUNCED}),
    Half("a-draft", lambda a: a.world.release.set(draft=True), {ANNOUNCED}),
    Half("one-asset-missing", lambda a: a.world.asset(SUMS).remove(), uploaded(SUMS)),
    Half("G22-dist-tag-lost", no_latest, {f"npm {CLI}@latest = {VERSION}"}),
    Half("second-dist-tag", two_tags, {f"npm {name}@stable = {VERSION}" for name in (CORE, CLI)}),
)


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.id)
def test_what_is_missing_is_created(half: Half, world: World) -> None:
    """R-CONV: only the missing is written, each once, and the release is complete; again: nothing."""
    acting = Acting(world)
    half.start(acting)
    acting.converge().require(0, *half.wrote)
    assert acting.converge().require(0).kept == ()


def test_a_draft_is_found_and_filled_and_never_a_second_one_made(world: World) -> None:
    """G10: no tag leads to a draft, the listing does; the assets that it has stay as they are."""
    acting = Acting(world).draft(*ASSETS[:3])
    acting.converge("--until", "asset-upload").require(2, *uploaded(*ASSETS[3:]))
    assert len(acting.truth().releases) == 1


@pytest.mark.parametrize("action", ["status", "cut-before"])
def test_an_upload_that_failed_is_tried_after_looking_again(action: str, world: World) -> None:
    """G19: a 502, or a cut connection, in the middle: that asset alone is sent again, in the same run."""
    acting = Acting(world).draft(ASSETS[0])
    world.forge.faults.add(Fault(action=action, host="uploads", method="POST", nth=2))
    acting.converge("--until", "asset-upload").require(2, *uploaded(*ASSETS[1:]))
    posts = [one for one in world.forge.requests if one.host == "uploads" and one.method == "POST"]
    assert len(posts) == len(ASSETS[1:]) + 1


@pytest.mark.parametrize("action", ["status-after", "cut-after"])
def test_an_upload_whose_answer_was_lost_is_not_sent_again(action: str, world: World) -> None:
    """G19: the server took it and said 502, or nothing: the digest says that it is done."""
    acting = Acting(world).draft(ASSETS[0])
    world.forge.faults.add(Fault(action=action, host="uploads", method="POST", nth=2))
    acting.converge("--until", "asset-upload").require(2, *uploaded(*ASSETS[1:]))
    posts = [one for one in world.forge.requests if one.host == "uploads" and one.method == "POST"]
    assert len(posts) == len(ASSETS[1:])


def test_uploads_that_never_succeed_stop_the_rest(world: World) -> None:
    """G18, G19: while assets are missing nothing irreversible is done; the next run uploads the missing."""
    acting = Acting(world).nothing()
    name = ARCHIVES[2]
    broken = Fault(action="status", status=502, host="uploads", path=f"name={name}", times=None)
    world.forge.faults.add(broken)
    rest = [one for one in ASSETS if one != name]
    done = acting.converge().require(4, DRAFTED, *uploaded(*rest))
    assert done.open[f"asset-upload/{name}"] == "github.bad-answer"
    assert len(done.acts) == 1 + len(ASSETS) + 2, "three attempts, each after looking again"
    world.forge.faults.clear()
    acting.converge("--until", "source-tag").require(2, *uploaded(name), TAGGED)


def test_a_backport_does_not_take_latest(world: World) -> None:
    """G12: 2.0.0 is out: 1.2.3 is published under a dist-tag of its own, and GitHub's latest stays."""
    acting = Acting(world).draft(*ASSETS)
    world.tag(TAG, world.commit)
    world.tag("v2.0.0", world.commit)
    newer = world.repo.release("v2.0.0")
    world.repo.latest_override("v2.0.0")
    for name in (CORE, CLI):
        changed = {"dependencies": {CORE: "^2.0.0"}} if name == CLI else {}
        world.npm.publish(name, "2.0.0", repacked(world.packs[name], version="2.0.0", **changed))
    acting.converge().require(0, *published(CORE, CLI, tag="release-1.2"), ANNOUNCED)
    assert world.repo.value.latest_id == newer.id
    assert acting.truth().dist_tags[f"{CLI}@latest"] == "2.0.0"
