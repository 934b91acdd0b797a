"""Does a checksum file list exactly the published set? Set equality both ways, each name once.

The set: what the plan expects and what the release holds, without the file itself and without signatures
of its members. Names that are off by a rewriting, a path, white space or case are shown side by side.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PureWindowsPath

from release.domain.asset_names import is_rewriting
from release.domain.checksum_file import ChecksumFile, is_signature, same_name
from release.domain.wording import LIMIT, count, enumerate_names, quote

_VERSION = re.compile(
    r"(?<![0-9.])\d+\.\d+(?:\.\d+)*(?:-(?:alpha|beta|rc|pre|next|canary|dev)(?:[.-]?\d+)*)?(?![0-9])"
)


@dataclass(frozen=True, kw_only=True)
class Published:
    """What a checksum file is held against: its own name, the planned and the stored names, the version."""

    file: str
    planned: frozenset[str]
    stored: frozenset[str]
    version: str

    @property
    def names(self) -> frozenset[str]:
        """Every name that the file must list."""
        known = self.planned | self.stored
        return frozenset(name for name in known - {self.file} if not is_signature(name, known))


def judge_coverage(sums: ChecksumFile, published: Published) -> tuple[str, str]:
    """Return (reason, sentence); ``checksums.file-exact`` only for the exact set."""
    if sums.problems:
        return "checksums.malformed", _bounded(tuple(str(problem) for problem in sums.problems))
    if not sums.entries:
        return "checksums.empty", f"{published.file} lists nothing"
    if sums.conflicts:
        lines = (f"{quote(one.name)} on lines {', '.join(map(str, one.lines))}" for one in sums.conflicts)
        return "checksums.conflicting", f"different digests for {_bounded(tuple(lines))}"
    return _compare_names(sums, published)


def _compare_names(sums: ChecksumFile, published: Published) -> tuple[str, str]:
    listed = tuple(entry.name for entry in sums.entries)
    allowed = {same_name(name) for name in (published.planned | published.stored) - {published.file}}
    strangers = tuple(name for name in listed if same_name(name) not in allowed)
    unlisted = tuple(name for name in published.names if sums.entry(name) is None)
    if strangers:
        return _explain_strangers(strangers, unlisted, published)
    if unlisted:
        text = f"{published.file} does not list {enumerate_names(unlisted)}"
        return "checksums.not-listed", f"{text} ({len(listed)} of {len(published.names)} listed)"
    stored = {same_name(name) for name in published.stored}
    absent = tuple(name for name in listed if same_name(name) not in stored)
    if absent:
        return "checksums.asset-absent", f"{enumerate_names(absent)} listed, and not on the release yet"
    odd = f"; noted: {', '.join(oddities)}" if (oddities := sums.oddities()) else ""
    text = f"{published.file} lists all {count(len(published.names), 'asset')} and nothing else{odd}"
    return "checksums.file-exact", text


def _explain_strangers(
    strangers: tuple[str, ...], unlisted: tuple[str, ...], published: Published
) -> tuple[str, str]:
    pairs = {name: twin for name in strangers if (twin := _twin(name, unlisted)) is not None}
    versions = Counter(version for name in strangers for version in _VERSION.findall(name))
    others = [version for version, _ in versions.most_common() if version != published.version]
    if not pairs and others and published.version not in versions and len(unlisted) == len(published.names):
        text = f"{published.file} lists none of the expected names; it seems to be for {others[0]}"
        return "checksums.other-release", f"{text}: {enumerate_names(strangers)}"
    shown = (
        f"{quote(name)} (the asset is {quote(pairs[name])})" if name in pairs else quote(name)
        for name in strangers
    )
    text = f"{published.file} lists what is not an asset: {_bounded(tuple(shown))}"
    return "checksums.names-differ", text


def _twin(listed: str, names: tuple[str, ...]) -> str | None:
    base = PureWindowsPath(listed).name.strip()
    return next((name for name in sorted(names) if _is_same_but(base, name)), None)


def _is_same_but(base: str, name: str) -> bool:
    return base.casefold() == name.casefold() or is_rewriting(base, name)


def _bounded(parts: tuple[str, ...]) -> str:
    more = f"; and {len(parts) - LIMIT} more" if len(parts) > LIMIT else ""
    return f"{'; '.join(parts[:LIMIT])}{more}"
