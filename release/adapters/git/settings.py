"""A repository's configuration as values, from ``git config --list -z``. Keys are as git prints them:
section and variable in lower case, the subsection between them untouched."""

from dataclasses import dataclass

_ALLOWED_FILTERS = {
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.process": "git-lfs filter-process",
}
_MEANING_OF_CLEAN = ("core.excludesfile", "core.autocrlf", "core.eol")


@dataclass(frozen=True)
class Settings:
    """All entries in the order of precedence, the last one wins."""

    entries: tuple[tuple[str, str], ...] = ()

    def get(self, key: str) -> str | None:
        """Return the value that counts, or None."""
        return next((value for name, value in reversed(self.entries) if name == key), None)

    def url(self, remote: str) -> str | None:
        """Return the first URL of the remote with this name, as written."""
        return next((value for name, value in self.entries if name == f"remote.{remote}.url"), None)

    def remotes(self) -> tuple[str, ...]:
        """Return the names of all remotes that have a URL."""
        names = (name for name, _ in self.entries if name.startswith("remote.") and name.endswith(".url"))
        return tuple(dict.fromkeys(name.removeprefix("remote.").removesuffix(".url") for name in names))

    def rewritten(self, url: str) -> str:
        """Apply ``url.BASE.insteadOf``: the longest prefix wins."""
        rules = [
            (value, name.removeprefix("url.").removesuffix(".insteadof"))
            for name, value in self.entries
            if name.startswith("url.") and name.endswith(".insteadof") and url.startswith(value)
        ]
        if not rules:
            return url
        prefix, base = max(rules, key=lambda rule: len(rule[0]))
        return base + url[len(prefix) :]

    @property
    def is_partial(self) -> bool:
        """Say whether objects may be missing on purpose (a partial clone)."""
        return any(
            name == "extensions.partialclone" or (name.startswith("remote.") and name.endswith(".promisor"))
            for name, _ in self.entries
        )

    def for_status(self) -> dict[str, str]:
        """Return what ``git status`` must be told: what the user means by clean, and no filter program.

        Git LFS's own commands are let through: without them an untouched file may look modified.
        """
        meaning = {key: value for key, value in self.entries if key in _MEANING_OF_CLEAN}
        filters = {
            name: "false" if name.endswith(".required") else ""
            for name, value in self.entries
            if name.startswith("filter.") and _ALLOWED_FILTERS.get(name) != value
            if name.endswith((".clean", ".smudge", ".process", ".required"))
        }
        allowed = {name: value for name, value in self.entries if _ALLOWED_FILTERS.get(name) == value}
        return {**meaning, **filters, **allowed}


def parse_settings(listing: bytes) -> Settings:
    """Parse the output of ``git config --list -z``; a key without a value means ``true``."""
    entries = []
    for item in listing.decode("utf-8", "surrogateescape").split("\0"):
        key, separator, value = item.partition("\n")
        if key:
            entries.append((key, value if separator else "true"))
    return Settings(tuple(entries))
