"""Pull requests, looked at."""

from forge.call import Answer, Call, answer_json, not_found
from forge.handlers.lists import answer_page
from forge.handlers.refs import resolve
from forge.render import pulls
from forge.state import Pull


def list_all(call: Call) -> Answer:
    """Return pull requests by ``state`` (default open) and ``head`` (``owner:branch``), newest first."""
    query = call.request.query
    state, head = query.get("state", "open"), query.get("head", "")
    found = [
        one
        for one in call.world.pulls_of(call.repo)
        if state in ("all", one.state)
        and (":" not in head or head == f"{one.head_owner}:{one.head}")
        and query.get("base", one.base) == one.base
    ]
    return _page(call, found, "/pulls")


def of_commit(call: Call) -> Answer:
    """Return the pull requests that the commit came from or is the head of."""
    sha = resolve(call)
    found = [one for one in call.world.pulls_of(call.repo) if sha in (one.merge_commit_sha, one.head_sha)]
    return _page(call, found, f"/commits/{sha}/pulls")


def get(call: Call) -> Answer:
    """Return one pull request."""
    number = int(call.args["number"])
    for one in call.world.pulls_of(call.repo):
        if one.number == number:
            return answer_json(pulls.whole(one, call.repo, call.world, call.links, call.actor))
    raise not_found()


def _page(call: Call, found: list[Pull], tail: str) -> Answer:
    return answer_page(
        call, found, tail, lambda one: pulls.simple(one, call.repo, call.world, call.links, call.actor)
    )
