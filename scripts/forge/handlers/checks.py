"""Check runs and commit statuses of a commit."""

from forge.call import Answer, Call, answer_json
from forge.handlers.lists import answer_page
from forge.handlers.refs import resolve
from forge.links import Page
from forge.render import checks
from forge.state import CheckRun, Status


def check_runs(call: Call) -> Answer:
    """Return the check runs: the newest of each name and app, or with ``filter=all`` every attempt."""
    query = call.request.query
    found = call.world.checks_of(call.repo, resolve(call))
    if query.get("filter", "latest") != "all":
        found = _newest_runs(found)
    for member, key in (("name", "check_name"), ("status", "status")):
        if key in query:
            found = [one for one in found if getattr(one, member) == query[key]]
    tail = f"/commits/{call.args['ref']}/check-runs"
    return answer_page(
        call, found, tail, lambda one: checks.check_run(one, call.repo, call.world, call.links), "check_runs"
    )


def statuses(call: Call) -> Answer:
    """Return every status of the commit, newest first."""
    found = call.world.statuses_of(call.repo, resolve(call))
    tail = f"/commits/{call.args['ref']}/statuses"
    return answer_page(call, found, tail, lambda one: checks.status(one, call.repo, call.world, call.links))


def combined_status(call: Call) -> Answer:
    """Return the newest status of each context, joined."""
    sha = resolve(call)
    newest = _newest_statuses(call.world.statuses_of(call.repo, sha))
    page = Page.of(call.request.query)
    base = f"{call.links.api}/repositories/{call.repo.id}/commits/{call.args['ref']}/status"
    value = checks.combined(newest, list(page.cut(newest)), sha, call.repo, call.world, call.links)
    return answer_json(value, headers=page.link(base, call.request.query, len(newest)))


def _newest_runs(newest_first: list[CheckRun]) -> list[CheckRun]:
    chosen: dict[tuple[str, str], CheckRun] = {}
    for one in newest_first:
        chosen.setdefault((one.app, one.name), one)
    return list(chosen.values())


def _newest_statuses(newest_first: list[Status]) -> list[Status]:
    chosen: dict[str, Status] = {}
    for one in newest_first:
        chosen.setdefault(one.context, one)
    return list(chosen.values())
