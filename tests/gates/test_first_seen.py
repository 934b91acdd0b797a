"""First-seen facts: what is complete goes to the ledger, nothing else does, and it agrees with itself."""

from dataclasses import replace

import pytest
from worldkit import (
    COMMIT,
    NOW,
    OTHER,
    World,
    a_package,
    a_packument,
    a_plan,
    a_release,
    a_tag,
    a_tarball,
    look,
    packed,
    sha256,
)
from worldkit_release import BODIES, LINUX, build_evidence, publish, put, right_files

from gates import asset_upload, github_release, npm_publish, source_tag
from release.contract import Gate
from release.domain.facts.npm import Published
from release.domain.first_seen import FirstSeen, as_evidence
from release.domain.state import State

HERE = a_tarball({"name": "acme", "version": "1.2.3", "main": "index.js"})
URL = "https://npm.example/acme/-/1.2.3.tgz"
DIGEST = str(HERE.integrity)


def facts(gate: Gate, world: World, subject: str, deep: bool = True) -> tuple[FirstSeen, ...]:
    """Return the facts of one subject."""
    return look(gate, a_plan(packages=(a_package(),), deep=deep), world)[subject].seen


def complete(world: World) -> Published:
    """Make everything right."""
    publish(world, right_files())
    build_evidence(world)
    document = a_packument(HERE)
    world.npm.packuments["acme"], world.npm.tarballs[URL] = document, HERE
    world.npm.packs["acme"] = packed(HERE)
    assert document.published is not None
    return document.published


def test_what_is_complete_is_remembered(world: World) -> None:
    """The tag's commit, the release's id, the asset's digest, the package's integrity, and when."""
    complete(world)
    assert facts(source_tag, world, "v1.2.3") == (FirstSeen(key="tag:v1.2.3", commit=COMMIT, at=NOW),)
    assert facts(github_release, world, "v1.2.3") == (FirstSeen(key="release:v1.2.3", id="1", at=NOW),)
    digest = str(sha256(BODIES[LINUX]))
    key = f"asset:v1.2.3/{LINUX}"
    assert facts(asset_upload, world, LINUX) == (FirstSeen(key=key, digest=digest, at=NOW),)
    key = "npm:acme@1.2.3"
    assert facts(npm_publish, world, "acme@1.2.3") == (FirstSeen(key=key, digest=DIGEST, at=NOW),)


@pytest.mark.parametrize(
    ("gate", "subject"),
    [(asset_upload, "(unexpected)"), (github_release, "latest"), (npm_publish, "acme@latest")],
)
def test_what_may_change_is_not_remembered(gate: Gate, subject: str, world: World) -> None:
    """Where ``latest`` points, and what else is there, are not facts for ever."""
    complete(world)
    world.github.latest_release = a_release()
    assert look(gate, a_plan(), world)[subject].state is State.COMPLETE
    assert facts(gate, world, subject) == ()


def test_the_same_content_compressed_otherwise_is_remembered_as_it_is(world: World) -> None:
    """What the registry serves is the fact, not what was packed here."""
    complete(world)
    world.npm.packs["acme"] = packed(
        replace(HERE, integrity=replace(HERE.integrity, hex="1" * 128), sha256=sha256(b"recompressed"))
    )
    finding = look(npm_publish, a_plan(packages=(a_package(),)), world)["acme@1.2.3"]
    assert finding.reason == "npm.identical-content"
    assert [fact.digest for fact in finding.seen] == [DIGEST]


def test_a_digest_that_only_a_download_shows_is_remembered(world: World) -> None:
    """An old asset, of which GitHub states no digest."""
    complete(world)
    put(world, a_release(), LINUX, BODIES[LINUX], digest=None)
    assert [fact.digest for fact in facts(asset_upload, world, LINUX)] == [str(sha256(BODIES[LINUX]))]
    assert facts(asset_upload, world, LINUX, deep=False) == ()


def test_what_is_wrong_or_missing_is_not_remembered(world: World) -> None:
    """A fact is the baseline of every later look: only what was complete may become one."""
    published = complete(world)
    world.git.tags["v1.2.3"] = a_tag(commit=OTHER)
    put(world, a_release(), LINUX, b"other bytes")
    wrong = replace(published, integrity=replace(HERE.integrity, hex="2" * 128))
    world.npm.packuments["acme"] = replace(a_packument(HERE), published=wrong)
    for gate, subject in (
        (source_tag, "v1.2.3"),
        (github_release, "v1.2.3"),
        (asset_upload, LINUX),
        (npm_publish, "acme@1.2.3"),
    ):
        assert look(gate, a_plan(packages=(a_package(),)), world)[subject].state is State.FAILED
        assert facts(gate, world, subject) == ()
        assert facts(gate, World(), subject) == ()


def test_a_fact_agrees_with_the_look_it_came_from(world: World) -> None:
    """Remembered facts change nothing in a world that did not change, and the state stays complete."""
    complete(world)
    gates, plan = (source_tag, github_release, asset_upload, npm_publish), a_plan(packages=(a_package(),))
    world.github.latest_release = a_release()
    before = [look(gate, plan, world) for gate in gates]
    seen = [fact for of_gate in before for finding in of_gate.values() for fact in finding.seen]
    assert len(seen) == 7
    world.remember(as_evidence(fact, release="acme", version="1.2.3", commit=COMMIT) for fact in seen)
    for gate, earlier in zip(gates, before, strict=True):
        for name, finding in look(gate, plan, world).items():
            assert (name, finding.state, finding.reason) == (name, State.COMPLETE, earlier[name].reason)
