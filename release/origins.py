"""Where a token may go: over https anywhere, over plain http only to this machine itself."""

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from release.domain.errors import Problem, UsageError
from release.domain.plan import GitHubPolicy, NpmPolicy


def refuse_plain_http(github: GitHubPolicy | None, npm: NpmPolicy | None) -> None:
    """Raise ``UsageError`` that names every address to which a token would travel unencrypted.

    Pass None for a channel that gets no token.
    """
    found = tuple(_problems(github, npm))
    if found:
        raise UsageError.of(found)


def _problems(github: GitHubPolicy | None, npm: NpmPolicy | None) -> Iterator[Problem]:
    if github is not None:
        yield from _of("[github] api", github.api, "GITHUB_TOKEN and GH_TOKEN")
        yield from _of("[github] uploads", github.uploads, "GITHUB_TOKEN and GH_TOKEN")
    if npm is not None:
        yield from _of("[npm] registry", npm.registry, "NODE_AUTH_TOKEN and NPM_TOKEN")


def _of(place: str, url: str, names: str) -> Iterator[Problem]:
    parts = urlsplit(url)
    if parts.scheme == "http" and not _is_this_machine(parts.hostname or ""):
        yield Problem(
            message=f"a token would be sent to {url} unencrypted",
            place=place,
            fix=f"use https://, or unset {names}",
        )


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
