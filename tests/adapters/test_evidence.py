"""The evidence store: what was put is found, and what cannot be trusted is an error with its place."""

import hashlib
import io
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import rfc8785

from release.adapters.evidence import BlobStore, EvidenceStore
from release.domain.digests import Digest
from release.domain.errors import InputError
from release.domain.evidence import SCHEMA, Evidence, Kind

START = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
RECORD = Evidence(
    id="",
    kind=Kind.PACKAGE_BUILD,
    release="acme",
    version="1.2.3",
    commit="a" * 40,
    tree="b" * 40,
    subject="@acme/widget",
    digest="sha512:" + "c" * 128,
    size=1234,
    policy="d" * 64,
    verdict="pass",
    exit_code=0,
    started_at=START,
    ended_at=START + timedelta(seconds=2.5),
    platform="linux-x64",
    isolation="none",
    tools={"npm": "11.19.0", "git": "2.39.5"},
    data={"differing": ["lib/é.js", "a"], "ratio": 0.5, "deep": {"none": None, "yes": True}},
)


def members(**changes: object) -> dict[str, object]:
    """Return RECORD as JSON members, with ``changes``; a change to ``...`` removes the member."""
    values: dict[str, object] = {
        "schema": SCHEMA,
        **{name: getattr(RECORD, name) for name in RECORD.__dataclass_fields__ if name != "id"},
        "kind": "package-build",
        "started_at": "2026-12-01T12:00:00Z",
        "ended_at": "2026-12-01T12:00:02.500000Z",
        **changes,
    }
    return {name: value for name, value in values.items() if value is not ...}


def drop(folder: Path, content: bytes) -> Path:
    """Write ``content`` under its own hash into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(content).hexdigest()}.json"
    path.write_bytes(content)
    return path


def test_what_was_put_is_found(tmp_path: Path) -> None:
    """A record comes back equal, from the same store and from a new one, by kind and subject and by id."""
    store = EvidenceStore(tmp_path / "store")
    kept = store.put(RECORD)
    assert kept == replace(RECORD, id=kept.id)
    for reader in (store, EvidenceStore(tmp_path / "store")):
        assert reader.find(Kind.PACKAGE_BUILD, "@acme/widget") == (kept,)
        assert reader.find(Kind.BINARY_BUILD, "@acme/widget") == ()
        assert reader.find(Kind.PACKAGE_BUILD, "@acme/other") == ()
        assert reader.get(kept.id) == kept
        assert reader.get("sha256:" + "0" * 64) is None


def test_a_record_is_canonical_json_named_by_its_hash(tmp_path: Path) -> None:
    """The file holds RFC 8785's bytes and is called by their SHA-256; nothing is left aside."""
    kept = EvidenceStore(tmp_path).put(RECORD)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    content = files[0].read_bytes()
    assert files == [tmp_path / "records" / f"{kept.id.removeprefix('sha256:')}.json"]
    assert kept.id == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert content == rfc8785.dumps(members())


def test_the_same_record_again_changes_nothing(tmp_path: Path) -> None:
    """An identical record is a no-op: the file keeps its inode."""
    store = EvidenceStore(tmp_path)
    first = store.put(RECORD)
    path = next((tmp_path / "records").iterdir())
    inode = path.stat().st_ino
    assert store.put(replace(RECORD, id="sha256:ignored")) == first
    assert path.stat().st_ino == inode
    assert len(store.all()) == 1


def test_a_time_in_another_zone_is_the_same_record(tmp_path: Path) -> None:
    """Times are written in UTC, so the zone of the machine does not make another record."""
    zone = timezone(timedelta(hours=5, minutes=30))
    moved = replace(RECORD, started_at=RECORD.started_at.astimezone(zone))
    store = EvidenceStore(tmp_path)
    assert store.put(moved).id == store.put(RECORD).id


def test_a_missing_store_is_empty_and_stays_missing(tmp_path: Path) -> None:
    """Looking makes nothing."""
    store = EvidenceStore(tmp_path / "none")
    assert store.find(Kind.DOWNLOAD, "x") == store.all() == ()
    assert store.get("sha256:" + "0" * 64) is None
    assert BlobStore(tmp_path / "none").open(Digest("sha256", "0" * 64)) is None
    assert list(tmp_path.iterdir()) == []


def test_the_order_is_by_start_and_then_id(tmp_path: Path) -> None:
    """Records come oldest first; two of one moment by id; from all directories together, each once."""
    stores = [EvidenceStore(tmp_path / name) for name in ("a", "b", "c")]
    moments = [START + timedelta(seconds=seconds) for seconds in (-3, -9, -9, -1, -5, 0)]
    kept = [
        stores[index % 3].put(replace(RECORD, started_at=moment, subject=f"@acme/{index}"))
        for index, moment in enumerate(moments)
    ]
    stores[1].put(kept[0])
    expected = tuple(sorted(kept, key=lambda record: (record.started_at, record.id)))
    assert tuple(sorted(kept, key=lambda record: record.id)) != expected
    for first, *extra in (("a", "b", "c"), ("c", "b", "a"), ("b", "a", "c")):
        store = EvidenceStore(tmp_path / first, tuple(tmp_path / name for name in extra))
        assert store.all() == expected


def test_an_extra_directory_may_hold_the_files_themselves(tmp_path: Path) -> None:
    """``--evidence`` takes a store's root or a plain directory; other files and dot files do not matter."""
    plain = tmp_path / "plain"
    drop(plain, rfc8785.dumps(members()))
    (plain / "README.txt").write_text("x")
    (plain / ".hidden.json").write_text("x")
    (tmp_path / "empty").mkdir()
    store = EvidenceStore(tmp_path / "own", (plain, tmp_path / "empty"))
    assert [record.subject for record in store.all()] == ["@acme/widget"]
    assert not (tmp_path / "own").exists()


def test_records_of_others_are_seen_after_reload(tmp_path: Path) -> None:
    """One survey sees one state of the directories; ``reload`` starts the next."""
    store = EvidenceStore(tmp_path)
    assert store.all() == ()
    EvidenceStore(tmp_path).put(RECORD)
    assert store.all() == ()
    store.reload()
    assert len(store.all()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"[1]", "not a record of schema"),
        (b"{}", "not a record of schema"),
        (b"\xff", "not UTF-8"),
        (b"[" * 200_000, "too deep"),
        (rfc8785.dumps(members(schema="release-convergence/evidence/v2")), "not a record of schema"),
        (rfc8785.dumps(members(extra=1)), "unknown field `extra`"),
        (rfc8785.dumps(members(tree=...)), "missing required field `tree`"),
        (rfc8785.dumps(members(kind="guess")), "Invalid enum value"),
        (rfc8785.dumps(members(exit_code="0")), "exit_code: Expected `int \\| null`"),
        (rfc8785.dumps(members(size=-1)), "size: Expected `int` >= 0"),
        (rfc8785.dumps(members(verdict="")), "verdict: Expected `str` of length >= 1"),
        (rfc8785.dumps(members(commit="abc123")), "commit: not a full commit id"),
        (rfc8785.dumps(members(tree="abc123")), "tree: not a full tree id"),
        (rfc8785.dumps(members(digest="md5:00")), "digest: unknown digest algorithm"),
        (rfc8785.dumps(members(digest="sha256:" + "A" * 64)), "digest: a digest has lower-case hex"),
        (rfc8785.dumps(members(started_at="2026-12-01T12:00:00")), "started_at: "),
        (rfc8785.dumps(members(started_at="2026-12-01T13:00:00+01:00")), "not canonical"),
        (rfc8785.dumps(members(started_at="2027-12-01T12:00:00Z")), "ended before it started"),
        (rfc8785.dumps(members(tools={"npm": 11})), "tools\\[...\\]: Expected `str`"),
        (rfc8785.dumps(members()).replace(b":1234", b":NaN"), "NaN is not JSON"),
        (rfc8785.dumps(members()).replace(b":0.5", b":-Infinity"), "-Infinity is not JSON"),
        (rfc8785.dumps(members()).replace(b'"size"', b'"size":1,"size"'), "size: a member stands twice"),
        (rfc8785.dumps(members()).replace(b'"none"', b'"yes":1,"none"'), "yes: a member stands twice"),
        (rfc8785.dumps(members()).replace(b'"size"', b' "size"'), "not canonical JSON"),
        (rfc8785.dumps(members()).replace(b":0.5", b":9007199254740993"), "not canonical JSON"),
        (rfc8785.dumps(members()).replace("é".encode(), b"\\ud800"), "not canonical JSON"),
    ],
)
@pytest.mark.parametrize("where", ["own", "store", "plain"])
def test_a_bad_record_is_an_error_that_names_it(
    tmp_path: Path, content: bytes, message: str, where: str
) -> None:
    """Whatever is wrong with a record, in whatever directory, the file is named and nothing is left out."""
    folder = {"own": "own/records", "store": "store/records", "plain": "plain"}[where]
    path = drop(tmp_path / folder, content)
    extra = () if where == "own" else (tmp_path / where,)
    store = EvidenceStore(tmp_path / "own", extra)
    with pytest.raises(InputError, match=message) as caught:
        store.find(Kind.DOWNLOAD, "nothing like it")
    assert caught.value.problems[0].file == str(path)


def _edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"pass", b"fail"))


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _renamed(path: Path) -> None:
    path.rename(path.with_name("0" * 64 + ".json"))


def _foreign(path: Path) -> None:
    path.rename(path.with_name("result.json"))


def _linked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere")
    path.symlink_to(path.parent.parent / "elsewhere")


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate((16 << 20) + 1)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_edited, "do not hash to the record's name"),
        (_torn, "do not hash to the record's name"),
        (_renamed, "do not hash to the record's name"),
        (_foreign, "not a record's name"),
        (_linked, "not a regular file"),
        (_dangling, "not a regular file"),
        (_directory, "not a regular file"),
        (_pipe, "not a regular file"),
        (_huge, "larger than 16777216 bytes"),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, damage: Callable[[Path], None], message: str) -> None:
    """Edited, torn, renamed, linked and odd files are refused, beside a good one that is not enough."""
    store = EvidenceStore(tmp_path)
    store.put(replace(RECORD, subject="@acme/good"))
    bad = tmp_path / "records" / f"{store.put(RECORD).id.removeprefix('sha256:')}.json"
    damage(bad)
    with pytest.raises(InputError, match=message) as caught:
        EvidenceStore(tmp_path).find(Kind.PACKAGE_BUILD, "@acme/good")
    assert caught.value.problems[0].fix


def test_every_bad_file_is_listed(tmp_path: Path) -> None:
    """One error names all files, the missing directory too."""
    first, second = drop(tmp_path / "records", b"{"), drop(tmp_path / "plain", b"}")
    missing = tmp_path / "missing"
    with pytest.raises(InputError, match="no such directory") as caught:
        EvidenceStore(tmp_path, (tmp_path / "plain", missing)).all()
    assert {problem.file for problem in caught.value.problems} == {str(first), str(second), str(missing)}


def test_a_directory_without_records_is_probably_the_wrong_one(tmp_path: Path) -> None:
    """A plain directory with other things and no record in it is an error, not "no evidence"."""
    (tmp_path / "artifact").mkdir()
    (tmp_path / "artifact" / "widget.tgz").write_text("x")
    with pytest.raises(InputError, match="holds no evidence records"):
        EvidenceStore(tmp_path / "own", (tmp_path / "artifact",)).all()


def test_a_linked_records_directory_is_refused(tmp_path: Path) -> None:
    """A store whose ``records`` points elsewhere is not read."""
    EvidenceStore(tmp_path / "real").put(RECORD)
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "records").symlink_to(tmp_path / "real" / "records")
    with pytest.raises(InputError, match="a symbolic link, not a directory"):
        EvidenceStore(tmp_path / "store").all()


@pytest.mark.parametrize(
    "name", ["", "sha256:", "sha256:../../etc/passwd", "../x", "sha512:" + "0" * 64, "SHA256:x"]
)
def test_an_id_is_not_a_path(tmp_path: Path, name: str) -> None:
    """Only sha256:HEX is an id."""
    with pytest.raises(InputError, match="has the form sha256:HEX"):
        EvidenceStore(tmp_path).get(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"commit": "HEAD"}, "not a full commit id"),
        ({"data": {"n": float("nan")}}, "canonical JSON"),
        ({"data": {"n": 2**60}}, "canonical JSON"),
        ({"data": {"n": object()}}, "canonical JSON"),
        ({"started_at": datetime(2026, 12, 1)}, "without a time zone"),
        ({"ended_at": START - timedelta(seconds=1)}, "ended before it started"),
        ({"verdict": ""}, "length >= 1"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    """A record that reading would refuse is refused before anything is on disk."""
    with pytest.raises(InputError, match=message):
        EvidenceStore(tmp_path / "store").put(replace(RECORD, **change))
    assert list(tmp_path.iterdir()) == []


def test_putting_over_a_damaged_record_is_an_error(tmp_path: Path) -> None:
    """A record is never edited, not even to repair it."""
    store = EvidenceStore(tmp_path)
    store.put(RECORD)
    path = next((tmp_path / "records").iterdir())
    _edited(path)
    content = path.read_bytes()
    with pytest.raises(InputError, match="do not hash"):
        store.put(RECORD)
    assert path.read_bytes() == content


def test_writers_at_once_agree(tmp_path: Path) -> None:
    """Many threads that put the same records leave each of them once, and nothing aside."""
    records = [replace(RECORD, subject=f"@acme/{index}") for index in range(10)]

    def write() -> None:
        store = EvidenceStore(tmp_path)
        for record in records:
            store.put(record)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(EvidenceStore(tmp_path).all()) == 10
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_blob_comes_back_verified(tmp_path: Path) -> None:
    """A blob is named by its SHA-256, reads back from its start, and is kept once."""
    data, store = os.urandom(3 << 20), BlobStore(tmp_path)
    digest = store.add(io.BytesIO(data))
    assert digest == Digest("sha256", hashlib.sha256(data).hexdigest())
    assert store.add(io.BytesIO(data)) == digest
    assert store.path(digest).read_bytes() == data
    file = store.open(digest)
    assert file is not None
    with file:
        assert file.read() == data
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [store.path(digest)]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_torn, "do not hash to the blob's name"),
        (_linked, "not a regular file"),
        (_directory, "regular file"),
    ],
)
def test_a_damaged_blob_is_never_handed_out(
    tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    """Bytes that are not the digest's are an error; adding them again heals what is a file."""
    store = BlobStore(tmp_path)
    digest = store.add(io.BytesIO(b"tarball"))
    damage(store.path(digest))
    with pytest.raises(InputError, match=message):
        store.open(digest)


def test_a_blob_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    """A source that fails half way is an error, and neither a blob nor a temporary file stays."""

    class Broken(io.BytesIO):
        def read(self, _: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match="input/output error"):
        BlobStore(tmp_path).add(Broken())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_blob_has_a_sha256(tmp_path: Path) -> None:
    """Another algorithm names no blob."""
    with pytest.raises(InputError, match="named by sha256, not sha512"):
        BlobStore(tmp_path).path(Digest("sha512", "0" * 128))
