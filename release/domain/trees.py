"""Compares two unpacked packages: equal means the same paths, permission bits and bytes.

How the archive was compressed does not count, nor do its time stamps and the order of its entries.
"""

from dataclasses import dataclass

from release.domain.facts.npm import TreeEntry


@dataclass(frozen=True, kw_only=True)
class TreeDiff:
    """Paths that differ, each list sorted. A path can have both other bytes and another mode."""

    only_there: tuple[str, ...]
    only_here: tuple[str, ...]
    other_bytes: tuple[str, ...]
    other_mode: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """True where nothing differs."""
        return not any((self.only_there, self.only_here, self.other_bytes, self.other_mode))

    def summary(self, limit: int) -> str:
        """Name at most ``limit`` paths by kind of difference, and count the others."""
        kinds = (
            ("only there", self.only_there),
            ("only here", self.only_here),
            ("other bytes", self.other_bytes),
            ("other mode", self.other_mode),
        )
        parts: list[str] = []
        left = limit
        for title, paths in kinds:
            if shown := paths[:left]:
                parts.append(f"{title}: {', '.join(printable(path) for path in shown)}")
            left -= len(shown)
        if hidden := sum(len(paths) for _, paths in kinds) - limit + left:
            parts.append(f"and {hidden} more")
        return "; ".join(parts)


def compare(there: tuple[TreeEntry, ...], here: tuple[TreeEntry, ...]) -> TreeDiff:
    """Compare two trees by path; of a path that an archive holds twice the last entry counts, as in tar."""
    left = {entry.path: entry for entry in there}
    right = {entry.path: entry for entry in here}
    both = sorted(left.keys() & right.keys())
    return TreeDiff(
        only_there=tuple(sorted(left.keys() - right.keys())),
        only_here=tuple(sorted(right.keys() - left.keys())),
        other_bytes=tuple(path for path in both if left[path].sha256 != right[path].sha256),
        other_mode=tuple(path for path in both if left[path].mode != right[path].mode),
    )


def printable(path: str) -> str:
    """Return ``path``, escaped where it holds control characters: names in archives are not ours."""
    return path if path.isprintable() else repr(path)
