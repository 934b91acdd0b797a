"""What the history says of Changesets: what is left at the commit, and which commit set the versions."""

import json
import re
from collections.abc import Iterable, Iterator

from release.adapters.git import tree
from release.adapters.git.objects import Objects
from release.domain.facts.git import ChangesetFacts
from release.domain.plan import Changesets

_DEPTH = 200
_README = re.compile(r"readme\.md\Z", re.IGNORECASE)


def changeset_facts(
    objects: Objects, commit: str, spec: Changesets, manifests: tuple[str, ...]
) -> ChangesetFacts:
    """Look at the commit, and back along first parents (200 at most) for the commit that set the versions."""
    folder = spec.directory.strip("/")
    left = _changesets(objects, commit, folder) - _consumed_in_pre_mode(objects, commit, folder)
    version_commit = next(
        (pair[1] for pair in _line(objects, commit) if _sets_versions(objects, pair, folder, manifests)), None
    )
    return ChangesetFacts(
        unconsumed=tuple(sorted(f"{folder}/{name}" for name in left)),
        version_commit=version_commit,
        changed=changed_paths(objects, version_commit) if version_commit else (),
    )


def changed_paths(objects: Objects, commit: str) -> tuple[str, ...]:
    """Return what differs from the first parent, sorted; of a root commit, everything."""
    found = objects.commit(commit)
    old = objects.commit(found.parents[0]).tree if found.parents else None
    return tuple(sorted(tree.differing(objects, old, found.tree)))


def _line(objects: Objects, commit: str) -> Iterator[tuple[str, str]]:
    """Yield (parent, commit) along first parents, newest first."""
    for _ in range(_DEPTH):
        parents = objects.commit(commit).parents
        if not parents:
            return
        yield parents[0], commit
        commit = parents[0]


def _sets_versions(objects: Objects, pair: tuple[str, str], folder: str, manifests: tuple[str, ...]) -> bool:
    touched = frozenset(changed_paths(objects, pair[1])).intersection(manifests)
    return _consumes(objects, pair, folder) or _bumps(objects, pair, touched)


def _consumes(objects: Objects, pair: tuple[str, str], folder: str) -> bool:
    """Say whether the second commit has not all changesets of the first."""
    before, after = (_changesets(objects, commit, folder) for commit in pair)
    return bool(before - after)


def _bumps(objects: Objects, pair: tuple[str, str], manifests: Iterable[str]) -> bool:
    """Say whether a manifest has another version in the second commit than in the first."""
    versions = [tuple(_version(objects, commit, path) for commit in pair) for path in manifests]
    return any(old is not None and new is not None and old != new for old, new in versions)


def _changesets(objects: Objects, commit: str, folder: str) -> frozenset[str]:
    entry = tree.find(objects, objects.commit(commit).tree, folder)
    if entry is None or not entry.is_tree:
        return frozenset()
    names = (entry.name for entry in objects.tree(entry.oid) if not entry.is_tree)
    return frozenset(
        name
        for name in names
        if name.endswith(".md") and not name.startswith(".") and not _README.match(name)
    )


def _consumed_in_pre_mode(objects: Objects, commit: str, folder: str) -> frozenset[str]:
    # In pre mode Changesets keeps the files, and lists in pre.json those that a version has used.
    match _json(objects, commit, f"{folder}/pre.json"):
        case {"mode": "pre", "changesets": [*names]}:
            return frozenset(f"{name}.md" for name in names)
        case _:
            return frozenset()


def _version(objects: Objects, commit: str, path: str) -> str | None:
    match _json(objects, commit, path):
        case {"version": str(version)}:
            return version
        case _:
            return None


def _json(objects: Objects, commit: str, path: str) -> object:
    entry = tree.find(objects, objects.commit(commit).tree, path)
    if entry is None or entry.mode not in tree.FILES:
        return None
    try:
        return json.loads(objects.blob(entry.oid))
    except ValueError:
        # Its own gate says what is wrong with a manifest; here it only has no version.
        return None
