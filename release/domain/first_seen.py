"""First-seen facts: what a channel held when it was first complete, kept outside of that channel.

They are the baseline against which a later, self-consistent substitution is still caught (DESIGN §6).
Keys: ``tag:NAME``, ``release:TAG``, ``asset:TAG/NAME``, ``npm:NAME@VERSION``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from release.domain.digests import is_commit
from release.domain.errors import InputError
from release.domain.evidence import Evidence, Kind

_ID = re.compile(r"\A[0-9]{1,19}\Z")


@dataclass(frozen=True, kw_only=True)
class FirstSeen:
    """One fact: the commit, the digest (``ALGORITHM:HEX``) or the id (as text) first seen under ``key``."""

    key: str
    commit: str | None = None
    digest: str | None = None
    id: str | None = None
    at: datetime | None = None

    def content(self) -> Mapping[str, object]:
        """Return the fact as JSON members, without what is not known."""
        stamp = self.at.astimezone(UTC).isoformat() if self.at else None
        values = {"commit": self.commit, "digest": self.digest, "id": self.id, "at": stamp}
        return {name: value for name, value in values.items() if value is not None}


Facts = Mapping[str, FirstSeen]


def merged(known: Facts, seen: tuple[FirstSeen, ...]) -> Facts:
    """Add facts that were not known; a known one never changes, whatever is seen now."""
    fresh = {fact.key: fact for fact in seen if fact.key not in known}
    return {**known, **fresh}


def joined(left: Facts, right: Facts) -> Facts:
    """Join the facts of two ledgers: where both know one, the one that was seen first stands."""
    both = {key: _earlier(left[key], right[key]) for key in left.keys() & right.keys()}
    return {**left, **right, **both}


def parse_facts(content: object, file: str) -> Facts:
    """Read facts from JSON; raise ``InputError`` that names the member."""
    if not isinstance(content, Mapping):
        raise InputError("first-seen facts are an object", file=file)
    return {key: _fact(key, value, file) for key, value in content.items()}


def as_evidence(fact: FirstSeen, *, release: str, version: str, commit: str) -> Evidence:
    """Return the fact in the form in which gates ask for it."""
    at = fact.at or datetime.fromtimestamp(0, UTC)
    return Evidence(
        id=f"ledger:{fact.key}",
        kind=Kind.FIRST_SEEN,
        release=release,
        version=version,
        commit=fact.commit or commit,
        tree="",
        subject=fact.key,
        digest=fact.digest,
        size=None,
        policy="",
        verdict="pass",
        exit_code=None,
        started_at=at,
        ended_at=at,
        platform="",
        isolation="",
        tools={},
        data={"id": int(fact.id), "draft": False} if fact.id else {},
    )


def _earlier(left: FirstSeen, right: FirstSeen) -> FirstSeen:
    never = datetime.max.replace(tzinfo=UTC)
    return right if (right.at or never) < (left.at or never) else left


def _fact(key: object, value: object, file: str) -> FirstSeen:
    if not isinstance(key, str) or not isinstance(value, Mapping):
        raise InputError(f"the fact {key!r} is not an object", file=file)
    texts: dict[str, str] = {}
    for name, member in value.items():
        if name not in ("commit", "digest", "id", "at") or not isinstance(member, str):
            raise InputError(f"unknown or malformed member {name!r}", file=file, place=str(key))
        texts[name] = member
    if "id" in texts and not _ID.match(texts["id"]):
        raise InputError("`id` is no decimal number", file=file, place=key)
    if "commit" in texts and not is_commit(texts["commit"]):
        raise InputError("`commit` is no full commit id", file=file, place=key)
    at = _time(texts["at"], file, key) if "at" in texts else None
    return FirstSeen(
        key=key, commit=texts.get("commit"), digest=texts.get("digest"), id=texts.get("id"), at=at
    )


def _time(text: str, file: str, key: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError("`at` is no time", file=file, place=key) from error
    if at.tzinfo is None:
        raise InputError("`at` has no time zone", file=file, place=key)
    return at.astimezone(UTC)
