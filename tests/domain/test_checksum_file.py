"""Checksum files are read totally: every line is an entry, a known wrapping, or a numbered problem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.checksum_file import is_signature, parse_checksums, sidecar_of

H = "0123456789abcdef" * 4
G = "f" * 64
ONE_SEPARATOR = "one separator instead of two"
SIGNED = """-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA512

{}
-----BEGIN PGP SIGNATURE-----

iQ=
-----END PGP SIGNATURE-----
"""

ACCEPTED = (
    ("coreutils", f"{H}  f\n", "f", ()),
    ("binary marker", f"{H} *f\n", "f", ()),
    ("CRLF", f"{H}  f\r\n", "f", ("CRLF line end",)),
    ("upper-case", f"{H.upper()}  f\n", "f", ("upper-case digest",)),
    ("./ prefix", f"{H}  ./f\n", "f", ("./ before the name",)),
    ("one space", f"{H} f\n", "f", (ONE_SEPARATOR,)),
    ("tab", f"{H}\tf\n", "f", (ONE_SEPARATOR,)),
    ("trailing space", f"{H}  f \n", "f", ("trailing white space",)),
    ("trailing space and CRLF", f"{H}  f \r\n", "f", ("CRLF line end", "trailing white space")),
    ("BSD", f"SHA256 (f) = {H}\n", "f", ("BSD style",)),
    ("OpenSSL", f"SHA256(f)= {H}\n", "f", ("BSD style",)),
    ("OpenSSL 3", f"SHA2-256(f)= {H}\n", "f", ("BSD style",)),
    ("BSD with parentheses", f"SHA256 (f (1).zip) = {H}\n", "f (1).zip", ("BSD style",)),
    ("no final newline", f"{H}  f", "f", ("no newline at the end",)),
    ("byte order mark", f"\ufeff{H}  f\n", "f", ("byte order mark",)),
    ("name with spaces", f"{H}  a b  c\n", "a b  c", ()),
    ("name that starts with a space", f"{H}   f\n", " f", ()),
    ("name that starts with a star", f"{H}  *f\n", "*f", ()),
    ("escaped", f"\\{H}  a\\\\b\\nc\\rd\n", "a\\b\nc\rd", ()),
    ("backslash without escaping", f"{H}  a\\b\n", "a\\b", ()),
    ("path", f"{H}  dist/f\n", "dist/f", ()),
    ("comment and blank lines", f"# sums\n\n{H}  f\n\n", "f", ()),
    ("clearsigned", SIGNED.format(f"{H}  f"), "f", ()),
    ("clearsigned and dash-escaped", SIGNED.format(f"- {H}  f"), "f", ()),
    (
        "clearsigned, several headers",
        SIGNED.replace("SHA512\n", "SHA512\nCharset: UTF-8\n").format(f"{H}  f"),
        "f",
        (),
    ),
    ("a dash is part of an unsigned name", f"{H}  - f\n", "- f", ()),
    ("GNU's dash in an algorithm", f"SHA-256 (f) = {H}\n", "f", ("BSD style",)),
    ("listed twice", f"{H}  f\n{H}  f\n", "f", ("listed twice",)),
)


@pytest.mark.parametrize(("name", "text", "listed", "notes"), ACCEPTED, ids=[row[0] for row in ACCEPTED])
def test_accepts_every_way_to_write_a_line(name: str, text: str, listed: str, notes: tuple[str, ...]) -> None:
    """The digest and the exact name are read; what is odd is noted (K25, C219–C239)."""
    file = parse_checksums(text.encode(), "sha256")
    assert [(entry.name, entry.digest.hex) for entry in file.entries] == [(listed, H)]
    assert (file.problems, file.conflicts) == ((), ())
    assert file.oddities() == notes


REFUSED = (
    ("an error page", "Not Found", 1, "is not a checksum line"),
    ("a garbage line", f"{H}  f\ndone\n", 2, "is not a checksum line"),
    ("66 digits", f"{H}00  f\n", 1, "has 66 hex digits"),
    ("63 digits", f"{H[1:]}  f\n", 1, "has 63 hex digits"),
    ("a digest without a name", f"{H}\n", 1, "is not a checksum line"),
    ("a digest and white space", f"{H}  \n", 1, "is not a checksum line"),
    ("an unsigned dash", f"- {H}  f\n", 1, "is not a checksum line"),
    ("a long line is cut", "x" * 61, 1, f"'{'x' * 60}…'"),
    ("a line that just fits", "x" * 60, 1, f"'{'x' * 60}'"),
    ("another algorithm", f"SHA512 (f) = {H}{H}\n", 1, "gives sha512"),
    ("another algorithm of the same length", f"SHA3-256 (f) = {H}\n", 1, "gives sha3-256"),
    ("an unknown escape", f"\\{H}  a\\b\n", 1, "unknown escape"),
    ("a cut escape", f"\\{H}  a\\\n", 1, "unknown escape"),
    ("base64", "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=  f\n", 1, "is not a checksum line"),
)


@pytest.mark.parametrize(("name", "text", "line", "what"), REFUSED, ids=[row[0] for row in REFUSED])
def test_names_the_line_that_is_wrong(name: str, text: str, line: int, what: str) -> None:
    """A line that is not a checksum line is a problem with its number, never skipped (C249)."""
    (problem,) = parse_checksums(text.encode(), "sha256").problems
    assert problem.line == line
    assert what in str(problem)


@pytest.mark.parametrize(
    ("body", "what"),
    [(f"{H}  f\n".encode("utf-16"), "UTF-16"), (H.encode() + b"  \xff\xfe\n", "is not UTF-8")],
)
def test_other_encodings_are_problems(body: bytes, what: str) -> None:
    """PowerShell writes UTF-16: told as such, not as garbage."""
    assert what in str(parse_checksums(body, "sha256").problems[0])


def test_conflicts_name_both_lines() -> None:
    """One name with two digests is a conflict; the first is kept, and equal repetition is not one (C247)."""
    file = parse_checksums(f"{H}  f\n{G}  f\n{H}  f\n".encode(), "sha256")
    assert [(one.name, one.lines) for one in file.conflicts] == [("f", (1, 2))]
    assert file.conflict("f") is not None
    assert file.conflict("g") is None
    assert len(file.entries) == 1


def test_an_empty_file_lists_nothing() -> None:
    """No entry, and no problem: the caller says that it is empty."""
    file = parse_checksums(b"", "sha256")
    assert (file.entries, file.problems, file.oddities()) == ((), (), ())


@pytest.mark.parametrize(
    ("file", "asset"),
    [
        ("f.tar.gz.sha256", "f.tar.gz"),
        ("f.sha512sum", "f"),
        ("f.SHA256", "f"),
        ("SHA256SUMS", None),
        (".sha256", None),
        ("f.txt", None),
    ],
)
def test_only_a_sidecar_holds_a_bare_digest(file: str, asset: str | None) -> None:
    """A bare digest is the digest of the asset that the file is named for (C226, C228)."""
    assert sidecar_of(file) == asset
    entries = parse_checksums(f"{H}\n".encode(), "sha256", file).entries
    assert [entry.name for entry in entries] == ([] if asset is None else [asset])


def test_names_are_compared_in_nfc_and_exactly() -> None:
    """Two Unicode forms are one name; a longer name, a pattern or another case is another (C233, C234)."""
    file = parse_checksums(f"{H}  cafe\u0301.zip\n{H}  a.b\n".encode(), "sha256")
    assert file.entry("caf\u00e9.zip") is not None
    assert [file.entry(name) for name in ("a.b.sbom", "a-b", "A.B", "b")] == [None] * 4


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f.sig", True),
        ("f.asc", True),
        ("f.minisig", True),
        ("f.sigstore.json", True),
        ("f.pem", True),
        ("g.sig", False),
        ("f.sbom.json", False),
        ("f", False),
    ],
)
def test_signatures_are_of_a_listed_name(name: str, expected: bool) -> None:
    """Only a signature of a member is left out of the set (K26)."""
    assert is_signature(name, frozenset({"f"})) is expected


@given(st.binary(max_size=400))
def test_never_raises(body: bytes) -> None:
    """Whatever the bytes are, there is an answer, and every line number exists."""
    file = parse_checksums(body, "sha256")
    lines = body.count(b"\n") + 1
    assert all(1 <= problem.line <= lines for problem in file.problems)


@given(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=20))
def test_reads_back_what_coreutils_writes(name: str) -> None:
    """An escaped name is read back exactly, up to what trimming and ./ change."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if escaped.rstrip(" \t\r") != escaped or name.startswith("./"):
        return
    file = parse_checksums(f"\\{H}  {escaped}\n".encode(), "sha256")
    assert [entry.name for entry in file.entries] == [name]
