"""The one GraphQL question that gh asks when a release is not found by its tag: is there a draft?"""

from typing import Any

from forge.call import Answer, Call, answer_json
from forge.state import Access


def post(call: Call) -> Answer:
    """Answer ``RepositoryReleaseByTag``; anything else is an error as GraphQL words it."""
    wanted = call.request.json()
    variables = wanted.get("variables")
    if "RepositoryReleaseByTag" not in str(wanted.get("query", "")) or not isinstance(variables, dict):
        return answer_json({"data": None, "errors": [{"message": "this query is not emulated"}]})
    return answer_json({"data": {"repository": _repository(call, variables)}})


def _repository(call: Call, variables: dict[str, Any]) -> dict[str, Any] | None:
    repo = call.world.repo(f"{variables.get('owner')}/{variables.get('name')}")
    if repo is None or not call.actor.may(repo, Access.PULL):
        return None
    tag = variables.get("tagName")
    drafts = call.actor.may(repo, Access.PUSH)
    for release in call.world.releases_of(repo, drafts=drafts):
        if release.tag_name == tag:
            return {"release": {"databaseId": release.id, "isDraft": release.draft}}
    return {"release": None}
