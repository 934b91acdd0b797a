"""Acting on assets: what was built is uploaded where it is missing, and nothing that is whole is touched."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from worldkit import NOW, World, a_plan, a_record, a_release, a_spec, an_asset, sha256
from worldkit_release import BODIES, LINUX, build_evidence, publish, put, remove, right_files
from worldkit_writes import Acts

from gates import asset_upload
from release.domain.evidence import Kind
from release.write_ports import Refused

DRAFT = a_release(draft=True, published_at=None)
SECOND = a_release(2, draft=True, published_at=None)
OLDER = replace(SECOND, created_at=DRAFT.created_at - timedelta(minutes=1))
BODY = BODIES[LINUX]


def draft_without(world: World, **changes: object) -> Acts:
    release = publish(world, right_files(), DRAFT)
    remove(world, release, LINUX)
    build_evidence(world)
    return Acts(gate=asset_upload, plan=a_plan(), world=world, local={LINUX: BODY}, **changes)


def test_uploads_what_was_built(world: World) -> None:
    """The local file that has the digest of the build, to the draft by id."""
    acts = draft_without(world)
    assert acts.act(LINUX) == [("upload", "1", LINUX, sha256(BODY).hex)]
    assert acts.look(LINUX).reason == "asset.uploaded"
    assert acts.act(LINUX) == []


def test_uploads_what_nothing_speaks_of(world: World) -> None:
    """An extra file has no build evidence: it is uploaded, and the checksum file is made of it."""
    publish(world, {}, DRAFT)
    plan = a_plan(releases=(a_spec(assets=(an_asset("install.sh"),)),))
    acts = Acts(gate=asset_upload, plan=plan, world=world, local={"install.sh": b"run me"})
    assert acts.act("install.sh") == [("upload", "1", "install.sh", sha256(b"run me").hex)]


def test_refuses_a_local_file_that_was_not_built(world: World) -> None:
    """Other bytes under the same name are never uploaded (G07)."""
    acts = draft_without(world)
    acts.local[LINUX] = b"other bytes"
    text = f"asset.digest-differs: {LINUX} here is sha256:{sha256(b'other bytes').hex}, which is not what"
    with pytest.raises(Refused, match=text):
        acts.act(LINUX)


def test_uploads_any_of_two_builds(world: World) -> None:
    """Two builds of this commit that differ in bytes are both right."""
    acts = draft_without(world)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, b"second build")])
    assert acts.act(LINUX) == [("upload", "1", LINUX, sha256(BODY).hex)]


def test_uploads_nothing_without_a_local_file(world: World) -> None:
    """Another machine has it; preflight says so."""
    acts = draft_without(world)
    acts.local.clear()
    assert acts.act(LINUX) == []


CHANGES: dict[str, Callable[[World], object]] = {
    "uploaded": lambda world: put(world, DRAFT, LINUX, BODY),
    "other bytes": lambda world: put(world, DRAFT, LINUX, b"other"),
    "an upload began": lambda world: put(world, DRAFT, LINUX, b"", state="starter"),
    "another draft": lambda world: world.github.listed.append(SECOND),
    "release gone": lambda world: world.github.listed.clear(),
    "sealed": lambda world: world.github.listed.__setitem__(0, a_release(immutable=True)),
    "was there once": lambda world: world.remember(
        [a_record(Kind.FIRST_SEEN, f"asset:v1.2.3/{LINUX}", BODY)]
    ),
}


@pytest.mark.parametrize("meanwhile", CHANGES.values(), ids=CHANGES)
def test_uploads_nothing_where_the_world_changed(meanwhile: Callable[[World], object], world: World) -> None:
    """The asset is looked at again right before: there, begun, ambiguous, sealed or removed is no absence."""
    assert draft_without(world).act(LINUX, meanwhile) == []


def wrecked(world: World, **changes: object) -> Acts:
    acts = draft_without(world, **changes)
    put(world, DRAFT, LINUX, b"", state="starter")
    return acts


def test_discards_an_interrupted_upload_with_the_option(world: World) -> None:
    """Only the wreck is deleted, by its id and on the draft; the upload itself is the next step's (G20)."""
    acts = wrecked(world, discard=True)
    wreck = next(one for one in world.github.held[1] if one.name == LINUX)
    assert acts.act(LINUX) == [("discard", "1", str(wreck.id))]
    assert acts.look(LINUX).reason == "asset.absent"


def test_discards_an_upload_that_stayed_open(world: World) -> None:
    """GitHub's other name for a wreck, once it is too old to be still going on; a young one is left alone."""
    acts = draft_without(world, discard=True)
    put(world, DRAFT, LINUX, b"", state="open", created_at=NOW)
    assert acts.act(LINUX) == []
    wreck = put(world, DRAFT, LINUX, b"", state="open", created_at=NOW - timedelta(hours=1))
    assert acts.act(LINUX) == [("discard", "1", str(wreck.id))]


@pytest.mark.parametrize(
    ("discard", "meanwhile"),
    [
        (False, lambda world: None),
        (True, lambda world: world.github.listed.__setitem__(0, a_release())),
        (True, lambda world: world.github.listed.append(OLDER)),
        (True, lambda world: put(world, DRAFT, LINUX, BODY)),
        (True, lambda world: remove(world, DRAFT, LINUX)),
    ],
    ids=["no option", "published", "another draft", "finished", "gone"],
)
def test_discards_nothing_else(discard: bool, meanwhile: Callable[[World], object], world: World) -> None:
    """Never without the option, off a draft, among several, a finished one; and what is gone is no upload."""
    assert wrecked(world, discard=discard).act(LINUX, meanwhile) == []


@pytest.mark.parametrize("name", [LINUX, "(unexpected)"])
def test_touches_nothing_that_is_whole(name: str, world: World) -> None:
    """An asset with other bytes, or one that nobody planned, is a finding and no action."""
    release = publish(world, {**right_files(), "debug.log": b"x"}, DRAFT)
    build_evidence(world)
    put(world, release, LINUX, b"other bytes")
    assert (
        Acts(gate=asset_upload, plan=a_plan(), world=world, local={LINUX: BODY}, discard=True).act(name) == []
    )
