"""Who asks: the token in the Authorization header, and what it may do with a repository."""

import base64
import binascii

from forge.call import Refused, Request, not_found
from forge.routes import Match
from forge.state import Access, Actor, Repo
from forge.world import ANONYMOUS, World

_LOOKING = ("GET", "HEAD")


def actor(world: World, request: Request) -> Actor:
    """Return whose token the request bears; refuse a token that nobody has."""
    token = _token(request.headers.get("authorization", ""))
    if token is None:
        return ANONYMOUS
    known = world.tokens.get(token)
    if known is None:
        raise Refused(401, "Bad credentials")
    return known


def repository(world: World, match: Match, asker: Actor, method: str) -> Repo | None:
    """Return the repository in the path; refuse what the actor may not see or do."""
    if match.repository is None:
        return None
    wanted = match.repository
    found = world.repos.get(wanted) if isinstance(wanted, int) else world.repo(wanted)
    if found is None or not asker.may(found, Access.PULL):
        raise not_found()
    if method in _LOOKING or asker.may(found, Access.PUSH):
        return found
    if asker.token is None:
        raise Refused(401, "Requires authentication")
    raise Refused(403, "Resource not accessible by personal access token")


def _token(header: str) -> str | None:
    scheme, _, value = header.partition(" ")
    match scheme.lower():
        case "":
            return None
        case "basic":
            try:
                return base64.b64decode(value).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError) as error:
                raise Refused(401, "Bad credentials") from error
        case _:
            return value.strip()
