"""Which handler answers which address. The first route that matches wins."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from forge.call import Answer, Call
from forge.handlers import assets, checks, downloads, graphql, pulls, refs, releases, repos

Handler = Callable[[Call], Answer]
_REPOSITORY = re.compile(
    r"/(?:repos/(?P<owner>[^/]+)/(?P<repo>[^/]+)|repositories/(?P<repository>\d+))(?P<rest>/.*)?"
)


@dataclass(frozen=True)
class Route:
    """A method and a pattern of the raw path; groups are percent-decoded afterwards."""

    method: str
    pattern: str
    handler: Handler


@dataclass(frozen=True, kw_only=True)
class Match:
    """A handler and what its path named. ``repository`` is ``owner/name``, an id, or None."""

    handler: Handler
    args: Mapping[str, str]
    repository: str | int | None = None


_REF = r"(?P<ref>.+)"
_RELEASE = r"/releases/(?P<release>\d+)"
_ASSET = r"/releases/assets/(?P<asset>\d+)"

IN_REPOSITORY = (
    Route("GET", r"", repos.get),
    Route("GET", rf"/git/ref/{_REF}", refs.get),
    Route("GET", rf"/git/matching-refs/{_REF}", refs.matching),
    Route("POST", r"/git/refs", refs.create),
    Route("GET", r"/git/tags/(?P<sha>[0-9a-f]{40})", refs.get_tag),
    Route("POST", r"/git/tags", refs.create_tag),
    Route("GET", rf"/commits/{_REF}/check-runs", checks.check_runs),
    Route("GET", rf"/commits/{_REF}/statuses", checks.statuses),
    Route("GET", rf"/statuses/{_REF}", checks.statuses),  # the older address, which PyGithub uses
    Route("GET", rf"/commits/{_REF}/status", checks.combined_status),
    Route("GET", rf"/commits/{_REF}/pulls", pulls.of_commit),
    Route("GET", rf"/commits/{_REF}", refs.get_commit),
    Route("GET", r"/pulls", pulls.list_all),
    Route("GET", r"/pulls/(?P<number>\d+)", pulls.get),
    Route("GET", r"/releases", releases.list_all),
    Route("POST", r"/releases", releases.create),
    Route("GET", r"/releases/latest", releases.latest),
    Route("GET", r"/releases/tags/(?P<tag>[^/]+)", releases.of_tag),
    Route("GET", _RELEASE, releases.get),
    Route("PATCH", _RELEASE, releases.update),
    Route("DELETE", _RELEASE, releases.delete),
    Route("GET", rf"{_RELEASE}/assets", assets.list_all),
    Route("GET", _ASSET, assets.get),
    Route("PATCH", _ASSET, assets.update),
    Route("DELETE", _ASSET, assets.delete),
    Route("GET", r"/immutable-releases", repos.get_immutable),
    Route("PUT", r"/immutable-releases", repos.put_immutable),
    Route("DELETE", r"/immutable-releases", repos.delete_immutable),
)
UPLOADS = (Route("POST", rf"{_RELEASE}/assets", assets.upload),)
ELSEWHERE = (
    Route("GET", r"/", repos.get_root),
    Route("GET", r"/user", repos.get_user),
    Route("POST", r"/graphql", graphql.post),
)
DOWNLOADS = (
    Route("GET", r"/release-assets/\d+/(?P<asset>\d+)", downloads.signed),
    Route(
        "GET",
        r"/(?P<owner>[^/]+)/(?P<repo>[^/]+)/releases/download/(?P<tag>.+)/(?P<name>[^/]+)",
        downloads.browser,
    ),
)


def find(host: str, method: str, path: str) -> Match | None:
    """Return what answers ``path`` on this kind of host, or None."""
    if host == "download":
        return _first(DOWNLOADS, method, path)
    inside = _REPOSITORY.fullmatch(path)
    if inside is None:
        return _first(ELSEWHERE, method, path) if host == "api" else None
    found = _first(UPLOADS if host == "uploads" else IN_REPOSITORY, method, inside["rest"] or "")
    if found is None:
        return None
    number = inside["repository"]
    named: str | int = int(number) if number else f"{unquote(inside['owner'])}/{unquote(inside['repo'])}"
    return Match(handler=found.handler, args=found.args, repository=named)


def _first(routes: tuple[Route, ...], method: str, path: str) -> Match | None:
    wanted = "GET" if method == "HEAD" else method
    for route in routes:
        if route.method == wanted and (found := re.fullmatch(route.pattern, path)):
            return Match(
                handler=route.handler, args={name: unquote(text) for name, text in found.groupdict().items()}
            )
    return None
