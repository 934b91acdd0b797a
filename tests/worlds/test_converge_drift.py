"""Complete once, then changed: failed, by the ledger, however well the new things agree (G07, G08)."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from converge_kit import ASSETS, Acting
from kit import ARCHIVES, CLI, CORE, SUMS, TAG, VERSION, World
from kit_binaries import MANIFEST, binary_manifest
from kit_project import repacked
from kit_project import sums as listing
from worlds_channel import put

LEDGER = f"refs/convergence/ledger/{TAG}"


@dataclass(frozen=True)
class Drift:
    """What happened afterwards, and what is then open: ``gate/subject`` → reason (of several, these)."""

    id: str
    change: Callable[[World], object]
    says: dict[str, str]


def rebuilt(w: World) -> dict[str, bytes]:
    """All assets of another build of the same commit; they agree with one another."""
    archives = {name: body + b"rebuilt" for name, body in w.template.archives.items()}
    inside = {**archives, MANIFEST: binary_manifest(w.commit, archives)}
    return {**inside, SUMS: listing(inside)}


def substitute(w: World) -> None:
    """One archive is replaced, and checksum file and manifest with it."""
    for name, body in rebuilt(w).items():
        put(w, name, body)


def make_again(w: World, bodies: dict[str, bytes]) -> None:
    """The release is deleted and made again."""
    w.release.remove()
    w.release = w.repo.release(TAG)
    for name, body in bodies.items():
        w.release.asset(name, body)


def republish(w: World) -> None:
    """The registry serves and states other bytes of the same contents' kind under the same version."""
    body = repacked(w.packs[CORE], {"index.js": "module.exports = () => 'core';\nevil();\n"})
    w.npm.tarball(CORE, VERSION).write_bytes(body)
    with w.npm.edit(CORE) as stored:
        dist = stored["versions"][VERSION]["dist"]
        dist["integrity"] = "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()
        dist["shasum"] = hashlib.sha1(body).hexdigest()


def corrupt(w: World) -> None:
    """Only the stored tarball is replaced."""
    w.npm.tarball(CORE, VERSION).write_bytes(repacked(w.packs[CORE], {"index.js": "evil();\n"}))


def weaken(w: World) -> None:
    """The plan does not ask for one of the packages any more."""
    del w.config["package"][1]


PLAIN, SOURCE = f"github-release/{TAG}", f"source-tag/{TAG}"
V_CORE, V_CLI = f"npm-publish/{CORE}@{VERSION}", f"npm-publish/{CLI}@{VERSION}"
ALL = tuple(f"asset-upload/{name}" for name in ASSETS)

DRIFTS = (
    Drift("G07-self-consistent-substitution", substitute, dict.fromkeys(ALL, "asset.changed-since")),
    Drift(
        "G08-made-again-rebuilt",
        lambda w: make_again(w, rebuilt(w)),
        {PLAIN: "release.changed-since", **dict.fromkeys(ALL, "asset.changed-since")},
    ),
    Drift("made-again-alike", lambda w: make_again(w, w.assets()), {PLAIN: "release.changed-since"}),
    Drift(
        "release-deleted",
        lambda w: w.release.remove(),
        {PLAIN: "release.removed", **dict.fromkeys(ALL, "asset.removed")},
    ),
    Drift("asset-deleted", lambda w: w.asset(SUMS).remove(), {f"asset-upload/{SUMS}": "asset.removed"}),
    Drift("tag-moved", lambda w: w.tag(TAG, w.parent), {SOURCE: "tag.changed-since"}),
    Drift("tag-deleted", lambda w: w.untag(), {SOURCE: "tag.removed"}),
    Drift("npm-replaced", republish, {V_CORE: "npm.changed-since"}),
    Drift("npm-tarball-replaced", corrupt, {V_CORE: "npm.tarball-corrupt"}),
    Drift("npm-unpublished", lambda w: w.npm.unpublish(CLI, VERSION), {V_CLI: "npm.removed"}),
    Drift("plan-weakened", weaken, {"plan/plan": "plan.changed-since"}),
)


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift.id)
def test_what_changed_since_is_failed_and_never_mended(drift: Drift, world: World) -> None:
    """R-CONV-14: complete, then changed: `status` fails by the ledger, and converge puts nothing over it."""
    acting = Acting(world)
    acting.converge().require(0)
    drift.change(world)
    said = acting.status().require(1)
    assert {key: said.open.get(key) for key in drift.says} == drift.says
    done = acting.converge().require(1)
    assert {key: done.open.get(key) for key in drift.says} == drift.says
    assert not any("lease" in name for name in done.kept)


def test_both_digests_are_said(world: World) -> None:
    """G07: the digest that was first seen, and the one of now."""
    acting = Acting(world)
    acting.converge().require(0)
    before = world.assets()
    substitute(world)
    message = acting.status().result.message("asset-upload", ARCHIVES[0])
    for body in (before[ARCHIVES[0]], rebuilt(world)[ARCHIVES[0]]):
        assert hashlib.sha256(body).hexdigest() in message


def test_without_a_ledger_nobody_would_know(world: World) -> None:
    """The negative control: the same substitution, never converged before, looks complete."""
    acting = Acting(world)
    substitute(world)
    acting.status().require(0)
