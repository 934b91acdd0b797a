"""release.toml and the manifests at one commit → the ``Plan``, before anything else is looked at.

Lockstep: one tag, one version. Independent: one tag per selected package. Everything is read through
``SourceTree``, never from the working tree.
"""

from collections.abc import Collection
from dataclasses import dataclass

from release.config.assets import Placed, asset_problems, planned_assets
from release.config.loading import Config
from release.config.lockfile import lockfile_problem
from release.config.manifests import Manifest, read_manifests
from release.config.problems import did_you_mean
from release.config.rules import Refused, check_ref, fill
from release.config.selection import common_version, selected
from release.domain.errors import ConfigError, Problem
from release.domain.plan import Acceptance, Binary, Changesets, Package, Plan, ReleaseSpec, Suite, Tag
from release.domain.versions import is_prerelease, precedence
from release.ports import SourceTree


@dataclass(frozen=True)
class _Released:
    """One selected package and the tag that releases it."""

    manifest: Manifest
    tag: Tag


def build_plan(
    config: Config,
    *,
    commit: str,
    selector: str | None,
    version: str | None,
    tree: SourceTree,
    deep: bool,
    known_gates: Collection[str] = (),
) -> Plan:
    """Build the plan of ``commit``; raise ``ConfigError`` or ``UsageError`` with every problem.

    ``selector`` is what the user typed and ``version`` what ``parse_selector`` read in it; both may be
    None. ``known_gates`` are the names that ``[gates] required`` may use.
    """
    document = config.document
    required = _required(config, known_gates)
    manifests = read_manifests(document.package or (), tree, commit)
    released, tags = _released(config, manifests, tree, selector, version)
    placed = {tag.name: planned_assets(document, tag, _only(manifests)) for tag in tags}
    _check(config, manifests, placed)
    return Plan(
        name=document.release.name,
        version=", ".join(dict.fromkeys(tag.version for tag in tags)),
        commit=commit,
        selector=selector or "",
        policy=config.policy,
        remote=document.release.remote,
        branches=document.release.branches or (),
        tags=tags,
        packages=tuple(_package(item, tree) for item in released),
        binaries=_binaries(placed),
        releases=tuple(_release(config, tag, placed[tag.name]) for tag in tags) if config.github else (),
        github=config.github,
        npm=config.npm,
        checksum_algorithm=document.checksums.algorithm if document.checksums else "sha256",
        changesets=_changesets(config),
        suites=tuple(Suite(name=suite.name) for suite in document.suite or ()),
        acceptances=_acceptances(config),
        required=required,
        deep=deep,
    )


def _released(
    config: Config,
    manifests: tuple[Manifest, ...],
    tree: SourceTree,
    selector: str | None,
    version: str | None,
) -> tuple[tuple[_Released, ...], tuple[Tag, ...]]:
    if not config.document.independent:
        tag = _tag(config, version or common_version(config, manifests), None)
        return tuple(_Released(manifest, tag) for manifest in manifests), (tag,)
    chosen = selected(config, manifests, tree, selector)
    released = tuple(
        _Released(manifest, _tag(config, expected, manifest.name)) for manifest, expected in chosen
    )
    return released, tuple(item.tag for item in released)


def _tag(config: Config, version: str, package: str | None) -> Tag:
    name = fill(config.document.release.tag, version=version, package=package or "")
    try:
        check_ref(name)
    except Refused as refused:
        fix = f"allowed: {refused.allowed}"
        raise ConfigError(refused.message, file=str(config.path), place="release.tag", fix=fix) from refused
    return Tag(name=name, version=version, package=package)


def _package(item: _Released, tree: SourceTree) -> Package:
    manifest, table = item.manifest, item.manifest.table
    return Package(
        name=manifest.name,
        version=manifest.version,
        expected_version=item.tag.version,
        path=table.path,
        manifest=manifest.content,
        dist_tags=table.dist_tags or (default_dist_tag(item.tag.version),),
        build=table.build,
        tag=item.tag.name,
        private=manifest.content.get("private") is True,
        lockfile_problem=lockfile_problem(manifest, tree),
    )


def default_dist_tag(version: str) -> str:
    """Return "latest" for a stable version, else the first word of the prerelease part, or "next"."""
    key = precedence(version)
    if key is None or key.stable:
        return "latest"
    _, _, word = key.identifiers[0]
    return word or "next"


def _binaries(placed: dict[str, tuple[Placed, ...]]) -> tuple[Binary, ...]:
    return tuple(
        item.asset.binary for items in placed.values() for item in items if item.asset.binary is not None
    )


def _release(config: Config, tag: Tag, placed: tuple[Placed, ...]) -> ReleaseSpec:
    table = config.document.release
    return ReleaseSpec(
        tag=tag.name,
        version=tag.version,
        prerelease=is_prerelease(tag.version) if table.prerelease is None else table.prerelease,
        latest=table.latest,
        immutable=table.immutable,
        assets=tuple(item.asset for item in placed),
    )


def _changesets(config: Config) -> Changesets | None:
    table = config.document.changesets
    if table is None:
        return None
    return Changesets(branch=table.branch, title=table.title, directory=table.directory)


def _acceptances(config: Config) -> tuple[Acceptance, ...]:
    return tuple(
        Acceptance(name=table.name, artifact=artifact.value, target=target)
        for table in config.document.acceptance or ()
        for artifact in table.artifacts
        for target in table.targets
    )


def _required(config: Config, known_gates: Collection[str]) -> tuple[str, ...]:
    required = config.document.gates.required or ()
    names = tuple(known_gates)
    unknown = [(index, name) for index, name in enumerate(required) if names and name not in names]
    if unknown:
        problems = tuple(
            Problem(
                file=str(config.path),
                place=f"gates.required[{index}]",
                message=f"{name!r} is not a gate",
                fix=f"{did_you_mean(name, names)}allowed: {', '.join(names)}",
            )
            for index, name in unknown
        )
        raise ConfigError.of(problems)
    return required


def _only(manifests: tuple[Manifest, ...]) -> str | None:
    return manifests[0].name if len(manifests) == 1 else None


def _check(config: Config, manifests: tuple[Manifest, ...], placed: dict[str, tuple[Placed, ...]]) -> None:
    file = str(config.path)
    problems = [problem for items in placed.values() for problem in asset_problems(items, file)]
    names = tuple(manifest.name for manifest in manifests)
    for index, binary in enumerate(config.document.binary or ()):
        if binary.package is not None and binary.package not in names:
            problems.append(
                Problem(
                    file=file,
                    place=f"binary[{index}].package",
                    message=f"{binary.package!r} is not a package of this commit",
                    fix=f"{did_you_mean(binary.package, names)}allowed: {', '.join(names)}",
                )
            )
    if problems:
        raise ConfigError.of(tuple(dict.fromkeys(problems)))
