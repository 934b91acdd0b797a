"""Paths in a tree: finding one, listing all, and what differs between two trees."""

import posixpath
from collections.abc import Iterator

from release.adapters.git.objects import Entry, Objects
from release.domain.errors import InputError

_LINK = "120000"
_HOPS = 20
FILES = ("100644", "100755", "100664")


def find(objects: Objects, tree: str, path: str) -> Entry | None:
    """Return the file or folder at ``path``, through links that stay inside the tree; else None."""
    if "\0" in path or path.startswith("/"):
        raise InputError(f"{path!r} is not a relative path")
    for _ in range(_HOPS):
        clean = posixpath.normpath(path)
        if clean.startswith("../") or clean in ("..", "."):
            return None
        met = _descend(objects, tree, clean.split("/"))
        if met is None:
            return None
        entry, folder, rest = met
        if entry.mode != _LINK:
            return entry
        target = objects.blob(entry.oid).decode("utf-8", "surrogateescape")
        if target.startswith("/"):
            return None
        path = posixpath.join(*folder, target, *rest)
    return None


def _descend(objects: Objects, tree: str, parts: list[str]) -> tuple[Entry, list[str], list[str]] | None:
    """Go down as far as folders lead: the entry met, the folders above it, the parts below it."""
    for index, part in enumerate(parts):
        entry = next((entry for entry in objects.tree(tree) if entry.name == part), None)
        if entry is None:
            return None
        rest = parts[index + 1 :]
        if entry.mode == _LINK or not rest:
            return entry, parts[:index], rest
        if not entry.is_tree:
            return None
        tree = entry.oid
    return None


def walk(objects: Objects, tree: str, prefix: str = "") -> Iterator[tuple[str, Entry]]:
    """Yield every path that is not a folder, with its entry, in the tree's order."""
    for entry in objects.tree(tree):
        path = f"{prefix}{entry.name}"
        if entry.is_tree:
            yield from walk(objects, entry.oid, f"{path}/")
        else:
            yield path, entry


def differing(objects: Objects, old: str | None, new: str | None, prefix: str = "") -> Iterator[str]:
    """Yield the paths of files that are not the same in both trees; None is an empty tree."""
    if old == new:
        return
    before = {entry.name: entry for entry in objects.tree(old)} if old else {}
    after = {entry.name: entry for entry in objects.tree(new)} if new else {}
    for name in sorted(before.keys() | after.keys()):
        left, right = before.get(name), after.get(name)
        if left == right:
            continue
        trees = [entry.oid if entry and entry.is_tree else None for entry in (left, right)]
        if any(trees):
            yield from differing(objects, trees[0], trees[1], f"{prefix}{name}/")
        if any(entry is not None and not entry.is_tree for entry in (left, right)):
            yield f"{prefix}{name}"
