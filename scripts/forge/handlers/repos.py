"""Repositories, the user, the limits, and whether releases are immutable."""

from dataclasses import replace

from forge.call import Answer, Call, Refused, answer_json, not_found
from forge.render import people, repos
from forge.state import Access


def get(call: Call) -> Answer:
    """Return the repository."""
    return answer_json(repos.full(call.repo, call.world, call.links, call.actor))


def get_user(call: Call) -> Answer:
    """Return whose token it is."""
    if call.actor.token is None:
        raise Refused(401, "Requires authentication")
    return answer_json(people.own_user(call.actor.login, call.actor.id, call.links))


def get_root(call: Call) -> Answer:
    """Return a few addresses, for clients that ask where they are."""
    api = call.links.api
    return answer_json({"current_user_url": f"{api}/user", "rate_limit_url": f"{api}/rate_limit"})


def get_immutable(call: Call) -> Answer:
    """Return whether releases are immutable; 404 both where they are not and without admin access."""
    if not call.repo.immutable or not call.may(Access.ADMIN):
        raise not_found()
    return answer_json({"enabled": True, "enforced_by_owner": False})


def put_immutable(call: Call) -> Answer:
    """Make releases that are published from now on immutable."""
    return _set_immutable(call, True)


def delete_immutable(call: Call) -> Answer:
    """Let releases that are published from now on be mutable."""
    return _set_immutable(call, False)


def _set_immutable(call: Call, wanted: bool) -> Answer:
    if not call.may(Access.ADMIN):
        raise not_found()
    call.world.repos[call.repo.id] = replace(call.repo, immutable=wanted)
    call.wrote("immutable.set", str(wanted).lower())
    return Answer(status=204)
