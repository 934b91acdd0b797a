"""Checksum files, read totally: every line is an entry, a known wrapping, or a problem with its number.

``sha256sum -c`` is no oracle: it passes over garbage lines and unlisted assets, and what it accepts differs
from system to system. A digest of the wrong length is a problem, two digests for one name are a conflict.
Names are compared exactly, in Unicode NFC, never as patterns. What is odd and harmless is noted.
"""

import codecs
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from release.domain.checksum_line import HEX_LENGTHS, Entry, LineReader, Trouble

_SIGNED = b"-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = b"-----BEGIN PGP SIGNATURE-----"
_SIGNATURE_SUFFIXES = (".sig", ".asc", ".minisig", ".sigstore.json", ".pem")


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """One name (as first listed) to which the file gives different digests, on these lines."""

    name: str
    lines: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ChecksumFile:
    """What the file says: each name once, lines that are not checksum lines, names with two digests."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[Trouble, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def _index(self) -> Mapping[str, Entry]:
        return {same_name(entry.name): entry for entry in self.entries}

    def entry(self, name: str) -> Entry | None:
        """Return the entry of exactly this name (compared in NFC), or None."""
        return self._index.get(same_name(name))

    def conflict(self, name: str) -> Conflict | None:
        """Return the conflict about this name, or None."""
        return next((one for one in self.conflicts if same_name(one.name) == same_name(name)), None)

    def oddities(self) -> tuple[str, ...]:
        """Return the different notes of the file and of its lines, each once, sorted."""
        return tuple(sorted({*self.notes, *(note for entry in self.entries for note in entry.notes)}))


def same_name(name: str) -> str:
    """Return the form in which two names are compared."""
    return unicodedata.normalize("NFC", name)


def is_signature(name: str, names: frozenset[str]) -> bool:
    """Say whether ``name`` is a signature or certificate of one of ``names``: nothing lists it."""
    return any(name.endswith(suffix) and name.removesuffix(suffix) in names for suffix in _SIGNATURE_SUFFIXES)


def sidecar_of(file: str) -> str | None:
    """Return the asset that a sidecar such as ``acme.tar.gz.sha256`` is for, or None."""
    stem, _, suffix = file.rpartition(".")
    return stem if stem and suffix.lower().removesuffix("sum") in HEX_LENGTHS else None


@lru_cache(maxsize=16)
def parse_checksums(body: bytes, algorithm: str, file: str = "") -> ChecksumFile:
    """Read a checksum file; never raises.

    ``algorithm`` is the one that the file must use (hashlib's name). ``file`` is the file's own name: only
    a sidecar may hold a bare digest.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ChecksumFile(problems=(Trouble(line=1, text="the file is UTF-16, not UTF-8"),))
    text = body.removeprefix(codecs.BOM_UTF8)
    reader = LineReader(algorithm=algorithm, sidecar=sidecar_of(file))
    entries: list[Entry] = []
    problems: list[Trouble] = []
    for number, raw in _unwrap(text):
        match reader.read(number, raw):
            case Entry() as entry:
                entries.append(entry)
            case Trouble() as trouble:
                problems.append(trouble)
    unique, conflicts = _merge(entries)
    notes = _file_notes(body)
    return ChecksumFile(entries=unique, problems=tuple(problems), conflicts=conflicts, notes=notes)


def _file_notes(body: bytes) -> tuple[str, ...]:
    mark = ("byte order mark",) if body.startswith(codecs.BOM_UTF8) else ()
    return (*mark, "no newline at the end") if body and not body.endswith(b"\n") else mark


def _merge(entries: list[Entry]) -> tuple[tuple[Entry, ...], tuple[Conflict, ...]]:
    unique: dict[str, Entry] = {}
    conflicts: dict[str, Conflict] = {}
    for entry in entries:
        key = same_name(entry.name)
        first = unique.setdefault(key, entry)
        if first is entry:
            continue
        if first.digest == entry.digest:
            unique[key] = replace(first, notes=(*first.notes, "listed twice"))
            continue
        known = conflicts.get(key, Conflict(name=first.name, lines=(first.line,)))
        conflicts[key] = replace(known, lines=(*known.lines, entry.line))
    return tuple(unique.values()), tuple(conflicts.values())


def _unwrap(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (number, raw line) without blank lines, comments and the armour of PGP clearsigning."""
    signed = body.lstrip().startswith(_SIGNED)
    part = "text"
    for number, raw in enumerate(body.split(b"\n"), start=1):
        line = raw.strip()
        if signed and line == _SIGNED:
            part = "headers"
        elif signed and line == _SIGNATURE:
            part = "signature"
        elif part == "headers":
            part = "headers" if line else "text"
        elif part == "text" and line and not line.startswith(b"#"):
            yield number, raw.removeprefix(b"- ") if signed else raw
