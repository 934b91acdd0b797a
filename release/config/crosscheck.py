"""Rules across the keys of release.toml: twins, tables that need other tables, templates that collide.

Every rule yields all its problems; none stops another.
"""

from collections.abc import Iterable, Iterator

from release.config.assets import asset_problems, planned_assets
from release.config.evaluation import ArtifactKind
from release.config.model import Document
from release.config.problems import did_you_mean
from release.config.rules import fill
from release.domain.errors import Problem
from release.domain.plan import Tag

_NPM = (ArtifactKind.PACKED_NPM, ArtifactKind.REGISTRY_NPM)
_BINARY = (ArtifactKind.BUILT_BINARY, ArtifactKind.DOWNLOADED_BINARY)
_SAMPLE_VERSION = "1.2.3"


def crosscheck(document: Document, file: str) -> tuple[Problem, ...]:
    """Return every problem that only shows when keys are seen together."""
    rules = (_twins, _needs, _modes, _archives, _launchers, _artifacts, _assets)
    return tuple(problem for rule in rules for problem in rule(document, file))


def twins(values: Iterable[tuple[str, str]], file: str) -> Iterator[Problem]:
    """Yield a problem for each (place, value) whose value, upper or lower case, was there before."""
    first: dict[str, str] = {}
    for place, value in values:
        before = first.setdefault(value.casefold(), place)
        if before != place:
            yield Problem(
                file=file, place=place, message=f"{value!r} is there twice, first as {before}", fix="keep one"
            )


def _twins(document: Document, file: str) -> Iterator[Problem]:
    packages, binaries = document.package or (), document.binary or ()
    release, github = document.release, document.github
    lists = {
        "release.branches": release.branches,
        "github.required_checks": github.required_checks if github else None,
        "gates.required": document.gates.required,
        **{f"package[{i}].dist_tags": package.dist_tags for i, package in enumerate(packages)},
        **{f"binary[{i}].targets": binary.targets for i, binary in enumerate(binaries)},
        **{f"acceptance[{i}].targets": table.targets for i, table in enumerate(document.acceptance or ())},
        **{
            f"acceptance[{i}].artifacts": table.artifacts for i, table in enumerate(document.acceptance or ())
        },
    }
    for place, values in lists.items():
        yield from twins(((f"{place}[{i}]", value) for i, value in enumerate(values or ())), file)
    named = {
        "package": tuple((i, package.name) for i, package in enumerate(packages) if package.name),
        "binary": tuple((i, binary.name) for i, binary in enumerate(binaries)),
        "suite": tuple((i, suite.name) for i, suite in enumerate(document.suite or ())),
        "acceptance": tuple((i, table.name) for i, table in enumerate(document.acceptance or ())),
        "smoke": tuple((i, smoke.name) for i, smoke in enumerate(document.smoke or ())),
    }
    for table, names in named.items():
        yield from twins(((f"{table}[{i}].name", name) for i, name in names), file)
    yield from twins(((f"package[{i}].path", package.path) for i, package in enumerate(packages)), file)


def _needs(document: Document, file: str) -> Iterator[Problem]:
    if document.github is not None:
        return
    holders = {
        "binary": document.binary,
        "checksums": document.checksums,
        "manifest": document.manifest,
        "release.extra_assets": document.release.extra_assets,
    }
    for place, declared in holders.items():
        if declared is not None:
            yield Problem(
                file=file,
                place=place,
                message="needs a GitHub repository, and there is no [github] table",
                fix='add [github] with repository = "owner/name"',
            )


def _modes(document: Document, file: str) -> Iterator[Problem]:
    packages, binaries = document.package or (), document.binary or ()
    if not document.independent:
        lockstep = 'only allowed with one tag per package, such as tag = "{package}@{version}"'
        if document.release.select is not None:
            yield Problem(file=file, place="release.select", message="has no meaning here", fix=lockstep)
        for index, binary in enumerate(binaries):
            if binary.package is not None:
                place = f"binary[{index}].package"
                yield Problem(file=file, place=place, message="has no meaning here", fix=lockstep)
        return
    if not packages:
        yield Problem(
            file=file,
            place="release.tag",
            message="has {package}, and no package is declared",
            fix='add a [[package]] table, or use "v{version}"',
        )
    names = tuple(package.name for package in packages if package.name)
    for index, binary in enumerate(binaries):
        place = f"binary[{index}].package"
        if binary.package is None and len(packages) > 1:
            yield Problem(
                file=file,
                place=place,
                message="is required where each package has its own release",
                fix=f"allowed: one of {', '.join(names) or 'the packages'}",
            )
        if binary.package is not None and len(names) == len(packages) and binary.package not in names:
            guess = did_you_mean(binary.package, names)
            fix = f"{guess}allowed: {', '.join(names)}"
            yield Problem(
                file=file, place=place, message=f"{binary.package!r} is not a package here", fix=fix
            )


def _archives(document: Document, file: str) -> Iterator[Problem]:
    for index, binary in enumerate(document.binary or ()):
        if len(binary.targets) > 1 and "{target}" not in binary.archive:
            yield Problem(
                file=file,
                place=f"binary[{index}].archive",
                message=f"{binary.archive!r} lacks {{target}}, which more than one target needs",
                fix="put {target} into it, such as " + f'"{binary.name}-{{version}}-{{target}}.tar.gz"',
            )


def _launchers(document: Document, file: str) -> Iterator[Problem]:
    tables = [(f"acceptance[{i}]", table.command) for i, table in enumerate(document.acceptance or ())]
    tables += [(f"smoke[{i}]", table.command) for i, table in enumerate(document.smoke or ())]
    for place, command in tables:
        if command is not None and not any("{launcher}" in argument for argument in command):
            yield Problem(
                file=file,
                place=f"{place}.command",
                message="does not run the artifact: no argument holds {launcher}",
                fix='allowed: a list such as ["{launcher}", "doctor"]',
            )


def _artifacts(document: Document, file: str) -> Iterator[Problem]:
    targets = {target for binary in document.binary or () for target in binary.targets}
    for index, table in enumerate(document.acceptance or ()):
        place = f"acceptance[{index}]"
        if not document.package and any(kind in _NPM for kind in table.artifacts):
            yield _nothing(file, f"{place}.artifacts", "an npm artifact", "[[package]]")
        if any(kind in _BINARY for kind in table.artifacts):
            if not targets:
                yield _nothing(file, f"{place}.artifacts", "a binary artifact", "[[binary]]")
            for target in (target for target in table.targets if targets and target not in targets):
                yield Problem(
                    file=file,
                    place=f"{place}.targets",
                    message=f"no binary is built for {target!r}",
                    fix=f"{did_you_mean(target, tuple(targets))}allowed: {', '.join(sorted(targets))}",
                )


def _nothing(file: str, place: str, what: str, table: str) -> Problem:
    return Problem(
        file=file, place=place, message=f"names {what}, and there is no {table}", fix=f"add a {table} table"
    )


def _assets(document: Document, file: str) -> Iterator[Problem]:
    owners = {binary.package for binary in document.binary or ()} if document.independent else {None}
    for owner in sorted(owners or {None}, key=str):
        package = owner or "@acme/core"
        name = fill(document.release.tag, version=_SAMPLE_VERSION, package=package)
        tag = Tag(name=name, version=_SAMPLE_VERSION, package=package if document.independent else None)
        yield from asset_problems(planned_assets(document, tag, package), file)
