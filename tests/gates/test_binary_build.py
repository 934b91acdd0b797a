"""binary-build: the manifest and the evidence name the same build of this commit."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from worldkit import (
    COMMIT,
    OTHER,
    UNREACHABLE,
    World,
    a_binary,
    a_plan,
    a_record,
    a_release,
    a_spec,
    look,
    reasons,
    sha256,
)
from worldkit_release import (
    BODIES,
    DARWIN,
    LINUX,
    build_evidence,
    manifest_of,
    publish,
    put,
    right_files,
)

from gates import binary_build
from release.domain.evidence import Kind

NAME = "binary-manifest.json"
SLOT = "acme/linux-x64"
AGREES, BUILT, NOT_BUILT = "binary.manifest-agrees", "binary.built", "binary.not-built"


def changed(**members: object) -> bytes:
    return json.dumps({**json.loads(manifest_of(BODIES)), **members}).encode()


def row_changed(**members: object) -> bytes:
    document = json.loads(manifest_of(BODIES))
    document["assets"][0].update(members)
    return json.dumps(document).encode()


def published_manifest(body: bytes) -> Callable[[World], None]:
    return lambda world: publish(world, {NAME: body}) and None


def evidence(**changes: object) -> Callable[[World], None]:
    return lambda world: build_evidence(world, **changes)


def both(body: bytes, **changes: object) -> Callable[[World], None]:
    def arrange(world: World) -> None:
        publish(world, {NAME: body})
        build_evidence(world, **changes)

    return arrange


def interrupted(world: World) -> None:
    put(world, publish(world, {}), NAME, b"", state="starter")


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    arrange: Callable[[World], None]
    reason: str


RIGHT = manifest_of(BODIES)
ROWS = (
    Row(name="right", arrange=both(RIGHT), reason=AGREES),
    Row(name="right, manifest alone", arrange=published_manifest(RIGHT), reason=AGREES),
    Row(name="right, evidence alone", arrange=evidence(), reason=BUILT),
    Row(name="right, manifest not uploaded yet", arrange=interrupted, reason=NOT_BUILT),
    Row(name="right, other evidence besides", arrange=both(RIGHT, commit=OTHER), reason=AGREES),
    Row(
        name="right, target as planned",
        arrange=published_manifest(row_changed(target="linux-x64")),
        reason=AGREES,
    ),
    Row(name="absent", arrange=lambda world: None, reason=NOT_BUILT),
    Row(
        name="absent, release without manifest",
        arrange=lambda world: publish(world, {}) and None,
        reason=NOT_BUILT,
    ),
    Row(name="empty", arrange=published_manifest(b""), reason="binary.manifest-malformed"),
    Row(
        name="empty, no assets",
        arrange=published_manifest(changed(assets=[])),
        reason="binary.manifest-malformed",
    ),
    Row(name="not a manifest", arrange=both(b"Not Found"), reason="binary.manifest-malformed"),
    Row(name="another commit", arrange=both(changed(commit=OTHER)), reason="binary.commit-differs"),
    Row(
        name="row of another commit", arrange=both(row_changed(commit=OTHER)), reason="binary.commit-differs"
    ),
    Row(name="evidence of another commit", arrange=evidence(commit=OTHER), reason=NOT_BUILT),
    Row(name="evidence of another policy", arrange=evidence(policy="q"), reason=NOT_BUILT),
    Row(name="evidence of a failed build", arrange=evidence(verdict="fail"), reason=NOT_BUILT),
    Row(name="another version", arrange=both(changed(version="1.2.2")), reason="binary.version-differs"),
    Row(
        name="another target", arrange=both(row_changed(target="linux-arm64")), reason="binary.target-differs"
    ),
    Row(
        name="not listed",
        arrange=both(manifest_of({DARWIN: BODIES[DARWIN]})),
        reason="binary.not-in-manifest",
    ),
    Row(name="different", arrange=both(row_changed(sha256="0" * 64)), reason="binary.digest-differs"),
    Row(name="different size", arrange=both(row_changed(size=1)), reason="binary.digest-differs"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_build(row: Row, world: World) -> None:
    """Manifest and evidence each come from their own channel (R-BIN-04, R-BIN-06, HJ10, K30, C275)."""
    row.arrange(world)
    assert reasons(binary_build, a_plan(), world)[SLOT] == row.reason


def test_partial_builds_are_separate_subjects(world: World) -> None:
    """One leg of the matrix ran: the other is not built."""
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, BODIES[LINUX])])
    assert reasons(binary_build, a_plan(), world) == {SLOT: BUILT, "acme/darwin-arm64": NOT_BUILT}


def test_a_second_build_does_not_hide_the_first(world: World) -> None:
    """Two builds of the commit differ in bytes; the manifest may name either of them."""
    publish(world, right_files())
    build_evidence(world)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, b"other bytes")])
    assert reasons(binary_build, a_plan(), world)[SLOT] == AGREES


def test_the_evidence_is_of_the_build_that_the_manifest_names(world: World) -> None:
    """Of two builds of the commit, the one with the manifest's digest is named."""
    publish(world, right_files())
    build_evidence(world)
    (first,) = (record for record in world.evidence.records if record.subject == LINUX)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, b"other bytes")])
    assert look(binary_build, a_plan(), world)[SLOT].evidence == (first.id,)


def test_the_manifest_claims_its_own_commit(world: World) -> None:
    """The agreement table gets the commit inside the manifest (G11, G25)."""
    publish(world, {NAME: changed(commit=OTHER)})
    claims = look(binary_build, a_plan(), world)[SLOT].claims
    assert [(claim.channel, claim.commit) for claim in claims] == [("binary-manifest", OTHER)]


def test_a_malformed_manifest_claims_nothing(world: World) -> None:
    """What cannot be read does not agree; the message names the member."""
    publish(world, {NAME: changed(commit="main")})
    finding = look(binary_build, a_plan(), world)[SLOT]
    assert [claim.commit for claim in finding.claims] == [None]
    assert "commit must be a full commit id" in finding.message


@pytest.mark.parametrize(
    ("arrange", "text", "command"),
    [
        (lambda world: None, f"no evidence and no manifest names {LINUX}", "release build binaries"),
        (evidence(), f"{LINUX} was built from this commit: sha256:", ""),
        (evidence(commit=OTHER), "does not count", "release build binaries"),
        (
            both(row_changed(size=1)),
            f"the manifest says {sha256(BODIES[LINUX])} (1 byte), the build's evidence "
            f"{sha256(BODIES[LINUX])} ({len(BODIES[LINUX])})",
            "",
        ),
        (
            both(manifest_of({DARWIN: BODIES[DARWIN]})),
            f"the manifest lists 1 asset, {LINUX} is not among them",
            "",
        ),
        (both(row_changed(sha256="0" * 64), size=None), "(?)", ""),
    ],
)
def test_says_what_was_found(arrange: Callable[[World], None], text: str, command: str, world: World) -> None:
    """The message has both sides, and the next command only where building helps."""
    arrange(world)
    finding = look(binary_build, a_plan(), world)[SLOT]
    assert text in finding.message
    assert finding.next == command
    assert (finding.commit is None) is (finding.reason == NOT_BUILT)


@pytest.mark.parametrize(("rows", "more"), [(10, ""), (11, "; and 1 more")])
def test_a_long_list_of_problems_is_bounded(rows: int, more: str, world: World) -> None:
    """A manifest that is wrong in every row is told in one line."""
    publish(world, {NAME: changed(assets=[None] * rows)})
    message = look(binary_build, a_plan(), world)[SLOT].message
    assert message.endswith(f"assets[9] must be an object{more}")


def test_each_release_has_its_own_manifest_and_version(world: World) -> None:
    """With a tag per package, a binary is looked up on its own release, in its own version."""
    other = a_spec(tag="tool@9.0.0", version="9.0.0")
    publish(world, {NAME: manifest_of(BODIES, version="9.0.0")}, a_release(2, tag_name="tool@9.0.0"))
    publish(world, {NAME: RIGHT})
    assert reasons(binary_build, a_plan(releases=(other, a_spec())), world)[SLOT] == AGREES
    assert reasons(binary_build, a_plan(releases=(other,)), world)[SLOT] == NOT_BUILT
    assert (
        reasons(
            binary_build, a_plan(releases=(a_spec(), other), binaries=(a_binary(tag="tool@9.0.0"),)), world
        )[SLOT]
        == AGREES
    )


def test_only_evidence_that_does_not_count_is_listed(world: World) -> None:
    """Records that count are no reason for not built."""
    build_evidence(world, commit=OTHER, id="sha256:other")
    build_evidence(world)
    (subject, *_) = binary_build.subjects(a_plan())
    seen = binary_build.observe(subject, world.read(a_plan()))
    assert [content.size for content in seen.built] == [len(BODIES[LINUX])]
    assert seen.elsewhere == (OTHER,)


def test_without_a_forge_there_is_no_manifest(world: World) -> None:
    """A plan that names a manifest and no forge to ask: the evidence decides."""
    publish(world, {NAME: RIGHT})
    (subject, *_) = binary_build.subjects(a_plan())
    assert binary_build.observe(subject, replace(world.read(a_plan()), github=None)).manifest is None


def test_evidence_that_does_not_count_is_named(world: World) -> None:
    """Evidence for another commit is not built, and the report says so."""
    build_evidence(world, commit=OTHER)
    finding = look(binary_build, a_plan(), world)[SLOT]
    assert OTHER in finding.message
    assert finding.next == "release build binaries"


def test_a_plan_without_a_manifest_reads_only_evidence(world: World) -> None:
    """Nothing is asked of the forge where no manifest is planned."""
    build_evidence(world)
    found = look(binary_build, a_plan(releases=(a_spec(assets=()),)), world)[SLOT]
    assert (found.reason, found.commit) == (BUILT, COMMIT)
    assert world.github.calls == []


def test_the_published_release_counts_not_the_draft(world: World) -> None:
    """Of several releases of the tag, users get the published one's manifest."""
    publish(world, {NAME: changed(commit=OTHER)})
    publish(world, {NAME: RIGHT}, a_release(2, draft=True, published_at=None))
    assert reasons(binary_build, a_plan(), world)[SLOT] == "binary.commit-differs"


@pytest.mark.parametrize("method", ["releases", "assets", "content"])
def test_unreachable_is_never_a_verdict(method: str, world: World) -> None:
    """A manifest that cannot be read is pending, although evidence is here."""
    publish(world, right_files())
    build_evidence(world)
    world.github.faults[method] = UNREACHABLE
    assert reasons(binary_build, a_plan(), world)[SLOT] == "github.unreachable"
