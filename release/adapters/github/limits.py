"""Rate limits and refusals, read from status and headers: is this answer a limit, and when does it lift?

A 403 is a limit only where the server says so by a header (nothing remaining, Retry-After) or by the
documentation link in the body; every other 403 is a denial. Sentences are shown and never matched.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from release.adapters.github.model import Access, Reply
from release.adapters.http.limits import Clock, is_limited, lift
from release.domain.errors import CannotTell

# GitHub's advice where neither Retry-After nor a reset time is given: wait at least a minute
_UNSTATED = 60.0
_SECONDARY = "secondary-rate-limit"
_SERVER_SIDE = frozenset({407, 408, *range(500, 600)})


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A rate limit: the seconds until it lifts, by the server's own clock, and when that is by ours."""

    until: datetime
    wait: float


class _Refusal(msgspec.Struct):
    message: str = ""
    documentation_url: str = ""


def limit_of(reply: Reply, clock: Clock) -> Limit | None:
    """Return the limit that ``reply`` announces, or None where it announces none."""
    if not _is_limit(reply):
        return None
    _, stated = lift(reply.headers, clock)
    wait = _UNSTATED if stated is None else max(stated, 1.0)
    return Limit(until=clock() + timedelta(seconds=wait), wait=wait)


def limited(path: str, until: datetime) -> CannotTell:
    """Build the error for a limit that is too long to wait for."""
    text = f"GET {path}: rate limited until {until:%Y-%m-%dT%H:%M:%SZ}"
    return CannotTell("github.rate-limited", text)


def refusal(path: str, reply: Reply, access: Access) -> CannotTell:
    """Build the error for a status that shows nothing about the world."""
    text = f"GET {path}: answered {reply.status}{_words(reply, access)}"
    if reply.status == 401:
        return CannotTell("github.denied", f"{text}; {_token(access, 'is wrong, expired or revoked')}")
    if reply.status in (403, 451):
        return CannotTell("github.denied", f"{text}; {_token(access, 'may not look at this')}")
    if reply.status in _SERVER_SIDE:
        return CannotTell("github.unreachable", text)
    return CannotTell("github.bad-answer", text)


def _token(access: Access, fault: str) -> str:
    if access.token is None:
        return "no token is set: set GITHUB_TOKEN or GH_TOKEN to one that may read the repository"
    return f"the token in GITHUB_TOKEN or GH_TOKEN {fault}"


def _is_limit(reply: Reply) -> bool:
    if is_limited(reply.status, reply.headers):
        return True
    return reply.status == 403 and _SECONDARY in _decoded(reply).documentation_url


def _decoded(reply: Reply) -> _Refusal:
    try:
        return msgspec.json.decode(reply.body, type=_Refusal)
    except (msgspec.DecodeError, RecursionError):
        return _Refusal()


def _words(reply: Reply, access: Access) -> str:
    """Return the server's own sentence for a person: printable, bounded, and without the token."""
    message = _decoded(reply).message
    if access.token:
        message = message.replace(access.token, "***")
    printable = "".join(char for char in message if char.isprintable())[:200]
    return f" ({printable})" if printable else ""
