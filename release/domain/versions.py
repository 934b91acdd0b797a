"""Semantic Versioning 2.0.0 precedence, as a sort key (§11). Build metadata does not count."""

import re
from dataclasses import dataclass

_NUMBER = r"(?:0|[1-9]\d*)"
_IDENTIFIER = rf"(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"\A({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    rf"(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\Z",
    re.ASCII,
)


@dataclass(frozen=True, order=True)
class Precedence:
    """A key that sorts versions by precedence; ``stable`` is False for a prerelease."""

    core: tuple[int, int, int]
    stable: bool
    identifiers: tuple[tuple[int, int, str], ...]


def precedence(version: str) -> Precedence | None:
    """Return the sort key of ``version``, or None where it is not a semantic version."""
    match = _SEMVER.match(version)
    if match is None:
        return None
    major, minor, patch, prerelease = match.groups()
    identifiers = tuple(_identifier(part) for part in prerelease.split(".")) if prerelease else ()
    return Precedence((int(major), int(minor), int(patch)), not prerelease, identifiers)


def is_prerelease(version: str) -> bool:
    """Say whether ``version`` is a semantic version with a prerelease part."""
    key = precedence(version)
    return key is not None and not key.stable


def highest_stable(versions: tuple[str, ...]) -> str | None:
    """Return the stable version of highest precedence, or None where there is none."""
    keyed = [(key, version) for version in versions if (key := precedence(version)) and key.stable]
    return max(keyed)[1] if keyed else None


def _identifier(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)
