"""Checksum files: every usual form is read, and what they list is compared both ways (K25, K26, K27)."""

from collections.abc import Callable

import pytest
import worlds_sums as sums
from kit import MANIFEST, SUMS, Row, World, look
from worlds_channel import ARCHIVES, ASSETS, DARWIN, LINUX, every, sum_of, up

FILE = sum_of(SUMS)
LISTED = tuple(sum_of(name) for name in (*ARCHIVES, MANIFEST))
UNLISTED = every(LISTED, "checksums.not-listed")

Change = Callable[[World], object]


def fine(name: str, cases: str, rewrite: sums.Rewrite, note: str = "") -> tuple[Row, str]:
    """Return a row in which the form is accepted, with the note that the message has."""
    change = sums.written(rewrite)
    return Row(id=name, cases=f"K25 {cases}", change=change, done={FILE: "checksums.file-exact"}), note


def bad(name: str, cases: str, rewrite: sums.Rewrite, reason: str, *names: str, **more: str) -> Row:
    """Return a row in which the file has ``reason``, and these names are not listed."""
    found = {FILE: f"checksums.{reason}", **every(tuple(map(sum_of, names)), "checksums.not-listed")}
    says = tuple(more.values())
    return Row(id=name, cases=cases, change=sums.written(rewrite), open=found, exit=1, says=says)


FORMS = [
    fine("CRLF", "C219", sums.joined(b"\r\n"), "CRLF line end"),
    fine("BSD style", "C236", sums.each(b"SHA256 (%(name)b) = %(hex)b"), "BSD style"),
    fine("OpenSSL style", "C239", sums.each(b"SHA2-256(%(name)b)= %(hex)b"), "BSD style"),
    fine("binary marker", "C221", sums.each(b"%(hex)b *%(name)b")),
    fine("upper-case hex", "C228 C229", sums.upper, "upper-case digest"),
    fine("./ before names", "C223", sums.each(b"%(hex)b  ./%(name)b"), "./ before the name"),
    fine("escaped", "K25", sums.each(b"\\%(hex)b  %(name)b")),
    fine("no final newline", "C239", bytes.rstrip, "no newline at the end"),
    fine("a tab", "C239", sums.each(b"%(hex)b\t%(name)b"), "one separator"),
    fine("one space", "C239", sums.each(b"%(hex)b %(name)b"), "one separator"),
    fine("byte order mark", "K25", lambda body: b"\xef\xbb\xbf" + body, "byte order mark"),
    fine("PGP clearsigned", "C238", sums.clearsigned),
    fine("trailing space", "C231", sums.each(b"%(hex)b  %(name)b "), "trailing white space"),
    fine("listed twice", "C247", sums.twice, "listed twice"),
    fine("comments and blank lines", "K25", sums.commented),
    fine("all at once", "C219 C221", lambda body: sums.upper(sums.joined(b" \r\n")(body)), "CRLF"),
]
WRONG = [
    bad("a missing file", "K26", sums.without(DARWIN), "not-listed", DARWIN, count="(3 of 4 listed)"),
    bad("only one of many", "K26 C240 C242", sums.only(LINUX), "not-listed", *ARCHIVES[1:], MANIFEST),
    bad("an extra file", "K26", sums.appended(b"0" * 64 + b"  acme-musl.tar.gz"), "names-differ"),
    bad("a path", "K25 C224", sums.one_name(f"target/release/{LINUX}"), "names-differ", LINUX, is_=LINUX),
    bad("Windows paths", "K25 C224", sums.one_name(f"dist\\{LINUX}"), "names-differ", LINUX),
    bad("the inner binary", "K25 C224", sums.one_name("target/release/acme"), "names-differ", LINUX),
    bad("a longer name", "K25 C233", sums.one_name(f"{LINUX}.sbom.json"), "names-differ", LINUX),
    bad(
        "any character for a period",
        "K25 C234",
        sums.one_name(LINUX.replace(".", "x", 1)),
        "names-differ",
        LINUX,
    ),
    bad(
        "the previous version's",
        "K26 C244 G05",
        sums.previous,
        "other-release",
        *ARCHIVES,
        MANIFEST,
        to="1.2.2",
    ),
    bad("no names", "K25 C226", sums.each(b"%(hex)b"), "malformed", *ARCHIVES, MANIFEST, line="line 1"),
    bad(
        "66 hex digits",
        "K26 C249",
        sums.one_digest(lambda digits: digits + b"ab"),
        "malformed",
        LINUX,
        says="has 66 hex digits",
    ),
    bad("63 hex digits", "K26 C249", sums.one_digest(lambda digits: digits[:63]), "malformed", LINUX),
    bad("a SHA-512", "K25", sums.one_digest(lambda digits: digits * 2), "malformed", LINUX),
    bad("a garbage line", "K25", sums.appended(b"uploaded 4 files"), "malformed", line="line 5"),
    bad(
        "an error page", "K25", lambda _: sums.PAGE, "malformed", *ARCHIVES, MANIFEST, page="<!DOCTYPE html>"
    ),
    bad("UTF-16", "K25 C219", sums.utf16, "malformed", *ARCHIVES, MANIFEST, says="UTF-16"),
    bad("not UTF-8", "K25", sums.latin1, "malformed", LINUX),
    bad("nothing but comments", "K26", lambda _: b"# none\n", "empty", *ARCHIVES, MANIFEST),
    Row(
        id="empty",
        cases="K26 K12",
        change=sums.written(lambda _: b""),
        open={up(SUMS): "asset.empty", FILE: "checksums.empty", **UNLISTED},
        exit=1,
    ),
    Row(
        id="conflicting",
        cases="K26 C247",
        change=sums.written(sums.conflicting),
        open=every((FILE, sum_of(LINUX)), "checksums.conflicting"),
        exit=1,
        says=("lines 1, 5",),
    ),
    Row(
        id="one digest of another build",
        cases="K27",
        change=sums.written(sums.one_digest(lambda digits: digits[::-1])),
        open={sum_of(LINUX): "checksums.mismatch"},
        exit=1,
    ),
    Row(
        id="signed afterwards",
        cases="K27 C250 C255",
        change=sums.signed_afterwards(*ARCHIVES),
        open={
            **every(tuple(map(up, ARCHIVES)), "asset.size-differs"),
            **every(tuple(map(sum_of, ARCHIVES)), "checksums.mismatch"),
        },
        exit=1,
    ),
    Row(
        id="one signed afterwards",
        cases="K27 C252",
        change=sums.signed_afterwards(DARWIN),
        open={up(DARWIN): "asset.size-differs", sum_of(DARWIN): "checksums.mismatch"},
        exit=1,
    ),
    Row(
        id="of error pages",
        cases="K16 C147 K26",
        change=sums.of_error_pages,
        open=every(tuple(map(sum_of, ARCHIVES)), "checksums.mismatch"),
        exit=1,
        says=(sums.NOT_FOUND,),
    ),
    Row(
        id="absent",
        cases="K26 C245",
        change=sums.absent,
        open={up(SUMS): "asset.absent", **every(tuple(map(sum_of, ASSETS)), "checksums.file-absent")},
        exit=2,
    ),
]
RIGHT = [
    Row(
        id="SHA-512",
        cases="K25 C238",
        change=sums.sha512,
        done={sum_of("SHA512SUMS"): "checksums.file-exact"},
    ),
    Row(
        id="a signature beside it",
        cases="K26 K27",
        change=sums.beside("SHA256SUMS.asc"),
        done={up("SHA256SUMS.asc"): "asset.uploaded"},
    ),
]


@pytest.mark.parametrize(("row", "note"), FORMS, ids=lambda value: getattr(value, "id", ""))
def test_accepted_forms(row: Row, note: str, world: World) -> None:
    """Each row: a form of the file that tools write is read, and what is odd about it is noted (K25)."""
    message = look(row, world).message(*FILE.split("/"))
    assert note in message
    assert "noted:" in message or not note


@pytest.mark.parametrize("row", [*WRONG, *RIGHT], ids=lambda row: row.id)
def test_checksum_files(row: Row, world: World) -> None:
    """Each row: what the file lists, and which assets it fails (K25, K26, K27, K16)."""
    look(row, world)
