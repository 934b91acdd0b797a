"""Does npm's lockfile at the commit agree with the package's manifest? Text says how not, "" says yes.

Only npm's lockfiles of version 2 and 3 are judged; where there is none, nothing is wrong. A member that
the lockfile does not state is not compared. Of a workspace, its own version and its ranges for other
workspaces are not compared: `npm ci` links workspaces whatever the lockfile says of them, and Changesets
bumps them without touching it.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from release.config.manifests import Manifest, inside, parse_object
from release.domain.errors import ConfigError
from release.ports import SourceTree

_NAMES = ("npm-shrinkwrap.json", "package-lock.json")
_GROUPS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def lockfile_problem(manifest: Manifest, tree: SourceTree) -> str:
    """Return how the package's own or the root's lockfile differs from its manifest, or ""."""
    path = manifest.table.path
    for folder, key in dict.fromkeys(((path, ""), (".", "" if path == "." else path))):
        for name in _NAMES:
            file = inside(folder, name)
            raw = tree.read(file)
            if raw is not None:
                return _judge(raw, file, key, manifest, tree)
    return ""


def _judge(raw: bytes, file: str, key: str, manifest: Manifest, tree: SourceTree) -> str:
    try:
        lock = parse_object(raw, file)
    except ConfigError as error:
        return f"{file}: {error.problems[0].message}"
    if lock.get("lockfileVersion") not in (2, 3):
        return ""
    entries = lock.get("packages")
    if not isinstance(entries, dict):
        return f"{file}: has no packages"
    entry = entries.get(key)
    if entry is None:
        return f"{file}: has no entry for {key}" if key and _is_workspace(key, tree) else ""
    if not isinstance(entry, dict):
        return f"{file}: the entry {key!r} is not an object"
    identity = {"name": manifest.name} if key else {"name": manifest.name, "version": manifest.version}
    return _compare_identity(entry, file, identity) or _compare_specs(entry, file, manifest, _linked(entries))


def _linked(entries: Mapping[str, object]) -> frozenset[str]:
    """Return the names of the workspaces: npm states each as a link in node_modules."""
    return frozenset(
        path.removeprefix("node_modules/")
        for path, entry in entries.items()
        if isinstance(entry, dict) and entry.get("link") is True
    )


def _compare_identity(entry: Mapping[str, object], file: str, identity: Mapping[str, str]) -> str:
    for key, wanted in identity.items():
        stated = entry.get(key)
        if stated is not None and stated != wanted:
            return f"{file}: {key} is {stated!r}, package.json says {wanted!r}"
    return ""


def _compare_specs(entry: Mapping[str, object], file: str, manifest: Manifest, linked: frozenset[str]) -> str:
    for group in _GROUPS:
        stated, wanted_group = _specs(entry, group, linked), _specs(manifest.content, group, linked)
        if stated != wanted_group:
            names = sorted(
                name
                for name in stated.keys() | wanted_group.keys()
                if stated.get(name) != wanted_group.get(name)
            )
            first = names[0]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            return (
                f"{file}: {group} differ in {first}{more}: {stated.get(first, 'absent')!r} there, "
                f"{wanted_group.get(first, 'absent')!r} in package.json"
            )
    return ""


def _specs(content: Mapping[str, object], group: str, linked: frozenset[str]) -> dict[str, object]:
    specs = _group(content, group)
    # npm moves a name that stands in both groups into optionalDependencies
    moved = _group(content, "optionalDependencies").keys() if group == "dependencies" else frozenset()
    return {name: spec for name, spec in specs.items() if name not in linked and name not in moved}


def _group(content: Mapping[str, object], group: str) -> dict[str, object]:
    found = content.get(group)
    return found if isinstance(found, dict) else {}


def _is_workspace(path: str, tree: SourceTree) -> bool:
    raw = tree.read("package.json")
    try:
        declared = parse_object(raw, "package.json").get("workspaces") if raw is not None else None
    except ConfigError:
        return False
    patterns = declared.get("packages") if isinstance(declared, dict) else declared
    if not isinstance(patterns, list):
        return False
    return any(
        isinstance(pattern, str) and fnmatchcase(path, pattern.removeprefix("./").rstrip("/"))
        for pattern in patterns
    )
