"""The rules of ``release.config.rules`` as pydantic types; messages say what is allowed."""

import shlex
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from release.config import rules
from release.domain.plan import Latest

T = TypeVar("T")

SAMPLE = {"version": "1.2.3", "package": "@acme/core", "target": "linux-x64", "tag": "v1.2.3", "name": "acme"}


def refusal(message: str, allowed: str) -> PydanticCustomError:
    """Build pydantic's error for a broken rule; the text is data, never a format string."""
    return PydanticCustomError("refused", "{text}", {"text": message, "allowed": allowed})


def _rule(check: Callable[[str], T]) -> Callable[[str], T]:
    def validate(value: str) -> T:
        try:
            return check(value)
        except rules.Refused as refused:
            raise refusal(refused.message, refused.allowed) from refused

    return validate


def _argv(value: object) -> object:
    if isinstance(value, str):
        try:
            words = ", ".join(f'"{word}"' for word in shlex.split(value))
        except ValueError:
            words = '"npm", "run", "build"'
        raise refusal("must be a list of arguments, not one string: no shell is used", f"[{words}]")
    return value


def _argument(value: str) -> str:
    if not value or "\0" in value:
        raise refusal("holds an empty argument or a NUL", 'arguments such as ["npm", "run", "build"]')
    return value


def _latest(value: object) -> Latest:
    match value:
        case True:
            return Latest.YES
        case False:
            return Latest.NO
        case "auto":
            return Latest.AUTO
        case _:
            raise refusal("is not one of the three settings", '"auto", true or false')


def _prerelease(value: object) -> bool | None:
    match value:
        case True | False:
            return value
        case "auto":
            return None
        case _:
            raise refusal("is not one of the three settings", '"auto", true or false')


def _schema(value: object) -> object:
    if type(value) is not int or value != 1:
        raise refusal("is not a schema of this program", "1, as a number")
    return value


def _tag_template(value: str) -> str:
    names = rules.placeholders(value, ("version", "package"))
    if "version" not in names:
        raise rules.Refused(f"{value!r} lacks {{version}}", '"v{version}" or "{package}@{version}"')
    rules.check_ref(rules.fill(value, **{name: SAMPLE[name] for name in names}))
    return value


def _asset_template(value: str) -> str:
    return _file_template(value, ("version", "tag"))


def _archive_template(value: str) -> str:
    return _file_template(value, ("name", "version", "target", "tag"))


def _file_template(value: str, known: tuple[str, ...]) -> str:
    rules.check_text(value)
    rules.placeholders(value, known)
    if "/" in value or "\\" in value:
        raise rules.Refused(f"{value!r} holds a slash", "a file name without folders")
    return value


def _executable_template(value: str) -> str:
    rules.placeholders(rules.check_path(value), ("version", "target"))
    return rules.check_path(value)


def _glob(value: str) -> str:
    return rules.check_path(value)


Text = Annotated[str, AfterValidator(_rule(rules.check_text))]
Name = Annotated[str, AfterValidator(_rule(rules.check_name))]
Word = Annotated[str, AfterValidator(_rule(rules.check_word))]
NpmName = Annotated[str, AfterValidator(_rule(rules.check_npm_name))]
DistTag = Annotated[str, AfterValidator(_rule(rules.check_dist_tag))]
RepoPath = Annotated[str, AfterValidator(_rule(rules.check_path))]
Glob = Annotated[str, AfterValidator(_rule(_glob))]
Repository = Annotated[str, AfterValidator(_rule(rules.check_repository))]
BaseUrl = Annotated[str, AfterValidator(_rule(rules.check_url))]
Remote = Annotated[str, AfterValidator(_rule(rules.check_remote))]
Ref = Annotated[str, AfterValidator(_rule(rules.check_ref))]
TagTemplate = Annotated[str, AfterValidator(_rule(_tag_template))]
AssetTemplate = Annotated[str, AfterValidator(_rule(_asset_template))]
ArchiveTemplate = Annotated[str, AfterValidator(_rule(_archive_template))]
ExecutableTemplate = Annotated[str, AfterValidator(_rule(_executable_template))]

_DURATION_SCHEMA = {"type": "string", "pattern": "^[1-9][0-9]{0,5}(s|m|h)$"}
_THREE_SCHEMA = {"enum": ["auto", True, False]}


def _duration(value: object) -> timedelta:
    if not isinstance(value, str):
        raise refusal("must be text", 'a number and s, m or h in quotes, such as "10m"')
    return _rule(rules.check_duration)(value)


Duration = Annotated[timedelta, BeforeValidator(_duration), WithJsonSchema(_DURATION_SCHEMA)]
LatestSetting = Annotated[Latest, BeforeValidator(_latest), WithJsonSchema(_THREE_SCHEMA)]
PrereleaseSetting = Annotated[bool | None, BeforeValidator(_prerelease), WithJsonSchema(_THREE_SCHEMA)]
SchemaVersion = Annotated[Literal[1], BeforeValidator(_schema)]

# TOML has lists, the model holds tuples; a list that is there must not be empty.
Listed = Annotated[tuple[T, ...], Field(strict=False, min_length=1)]
Argv = Annotated[
    tuple[Annotated[str, AfterValidator(_argument)], ...],
    Field(strict=False, min_length=1),
    BeforeValidator(_argv),
]
