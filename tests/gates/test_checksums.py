"""checksums: what users download is what the file, the manifest and the build say; the file is exact."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from worldkit import (
    EARLIER,
    OTHER,
    UNREACHABLE,
    World,
    a_plan,
    a_record,
    a_release,
    a_spec,
    an_asset,
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
    remove,
    right_files,
    sums_of,
)

from gates import checksums
from release.domain.errors import CannotTell
from release.domain.evidence import Kind
from release.domain.facts.github import ReleaseFacts
from release.domain.plan import AssetKind
from release.domain.reasons import Who

MANIFEST, SUMS = "binary-manifest.json", "SHA256SUMS"
BODY = BODIES[LINUX]
SWAPPED = BODY[::-1]
Arrange = Callable[[World, ReleaseFacts], object]
LISTED = {**BODIES, MANIFEST: manifest_of(BODIES)}


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    reason: str
    arrange: Arrange = lambda world, release: None
    evidence: bool = False
    deep: bool = True


def with_asset(body: bytes = BODY, **changes: Any) -> Arrange:
    return lambda world, release: put(world, release, LINUX, body, **changes)


def with_sums(body: bytes) -> Arrange:
    return lambda world, release: put(world, release, SUMS, body)


def with_manifest(body: bytes) -> Arrange:
    """Replace the manifest, and list it rightly: only its rows are wrong."""

    def arrange(world: World, release: ReleaseFacts) -> None:
        put(world, release, MANIFEST, body)
        put(world, release, SUMS, sums_of({**BODIES, MANIFEST: body}))

    return arrange


def without(name: str) -> Arrange:
    return lambda world, release: remove(world, release, name)


def first_seen(body: bytes) -> Arrange:
    return lambda world, release: world.remember(
        [a_record(Kind.FIRST_SEEN, f"asset:v1.2.3/{LINUX}", body, commit=OTHER)]
    )


def substituted(world: World, release: ReleaseFacts) -> None:
    """Replace asset, manifest and checksum file together: the release agrees with itself."""
    files: dict[str, bytes] = {**BODIES, LINUX: SWAPPED}
    files[MANIFEST] = manifest_of(files)
    files[SUMS] = sums_of(files)
    for name, body in files.items():
        put(world, release, name, body)


def seen_then_substituted(world: World, release: ReleaseFacts) -> None:
    first_seen(BODY)(world, release)
    substituted(world, release)


VERIFIED, MISMATCH, DIFFERS = "checksums.verified", "checksums.mismatch", "checksums.differs-from-build"
ABSENT, NOT_DOWNLOADED = "checksums.asset-absent", "checksums.not-downloaded"
UNLIKE_MANIFEST = "checksums.manifest-differs"
CONFLICT = sums_of(LISTED) + sums_of({LINUX: SWAPPED})

ROWS = (
    Row(name="right", reason=VERIFIED),
    Row(name="right, with evidence", evidence=True, reason=VERIFIED),
    Row(name="right, seen before", arrange=first_seen(BODY), reason=VERIFIED),
    Row(name="right, no digest stated", arrange=with_asset(digest=None), reason=VERIFIED),
    Row(name="right, no manifest", arrange=without(MANIFEST), reason=VERIFIED),
    Row(name="right, shallow", deep=False, evidence=True, reason=NOT_DOWNLOADED),
    Row(name="no digest stated, shallow", arrange=with_asset(digest=None), deep=False, reason=NOT_DOWNLOADED),
    Row(name="absent", arrange=without(LINUX), reason=ABSENT),
    Row(name="absent, no checksum file", arrange=without(SUMS), reason="checksums.file-absent"),
    Row(name="partial", arrange=with_asset(state="starter"), reason=ABSENT),
    Row(name="empty", arrange=with_asset(b""), reason=MISMATCH),
    Row(
        name="another commit",
        arrange=with_manifest(manifest_of({**BODIES, LINUX: SWAPPED}, commit=OTHER)),
        reason=UNLIKE_MANIFEST,
    ),
    Row(name="different", arrange=with_asset(SWAPPED), reason=MISMATCH),
    Row(name="different, shallow", arrange=with_asset(SWAPPED), deep=False, reason=MISMATCH),
    Row(name="different from the build", arrange=with_asset(SWAPPED), evidence=True, reason=DIFFERS),
    Row(name="different from the first look", arrange=first_seen(SWAPPED), reason=DIFFERS),
    Row(name="substituted, nothing known outside", arrange=substituted, reason=VERIFIED),
    Row(name="substituted against the build", arrange=substituted, evidence=True, reason=DIFFERS),
    Row(
        name="substituted against the build, shallow",
        arrange=substituted,
        evidence=True,
        deep=False,
        reason=DIFFERS,
    ),
    Row(name="substituted against the first look", arrange=seen_then_substituted, reason=DIFFERS),
    Row(name="served short", arrange=with_asset(served=b"Not Found"), reason="checksums.size-differs"),
    Row(name="served other bytes", arrange=with_asset(served=SWAPPED), reason="checksums.digest-differs"),
    Row(
        name="served other bytes, no digest stated",
        arrange=with_asset(served=SWAPPED, digest=None),
        reason=MISMATCH,
    ),
    Row(
        name="different from the manifest",
        arrange=with_manifest(manifest_of({**BODIES, LINUX: SWAPPED})),
        reason=UNLIKE_MANIFEST,
    ),
    Row(
        name="different from the manifest, shallow",
        arrange=with_manifest(manifest_of({**BODIES, LINUX: SWAPPED})),
        deep=False,
        reason=UNLIKE_MANIFEST,
    ),
    Row(
        name="other size than the manifest's",
        arrange=with_manifest(manifest_of(BODIES).replace(b'"size": %d' % len(BODY), b'"size": 7')),
        reason=UNLIKE_MANIFEST,
    ),
    Row(
        name="other size than the manifest's, shallow",
        arrange=with_manifest(manifest_of(BODIES).replace(b'"size": %d' % len(BODY), b'"size": 7')),
        deep=False,
        reason=UNLIKE_MANIFEST,
    ),
    Row(name="not listed", arrange=with_sums(sums_of({DARWIN: b"x"})), reason="checksums.not-listed"),
    Row(
        name="not listed, but a longer name is",
        arrange=with_sums(sums_of({f"{LINUX}.sbom.json": BODY})),
        reason="checksums.not-listed",
    ),
    Row(name="listed twice, differently", arrange=with_sums(CONFLICT), reason="checksums.conflicting"),
)


def arrange_row(world: World, row: Row, release: ReleaseFacts | None = None) -> None:
    there = publish(world, right_files(), release)
    if row.evidence:
        build_evidence(world)
    row.arrange(world, there)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_asset(row: Row, world: World) -> None:
    """Bytes, file, manifest, build and first look (R-BIN-05, R-BIN-12, K22, K25–K28, G07, G08, C147)."""
    arrange_row(world, row)
    assert reasons(checksums, a_plan(deep=row.deep), world)[LINUX] == row.reason


def test_shallow_never_proves_anything(world: World) -> None:
    """What was not downloaded is never complete, however well it agrees."""
    arrange_row(world, Row(name="", reason="", evidence=True))
    assert set(reasons(checksums, a_plan(deep=False), world).values()) == {NOT_DOWNLOADED}
    assert world.github.asked("download") == 0


def test_deep_downloads_every_asset_once(world: World) -> None:
    """Every asset but the checksum file is downloaded anew; that file is read."""
    arrange_row(world, Row(name="", reason=""))
    assert set(reasons(checksums, a_plan(), world).values()) == {VERIFIED, "checksums.file-exact"}
    assert sorted(call[1] for call in world.github.calls if call[0] == "download") == sorted(LISTED)


def test_another_algorithm_is_compared_by_its_own_digest(world: World) -> None:
    """A SHA-512 file is compared with the SHA-512 of the download; GitHub's digest says nothing to it."""
    release = publish(world, right_files())
    put(world, release, SUMS, sums_of(LISTED, "sha512"))
    plan = a_plan(checksum_algorithm="sha512")
    assert reasons(checksums, plan, world)[LINUX] == VERIFIED
    put(world, release, SUMS, sums_of({**LISTED, LINUX: SWAPPED}, "sha512"))
    assert reasons(checksums, plan, world)[LINUX] == MISMATCH
    assert reasons(checksums, a_plan(checksum_algorithm="sha512", deep=False), world)[LINUX] == NOT_DOWNLOADED


@pytest.mark.parametrize(
    ("row", "text", "command"),
    [
        (Row(name="", reason="", evidence=True), "as said by SHA256SUMS, the manifest, the build's evid", ""),
        (Row(name="", reason="", arrange=without(MANIFEST)), ", as said by SHA256SUMS", ""),
        (Row(name="", reason="", deep=False), "not downloaded", "release status v1.2.3 --deep"),
        (Row(name="", reason="", arrange=with_asset(SWAPPED)), "the download has sha256:", ""),
        (
            Row(name="", reason="", arrange=with_asset(SWAPPED), deep=False),
            "GitHub, not downloaded, has sha256:",
            "",
        ),
        (Row(name="", reason="", arrange=with_asset(served=b"1")), "received 1 byte, GitHub states", ""),
    ],
)
def test_says_who_was_heard(row: Row, text: str, command: str, world: World) -> None:
    """The message names the witnesses, and where the bytes are known from."""
    arrange_row(world, row)
    finding = look(checksums, a_plan(deep=row.deep), world)[LINUX]
    assert text in finding.message
    assert finding.next == command


def test_oddities_of_an_exact_file_are_noted(world: World) -> None:
    """A CRLF file is exact, and the message says that it is odd (C219)."""
    release = publish(world, right_files())
    assert look(checksums, a_plan(), world)[SUMS].message.endswith("lists all 3 assets and nothing else")
    put(world, release, SUMS, sums_of(LISTED).replace(b"\n", b"\r\n"))
    assert look(checksums, a_plan(), world)[SUMS].message.endswith("; noted: CRLF line end")


@pytest.mark.parametrize(("lines", "more"), [(10, ""), (11, "; and 1 more")])
def test_a_long_list_of_problems_is_bounded(lines: int, more: str, world: World) -> None:
    """A file of garbage is told in one line."""
    put(world, publish(world, right_files()), SUMS, b"x\n" * lines)
    message = look(checksums, a_plan(), world)[SUMS].message
    assert message.endswith(f"line 10: is not a checksum line: 'x'{more}")


def test_strangers_of_this_version_are_not_another_release(world: World) -> None:
    """Unknown names that carry the planned version are only unknown names."""
    put(world, publish(world, right_files()), SUMS, sums_of({"tool-1.2.3.zip": b"", "tool-1.2.2.zip": b""}))
    assert reasons(checksums, a_plan(), world)[SUMS] == "checksums.names-differ"


def test_a_mismatch_shows_both_digests(world: World) -> None:
    """The message has what was received and what the file says."""
    arrange_row(world, Row(name="", reason="", arrange=with_asset(SWAPPED)))
    message = look(checksums, a_plan(), world)[LINUX].message
    assert str(sha256(SWAPPED)) in message
    assert str(sha256(BODY)) in message


EXACT = "checksums.file-exact"
DIGEST = sha256(BODY).hex


def reshaped(change: Callable[[str], str]) -> bytes:
    return "".join(change(line) for line in sums_of(LISTED).decode().splitlines(keepends=True)).encode()


FILES = (
    ("right", sums_of(LISTED), EXACT),
    ("CRLF", sums_of(LISTED).replace(b"\n", b"\r\n"), EXACT),
    ("binary marker", sums_of(LISTED).replace(b"  ", b" *"), EXACT),
    ("upper-case", reshaped(lambda line: line[:64].upper() + line[64:]), EXACT),
    ("./ prefix", sums_of(LISTED).replace(b"  ", b"  ./"), EXACT),
    ("BSD style", reshaped(lambda line: f"SHA256 ({line[66:-1]}) = {line[:64]}\n"), EXACT),
    ("no final newline", sums_of(LISTED).rstrip(), EXACT),
    ("byte order mark", b"\xef\xbb\xbf" + sums_of(LISTED), EXACT),
    ("equal duplicates", sums_of(LISTED) * 2, EXACT),
    ("empty", b"", "checksums.empty"),
    ("an error page", b"Not Found", "checksums.malformed"),
    ("a garbage line", sums_of(LISTED) + b"done\n", "checksums.malformed"),
    ("66 digits", sums_of(LISTED).replace(DIGEST.encode(), DIGEST.encode() + b"00"), "checksums.malformed"),
    ("conflicting duplicates", CONFLICT, "checksums.conflicting"),
    ("partial", sums_of({LINUX: BODY}), "checksums.not-listed"),
    ("without the manifest", sums_of(BODIES), "checksums.not-listed"),
    ("one too many", sums_of({**LISTED, "other.txt": b""}), "checksums.names-differ"),
    ("lists itself", sums_of({**LISTED, SUMS: b""}), "checksums.names-differ"),
    ("path prefixes", sums_of(LISTED).replace(b"  ", b"  dist/"), "checksums.names-differ"),
    (
        "another release",
        sums_of(LISTED).replace(b"1.2.3", b"1.2.2").replace(b"binary-", b"old-"),
        "checksums.other-release",
    ),
)


@pytest.mark.parametrize(("name", "body", "reason"), FILES, ids=[name for name, _, _ in FILES])
def test_judges_the_file(name: str, body: bytes, reason: str, world: World) -> None:
    """Set equality both ways, over every way to write the file (K25, K26, G05, C219–C249)."""
    put(world, publish(world, right_files()), SUMS, body)
    assert reasons(checksums, a_plan(), world)[SUMS] == reason


def test_the_file_of_another_release_names_it(world: World) -> None:
    """The message says which version the file seems to be for (G05, C244)."""
    put(world, publish(world, right_files()), SUMS, sums_of({"acme-1.2.2-linux-x64.tar.gz": b""}))
    assert "for 1.2.2" in look(checksums, a_plan(), world)[SUMS].message


def test_a_rewritten_name_stands_beside_the_asset(world: World) -> None:
    """The file has the name before GitHub rewrote it (G06, C131)."""
    stored = "App.Manager_1.0.AppImage"
    spec = a_spec(assets=(an_asset(stored), *a_spec().assets[2:3]))
    publish(world, {stored: b"app", SUMS: sums_of({"App Manager_1.0.AppImage": b"app"})})
    finding = look(checksums, a_plan(releases=(spec,)), world)[SUMS]
    assert finding.reason == "checksums.names-differ"
    assert f"'App Manager_1.0.AppImage' (the asset is {stored})" in finding.message


def test_an_unlisted_published_asset_counts(world: World) -> None:
    """The published set is what the release holds, not only what was planned."""
    publish(world, {**right_files(), "later.txt": b"x", f"{LINUX}.sig": b"x", f"{SUMS}.asc": b"x"})
    finding = look(checksums, a_plan(), world)[SUMS]
    assert finding.reason == "checksums.not-listed"
    assert "later.txt" in finding.message
    assert ".sig" not in finding.message


def test_a_listed_asset_may_still_be_on_its_way(world: World) -> None:
    """A draft that is being filled is pending, its checksum file is not wrong."""
    remove(world, publish(world, right_files()), LINUX)
    assert reasons(checksums, a_plan(), world)[SUMS] == ABSENT


@pytest.mark.parametrize("kind", [Kind.FIRST_SEEN, Kind.ASSET_UPLOAD])
def test_the_file_itself_has_an_outside_witness(kind: Kind, world: World) -> None:
    """A replaced checksum file is caught although it lists the set exactly (HJ26, C122)."""
    publish(world, right_files())
    subject = f"asset:v1.2.3/{SUMS}" if kind is Kind.FIRST_SEEN else SUMS
    world.remember([a_record(kind, subject, b"the first file")])
    assert reasons(checksums, a_plan(), world)[SUMS] == DIFFERS


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"state": "starter"}, "checksums.file-absent"),
        ({"size": 1}, "checksums.size-differs"),
        ({"digest": sha256(b"other")}, "checksums.digest-differs"),
        ({"digest": None}, EXACT),
    ],
)
def test_the_file_is_what_github_states(changes: dict[str, Any], reason: str, world: World) -> None:
    """The file that was read has the size and digest that the API states."""
    put(world, publish(world, right_files()), SUMS, right_files()[SUMS], **changes)
    assert reasons(checksums, a_plan(), world)[SUMS] == reason


def test_no_checksum_file(world: World) -> None:
    """Without the file its subject is pending; assets are still held against the build (C245)."""
    arrange_row(world, Row(name="", reason="", arrange=without(SUMS), evidence=True))
    assert reasons(checksums, a_plan(), world)[SUMS] == "checksums.file-absent"
    put(world, world.github.listed[0], LINUX, SWAPPED)
    assert reasons(checksums, a_plan(), world)[LINUX] == DIFFERS


@pytest.mark.parametrize(
    ("drafts_visible", "reason"), [(True, "checksums.no-release"), (False, "release.drafts-not-visible")]
)
def test_no_release_at_all(drafts_visible: bool, reason: str, world: World) -> None:
    """Nothing to verify is pending; unseen drafts are cannot-tell."""
    world.github.drafts_visible = drafts_visible
    assert set(reasons(checksums, a_plan(), world).values()) == {reason}


def test_subjects_are_what_the_file_must_list() -> None:
    """Signatures of members are nobody's line; a release without a checksum file has no subjects."""
    spec = a_spec(assets=(*a_spec().assets, an_asset(f"{LINUX}.asc"), an_asset("notes.sig")))
    names = {subject.name for subject in checksums.subjects(a_plan(releases=(spec,)))}
    assert names == {*LISTED, SUMS, "notes.sig"}
    assert checksums.subjects(a_plan(releases=(a_spec(assets=a_spec().assets[:2]),))) == ()


def test_one_name_on_several_releases(world: World) -> None:
    """Each package's release has its own checksum file."""
    specs = tuple(
        a_spec(tag=tag, assets=tuple(an_asset(one.name, one.kind, tag=tag) for one in a_spec().assets[2:3]))
        for tag in ("a@1.2.3", "b@1.2.3")
    )
    names = [subject.name for subject in checksums.subjects(a_plan(releases=specs))]
    assert names == [f"a@1.2.3/{SUMS}", f"b@1.2.3/{SUMS}"]


@pytest.mark.parametrize("method", ["releases", "assets", "content", "download"])
def test_unreachable_is_never_a_verdict(method: str, world: World) -> None:
    """A cut or refused download is pending, never a mismatch (C199, C201, C203)."""
    arrange_row(world, Row(name="", reason="", evidence=True))
    world.github.faults[method] = CannotTell("download.truncated", "40 of 100 bytes")
    finding = look(checksums, a_plan(), world)[LINUX]
    assert (finding.reason, finding.who) == ("download.truncated", Who.CANNOT_TELL)


def test_a_draft_is_verified_before_it_is_published(world: World) -> None:
    """Verification by download is possible on a draft, before anything irreversible."""
    arrange_row(world, Row(name="", reason=""), a_release(draft=True, published_at=None, created_at=EARLIER))
    assert reasons(checksums, a_plan(), world)[LINUX] == VERIFIED


def test_hashes_are_of_the_served_bytes(world: World) -> None:
    """The digest in the message is the download's, computed here."""
    arrange_row(world, Row(name="", reason=""))
    world.github.faults.pop("download", None)
    assert hashlib.sha256(BODY).hexdigest() in look(checksums, a_plan(), world)[LINUX].message
    world.github.faults["*"] = UNREACHABLE
    assert reasons(checksums, a_plan(), world)[LINUX] == "github.unreachable"


def test_what_never_finished_is_not_downloaded(world: World) -> None:
    """The wreck of an upload, and of the checksum file, is judged by its state alone (G20)."""
    release = publish(world, right_files())
    put(world, release, LINUX, BODY, state="starter")
    put(world, release, SUMS, sums_of(LISTED), state="starter")
    look(checksums, a_plan(), world)
    assert ("download", LINUX) not in world.github.calls
    assert ("content", SUMS) not in world.github.calls


@pytest.mark.parametrize(("listed", "reason"), [(b"run me", VERIFIED), (b"RUN ME", UNLIKE_MANIFEST)])
def test_the_manifest_counts_for_every_file_that_it_lists(listed: bytes, reason: str, world: World) -> None:
    """A manifest may list more than binaries; what it says of them must hold too."""
    files = {**BODIES, "install.sh": b"run me"}
    files[MANIFEST] = manifest_of({**BODIES, "install.sh": listed})
    publish(world, {**files, SUMS: sums_of(files)})
    spec = a_spec(assets=(*a_spec().assets, an_asset("install.sh")))
    assert reasons(checksums, a_plan(releases=(spec,)), world)["install.sh"] == reason


def test_a_plan_without_a_manifest_reads_none(world: World) -> None:
    """A file of that name is one like any other, where the plan does not call it the manifest."""
    publish(world, right_files())
    spec = a_spec(assets=tuple(one for one in a_spec().assets if one.name != MANIFEST))
    assert reasons(checksums, a_plan(releases=(spec,)), world)[LINUX] == VERIFIED
    assert ("content", MANIFEST) not in world.github.calls


def test_of_two_builds_the_one_that_agrees_is_the_witness(world: World) -> None:
    """Evidence of one build is named once: the one with the bytes that were downloaded."""
    publish(world, right_files())
    build_evidence(world)
    (first,) = (record for record in world.evidence.records if record.subject == LINUX)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, b"other bytes")])
    finding = look(checksums, a_plan(), world)[LINUX]
    assert finding.evidence[1:] == (first.id,)
    assert finding.message.endswith(f"as said by {SUMS}, the manifest, the build's evidence")


def test_a_file_of_one_asset_may_hold_a_bare_digest(world: World) -> None:
    """``tool.sha256`` is the checksum file of ``tool``: its name says whose digest it holds."""
    bare = f"{sha256(b'tool').hex}\n".encode()
    spec = a_spec(assets=(an_asset("tool"), an_asset("tool.sha256", AssetKind.CHECKSUMS)))
    publish(world, {"tool": b"tool", "tool.sha256": bare})
    found = reasons(checksums, a_plan(releases=(spec,)), world)
    assert found == {"tool": VERIFIED, "tool.sha256": EXACT}
