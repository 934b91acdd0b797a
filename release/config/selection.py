"""Which version a lockstep release has, and which packages an independent one is about."""

from release.config.loading import Config
from release.config.manifests import Manifest, parent_version
from release.config.problems import did_you_mean
from release.config.selector import Selection, parse_selector
from release.domain.errors import ConfigError, Problem, UsageError
from release.ports import SourceTree

Chosen = tuple[Manifest, str]


def common_version(config: Config, manifests: tuple[Manifest, ...]) -> str:
    """Return the version that all manifests agree on; raise ``ConfigError`` where they do not."""
    versions = dict.fromkeys(manifest.version for manifest in manifests)
    if not versions:
        raise ConfigError(
            "no package says which version this is",
            file=str(config.path),
            place="package",
            fix="type the version: `release status VERSION`, or declare a [[package]]",
        )
    if len(versions) > 1:
        listed = ", ".join(f"{manifest.name} {manifest.version}" for manifest in manifests)
        raise ConfigError(
            f"the packages do not have one version: {listed}",
            file=str(config.path),
            place="release.tag",
            fix='type the version: `release status VERSION`, or tag each package: "{package}@{version}"',
        )
    return next(iter(versions))


def selected(
    config: Config, manifests: tuple[Manifest, ...], tree: SourceTree, selector: str | None
) -> tuple[Chosen, ...]:
    """Return the packages of an independent release, each with its version; raise where there is none."""
    asked = _named(parse_selector(config, selector), manifests)
    every = config.document.release.select == "all"
    chosen = tuple(
        (manifest, asked.version if manifest.name == asked.package and asked.version else manifest.version)
        for manifest in manifests
        if every or manifest.name == asked.package or parent_version(manifest, tree) != manifest.version
    )
    if not chosen:
        problems = tuple(
            Problem(
                file=manifest.file,
                place="version",
                message=f"{manifest.version} is also the version in the first parent: nothing is released",
            )
            for manifest in manifests
        )
        advice = Problem(
            file=str(config.path),
            place="release.select",
            message="no package changed its version in this commit",
            fix='name a tag: `release status TAG`, another commit: `--commit SHA`, or set select = "all"',
        )
        raise ConfigError.of((advice, *problems))
    return chosen


def _named(asked: Selection, manifests: tuple[Manifest, ...]) -> Selection:
    names = tuple(manifest.name for manifest in manifests)
    if asked.package is not None and asked.package not in names:
        raise UsageError(
            f"{asked.package!r} is not a package of this commit",
            place="TAG|VERSION",
            fix=f"{did_you_mean(asked.package, names)}allowed: {', '.join(names)}",
        )
    return asked
