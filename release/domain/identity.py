"""The identity rule (DESIGN §5), for anything that can exist under a name.

Resume is by identity, never by existence: only equal digests are the same thing. What is there and
cannot be compared is never "same". Order: what cannot be looked at (interrupted, empty), what changed
since it was first seen, then size, then digest.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from release.domain.digests import Digest, parse_digest
from release.domain.errors import InputError
from release.domain.evidence import Evidence, counts


class Identity(StrEnum):
    """What the rule says of one name."""

    ABSENT = "absent"
    MISSING_IN_IMMUTABLE = "missing-in-immutable"
    REMOVED = "removed"
    INTERRUPTED = "interrupted"
    EMPTY = "empty"
    CHANGED_SINCE = "changed-since"
    SIZE_DIFFERS = "size-differs"
    DIGEST_DIFFERS = "digest-differs"
    DIGEST_UNKNOWN = "digest-unknown"
    NOT_COMPARED = "not-compared"
    SAME = "same"


@dataclass(frozen=True, kw_only=True)
class Content:
    """Bytes known by their digest, and who says so; ``size`` in bytes, None where it is not said."""

    digest: Digest
    size: int | None
    source: str
    evidence: str = ""


@dataclass(frozen=True, kw_only=True)
class Present:
    """What is there under the name. ``whole``: its upload ended; ``digest`` is None where not known."""

    digest: Digest | None
    size: int
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What the name is compared with.

    ``expected`` are the contents that would be right, preferred first (several: builds that differ in
    bytes, each of this commit); ``first`` is the digest first seen; ``seen_before``: it was there once;
    ``sealed``: nothing can be added any more.
    """

    expected: tuple[Content, ...] = ()
    first: Digest | None = None
    seen_before: bool = False
    sealed: bool = False


def classify(present: Present | None, baseline: Baseline) -> Identity:
    """Apply the identity rule; pure and total."""
    if present is None:
        return _missing(baseline)
    if not present.whole:
        return Identity.INTERRUPTED
    if present.size == 0:
        return Identity.EMPTY
    if _contradicts(baseline.first, present.digest):
        return Identity.CHANGED_SINCE
    return _compare(present, choose(baseline.expected, present.digest))


def choose(expected: tuple[Content, ...], digest: Digest | None) -> Content | None:
    """Return the expected content with this digest, else the preferred one, else None."""
    same = (content for content in expected if content.digest == digest)
    return next(same, expected[0] if expected else None)


def contents(records: Iterable[Evidence], *, commit: str, policy: str, source: str) -> tuple[Content, ...]:
    """Return what the records vouch for, newest first.

    Records of another commit or policy, records that did not pass, and digests that do not parse vouch
    for nothing.
    """
    found = (
        (record, digest)
        for record in records
        if counts(record, commit=commit, policy=policy) and record.verdict == "pass"
        if (digest := digest_of(record)) is not None
    )
    usable = tuple(
        Content(digest=digest, size=record.size, source=source, evidence=record.id)
        for record, digest in found
    )
    return usable[::-1]


def digest_of(record: Evidence) -> Digest | None:
    """Return the record's digest, or None where it has none that parses."""
    try:
        return parse_digest(record.digest) if record.digest else None
    except InputError:
        return None


def first_digest(records: Iterable[Evidence]) -> Digest | None:
    """Return the oldest digest of first-seen records (of any commit: the past is not chosen by us)."""
    return next((digest for record in records if (digest := digest_of(record))), None)


def _missing(baseline: Baseline) -> Identity:
    if baseline.sealed:
        return Identity.MISSING_IN_IMMUTABLE
    return Identity.REMOVED if baseline.seen_before else Identity.ABSENT


def _contradicts(known: Digest | None, found: Digest | None) -> bool:
    if known is None or found is None:
        return False
    return known.algorithm == found.algorithm and known.hex != found.hex


def _compare(present: Present, expected: Content | None) -> Identity:
    if expected is not None and expected.size is not None and expected.size != present.size:
        return Identity.SIZE_DIFFERS
    if present.digest is None:
        return Identity.DIGEST_UNKNOWN
    if expected is None:
        return Identity.NOT_COMPARED
    if expected.digest.algorithm != present.digest.algorithm:
        return Identity.NOT_COMPARED
    return Identity.SAME if expected.digest == present.digest else Identity.DIGEST_DIFFERS
