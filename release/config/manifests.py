"""package.json at the canonical commit: read from git objects, parsed strictly, identity checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from release.config.crosscheck import twins
from release.config.model import PackageTable
from release.config.rules import Refused, check_npm_name
from release.domain.errors import ConfigError, Problem
from release.domain.versions import precedence
from release.ports import SourceTree

SIZE_LIMIT = 5 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One declared package as the commit has it; ``place`` is its key path in release.toml."""

    table: PackageTable
    place: str
    file: str
    name: str
    version: str
    content: Mapping[str, object]


def read_manifests(tables: tuple[PackageTable, ...], tree: SourceTree, commit: str) -> tuple[Manifest, ...]:
    """Read every declared package's manifest; raise ``ConfigError`` with every problem."""
    manifests: list[Manifest] = []
    problems: list[Problem] = []
    for index, table in enumerate(tables):
        try:
            manifests.append(_read(table, f"package[{index}]", tree, commit))
        except ConfigError as error:
            problems += error.problems
    problems += twins(((f"{manifest.place}.name", manifest.name) for manifest in manifests), "release.toml")
    if problems:
        raise ConfigError.of(tuple(problems))
    return tuple(manifests)


def parent_version(manifest: Manifest, tree: SourceTree) -> str | None:
    """Return the version in the first parent's manifest; None where there is none that can be read."""
    raw = tree.read_parent(inside(manifest.table.path, "package.json"))
    if raw is None:
        return None
    try:
        version = parse_object(raw, "package.json").get("version")
    except ConfigError:
        return None
    return version if isinstance(version, str) else None


def inside(folder: str, name: str) -> str:
    """Return the POSIX path of ``name`` in ``folder``, where "." is the root."""
    return name if folder == "." else f"{folder}/{name}"


def parse_object(raw: bytes, file: str) -> Mapping[str, object]:
    """Parse a JSON object strictly: UTF-8 (a byte order mark is allowed), no duplicate keys, no NaN."""
    if len(raw) > SIZE_LIMIT:
        raise ConfigError("is larger than 5 MiB", file=file)
    try:
        value = json.loads(
            raw.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", file=file, fix="save it as UTF-8") from error
    except json.JSONDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        raise ConfigError(f"is not JSON: {error.msg}", file=file, place=place) from error
    except (RecursionError, ValueError) as error:
        text = str(error) if isinstance(error, _Duplicate) else "nested too deeply, or an odd number"
        raise ConfigError(f"is not JSON that can be used: {text}", file=file) from error
    if not isinstance(value, dict):
        raise ConfigError("is not a JSON object", file=file, fix='it must begin with "{"')
    return value


class _Duplicate(ValueError):
    """A JSON object has the same key twice."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Duplicate(f"the key {twice!r} is there twice")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _read(table: PackageTable, place: str, tree: SourceTree, commit: str) -> Manifest:
    path = inside(table.path, "package.json")
    file = f"{path} at {commit[:12]}"
    raw = tree.read(path)
    if raw is None:
        raise ConfigError(
            "does not exist in this commit",
            file=file,
            fix=f"correct {place}.path in release.toml, or choose another commit",
        )
    content = parse_object(raw, file)
    name = _text(content, "name", file)
    version = _text(content, "version", file)
    try:
        check_npm_name(name)
    except Refused as refused:
        fix = f"allowed: {refused.allowed}"
        raise ConfigError(refused.message, file=file, place="name", fix=fix) from refused
    if precedence(version) is None:
        raise ConfigError(
            f"{version!r} is not a semantic version", file=file, place="version", fix="such as 1.2.3"
        )
    if table.name is not None and table.name != name:
        raise ConfigError(
            f"is {name!r}, and {place}.name in release.toml is {table.name!r}",
            file=file,
            place="name",
            fix=f"correct {place}.name or {place}.path in release.toml",
        )
    return Manifest(table=table, place=place, file=file, name=name, version=version, content=content)


def _text(content: Mapping[str, object], key: str, file: str) -> str:
    match content.get(key):
        case str() as text if text:
            return text
        case None:
            raise ConfigError("is missing", file=file, place=key, fix=f"npm publishes nothing without {key}")
        case _:
            raise ConfigError("must be text", file=file, place=key)
