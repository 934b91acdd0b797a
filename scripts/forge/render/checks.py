"""Check runs and commit statuses."""

from typing import Any

from forge.links import Links
from forge.render.people import node_id, user
from forge.render.repos import minimal
from forge.state import CheckRun, Repo, Status, stamp
from forge.world import World


def check_run(one: CheckRun, repo: Repo, world: World, links: Links) -> dict[str, Any]:
    """Return a check-run."""
    url = f"{links.repo(repo)}/check-runs/{one.id}"
    page = f"{links.web(repo)}/runs/{one.id}"
    nothing = {"title": None, "summary": None, "text": None}
    return {
        "id": one.id,
        "name": one.name,
        "node_id": node_id("CheckRun", one.id),
        "head_sha": one.sha,
        "external_id": "",
        "url": url,
        "html_url": page,
        "details_url": page,
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": stamp(one.started_at),
        "completed_at": stamp(one.completed_at),
        "output": {**nothing, "annotations_count": 0, "annotations_url": f"{url}/annotations"},
        "check_suite": {"id": one.id},
        "app": _app(one.app, world, links),
        "pull_requests": [],
    }


def status(one: Status, repo: Repo, world: World, links: Links) -> dict[str, Any]:
    """Return a status with its creator."""
    creator = user("acme-ci", world.user_id("acme-ci"), links)
    return {**simple_status(one, repo, links), "creator": creator}


def simple_status(one: Status, repo: Repo, links: Links) -> dict[str, Any]:
    """Return a status as the combined status holds it."""
    return {
        "url": f"{links.repo(repo)}/statuses/{one.sha}",
        "avatar_url": f"{links.download}/avatars/1",
        "id": one.id,
        "node_id": node_id("StatusContext", one.id),
        "state": one.state,
        "description": one.description,
        "target_url": None,
        "context": one.context,
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
    }


def combined(
    newest: list[Status], shown: list[Status], sha: str, repo: Repo, world: World, links: Links
) -> dict[str, Any]:
    """Return the combined status over the ``newest`` of each context; ``shown`` are this page's."""
    url = f"{links.repo(repo)}/commits/{sha}"
    return {
        "state": _joined({one.state for one in newest}),
        "statuses": [simple_status(one, repo, links) for one in shown],
        "sha": sha,
        "total_count": len(newest),
        "repository": minimal(repo, world, links),
        "commit_url": url,
        "url": f"{url}/status",
    }


def _joined(states: set[str]) -> str:
    if states & {"failure", "error"}:
        return "failure"
    return "success" if states == {"success"} else "pending"


def _app(slug: str, world: World, links: Links) -> dict[str, Any]:
    epoch = "2020-01-01T00:00:00Z"
    return {
        "id": 15368,
        "slug": slug,
        "node_id": node_id("App", slug),
        "owner": user("github", world.user_id("github"), links),
        "name": slug,
        "description": "",
        "external_url": f"{links.download}/apps/{slug}",
        "html_url": f"{links.download}/apps/{slug}",
        "created_at": epoch,
        "updated_at": epoch,
        "permissions": {"checks": "write", "metadata": "read"},
        "events": [],
    }
