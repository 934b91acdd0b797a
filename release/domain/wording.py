"""Wording of lists in messages: bounded, quoted where a name could be misread, in a stable order."""

from collections.abc import Iterable

LIMIT = 10


def enumerate_names(names: Iterable[str], limit: int = LIMIT) -> str:
    """Return the names joined by commas, sorted; past ``limit`` only how many more there are."""
    ordered = sorted(set(names))
    shown = ", ".join(quote(name) for name in ordered[:limit])
    more = len(ordered) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def quote(name: str) -> str:
    """Return ``name``; as a Python literal where it has spaces, control or non-ASCII characters."""
    plain = name.isascii() and name.isprintable() and " " not in name and name != ""
    return name if plain else repr(name)


def count(number: int, noun: str) -> str:
    """Return ``1 asset`` or ``2 assets``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
