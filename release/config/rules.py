"""Rules for the text in release.toml: names, paths, templates, references, addresses, durations.

Each rule returns the accepted value or raises ``Refused`` with what is allowed. Values that may hold a
credential are never repeated in a message.
"""

import re
from datetime import timedelta
from string import Formatter
from urllib.parse import urlsplit


class Refused(ValueError):
    """A value breaks a rule; ``allowed`` says what would be accepted."""

    def __init__(self, message: str, allowed: str) -> None:
        self.message = message
        self.allowed = allowed
        super().__init__(message)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_NAME = re.compile(r"\A[A-Za-z0-9@][A-Za-z0-9._@/+-]*\Z")
_WORD = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9._+-]*\Z")
_NPM = re.compile(r"\A(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*\Z", re.IGNORECASE | re.ASCII)
_REPOSITORY = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+\Z", re.ASCII)
_DURATION = re.compile(r"\A([1-9][0-9]{0,5})(s|m|h)\Z", re.ASCII)
_PART = r"(?:\d+|[xX])"
# As npm reads a range, for what _WORD lets through: `v1` and `1.x` are ranges, `v1-lts` is none.
_RANGE = re.compile(rf"\A[vV]?{_PART}(?:\.{_PART}(?:\.{_PART}(?:-[\w.-]+)?(?:\+[\w.-]+)?)?)?\Z")
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours"}

TEXT_LIMIT = 200


def check_text(value: str) -> str:
    """Accept one visible line of up to 200 characters."""
    if not value.strip():
        raise Refused("is empty", "some text")
    if _CONTROL.search(value):
        raise Refused("holds a control or invisible character", "one line of visible text")
    if len(value) > TEXT_LIMIT:
        raise Refused(f"is {len(value)} characters long", f"at most {TEXT_LIMIT} characters")
    return value


def check_name(value: str) -> str:
    """Accept a name that is safe as a subject, in a path and on a command line."""
    if not _NAME.match(check_text(value)) or ".." in value or "//" in value or value.endswith("/"):
        raise Refused(f"{value!r} is not a name", "letters, digits and . _ - + @ /, a letter or digit first")
    return value


def check_word(value: str) -> str:
    """Accept a target or identifier: one word, no slash."""
    if not _WORD.match(check_text(value)):
        raise Refused(f"{value!r} is not one word", "letters, digits and . _ - +, a letter or digit first")
    return value


def check_npm_name(value: str) -> str:
    """Accept a name that the npm registry accepts: https://docs.npmjs.com/package-name-guidelines."""
    if not _NPM.match(check_text(value)) or value in {"node_modules", "favicon.ico"} or len(value) > 214:
        raise Refused(
            f"{value!r} is not an npm package name",
            '"name" or "@scope/name" of letters, digits and - . _ ~, at most 214 characters, '
            "not beginning with . or _",
        )
    return value


def check_dist_tag(value: str) -> str:
    """Accept a dist-tag: npm refuses what could be read as a version range."""
    if not _WORD.match(check_text(value)) or _RANGE.match(value):
        raise Refused(
            f"{value!r} is not a dist-tag", 'a word that is not a version range, such as "latest" or "next"'
        )
    return value


def check_path(value: str) -> str:
    """Accept a relative POSIX path inside the repository and return it normalised; "." is the root."""
    allowed = 'a relative path inside the repository with "/" between folders, such as "packages/core"'
    check_text(value)
    if value.startswith(("/", "~")) or re.match(r"\A[A-Za-z]:", value):
        raise Refused(f"{value!r} is an absolute path", allowed)
    if "\\" in value:
        raise Refused(f"{value!r} holds a backslash", allowed)
    parts = [part for part in value.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"{value!r} leaves the repository", allowed)
    if ".git" in (part.lower() for part in parts):
        raise Refused(f"{value!r} is inside .git", allowed)
    return "/".join(parts) or "."


def check_repository(value: str) -> str:
    """Accept ``owner/name``."""
    if not _REPOSITORY.match(check_text(value)) or value.endswith((".git", "/.", "/..")):
        raise Refused(f"{value!r} is not a repository", '"owner/name", without a host and without ".git"')
    return value


def check_url(value: str) -> str:
    """Accept an http or https base URL without credentials, query or fragment; drop the final slash."""
    allowed = 'an address such as "https://npm.example.org"'
    check_text(value)
    try:
        parts = urlsplit(value)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError as error:
        raise Refused("is not an address", allowed) from error
    if "@" in parts.netloc:
        raise Refused(
            "holds a user name or password",
            "an address without credentials: they go into NPM_TOKEN or GITHUB_TOKEN",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right or " " in value:
        raise Refused("is not an http or https address", allowed)
    if "?" in value or "#" in value:
        raise Refused("has a query or a fragment", allowed)
    return value.rstrip("/")


def check_remote(value: str) -> str:
    """Accept a git remote's name, path or URL; never one that holds a credential or names a helper."""
    allowed = 'a remote\'s name ("origin"), a path, or a URL without credentials'
    check_text(value)
    if value.startswith("-") or "::" in value:
        raise Refused("is an option or a remote helper, not a remote", allowed)
    if "://" not in value:
        return value
    try:
        parts = urlsplit(value)
    except ValueError as error:
        raise Refused("is not a URL", allowed) from error
    if parts.password is not None or ("@" in parts.netloc and parts.scheme != "ssh"):
        raise Refused("holds a credential", allowed)
    if parts.scheme not in ("https", "http", "ssh", "git", "file"):
        raise Refused(f"uses {parts.scheme}://", "https, http, ssh, git or file")
    return value


def check_ref(value: str) -> str:
    """Accept what ``git check-ref-format refs/tags/VALUE`` accepts (and no leading dash)."""
    parts = value.split("/")
    wrong = (
        _BAD_REF.search(value) is not None
        or value in ("", "@")
        or value.startswith(("-", "/"))
        or value.endswith(("/", "."))
        or any(part.startswith(".") or part.endswith(".lock") for part in parts)
    )
    if wrong:
        raise Refused(
            f"{value!r} is not a git reference",
            "no space, control character or ~ ^ : ? * [ \\, no .. or @{ or //, no part that begins with . "
            "or ends with .lock, no - or / first, no . or / last",
        )
    return value


def check_duration(value: str) -> timedelta:
    """Accept ``30s``, ``10m`` or ``2h``, up to a week."""
    match = _DURATION.match(value)
    if match is None:
        raise Refused(f"{value!r} is not a duration", 'a number and s, m or h, such as "10m"')
    duration = timedelta(**{_UNITS[match[2]]: int(match[1])})
    if duration > timedelta(days=7):
        raise Refused(f"{value!r} is more than a week", 'at most "168h"')
    return duration


def placeholders(template: str, known: tuple[str, ...]) -> frozenset[str]:
    """Return the placeholders of ``template``; refuse unknown ones and stray braces."""
    allowed = "the placeholders " + ", ".join(f"{{{name}}}" for name in known)
    try:
        parts = tuple(Formatter().parse(template))
    except ValueError as error:
        raise Refused(f"{template!r} has a stray brace", allowed) from error
    names = frozenset(name for _, name, _, _ in parts if name is not None)
    if "{{" in template or "}}" in template or any(spec or conversion for _, _, spec, conversion in parts):
        raise Refused(f"{template!r} has more than plain placeholders", allowed)
    unknown = sorted(names - set(known))
    if unknown:
        shown = ", ".join(f"{{{name}}}" for name in unknown)
        raise Refused(f"{template!r} has the unknown placeholder {shown}", allowed)
    return names


def fill(template: str, **values: str) -> str:
    """Put ``values`` into a template that ``placeholders`` accepted."""
    return template.format(**values)
