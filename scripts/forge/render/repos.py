"""Repositories."""

from typing import Any

from forge.links import Links
from forge.render.people import node_id, user
from forge.state import Access, Actor, Repo, stamp
from forge.world import World

_PLAIN = (
    *("contributors", "deployments", "downloads", "events", "forks", "hooks", "languages", "merges"),
    *("stargazers", "subscribers", "subscription", "tags", "teams"),
)
_TEMPLATES = {
    "archive": "{archive_format}{/ref}",
    "assignees": "assignees{/user}",
    "blobs": "git/blobs{/sha}",
    "branches": "branches{/branch}",
    "collaborators": "collaborators{/collaborator}",
    "comments": "comments{/number}",
    "commits": "commits{/sha}",
    "compare": "compare/{base}...{head}",
    "contents": "contents/{+path}",
    "git_commits": "git/commits{/sha}",
    "git_refs": "git/refs{/sha}",
    "git_tags": "git/tags{/sha}",
    "issue_comment": "issues/comments{/number}",
    "issue_events": "issues/events{/number}",
    "issues": "issues{/number}",
    "keys": "keys{/key_id}",
    "labels": "labels{/name}",
    "milestones": "milestones{/number}",
    "notifications": "notifications{?since,all,participating}",
    "pulls": "pulls{/number}",
    "releases": "releases{/id}",
    "statuses": "statuses/{sha}",
    "trees": "git/trees{/sha}",
}
_COUNTS = (
    *("forks", "forks_count", "open_issues", "open_issues_count", "size"),
    *("stargazers_count", "watchers", "watchers_count"),
)
_OFF = (
    *("archived", "disabled", "fork", "has_discussions", "has_downloads", "has_pages", "has_projects"),
    *("has_wiki", "is_template"),
)
_NOTHING = ("description", "homepage", "language", "license", "mirror_url")


def minimal(repo: Repo, world: World, links: Links) -> dict[str, Any]:
    """Return the members that every kind of repository object has."""
    url = links.repo(repo)
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user(repo.owner, world.user_id(repo.owner), links),
        "html_url": links.web(repo),
        "description": None,
        "fork": False,
        "url": url,
        **{f"{name}_url": f"{url}/{name}" for name in _PLAIN},
        **{f"{name}_url": f"{url}/{tail}" for name, tail in _TEMPLATES.items()},
    }


def full(repo: Repo, world: World, links: Links, actor: Actor) -> dict[str, Any]:
    """Return the full-repository, with the permissions of who asks."""
    page = links.web(repo)
    host = page.split("//", 1)[1]
    created = stamp(repo.created_at)
    permissions = {"pull": Access.PULL, "triage": Access.PUSH, "push": Access.PUSH, "maintain": Access.ADMIN}
    return {
        **minimal(repo, world, links),
        "clone_url": f"{page}.git",
        "git_url": f"git://{host}.git",
        "ssh_url": f"git@{host}.git",
        "svn_url": page,
        "default_branch": repo.default_branch,
        "visibility": "private" if repo.private else "public",
        "has_issues": True,
        **dict.fromkeys(_OFF, False),
        **dict.fromkeys(_NOTHING),
        **dict.fromkeys((*_COUNTS, "network_count", "subscribers_count"), 0),
        "topics": [],
        "created_at": created,
        "updated_at": created,
        "pushed_at": created,
        "permissions": {
            **{name: actor.may(repo, access) for name, access in permissions.items()},
            "admin": actor.may(repo, Access.ADMIN),
        },
    }
