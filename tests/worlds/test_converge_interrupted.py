"""The wreck of an interrupted upload: said with its one remedy, and deleted only where that is safe (G20)."""

from datetime import UTC, datetime, timedelta

import pytest
from converge_kit import ASSETS, Acting, uploaded
from forge import Fault
from kit import ARCHIVES, TAG, World

NAME = ARCHIVES[0]
WRECK, GONE = f"asset-upload/{NAME}", f"asset.delete {TAG}/{NAME}"
DISCARD = ("--discard-interrupted", "--until", "asset-upload")
LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


def wrecked(acting: Acting, state: str = "starter", at: datetime | None = None) -> Acting:
    """Let the draft hold everything, one asset as the wreck of an upload."""
    acting.draft(*ASSETS[1:])
    acting.world.release.asset(NAME, b"", state=state, digest=None, created_at=at)
    return acting


def test_an_upload_that_left_a_wreck_is_not_tried_again(world: World) -> None:
    """G20: 502 and a starter asset: never overwritten; the remedy is printed, and it is a command."""
    acting = Acting(world).draft(*ASSETS[1:])
    world.forge.faults.add(Fault(action="starter", host="uploads"))
    done = acting.converge().require(1, f"asset.starter {TAG}/{NAME}")
    assert done.open[WRECK] == "asset.upload-interrupted"
    command = done.result.finding("asset-upload", NAME)["next"]
    assert command == f"release converge {TAG} --commit {world.commit} --discard-interrupted"
    again = acting.converge().require(1)
    assert again.open[WRECK] == "asset.upload-interrupted"
    acting.converge(*DISCARD).require(2, GONE, *uploaded(NAME))


@pytest.mark.parametrize(("state", "at"), [("starter", None), ("starter", LONG_AGO), ("open", LONG_AGO)])
def test_a_wreck_on_a_draft_is_discarded_and_made_whole(
    state: str, at: datetime | None, world: World
) -> None:
    """G20: with the option, and on a draft, exactly the wreck goes, and the asset is uploaded."""
    acting = wrecked(Acting(world), state, at)
    acting.converge(*DISCARD).require(2, GONE, *uploaded(NAME))


def test_an_upload_in_progress_is_left_alone(world: World) -> None:
    """State `open`, begun just now: GitHub is at work on it; nothing is deleted."""
    acting = wrecked(Acting(world), "open", datetime.now(UTC))
    done = acting.converge(*DISCARD).require(2)
    assert done.open[WRECK] == "asset.processing"


def test_a_wreck_on_a_published_release_is_left_alone(world: World) -> None:
    """The option is for drafts: on a published release nothing is ever deleted, and it says so."""
    acting = Acting(world)
    world.asset(NAME).remove()
    wreck = world.release.asset(NAME, b"", state="starter", digest=None)
    done = acting.converge(*DISCARD).require(1)
    assert (done.open[WRECK], done.acts) == ("asset.upload-interrupted", [])
    assert world.forge.world.assets[wreck.id].state == "starter"


@pytest.mark.parametrize("change", ["finished", "another"])
def test_what_changed_since_the_look_is_not_discarded(change: str, world: World) -> None:
    """Right before deleting it is read again: whole by now, or another one's upload, it is left alone."""
    acting = wrecked(Acting(world))
    judge, looks, deleted = world.forge.faults.judge, 0, []

    def meanwhile(host: str, method: str, path: str) -> object:
        nonlocal looks
        looking = method == "GET" and "/assets?" in path
        looks += looking
        if method == "DELETE":
            deleted.append(looks)
        if looking and looks == 2:
            next(one for one in world.release.assets if one.value.name == NAME).remove()
            if change == "finished":
                world.release.asset(NAME, world.assets()[NAME])
            else:
                world.release.asset(NAME, b"", state="starter", digest=None)
        return judge(host, method, path)

    world.monkeypatch.setattr(world.forge.faults, "judge", meanwhile)
    done = acting.converge(*DISCARD)
    if change == "finished":
        done.require(2)
        assert (looks > 2, deleted) == (True, [])
    else:
        done.require(2, GONE, *uploaded(NAME))
        assert deleted == [4], "the other wreck goes when it was looked at twice itself"
