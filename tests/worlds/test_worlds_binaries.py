"""Binaries: the manifest and the builds' evidence are of this commit, and of these bytes (K30, K36, G11)."""

import pytest
import worlds_binaries as change
from kit import MANIFEST, SUMS, TAG, Row, World, look
from worlds_channel import ARCHIVES, LINUX, NOT_BUILT, UNEXPECTED, every, put, sum_of, up

BUILDS = tuple(NOT_BUILT)
FIRST = BUILDS[0]
UNKNOWN = every(tuple(map(up, ARCHIVES)), "asset.not-compared")
NO_MANIFEST = {
    up(MANIFEST): "asset.absent",
    sum_of(MANIFEST): "checksums.asset-absent",
    sum_of(SUMS): "checksums.not-listed",
}
EVIL = {
    FIRST: "binary.digest-differs",
    up(LINUX): "asset.size-differs",
    sum_of(LINUX): "checksums.differs-from-build",
}
DATED = "acme-1.2.2-linux-x64.tar.gz"


def whole(name: str, cases: str, made: change.Change, reason: str, *says: str) -> Row:
    """Return a row in which the manifest vouches for nothing: it is wrong as a whole."""
    found = {**every(BUILDS, f"binary.{reason}"), **UNKNOWN}
    return Row(id=name, cases=cases, change=made, open=found, exit=1, says=says)


def malformed(name: str, made: change.Change, *says: str) -> Row:
    """Return a row in which the manifest cannot be read as one."""
    return whole(name, "K30", made, "manifest-malformed", *says)


MANIFESTS = [
    whole("of another commit", "K30 C275 C277 G11", change.of_parent, "commit-differs", "the release is"),
    whole("of another version", "K30 C279 G05", change.says(version="1.2.2"), "version-differs", "1.2.2"),
    malformed("short commit", change.short_commit, "commit must be a full commit id"),
    malformed("not JSON", change.text(lambda text: text[:-3]), "is not JSON"),
    malformed("a web page", change.text(lambda _: "<html></html>"), "is not JSON"),
    malformed("a list", change.text(lambda text: f"[{text}]"), "the document must be an object"),
    malformed(
        "duplicate keys",
        change.text(lambda text: text.replace("{", '{"commit": "other", ', 1)),
        "names the member 'commit' twice",
    ),
    malformed("no target", change.row(target=None), "assets[0].platform"),
    malformed("no commit", change.lacks("commit"), "commit must be"),
    malformed("no assets", change.says(assets=[]), "at least one asset"),
    malformed("short digest", change.row(sha256="abc"), "64 hex digits"),
    malformed("size in words", change.row(size="12 kB"), "a number of bytes"),
    malformed("unknown schema", change.says(schemaVersion=2), "schemaVersion must be 1"),
    malformed("one archive twice", change.doubled, "twice"),
    Row(
        id="one row of another commit",
        cases="K30 C159",
        change=change.row_of_parent,
        open={FIRST: "binary.commit-differs"},
        exit=1,
    ),
    Row(
        id="swapped targets",
        cases="K30 K35 C302",
        change=change.swapped,
        open=every(BUILDS[:2], "binary.target-differs"),
        exit=1,
    ),
    Row(
        id="archive not in the manifest",
        cases="K30 K26",
        change=change.without_row,
        open={FIRST: "binary.not-in-manifest", up(LINUX): "asset.not-compared"},
        exit=1,
    ),
    Row(
        id="other digest in the manifest",
        cases="K30 K27 C254",
        change=change.row(sha256="0" * 64),
        open={up(LINUX): "asset.digest-differs", sum_of(LINUX): "checksums.manifest-differs"},
        exit=1,
    ),
    Row(
        id="other size in the manifest",
        cases="K30 K27 C254",
        change=change.row(size=1),
        open={up(LINUX): "asset.size-differs", sum_of(LINUX): "checksums.manifest-differs"},
        exit=1,
    ),
    Row(
        id="platform and arch instead of target",
        cases="K30",
        change=change.row(target=None, platform="linux", arch="x64"),
    ),
    Row(
        id="no manifest",
        cases="K30",
        change=change.no_manifest,
        open={**NOT_BUILT, **UNKNOWN, **NO_MANIFEST},
        exit=1,
    ),
    Row(
        id="named for another version",
        cases="K39 C340",
        change=change.renamed(LINUX, DATED),
        open={
            FIRST: "binary.not-in-manifest",
            up(LINUX): "asset.absent",
            UNEXPECTED: "asset.unexpected",
            sum_of(LINUX): "checksums.asset-absent",
            sum_of(SUMS): "checksums.not-listed",
        },
        exit=1,
        says=(DATED,),
    ),
]
EVIDENCE = [
    Row(
        id="built, and the manifest agrees",
        cases="K30",
        change=change.built(),
        done={FIRST: "binary.manifest-agrees"},
    ),
    Row(
        id="built, no manifest",
        cases="K30",
        change=change.built_and_no_manifest(),
        open=NO_MANIFEST,
        done={FIRST: "binary.built"},
        exit=1,
    ),
    Row(
        id="built of another commit, no manifest",
        cases="K36 C319",
        change=change.built_of_parent,
        open={**NOT_BUILT, **UNKNOWN, **NO_MANIFEST},
        exit=1,
        says=("another commit, another policy, or no pass",),
    ),
    Row(
        id="built under another policy, no manifest",
        cases="K36 C321",
        change=change.built_and_no_manifest(policy="0" * 64),
        open={**NOT_BUILT, **UNKNOWN, **NO_MANIFEST},
        exit=1,
    ),
    Row(
        id="a failed build, no manifest",
        cases="K36",
        change=change.built_and_no_manifest(verdict="fail"),
        open={**NOT_BUILT, **UNKNOWN, **NO_MANIFEST},
        exit=1,
    ),
    Row(id="built twice, the older is published", cases="K13 C121", change=change.built_twice),
    Row(
        id="asset, manifest and sums replaced together",
        cases="K28 G07 G08",
        change=change.substituted,
        open=EVIL,
        exit=1,
        says=("the build's evidence",),
    ),
    Row(id="replaced together, without evidence", cases="K28", change=change.substituted_unseen),
]


@pytest.mark.parametrize("row", [*MANIFESTS, *EVIDENCE], ids=lambda row: row.id)
def test_binaries(row: Row, world: World) -> None:
    """Each row: what manifest and evidence say, and whether it is this commit's (K30, K36, K39, G11)."""
    look(row, world)


def test_the_commit_table_shows_which_channel_disagrees(world: World) -> None:
    """Tag and npm agree, the manifest does not: that is how a wrong checkout shows (K30, K17, G11, C159)."""
    change.of_parent(world)
    commits = world.status().commits
    assert (commits["binary-manifest"], commits[f"tag {TAG}"]) == (False, True)


def test_evidence_from_another_machine_counts(world: World) -> None:
    """A directory given with --evidence is heard as the own store is: it reveals the swap (G08, K28)."""
    change.substituted(world)
    elsewhere = world.folder / "elsewhere"
    (world.evidence.folder / "records").rename(elsewhere)
    assert world.status().open == {}
    result = world.status("--evidence", str(elsewhere))
    assert (result.open, result.exit) == (EVIL, 1)


def test_damaged_evidence_is_an_error_and_never_left_out(world: World) -> None:
    """A record that does not hash to its name ends the call, before anything is looked at (K36, C321)."""
    made = change.build(world).id.removeprefix("sha256:")
    elsewhere = world.folder / "elsewhere"
    (world.evidence.folder / "records").rename(elsewhere)
    record = elsewhere / f"{made}.json"
    record.write_text(record.read_text().replace("pass", "fail"))
    before = len(world.forge.requests)
    result = world.status("--evidence", str(elsewhere))
    assert (result.exit, result.stdout, len(world.forge.requests)) == (4, "", before)
    assert record.name in result.stderr


def test_the_same_bytes_under_both_names_are_not_two_builds(world: World) -> None:
    """An archive replaced by another target's right archive fails as itself (K35, C302)."""
    put(world, LINUX, world.template.archives[ARCHIVES[1]])
    assert world.status().reason(*sum_of(LINUX).split("/")) == "checksums.mismatch"
