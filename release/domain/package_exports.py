"""The targets of package.json's ``exports``, each of which must be a file in the package.

Source: Node, "Packages" → PACKAGE_TARGET_RESOLVE. Targets start with ``./`` and are taken literally: no
extension is added and no folder is searched. ``null`` closes a subpath; of an array one target suffices.
"""

import re
from collections.abc import Iterator, Mapping

_SEGMENTS = re.compile(r"(?:^|/)(?:\.|\.\.|node_modules)(?:/|$)", re.IGNORECASE)


def exports_problems(exports: object, files: frozenset[str]) -> tuple[str, ...]:
    """Return one line for each target that Node cannot resolve to one of ``files``."""
    if not isinstance(exports, Mapping):
        return tuple(_problems(".", exports, files))
    dotted = [str(key).startswith(".") for key in exports]
    if not any(dotted):
        return tuple(_problems(".", exports, files))
    if not all(dotted):
        return ("exports mixes subpaths and conditions, which Node refuses",)
    return tuple(
        problem for subpath, target in exports.items() for problem in _problems(str(subpath), target, files)
    )


def _problems(subpath: str, target: object, files: frozenset[str]) -> Iterator[str]:
    match target:
        case None:
            return
        case str():
            problem = _target_problem(subpath, target, files)
            if problem is not None:
                yield f"exports {subpath}: {target}{problem}"
        case list():
            choices = [list(_problems(subpath, choice, files)) for choice in target if choice is not None]
            if choices and all(choices):
                yield from choices[0]
        case Mapping():
            for condition in target.values():
                yield from _problems(subpath, condition, files)
        case _:
            yield f"exports {subpath}: {target!r} is not a target"


def _target_problem(subpath: str, target: str, files: frozenset[str]) -> str | None:
    """Return None where the target resolves, else what to add to its name (often nothing)."""
    if not target.startswith("./"):
        return " does not start with ./"
    path = re.sub(r"/+", "/", target[2:])
    if _SEGMENTS.search(path):
        return " has a segment that Node refuses"
    if subpath.endswith("/") and target.endswith("/"):
        return None if any(name.startswith(path) for name in files) else ""
    if "*" in subpath and "*" in path:
        return None if any(map(_pattern(path).fullmatch, files)) else " matches no file"
    return None if path in files else ""


def _pattern(path: str) -> re.Pattern[str]:
    """Compile a target with ``*``: each one stands for the same text, which may hold slashes."""
    first, *others = (re.escape(part) for part in path.split("*"))
    return re.compile(f"{first}(?P<star>.+)" + "(?P=star)".join(others), re.DOTALL)
