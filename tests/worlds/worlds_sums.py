"""Checksum files, as tools and accidents write them: functions from the right one to another."""

import hashlib
import re
from collections.abc import Callable

from kit import SUMS, World
from worlds_channel import ARCHIVES, LINUX, body_of, listed, put

Rewrite = Callable[[bytes], bytes]
Change = Callable[[World], None]

SIGNED = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n%b-----BEGIN PGP SIGNATURE-----\n\n%b\n%b\n"
PAGE = b"<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"
NOT_FOUND = hashlib.sha256(b"Not Found").hexdigest()


def written(rewrite: Rewrite) -> Change:
    """Return a change: the checksum file is what ``rewrite`` makes of the right one."""
    return lambda w: put(w, SUMS, rewrite(listed(w))) and None


def each(form: bytes) -> Rewrite:
    """Return a rewriting of every line; ``form`` has %(hex)b and %(name)b."""

    def rewrite(body: bytes) -> bytes:
        pairs = (line.split(b"  ") for line in body.splitlines())
        return b"".join(form % {b"hex": digits, b"name": name} + b"\n" for digits, name in pairs)

    return rewrite


def joined(end: bytes) -> Rewrite:
    """Return a rewriting with other line ends."""
    return lambda body: body.replace(b"\n", end)


def upper(body: bytes) -> bytes:
    """Write hex as Get-FileHash does."""
    return re.sub(rb"^[0-9a-f]+", lambda found: found[0].upper(), body, flags=re.MULTILINE)


def clearsigned(body: bytes) -> bytes:
    """Wrap it in PGP's armour."""
    return SIGNED % (body, b"iQIzBAEBCgAdFiEE" * 4, b"-----END PGP SIGNATURE-----")


def commented(body: bytes) -> bytes:
    """Add a header and blank lines."""
    return b"# acme 1.2.3\n\n" + body + b"\n\n"


def twice(body: bytes) -> bytes:
    """Append it to itself."""
    return body + body


def utf16(body: bytes) -> bytes:
    """Write it as PowerShell's Out-File does by default."""
    return body.decode().encode("utf-16")


def latin1(body: bytes) -> bytes:
    """Write one name in an old encoding."""
    return body.replace(f"  {LINUX}".encode(), b"  caf\xe9")


def appended(line: bytes) -> Rewrite:
    """Return a rewriting with one more line."""
    return lambda body: body + line + b"\n"


def conflicting(body: bytes) -> bytes:
    """Append the line of another run's archive."""
    return body + b"0" * 64 + b"  " + LINUX.encode() + b"\n"


def without(name: str) -> Rewrite:
    """Return a rewriting that lacks the name."""
    return lambda body: b"".join(
        line for line in body.splitlines(keepends=True) if not line.endswith(f"  {name}\n".encode())
    )


def only(name: str) -> Rewrite:
    """Return a rewriting that lists nothing but the name."""
    return lambda body: b"".join(
        line for line in body.splitlines(keepends=True) if line.endswith(f"  {name}\n".encode())
    )


def one_digest(change: Rewrite, name: str = LINUX) -> Rewrite:
    """Return a rewriting that changes the digest of one name."""
    pattern = re.compile(rb"^([0-9a-f]+)(?=  %b$)" % re.escape(name.encode()), re.MULTILINE)
    return lambda body: pattern.sub(lambda found: change(found[1]), body)


def one_name(new: str, name: str = LINUX) -> Rewrite:
    """Return a rewriting that lists one file under another name."""
    return lambda body: body.replace(f"  {name}\n".encode(), f"  {new}\n".encode())


def previous(body: bytes) -> bytes:
    """Make it the previous version's."""
    return re.sub(rb"  [^\n]*", lambda found: found[0].replace(b"1.2.3", b"1.2.2"), without_common(body))


def without_common(body: bytes) -> bytes:
    """Keep the archives only: other names carry no version."""
    return b"".join(line for line in body.splitlines(keepends=True) if b"1.2.3" in line)


def sha512(w: World) -> None:
    """The project uses SHA-512; the file is right."""
    w.config["checksums"] = {"algorithm": "sha512"}
    w.asset(SUMS).remove()
    names = [one.value.name for one in w.release.assets]
    lines = (f"{hashlib.sha512(body_of(w, name)).hexdigest()}  {name}\n" for name in names)
    w.release.asset("SHA512SUMS", "".join(lines).encode())


def signed_afterwards(*names: str) -> Change:
    """Return a change: these archives were signed after the sums were made; the manifest is of before."""

    def change(w: World) -> None:
        for name in names:
            put(w, name, body_of(w, name) + b"signature")

    return change


def beside(name: str) -> Change:
    """Return a change: a signature of the checksum file is attached and planned; nothing lists it."""

    def change(w: World) -> None:
        w.config["release"]["extra_assets"] = [name]
        w.release.asset(name, b"signature")

    return change


def of_error_pages(w: World) -> None:
    """The sums were made of what an unauthenticated download of a draft gives: the words Not Found."""
    body = listed(w)
    for name in ARCHIVES:
        body = one_digest(lambda _: NOT_FOUND.encode(), name)(body)
    put(w, SUMS, body)


def absent(w: World) -> None:
    """The checksum file was forgotten."""
    w.asset(SUMS).remove()
