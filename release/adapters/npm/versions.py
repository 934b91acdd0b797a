"""Which published versions a dependency's range accepts, as npm itself would choose (npm-pick-manifest).

Only what a registry can answer counts: git, URL, file and workspace references are satisfied by no
registry version.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import nodesemver  # type: ignore[import-untyped]

_ALIAS = re.compile(r"\Anpm:(?P<name>(?:@[^/@]+/)?[^/@]+)(?:@(?P<range>.*))?\Z", re.DOTALL)
_LONGEST = 4096
_LONGEST_VERSION = 256  # as in npm's semver
_TAG = re.compile(r"\A[A-Za-z0-9\-_.!~*'()]+\Z")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A registry reference: the package that is really asked for, and a range, version or dist-tag."""

    name: str
    range: str


def parse_wanted(name: str, wanted: str) -> Wanted | None:
    """Return what a dependency ``name: wanted`` asks a registry for; None where it asks no registry.

    Longer than 4096 characters is no range that anyone wrote.
    """
    text = " ".join(wanted.split())  # as npm does; long runs of blanks are slow in the library's patterns
    if len(text) > _LONGEST:
        return None
    alias = _ALIAS.match(text)
    if alias is not None:
        name, text = alias["name"], (alias["range"] or "").strip()
    if text in ("", "*") or _range(text) is not None or _TAG.match(text):
        return Wanted(name=name, range=text or "*")
    return None


def is_satisfied(wanted: str, versions: tuple[str, ...], tags: Mapping[str, str]) -> bool:
    """Say whether one of ``versions`` is what npm would install for the range or dist-tag ``wanted``."""
    latest = tags.get("latest")
    if wanted == "*" and latest in versions:
        # npm takes `latest` for *, also where it is a prerelease, which no range admits.
        return True
    accepted = _range(wanted)
    if accepted is None:
        return tags.get(wanted) in versions
    return any(len(version) <= _LONGEST_VERSION and _accepts(accepted, version) for version in versions)


def _range(text: str) -> nodesemver.Range | None:
    try:
        return nodesemver.Range(text, True)
    except ValueError:
        return None


def _accepts(accepted: nodesemver.Range, version: str) -> bool:
    try:
        return bool(accepted.test(version))
    except ValueError:
        return False
