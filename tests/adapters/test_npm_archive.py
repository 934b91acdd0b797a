"""Tarballs read without extracting: what is in them, and what hostile or broken ones come to."""

import gzip
import hashlib
import io
import tarfile

import pytest
from npm_fixtures import member, package_tgz, tgz

from release.adapters.npm.archive import Bounds, read_archive
from release.domain.errors import InputError

MANIFEST = b'{"name": "@acme/widget", "version": "1.0.0"}'


def paths(archive: bytes) -> list[str]:
    """Return the paths of the archive's tree."""
    return [entry.path for entry in read_archive(io.BytesIO(archive)).tree]


def test_entries_have_path_mode_size_and_hash() -> None:
    """Every file is listed without its first folder, with permission bits, size and SHA-256, sorted."""
    body = b"#!/usr/bin/env node\n"
    archive = tgz(
        (member("package/package.json", MANIFEST), MANIFEST),
        (member("package/bin", kind=tarfile.DIRTYPE, mode=0o755), b""),
        (member("package/bin/widget", body, mode=0o755), body),
    )
    contents = read_archive(io.BytesIO(archive))
    assert contents.manifest == {"name": "@acme/widget", "version": "1.0.0"}
    assert [(entry.path, entry.mode, entry.size) for entry in contents.tree] == [
        ("bin/widget", 0o755, len(body)),
        ("package.json", 0o644, len(MANIFEST)),
    ]
    assert contents.tree[0].sha256 == hashlib.sha256(body).hexdigest()


def test_any_first_folder_is_dropped_as_npm_does() -> None:
    """The folder need not be called package: old publishers used the repository's name."""
    assert paths(tgz((member("widget-1.0.0/package.json", MANIFEST), MANIFEST))) == ["package.json"]


def test_recompressed_archives_have_equal_trees() -> None:
    """Another gzip level gives other bytes and the same tree (C098)."""
    files = {"package.json": MANIFEST, "index.js": b"x" * 5000}
    fast, small = package_tgz(files, level=1), package_tgz(files, level=9)
    assert fast != small
    assert read_archive(io.BytesIO(fast)) == read_archive(io.BytesIO(small))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("package/../../etc/passwd", "package/../../etc/passwd (outside the package)"),
        ("/etc/passwd", "/etc/passwd (outside the package)"),
        ("package.json", "package.json (outside the package)"),
    ],
)
def test_names_that_leave_the_package_never_read_as_files_of_it(name: str, shown: str) -> None:
    """A traversal, an absolute name or one outside the folder is shown as what it is, and is no manifest."""
    contents = read_archive(io.BytesIO(tgz((member(name, MANIFEST), MANIFEST))))
    assert [entry.path for entry in contents.tree] == [shown]
    assert contents.manifest == {}


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (tarfile.SYMTYPE, "main.js (link to '/etc/passwd')"),
        (tarfile.LNKTYPE, "main.js (link to '/etc/passwd')"),
        (tarfile.CHRTYPE, "main.js (not a file)"),
        (tarfile.FIFOTYPE, "main.js (not a file)"),
    ],
)
def test_links_and_devices_never_read_as_files(kind: bytes, shown: str) -> None:
    """npm does not install links and devices: an entry point that is one is not there."""
    assert paths(tgz((member("package/main.js", b"/etc/passwd", kind=kind), b""))) == [shown]


def test_a_repeated_path_is_two_entries() -> None:
    """A second entry of one path cannot hide the first, whichever one npm would keep."""
    archive = tgz(*((member("package/a.js", body), body) for body in (b"good", b"evil")))
    assert paths(archive) == ["a.js", "a.js (entry 2)"]


def test_names_that_are_not_utf8_stay_printable() -> None:
    """A name in another encoding can be encoded into every report."""
    raw = tarfile.TarInfo("package/caf\udce9.js")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(raw)
    assert paths(gzip.compress(buffer.getvalue())) == ["caf\\xe9.js"]


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000])
def test_a_manifest_that_is_no_object_is_empty(body: bytes) -> None:
    """A malformed package.json has no name and no version, and so never agrees with the plan."""
    assert read_archive(io.BytesIO(package_tgz({"package.json": body}))).manifest == {}


def test_a_byte_order_mark_is_accepted_as_npm_does() -> None:
    """npm reads a package.json with a BOM."""
    archive = package_tgz({"package.json": b"\xef\xbb\xbf" + MANIFEST})
    assert read_archive(io.BytesIO(archive)).manifest["version"] == "1.0.0"


def broken() -> list[bytes]:
    """Archives that cannot be read to their end."""
    whole = package_tgz({"package.json": MANIFEST, "data.bin": bytes(range(256)) * 40})
    flipped = bytearray(whole)
    flipped[-6] ^= 0xFF  # the CRC of the gzip trailer
    tar = gzip.decompress(whole)
    return [
        b"",
        b"<html>proxy</html>",
        whole[:20],
        whole[:-4],
        whole[: len(whole) // 2],
        bytes(flipped),
        whole + b"garbage",
        gzip.compress(tar[:600]),
        gzip.compress(b"x" * 512 + tar),
        gzip.compress(b""),
    ]


@pytest.mark.parametrize("archive", broken(), ids=range(len(broken())))
def test_a_broken_archive_is_an_error_and_never_a_shorter_tree(archive: bytes) -> None:
    """Truncation anywhere, a wrong checksum, a page or garbage: nothing is concluded from the part before."""
    with pytest.raises(InputError, match="the archive cannot be read"):
        read_archive(io.BytesIO(archive))


def test_a_decompression_bomb_is_stopped() -> None:
    """What unpacks to more than the bound is given up in constant memory."""
    archive = package_tgz({"package.json": MANIFEST, "zeros": bytes(4 << 20)})
    with pytest.raises(InputError, match="unpacks to more than is allowed"):
        read_archive(io.BytesIO(archive), Bounds(size=1 << 20))


def test_zeros_after_the_archive_count_too() -> None:
    """A bomb behind the tar's end is stopped as well."""
    tar = gzip.decompress(package_tgz({"package.json": MANIFEST}))
    with pytest.raises(InputError, match="unpacks to more than is allowed"):
        read_archive(io.BytesIO(gzip.compress(tar + bytes(4 << 20))), Bounds(size=1 << 20))


def test_too_many_entries_are_stopped() -> None:
    """The number of entries is bounded."""
    archive = package_tgz({f"{number}.js": b"" for number in range(20)})
    with pytest.raises(InputError, match="more than 10 entries"):
        read_archive(io.BytesIO(archive), Bounds(entries=10))


def test_a_huge_manifest_is_refused() -> None:
    """package.json is read into memory, so its size is bounded."""
    archive = package_tgz({"package.json": b" " * (17 << 20)})
    with pytest.raises(InputError, match=r"package\.json in the archive is larger"):
        read_archive(io.BytesIO(archive))
