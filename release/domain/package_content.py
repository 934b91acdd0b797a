"""What a user of a packed npm package would miss: entry points that are not files in it, and
dependencies that cannot be installed.

Resolution follows Node for ``main`` and ``exports``, TypeScript for ``types``, npm for ``bin``. Every
declared target counts, whichever condition selects it; what is not declared is not judged.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from release.domain.facts.npm import TreeEntry
from release.domain.package_exports import exports_problems
from release.domain.trees import printable
from release.domain.versions import precedence

MISSING = "missing-target"
UNRESOLVED = "unresolved-protocol"

_INSTALLED = ("dependencies", "optionalDependencies", "peerDependencies")
_LOCAL = ("workspace:", "file:", "link:", "portal:", "catalog:", "./", "../", "/", "~/")
_NODE = (".js", ".json", ".node")
_BUNDLER = (".mjs", ".cjs", *_NODE)
_TYPES = (".d.ts", ".ts", ".tsx")
_TYPES_OF = {
    ".js": (".d.ts", ".ts", ".tsx"),
    ".mjs": (".d.mts", ".mts"),
    ".cjs": (".d.cts", ".cts"),
}


@dataclass(frozen=True, kw_only=True)
class ContentProblem:
    """One thing that is wrong with a package's contents; ``code`` is the suffix of the reason."""

    code: str
    message: str


def content_problems(
    manifest: Mapping[str, object], tree: tuple[TreeEntry, ...]
) -> tuple[ContentProblem, ...]:
    """Return every missing target and every dependency that no user can install, in manifest order."""
    files = frozenset(entry.path for entry in tree)
    missing = (*_entry_problems(manifest, files), *exports_problems(manifest.get("exports"), files))
    return (
        *(ContentProblem(code=MISSING, message=message) for message in missing),
        *protocol_problems(manifest),
    )


def listed(problems: tuple[ContentProblem, ...], limit: int) -> str:
    """Name at most ``limit`` problems, and count the others."""
    parts = [printable(problem.message) for problem in problems[:limit]]
    hidden = len(problems) - len(parts)
    return "; ".join([*parts, f"and {hidden} more"] if hidden else parts)


def protocol_problems(manifest: Mapping[str, object]) -> tuple[ContentProblem, ...]:
    """Return the dependencies that name a place on the publisher's machine, or a workspace's catalogue."""
    return tuple(
        ContentProblem(code=UNRESOLVED, message=f"{section} {name}: {wanted}")
        for section in _INSTALLED
        for name, wanted in _strings(manifest.get(section))
        if wanted.strip().lower().startswith(_LOCAL)
    )


def internal_dependencies(
    manifest: Mapping[str, object], names: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """Return (name, range) of each installed dependency on one of ``names``, behind ``npm:`` aliases too."""
    return _ranges(manifest, _INSTALLED, frozenset(names).__contains__)


def pinned_elsewhere(
    manifest: Mapping[str, object], planned: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return (name, version) of each dependency on a ``planned`` package at exactly another version.

    ``planned`` maps names to the versions that are released together; ranges are not judged here.
    """
    return tuple(
        (name, wanted)
        for name, wanted in internal_dependencies(manifest, planned)
        if (exact := precedence(wanted.lstrip("=v"))) and exact != precedence(planned[name])
    )


def family_dependencies(
    manifest: Mapping[str, object], names: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """Return (name, range) of the optional dependencies that belong to one of ``names``.

    That is how platform packages are named: in the same scope (``@acme/cli-linux-x64``), in a scope of the
    package's name (``@acme/linux-x64`` of ``acme``), or with its name in front (``acme-linux-x64``).
    """
    scopes = {name.partition("/")[0] if name.startswith("@") else f"@{name}" for name in names}
    prefixes = tuple(f"{name}-" for name in names)

    def of_family(name: str) -> bool:
        return name.partition("/")[0] in scopes or name.startswith(prefixes)

    return _ranges(manifest, ("optionalDependencies",), of_family)


def _ranges(
    manifest: Mapping[str, object], sections: tuple[str, ...], chosen: Callable[[str], bool]
) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for section in sections:
        for name, wanted in _strings(manifest.get(section)):
            name, wanted = _alias(name, wanted.strip() or "*")
            # What has a protocol or a path (git, URL, tarball) is not looked up in the registry.
            if chosen(name) and ":" not in wanted and "/" not in wanted:
                found[name, wanted] = None
    return tuple(found)


def _alias(name: str, wanted: str) -> tuple[str, str]:
    if not wanted.startswith("npm:"):
        return name, wanted
    target, _, version = wanted.removeprefix("npm:").rpartition("@")
    return (target, version) if target else (wanted.removeprefix("npm:"), "*")


def _entry_problems(manifest: Mapping[str, object], files: frozenset[str]) -> Iterator[str]:
    for key in ("main", "module", "browser"):
        extensions = _NODE if key == "main" else _BUNDLER
        for target in _target(manifest, key):
            if not _resolves(target, extensions, files):
                yield f"{key}: {target}"
    for key in ("types", "typings"):
        for target in _target(manifest, key):
            candidates = (target, *_redirected(target, manifest.get("typesVersions")))
            if not any(_resolves_types(candidate, files) for candidate in candidates):
                yield f"{key}: {target}"
    for name, target in _bins(manifest.get("bin")):
        if target and _inside(target) not in files:
            yield f"bin {name}: {target}" if name else f"bin: {target}"


def _target(manifest: Mapping[str, object], key: str) -> Iterator[str]:
    """Yield the one target, if any: an empty string or another type declares nothing for npm and Node."""
    return (target for _, target in _strings({key: manifest.get(key)}) if target)


def _bins(declared: object) -> Iterator[tuple[str, str]]:
    return _strings({"": declared} if isinstance(declared, str) else declared)


def _resolves(target: str, extensions: tuple[str, ...], files: frozenset[str]) -> bool:
    """Resolve as Node's LOAD_AS_FILE and LOAD_INDEX do (nodejs.org/api/modules.html)."""
    path = _inside(target)
    stem = posixpath.join(path, "index") if path else "index"
    names = (path, *(path + end for end in extensions), *(stem + end for end in extensions))
    return any(name in files for name in names)


def _resolves_types(target: str, files: frozenset[str]) -> bool:
    """Resolve as TypeScript does: the file, with a declaration's extension, or a folder's index."""
    stem, extension = posixpath.splitext(_inside(target))
    beside = (stem + end for end in _TYPES_OF.get(extension, ()))
    return _resolves(target, _TYPES, files) or any(name in files for name in beside)


def _redirected(target: str, types_versions: object) -> Iterator[str]:
    """Yield where ``typesVersions`` sends the declared types, for any version of TypeScript."""
    ranges = types_versions.values() if isinstance(types_versions, Mapping) else ()
    for pattern, places in (item for one in ranges if isinstance(one, Mapping) for item in one.items()):
        before, star, after = str(pattern).partition("*")
        path = _inside(target)
        if star and path.startswith(before) and path.endswith(after):
            rest = path.removeprefix(before).removesuffix(after)
        elif path == _inside(str(pattern)):
            rest = ""
        else:
            continue
        for place in places if isinstance(places, list) else ():
            yield str(place).replace("*", rest)


def _inside(target: str) -> str:
    """Return the path from the package's root, as npm normalises it: never outside the package."""
    return posixpath.normpath("/" + target.replace("\\", "/")).lstrip("/")


def _strings(section: object) -> Iterator[tuple[str, str]]:
    """Yield the members of a JSON object that are strings."""
    if isinstance(section, Mapping):
        for name, value in section.items():
            if isinstance(value, str):
                yield str(name), value
