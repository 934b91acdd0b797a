"""release.toml from disk: found, read, parsed, validated; every problem listed with its place.

Nothing here looks at the repository or the network. The policy digest covers the file's content alone, so
it is the same on every machine, whatever the environment's defaults.
"""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli
from pydantic import ValidationError

from release.config.crosscheck import crosscheck
from release.config.model import Document
from release.config.policies import github_policy, npm_policy
from release.config.problems import problems_of
from release.domain.errors import ConfigError
from release.domain.plan import GitHubPolicy, NpmPolicy

FILE_NAME = "release.toml"
SIZE_LIMIT = 1024 * 1024
_START = 'start with: [release] and name = "…"; `release config schema` prints every key'


@dataclass(frozen=True, kw_only=True)
class Config:
    """A valid release.toml: where it is, its document, and what the environment fills in.

    ``policy`` is the SHA-256 (hex) of the document's canonical JSON.
    """

    path: Path
    document: Document
    github: GitHubPolicy | None
    npm: NpmPolicy
    policy: str


def locate(given: Path | None, cwd: Path) -> Path:
    """Return the file that ``--config`` names, else the nearest release.toml upward from ``cwd``."""
    if given is not None:
        return cwd / given
    for folder in (cwd, *cwd.parents):
        if (folder / FILE_NAME).exists():
            return folder / FILE_NAME
    raise ConfigError(
        f"there is no {FILE_NAME} in {cwd} or above",
        file=FILE_NAME,
        fix=f"name it with --config PATH, or write one: {_START}",
    )


def load(path: Path, env: Mapping[str, str]) -> Config:
    """Read and validate the file; raise ``ConfigError`` with every problem."""
    document = parse(_text(path), str(path))
    problems = crosscheck(document, str(path))
    github, github_problems = github_policy(document.github, env, str(path))
    npm, npm_problems = npm_policy(document.npm, env)
    found = (*problems, *github_problems, *npm_problems)
    if found or npm is None:
        raise ConfigError.of(found)
    return Config(path=path, document=document, github=github, npm=npm, policy=policy_digest(document))


def parse(text: str, file: str) -> Document:
    """Parse and validate TOML text; rules across keys are not checked here."""
    try:
        data = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        raise ConfigError(
            f"is not TOML: {error.msg}", file=file, place=place, fix="mend the syntax: https://toml.io"
        ) from error
    except (RecursionError, ValueError) as error:
        raise ConfigError(
            "is not TOML that can be read: nested too deeply, or a number too long", file=file
        ) from error
    try:
        return Document.model_validate(data)
    except ValidationError as error:
        raise ConfigError.of(problems_of(error, file)) from error


def policy_digest(document: Document) -> str:
    """Return the SHA-256 (hex) of the document's canonical JSON."""
    dump = document.model_dump(mode="json", by_alias=True)
    text = json.dumps(dump, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _text(path: Path) -> str:
    file = str(path)
    raw = _bytes(path, file)
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(
            "begins with a byte order mark", file=file, place="1:1", fix="save it as UTF-8 without BOM"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        place = f"{before.count(10) + 1}:{error.start - before.rfind(10)}"
        raise ConfigError("is not UTF-8", file=file, place=place, fix="save it as UTF-8") from error


def _bytes(path: Path, file: str) -> bytes:
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError("is not a file", file=file, fix=f"name the file itself: {FILE_NAME}")
            raw = stream.read(SIZE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError("does not exist", file=file, fix=_START) from error
    except IsADirectoryError as error:
        raise ConfigError("is a folder", file=file, fix=f"name the file in it: {FILE_NAME}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise ConfigError(f"cannot be read: {reason}", file=file, fix="check path and permissions") from error
    if len(raw) > SIZE_LIMIT:
        raise ConfigError("is larger than 1 MiB", file=file, fix="is it really release.toml?")
    return raw
