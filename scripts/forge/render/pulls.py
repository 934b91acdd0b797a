"""Pull requests."""

from typing import Any

from forge.links import Links
from forge.render.people import node_id, user
from forge.render.repos import full
from forge.state import Actor, Pull, Repo, stamp
from forge.world import World


def simple(one: Pull, repo: Repo, world: World, links: Links, actor: Actor) -> dict[str, Any]:
    """Return a pull-request-simple."""
    url, page = f"{links.repo(repo)}/pulls/{one.number}", f"{links.web(repo)}/pull/{one.number}"
    author = user(one.head_owner, world.user_id(one.head_owner), links)
    closed = one.merged_at or (one.created_at if one.state == "closed" else None)
    return {
        "id": one.id,
        "node_id": node_id("PullRequest", one.id),
        "number": one.number,
        "state": one.state,
        "locked": False,
        "title": one.title,
        "user": author,
        "body": one.body,
        "labels": [],
        "milestone": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "draft": False,
        "auto_merge": None,
        "active_lock_reason": None,
        "author_association": "COLLABORATOR",
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.merged_at or one.created_at),
        "closed_at": stamp(closed),
        "merged_at": stamp(one.merged_at),
        "merge_commit_sha": one.merge_commit_sha,
        "head": {
            "label": f"{one.head_owner}:{one.head}",
            "ref": one.head,
            "sha": one.head_sha,
            "user": author,
            "repo": full(repo, world, links, actor),
        },
        "base": {
            "label": f"{repo.owner}:{one.base}",
            "ref": one.base,
            "sha": one.base_sha,
            "user": user(repo.owner, world.user_id(repo.owner), links),
            "repo": full(repo, world, links, actor),
        },
        **_addresses(one, repo, links, url, page),
    }


def whole(one: Pull, repo: Repo, world: World, links: Links, actor: Actor) -> dict[str, Any]:
    """Return a pull-request; the counters are not kept."""
    merger = user(repo.owner, world.user_id(repo.owner), links)
    counters = ("comments", "review_comments", "commits", "additions", "deletions", "changed_files")
    return {
        **simple(one, repo, world, links, actor),
        "merged": one.merged_at is not None,
        "mergeable": None,
        "rebaseable": None,
        "mergeable_state": "unknown",
        "merged_by": merger if one.merged_at else None,
        "maintainer_can_modify": False,
        **dict.fromkeys(counters, 0),
    }


def _addresses(one: Pull, repo: Repo, links: Links, url: str, page: str) -> dict[str, Any]:
    issue = f"{links.repo(repo)}/issues/{one.number}"
    found = {
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "commits": f"{url}/commits",
        "review_comments": f"{url}/comments",
        "review_comment": f"{links.repo(repo)}/pulls/comments{{/number}}",
        "statuses": f"{links.repo(repo)}/statuses/{one.head_sha}",
    }
    return {
        "url": url,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **{f"{name}_url": address for name, address in found.items()},
        "_links": {name: {"href": address} for name, address in {"self": url, **found}.items()},
    }
