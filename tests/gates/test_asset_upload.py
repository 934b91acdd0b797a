"""asset-upload: the identity rule for every expected asset, and nothing unexpected."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from worldkit import (
    ARCHIVES,
    COMMIT,
    NOW,
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

from gates import asset_upload
from release.domain.evidence import Kind
from release.domain.facts.github import ReleaseFacts
from release.domain.plan import AssetKind

MANIFEST, SUMS = "binary-manifest.json", "SHA256SUMS"
PUBLISHED = a_release()
DRAFT = a_release(draft=True, published_at=None)
IMMUTABLE = a_release(immutable=True)
ORPHAN = a_release(2, draft=True, published_at=None)
BODY = BODIES[LINUX]
SAME_SIZE = BODY[::-1]
Arrange = Callable[[World, ReleaseFacts], object]


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    reason: str
    arrange: Arrange = lambda world, release: None
    release: ReleaseFacts = PUBLISHED
    evidence: bool = True
    deep: bool = False


def with_asset(body: bytes = BODY, **changes: Any) -> Arrange:
    return lambda world, release: put(world, release, LINUX, body, **changes)


def without_asset(world: World, release: ReleaseFacts) -> None:
    remove(world, release, LINUX)


def without_manifest(world: World, release: ReleaseFacts) -> None:
    remove(world, release, MANIFEST)


def manifest_of_another_commit(world: World, release: ReleaseFacts) -> None:
    put(world, release, MANIFEST, manifest_of(BODIES, commit=OTHER))


def manifest_of_another_version(world: World, release: ReleaseFacts) -> None:
    put(world, release, MANIFEST, manifest_of(BODIES, version="1.2.2"))


def first_seen(body: bytes, present: bool = True) -> Arrange:
    def arrange(world: World, release: ReleaseFacts) -> None:
        world.remember([a_record(Kind.FIRST_SEEN, f"asset:v1.2.3/{LINUX}", body)])
        if not present:
            remove(world, release, LINUX)

    return arrange


def in_orphan(world: World, release: ReleaseFacts) -> None:
    remove(world, release, LINUX)
    publish(world, {LINUX: BODY}, ORPHAN)


def open_since(age: timedelta) -> Arrange:
    return with_asset(b"", state="open", created_at=NOW - age)


def upload_evidence(body: bytes, **data: object) -> Arrange:
    def arrange(world: World, release: ReleaseFacts) -> None:
        world.evidence.records.clear()
        remove(world, release, MANIFEST)
        world.remember([a_record(Kind.ASSET_UPLOAD, LINUX, body, data=data)])

    return arrange


UPLOADED, DIFFERS, NOT_COMPARED = "asset.uploaded", "asset.digest-differs", "asset.not-compared"
INTERRUPTED = "asset.upload-interrupted"

ROWS = (
    Row(name="right", reason=UPLOADED),
    Row(name="right, by the manifest", evidence=False, reason=UPLOADED),
    Row(name="right, on a draft", release=DRAFT, reason=UPLOADED),
    Row(name="right, seen before", arrange=first_seen(BODY), reason=UPLOADED),
    Row(name="right, by our upload", arrange=upload_evidence(BODY), reason=UPLOADED),
    Row(name="right, hashed", arrange=with_asset(digest=None), deep=True, reason=UPLOADED),
    Row(name="absent", arrange=without_asset, release=DRAFT, reason="asset.absent"),
    Row(name="absent, published", arrange=without_asset, reason="asset.absent"),
    Row(
        name="absent from an immutable release",
        arrange=without_asset,
        release=IMMUTABLE,
        reason="asset.missing-in-immutable",
    ),
    Row(name="absent, seen before", arrange=first_seen(BODY, present=False), reason="asset.removed"),
    Row(name="absent, in another draft", arrange=in_orphan, reason="asset.in-other-draft"),
    Row(
        name="absent from an immutable release, in another draft",
        arrange=in_orphan,
        release=IMMUTABLE,
        reason="asset.missing-in-immutable",
    ),
    Row(name="partial", arrange=with_asset(b"", state="starter"), release=DRAFT, reason=INTERRUPTED),
    Row(name="partial, young", arrange=open_since(timedelta(minutes=14)), reason="asset.processing"),
    Row(name="partial, old", arrange=open_since(timedelta(minutes=15)), reason=INTERRUPTED),
    Row(
        name="partial, young starter",
        arrange=with_asset(b"", state="starter", created_at=NOW),
        reason=INTERRUPTED,
    ),
    Row(name="partial, unknown state", arrange=with_asset(state="banana"), reason=INTERRUPTED),
    Row(name="empty", arrange=with_asset(b""), reason="asset.empty"),
    Row(name="another commit", arrange=manifest_of_another_commit, evidence=False, reason=NOT_COMPARED),
    Row(name="another version", arrange=manifest_of_another_version, evidence=False, reason=NOT_COMPARED),
    Row(
        name="not in the manifest",
        arrange=lambda world, release: put(world, release, MANIFEST, manifest_of({DARWIN: BODIES[DARWIN]})),
        evidence=False,
        reason=NOT_COMPARED,
    ),
    Row(name="nothing to compare with", arrange=without_manifest, evidence=False, reason=NOT_COMPARED),
    Row(
        name="nothing to compare with, deep",
        arrange=without_manifest,
        evidence=False,
        deep=True,
        reason=NOT_COMPARED,
    ),
    Row(name="different", arrange=with_asset(SAME_SIZE), reason=DIFFERS),
    Row(name="different size", arrange=with_asset(BODY + b"!"), reason="asset.size-differs"),
    Row(name="different from the manifest", arrange=with_asset(SAME_SIZE), evidence=False, reason=DIFFERS),
    Row(name="different from our upload", arrange=upload_evidence(SAME_SIZE), reason=DIFFERS),
    Row(
        name="evidence of another tag's upload",
        arrange=upload_evidence(SAME_SIZE, tag="v9.9.9"),
        reason=NOT_COMPARED,
    ),
    Row(name="different, hashed", arrange=with_asset(SAME_SIZE, digest=None), deep=True, reason=DIFFERS),
    Row(name="digest unknown", arrange=with_asset(digest=None), reason="asset.digest-unknown"),
    Row(name="replaced", arrange=first_seen(SAME_SIZE), reason="asset.changed-since"),
)


def arrange_row(world: World, row: Row) -> None:
    release = publish(world, right_files(), row.release)
    if row.evidence:
        build_evidence(world)
    row.arrange(world, release)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_asset(row: Row, world: World) -> None:
    """The identity rule, row by row (R-BIN-07, K12, K13, K28, K29, G07–G09, G19, G20, C100, C259, C269)."""
    arrange_row(world, row)
    found = reasons(asset_upload, a_plan(deep=row.deep), world)
    assert found[LINUX] == row.reason
    assert found[DARWIN] in (UPLOADED, NOT_COMPARED)


@pytest.mark.parametrize("name", [MANIFEST, SUMS])
@pytest.mark.parametrize(
    ("changes", "deep", "reason"),
    [
        ({}, False, UPLOADED),
        ({}, True, UPLOADED),
        ({"served": b"Not Found"}, False, UPLOADED),
        ({"served": b"Not Found"}, True, "asset.size-differs"),
        ({"served": b"rid"}, True, DIFFERS),
        ({"digest": None}, False, "asset.digest-unknown"),
        ({"digest": None}, True, UPLOADED),
    ],
)
def test_a_file_without_evidence_is_held_against_itself(
    name: str, changes: dict[str, Any], deep: bool, reason: str, world: World
) -> None:
    """Checksum file and manifest: shallow believes the API, deep downloads (C147)."""
    release = publish(world, right_files())
    put(world, release, name, b"old", **changes)
    assert reasons(asset_upload, a_plan(deep=deep), world)[name] == reason


def test_a_file_with_evidence_is_held_against_it(world: World) -> None:
    """A checksum file that is not the one we uploaded is a conflict."""
    publish(world, right_files())
    world.remember([a_record(Kind.ASSET_UPLOAD, SUMS, b"other")])
    for deep in (False, True):
        assert reasons(asset_upload, a_plan(deep=deep), world)[SUMS] == "asset.size-differs"
    assert ("download", SUMS) not in world.github.calls


def test_a_manifest_that_never_finished_is_not_read(world: World) -> None:
    """Half of a file is no file: nothing is compared with it, and nobody asks for its bytes."""
    put(world, publish(world, right_files()), MANIFEST, manifest_of(BODIES), state="starter")
    assert reasons(asset_upload, a_plan(deep=False), world)[LINUX] == NOT_COMPARED
    assert ("content", MANIFEST) not in world.github.calls


@pytest.mark.parametrize(
    ("body", "state", "downloads"),
    [(b"", "uploaded", 0), (b"1", "uploaded", 1), (b"half", "starter", 0), (BODY, "uploaded", 1)],
)
def test_only_what_has_bytes_is_downloaded(body: bytes, state: str, downloads: int, world: World) -> None:
    """An empty asset and the wreck of an upload are judged by what the API says."""
    put(world, publish(world, right_files()), LINUX, body, state=state, digest=None)
    look(asset_upload, a_plan(), world)
    assert world.github.calls.count(("download", LINUX)) == downloads


def test_the_evidence_is_of_the_build_that_agrees(world: World) -> None:
    """Of two builds, the one whose bytes are there is named, not the newest."""
    publish(world, right_files())
    build_evidence(world)
    (first,) = (record for record in world.evidence.records if record.subject == LINUX)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, SAME_SIZE)])
    assert look(asset_upload, a_plan(deep=False), world)[LINUX].evidence[1:] == (first.id,)


@pytest.mark.parametrize(("listed", "reason"), [(b"run me", UPLOADED), (b"RUN ME", DIFFERS)])
def test_an_extra_asset_is_held_against_the_checksum_file(listed: bytes, reason: str, world: World) -> None:
    """An extra file has no build evidence; the checksum file says what it should be."""
    release = publish(world, {**right_files(), "install.sh": b"run me"})
    digest = a_record(Kind.DOWNLOAD, "", listed).digest
    assert digest is not None
    put(world, release, SUMS, f"{digest.removeprefix('sha256:')}  install.sh\n".encode())
    spec = a_spec(assets=(*a_spec().assets, an_asset("install.sh")))
    assert reasons(asset_upload, a_plan(releases=(spec,), deep=False), world)["install.sh"] == reason


def test_a_longer_digest_is_not_compared_with_github(world: World) -> None:
    """A SHA-512 checksum file says nothing that GitHub's SHA-256 could be compared with."""
    release = publish(world, {**right_files(), "install.sh": b"run me", "notes.txt": b"x"})
    put(world, release, SUMS, sums_of({"install.sh": b"run me"}, "sha512"))
    spec = a_spec(assets=(*a_spec().assets, an_asset("install.sh"), an_asset("notes.txt")))
    found = reasons(asset_upload, a_plan(releases=(spec,), deep=False, checksum_algorithm="sha512"), world)
    assert (found["install.sh"], found["notes.txt"]) == (NOT_COMPARED, NOT_COMPARED)


def test_a_draft_without_the_asset_does_not_hold_it(world: World) -> None:
    """Another draft of the tag is named, but not as the one that holds the asset."""
    release = publish(world, right_files())
    remove(world, release, LINUX)
    publish(world, {}, ORPHAN)
    finding = look(asset_upload, a_plan(), world)[LINUX]
    assert finding.reason == "asset.absent"
    assert finding.message.endswith("(the tag also has draft 2)")


def test_an_asset_as_old_as_the_release_is_not_late(world: World) -> None:
    """Only an upload after publication is mentioned, and never on a draft."""
    publish(world, right_files())
    assert "after the release" not in look(asset_upload, a_plan(deep=False), world)[LINUX].message
    world.github.listed = [replace(a_release(), draft=True)]
    put(world, world.github.listed[0], LINUX, BODY, created_at=NOW)
    assert "after the release" not in look(asset_upload, a_plan(deep=False), world)[LINUX].message


def test_a_second_build_does_not_hide_the_first(world: World) -> None:
    """Either of two builds of this commit is right; a third is not."""
    publish(world, right_files())
    build_evidence(world)
    world.remember([a_record(Kind.BINARY_BUILD, LINUX, SAME_SIZE)])
    assert reasons(asset_upload, a_plan(deep=False), world)[LINUX] == UPLOADED


def test_evidence_of_another_commit_does_not_count(world: World) -> None:
    """Without the manifest, evidence of another commit leaves nothing to compare with."""
    remove(world, publish(world, right_files()), MANIFEST)
    build_evidence(world, commit=OTHER)
    assert reasons(asset_upload, a_plan(deep=False), world)[LINUX] == NOT_COMPARED


STORED = "App.Manager_1.0.AppImage"
PLANNED = a_spec(assets=(an_asset("App Manager_1.0.AppImage"),))


def test_a_rewritten_name_is_shown_beside_the_planned_one(world: World) -> None:
    """GitHub rewrote the name: renamed, and not also unexpected (G06, C129, C133)."""
    publish(world, {STORED: b"app"})
    findings = look(asset_upload, a_plan(releases=(PLANNED,)), world)
    renamed = findings["App Manager_1.0.AppImage"]
    assert renamed.reason == "asset.renamed"
    assert STORED in renamed.message
    assert "'App Manager_1.0.AppImage'" in renamed.message
    assert findings["(unexpected)"].reason == "asset.none-unexpected"


def test_a_planned_name_is_no_rewriting_of_another(world: World) -> None:
    """Of two planned names with one rewritten form, the stored one is its own."""
    spec = a_spec(assets=(an_asset("a b"), an_asset("a.b")))
    publish(world, {"a.b": b"app"})
    assert reasons(asset_upload, a_plan(releases=(spec,), deep=False), world)["a b"] == "asset.absent"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "asset.none-unexpected"),
        ({LINUX: BODY}, "asset.none-unexpected"),
        ({LINUX: BODY, "debug.log": b"x"}, "asset.unexpected"),
        ({f"{LINUX}.sbom.json": b"x"}, "asset.unexpected"),
    ],
)
def test_unexpected_assets_are_a_contradiction(files: dict[str, bytes], reason: str, world: World) -> None:
    """The exact set is checked, by exact names (C119, C233)."""
    publish(world, files)
    finding = look(asset_upload, a_plan(), world)["(unexpected)"]
    assert finding.reason == reason
    assert reason == "asset.none-unexpected" or "also" in finding.message


def test_a_thousand_unexpected_assets_are_one_line(world: World) -> None:
    """The message is bounded; every page counts (C119, C177)."""
    publish(world, {f"stale-{number:04}": b"x" for number in range(1000)})
    assert "and 990 more" in look(asset_upload, a_plan(), world)["(unexpected)"].message


@pytest.mark.parametrize(
    ("drafts_visible", "seen", "reason"),
    [
        (True, False, "asset.no-release"),
        (False, False, "release.drafts-not-visible"),
        (True, True, "asset.removed"),
        (False, True, "release.drafts-not-visible"),
    ],
)
def test_no_release_at_all(drafts_visible: bool, seen: bool, reason: str, world: World) -> None:
    """A missing release is pending, unless the asset was there once; unseen drafts are cannot-tell."""
    publish(world, right_files(), DRAFT)
    world.github.drafts_visible = drafts_visible
    world.github.listed = [DRAFT] if not drafts_visible else []
    if seen:
        first_seen(BODY)(world, DRAFT)
    found = reasons(asset_upload, a_plan(), world)
    assert found[LINUX] == reason
    rest = "asset.no-release" if drafts_visible else "release.drafts-not-visible"
    assert found["(unexpected)"] == rest


def test_a_missing_asset_names_the_draft_that_holds_it(world: World) -> None:
    """A race left two releases: what is missing and where it is are told together (G09, C143)."""
    arrange_row(world, Row(name="", reason="", arrange=in_orphan))
    assert "draft 2 of the same tag holds it" in look(asset_upload, a_plan(), world)[LINUX].message


def test_of_several_drafts_the_newest_is_judged(world: World) -> None:
    """Two drafts, none published: the newest is judged and the other named."""
    publish(world, {}, DRAFT)
    publish(world, right_files(), replace(ORPHAN, created_at=NOW))
    build_evidence(world)
    finding = look(asset_upload, a_plan(deep=False), world)[LINUX]
    assert finding.reason == UPLOADED
    assert "draft 1" in finding.message


def test_a_late_upload_is_mentioned(world: World) -> None:
    """An asset made after the release was published is right only by its digest, and noted (C263)."""
    arrange_row(world, Row(name="", reason="", arrange=with_asset(created_at=NOW)))
    finding = look(asset_upload, a_plan(deep=False), world)[LINUX]
    assert finding.reason == UPLOADED
    assert "after the release was published" in finding.message


@pytest.mark.parametrize(
    ("release", "command"), [(DRAFT, "release converge v1.2.3 --discard-interrupted"), (a_release(), "")]
)
def test_only_a_draft_may_be_mended(release: ReleaseFacts, command: str, world: World) -> None:
    """The wreck of an upload has one remedy, on a draft (G20)."""
    arrange_row(world, Row(name="", reason="", release=release, arrange=with_asset(b"", state="starter")))
    assert look(asset_upload, a_plan(), world)[LINUX].next == command


def test_shallow_downloads_no_asset(world: World) -> None:
    """Shallow reads what the API says; deep downloads only what that does not settle."""
    publish(world, right_files())
    build_evidence(world)
    look(asset_upload, a_plan(deep=False), world)
    assert world.github.asked("download") == 0
    look(asset_upload, a_plan(deep=True), world)
    assert sorted(call[1] for call in world.github.calls if call[0] == "download") == [SUMS, MANIFEST]


def test_one_name_on_several_releases(world: World) -> None:
    """Subjects are unique where each package has a release with a file of the same name."""
    specs = tuple(a_spec(tag=tag, assets=(an_asset("notes.txt", tag=tag),)) for tag in ("a@1.2.3", "b@1.2.3"))
    publish(world, {"notes.txt": b"x"}, a_release(1, tag_name="a@1.2.3"))
    assert reasons(asset_upload, a_plan(releases=specs, deep=False), world) == {
        "a@1.2.3/notes.txt": NOT_COMPARED,
        "(unexpected) a@1.2.3": "asset.none-unexpected",
        "b@1.2.3/notes.txt": "asset.no-release",
        "(unexpected) b@1.2.3": "asset.no-release",
    }


@pytest.mark.parametrize(
    ("row", "text", "command"),
    [
        (
            Row(name="", reason="", arrange=without_asset),
            f"{LINUX} is not on release 1",
            "release converge v1.2.3",
        ),
        (Row(name="", reason="", arrange=without_asset, release=IMMUTABLE), "is not on release 1", ""),
        (Row(name="", reason=""), "as the build's evidence says", ""),
        (Row(name="", reason="", evidence=False), "as the manifest says", ""),
        (
            Row(name="", reason="", arrange=with_asset(digest=None)),
            "no digest known; the build's evidence says",
            "release status v1.2.3 --deep",
        ),
        (Row(name="", reason="", arrange=first_seen(SAME_SIZE)), "; first seen with sha256:", ""),
        (
            Row(name="", reason="", arrange=with_asset(b"1")),
            f"has 1 byte, sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b; the "
            f"build's evidence says {len(BODY)} bytes, sha256:",
            "",
        ),
    ],
)
def test_says_what_is_there_and_what_should_be(row: Row, text: str, command: str, world: World) -> None:
    """Both sides of the comparison with their source, and the next command where there is one."""
    arrange_row(world, row)
    finding = look(asset_upload, a_plan(deep=row.deep), world)[LINUX]
    assert text in finding.message
    assert finding.next == command


def test_the_count_of_a_right_release_is_told(world: World) -> None:
    """Nothing unexpected: the message says how many there are."""
    publish(world, right_files())
    message = look(asset_upload, a_plan(deep=False), world)["(unexpected)"].message
    assert message == "release 1 holds 4 assets, all planned"


def test_other_releases_are_only_searched_for_what_is_missing(world: World) -> None:
    """Looking into an orphan draft costs requests, and says nothing of what is there."""
    publish(world, right_files())
    publish(world, {LINUX: BODY}, ORPHAN)
    look(asset_upload, a_plan(deep=False), world)
    assert ("assets", "2") not in world.github.calls


@pytest.mark.parametrize("method", ["releases", "assets", "content", "download"])
def test_unreachable_is_never_a_verdict(method: str, world: World) -> None:
    """Whatever cannot be asked leaves the asset pending."""
    arrange_row(world, Row(name="", reason="", evidence=False, arrange=with_asset(digest=None)))
    world.github.faults[method] = UNREACHABLE
    assert reasons(asset_upload, a_plan(deep=True), world)[LINUX] == "github.unreachable"


def test_evidence_names_the_asset_and_the_record(world: World) -> None:
    """What the judgement rests on is told by URL and record id."""
    arrange_row(world, Row(name="", reason=""))
    finding = look(asset_upload, a_plan(deep=False), world)[LINUX]
    record = next(one for one in world.evidence.records if one.subject == LINUX)
    assert record.commit == COMMIT
    assert finding.evidence == (world.github.held[1][0].url, record.id)
    assert ARCHIVES[0].kind is AssetKind.BINARY
