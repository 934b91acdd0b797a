"""What the user typed after ``release status``: a tag or a version, read by the tag template."""

import re
from dataclasses import dataclass

from release.config.loading import Config
from release.config.problems import did_you_mean
from release.config.rules import Refused, check_npm_name, check_ref, fill
from release.config.types import SAMPLE
from release.domain.errors import UsageError
from release.domain.versions import precedence

_LIMIT = 300
_PATTERNS = {"version": r"(?P<version>[0-9A-Za-z][0-9A-Za-z.+_-]*)", "package": r"(?P<package>.+)"}


@dataclass(frozen=True, kw_only=True)
class Selection:
    """``tags``: the remote tag that may show the commit (empty: nothing was typed).

    ``version`` None: take the manifests'. ``package`` is set where the tag template names packages.
    """

    tags: tuple[str, ...] = ()
    version: str | None = None
    package: str | None = None


def parse_selector(config: Config, text: str | None) -> Selection:
    """Read ``v7.8.5``, ``7.8.5`` or ``@acme/core@1.2.3``; raise ``UsageError`` that names the template."""
    if not text:
        return Selection()
    template = config.document.release.tag
    match = re.fullmatch(_pattern(template), text[:_LIMIT])
    package = match.groupdict().get("package") if match else _only_package(config)
    version = match["version"] if match else text
    if len(text) > _LIMIT or not _is_version(config, version) or not _is_package(config, package):
        raise _odd(config, text)
    if config.document.independent and package is None:
        raise _odd(config, text)
    tag = fill(template, version=version, package=package or "")
    try:
        check_ref(tag)
    except Refused as refused:
        raise _odd(config, text) from refused
    return Selection(tags=(tag,), version=version, package=package)


def is_version(text: str) -> bool:
    """Say whether ``text`` is a semantic version."""
    return precedence(text) is not None


def _pattern(template: str) -> str:
    parts = re.split(r"\{(version|package)\}", template)
    return "".join(_PATTERNS[part] if index % 2 else re.escape(part) for index, part in enumerate(parts))


def _only_package(config: Config) -> str | None:
    packages = config.document.package or ()
    return packages[0].name if config.document.independent and len(packages) == 1 else None


def _is_version(config: Config, version: str) -> bool:
    if config.document.package:
        return is_version(version)
    return re.fullmatch(_PATTERNS["version"], version) is not None


def _is_package(config: Config, package: str | None) -> bool:
    if package is None:
        return True
    names = tuple(table.name for table in config.document.package or ())
    try:
        check_npm_name(package)
    except Refused:
        return False
    return package in names or None in names


def _odd(config: Config, text: str) -> UsageError:
    template = config.document.release.tag
    example = fill(template, version=SAMPLE["version"], package=_example_package(config))
    shown = ascii(text[:80])
    either = "" if config.document.independent else f" or a version like {SAMPLE['version']}"
    names = tuple(table.name for table in config.document.package or () if table.name)
    guess = did_you_mean(text.rpartition("@")[0], names) if config.document.independent else ""
    return UsageError(
        f"{shown} is not a tag of this project",
        place="TAG|VERSION",
        fix=f'{guess}the tag template is "{template}": type a tag like {example}{either}',
    )


def _example_package(config: Config) -> str:
    names = (table.name for table in config.document.package or () if table.name)
    return next(names, SAMPLE["package"])
