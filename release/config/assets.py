"""Which assets a release must hold, under which names, and which names cannot work on GitHub."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.config.model import BinaryTable, Document
from release.config.rules import check_path, fill
from release.domain.asset_names import github_name
from release.domain.errors import Problem
from release.domain.plan import Asset, AssetKind, Binary, Tag

LIMIT = 1000


@dataclass(frozen=True)
class Placed:
    """An expected asset, and the key path that asks for it."""

    asset: Asset
    place: str


def planned_assets(document: Document, tag: Tag, only_package: str | None) -> tuple[Placed, ...]:
    """Return the assets that the release of ``tag`` must hold, in the order of release.toml.

    ``only_package`` is the package that a binary without ``package`` belongs to (independent tags).
    """
    tables = tuple(document.binary or ())
    mine = tuple(
        (index, table)
        for index, table in enumerate(tables)
        if not document.independent or (table.package or only_package) == tag.package
    )
    archives = tuple(placed for index, table in mine for placed in _archives(index, table, tag))
    if tables and not mine:
        return ()
    return archives + tuple(_companions(document, tag))


def asset_problems(placed: Iterable[Placed], file: str) -> Iterator[Problem]:
    """Find names that collide, that GitHub would rewrite, and too many of them."""
    seen: dict[str, Placed] = {}
    items = tuple(placed)
    for item in items:
        name, stored = item.asset.name, github_name(item.asset.name)
        if stored != name:
            yield Problem(
                file=file,
                place=item.place,
                message=f"GitHub would store the asset {name!r} as {stored!r}",
                fix=f"plan the name that GitHub keeps: {stored!r}",
            )
        other = seen.setdefault(stored.casefold(), item)
        if other.place != item.place:
            yield Problem(
                file=file,
                place=item.place,
                message=f"the asset {name!r} collides with {other.asset.name!r} of {other.place}",
                fix="give every asset of a release its own name, also when upper and lower case are equal",
            )
    if len(items) > LIMIT:
        yield Problem(
            file=file,
            message=f"the release would hold {len(items)} assets",
            fix=f"allowed: at most {LIMIT}, GitHub refuses more",
        )


def _archives(index: int, table: BinaryTable, tag: Tag) -> Iterator[Placed]:
    for target in table.targets:
        name = fill(table.archive, name=table.name, version=tag.version, target=target, tag=tag.name)
        binary = Binary(
            name=table.name,
            target=target,
            archive=name,
            executable=_executable(table, target, tag.version),
            build=table.build,
            tag=tag.name,
        )
        asset = Asset(name=name, kind=AssetKind.BINARY, tag=tag.name, binary=binary)
        yield Placed(asset, f"binary[{index}].archive")


def _executable(table: BinaryTable, target: str, version: str) -> str:
    if table.executable is not None:
        return check_path(fill(table.executable, target=target, version=version))
    windows = any(word in target.lower() for word in ("windows", "win32", "win64", "win-", "mingw", "msvc"))
    return f"{table.name}.exe" if windows else table.name


def _companions(document: Document, tag: Tag) -> Iterator[Placed]:
    wanted: list[tuple[str, AssetKind, str]] = []
    if document.checksums:
        wanted.append((document.checksums.template, AssetKind.CHECKSUMS, "checksums.file"))
    if document.manifest:
        wanted.append((document.manifest.file, AssetKind.MANIFEST, "manifest.file"))
    for index, template in enumerate(document.release.extra_assets or ()):
        wanted.append((template, AssetKind.EXTRA, f"release.extra_assets[{index}]"))
    for template, kind, place in wanted:
        name = fill(template, version=tag.version, tag=tag.name)
        yield Placed(Asset(name=name, kind=kind, tag=tag.name), place)
