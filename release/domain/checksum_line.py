"""One line of a checksum file: an entry, or what is wrong with it. Total: every line has an answer.

Forms: ``HEX  NAME``, ``HEX *NAME``, one space or tab, ``\\HEX  NAME`` with escapes, BSD's and OpenSSL's
``SHA256 (NAME) = HEX``, and a bare ``HEX`` where the file is a sidecar of one asset.
"""

import re
from dataclasses import dataclass

from release.domain.digests import Digest

HEX_LENGTHS = {"sha1": 40, "sha256": 64, "sha384": 96, "sha512": 128}
_PLAIN = re.compile(r"\A([0-9A-Fa-f]+)([ \t].*)\Z", re.DOTALL)
_TAGGED = re.compile(r"\A([A-Za-z0-9/-]+) ?\((.+)\) ?= ?([0-9A-Fa-f]+)\Z", re.DOTALL)
_BARE = re.compile(r"\A[0-9A-Fa-f]+\Z")
_SEPARATOR = re.compile(r"\A(?:  | \*|[ \t])")
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_MEANS = {"\\": "\\", "n": "\n", "r": "\r"}
_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One listed name with its digest; ``line`` counts from 1; ``notes`` say what is odd but harmless."""

    name: str
    digest: Digest
    line: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """One line that cannot be believed."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(frozen=True, kw_only=True)
class LineReader:
    """Reads the lines of one file; ``sidecar`` is the asset that a bare digest is for, if any."""

    algorithm: str
    sidecar: str | None

    def read(self, number: int, raw: bytes) -> Entry | Trouble:
        """Read line ``number`` (without its newline)."""
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return Trouble(line=number, text="is not UTF-8")
        line = text.rstrip(" \t\r")
        notes = _endings(text, line)
        if escaped := line.startswith("\\"):
            line = line[1:]
        parts = self._split(line)
        if parts is None:
            return Trouble(line=number, text=f"is not a checksum line: {_shown(line)}")
        algorithm, name, digits, form = parts
        if algorithm != self.algorithm or len(digits) != HEX_LENGTHS[self.algorithm]:
            return Trouble(line=number, text=self._other(algorithm, name, digits))
        plain = _unescape(name) if escaped else name
        if plain is None:
            return Trouble(line=number, text=f"has an unknown escape: {_shown(line)}")
        notes = (*form, *notes, *_spelling(plain, digits))
        digest = Digest(self.algorithm, digits.lower())
        return Entry(name=_without_dot(plain), digest=digest, line=number, notes=notes)

    def _split(self, line: str) -> tuple[str, str, str, tuple[str, ...]] | None:
        if match := _TAGGED.match(line):
            label, name, digits = match.groups()
            return _algorithm(label), name, digits, ("BSD style",)
        if match := _PLAIN.match(line):
            digits, rest = match.groups()
            separator = _SEPARATOR.match(rest)
            width = separator.end() if separator else 0
            notes = () if width == 2 else ("one separator instead of two",)
            return (self.algorithm, rest[width:], digits, notes) if rest[width:] else None
        if _BARE.match(line) and self.sidecar is not None:
            return self.algorithm, self.sidecar, line, ("bare digest",)
        return None

    def _other(self, algorithm: str, name: str, digits: str) -> str:
        if algorithm != self.algorithm:
            return f"gives {algorithm} of {_shown(name)}, the file must hold {self.algorithm}"
        wanted = HEX_LENGTHS[self.algorithm]
        return f"has {len(digits)} hex digits for {_shown(name)}, {self.algorithm} has {wanted}"


def _algorithm(label: str) -> str:
    name = label.lower().replace("sha2-", "sha").replace("/", "-")
    return f"sha{name[4:]}" if name.startswith("sha-") else name


def _endings(text: str, line: str) -> tuple[str, ...]:
    tail = text[len(line) :]
    crlf = ("CRLF line end",) if tail.endswith("\r") else ()
    return (*crlf, "trailing white space") if tail.removesuffix("\r") else crlf


def _spelling(name: str, digits: str) -> tuple[str, ...]:
    upper = ("upper-case digest",) if digits != digits.lower() else ()
    return (*upper, "./ before the name") if name.startswith("./") else upper


def _without_dot(name: str) -> str:
    return name.removeprefix("./") or name


def _unescape(name: str) -> str | None:
    if any(match.group(1) not in _MEANS for match in _ESCAPE.finditer(name)):
        return None
    return _ESCAPE.sub(lambda match: _MEANS[match.group(1)], name)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
