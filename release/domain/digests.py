"""Commit ids and content digests, parsed strictly: a value that does not parse is never "equal"."""

import base64
import binascii
import re
from dataclasses import dataclass

from release.domain.errors import InputError

_COMMIT = re.compile(r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_BYTES = {"sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}
_STRENGTH = ("sha512", "sha384", "sha256")


def is_commit(text: str) -> bool:
    """Say whether ``text`` is one full, lower-case object id (SHA-1 or SHA-256)."""
    return _COMMIT.match(text) is not None


@dataclass(frozen=True, order=True)
class Digest:
    """A content digest: algorithm name as in hashlib, and lower-case hex of the right length."""

    algorithm: str
    hex: str

    def __post_init__(self) -> None:
        size = _BYTES.get(self.algorithm)
        if size is None:
            raise InputError(f"unknown digest algorithm {self.algorithm!r}", fix="use sha256 or sha512")
        if not re.fullmatch(rf"[0-9a-f]{{{size * 2}}}", self.hex):
            raise InputError(
                f"{self.algorithm} digest must be {size * 2} lower-case hex digits: {self.hex!r}"
            )

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.hex}"

    @property
    def short(self) -> str:
        """The first twelve hex digits, for messages."""
        return f"{self.algorithm}:{self.hex[:12]}"

    @property
    def sri(self) -> str:
        """The Subresource Integrity form, as in npm's ``dist.integrity``."""
        return f"{self.algorithm}-{base64.b64encode(bytes.fromhex(self.hex)).decode('ascii')}"


def parse_digest(text: str) -> Digest:
    """Parse ``sha256:HEX`` (GitHub's form; hex in either case); raise ``InputError``."""
    algorithm, separator, hexdigits = text.partition(":")
    if not separator:
        raise InputError(f"a digest has the form ALGORITHM:HEX, not {text!r}")
    return Digest(algorithm, hexdigits.lower())


def parse_integrity(text: str) -> Digest:
    """Parse an SRI string, of several entries the strongest; raise ``InputError``.

    Source: W3C Subresource Integrity §3.3 (options after ``?`` are ignored).
    """
    found: dict[str, Digest] = {}
    for entry in text.split():
        algorithm, _, encoded = entry.partition("?")[0].partition("-")
        if algorithm not in _STRENGTH:
            continue
        try:
            raw = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InputError(f"integrity {entry!r} is not base64") from error
        found[algorithm] = Digest(algorithm, raw.hex())
    for algorithm in _STRENGTH:
        if algorithm in found:
            return found[algorithm]
    raise InputError(f"integrity {text!r} has no sha256, sha384 or sha512 entry")
