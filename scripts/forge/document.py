"""A world as a JSON document, for a forge that runs in another process.

``{"tokens": [{"token", "push", …}], "repos": [{"full_name", "git_dir", "releases": [{"tag", "assets":
[{"name", "text" | "path", …}]}], "checks": […], "statuses": […], "pulls": […], "latest": "TAG"}]}``: the
members are the arguments of the builders, times are ISO 8601. A repository that exists already is added to.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from forge.builder import RepoHandle
from forge.handles import ReleaseHandle
from forge.service import Forge

_TIMES = ("created_at", "published_at", "started_at", "completed_at", "merged_at")


def load(forge: Forge, document: Mapping[str, Any]) -> None:
    """Put everything in the document into the forge; raise ``TypeError`` or ``ValueError`` for a bad one."""
    for token in document.get("tokens", ()):
        forge.token(**token)
    for described in document.get("repos", ()):
        _load_repo(forge, dict(described))


def _load_repo(forge: Forge, described: dict[str, Any]) -> None:
    parts = {name: described.pop(name, ()) for name in ("releases", "checks", "statuses", "pulls")}
    latest = described.pop("latest", None)
    existing = forge.world.repo(described["full_name"])
    if existing is not None:
        repo = RepoHandle(forge.world, existing.id)
    else:
        git_dir = described.pop("git_dir", None)
        repo = forge.repo(git_dir=None if git_dir is None else Path(git_dir), **described)
    for release in parts["releases"]:
        _load_release(repo, dict(release))
    for check in parts["checks"]:
        repo.check_run(**_timed(check))
    for status in parts["statuses"]:
        repo.status(**_timed(status))
    for pull in parts["pulls"]:
        repo.pull(**_timed(pull))
    if latest is not None:
        repo.latest_override(latest)


def _load_release(repo: RepoHandle, described: dict[str, Any]) -> None:
    assets = described.pop("assets", ())
    release = repo.release(**_timed(described))
    for asset in assets:
        _load_asset(release, _timed(asset))


def _load_asset(release: ReleaseHandle, described: dict[str, Any]) -> None:
    path, text = described.pop("path", None), described.pop("text", "")
    content = text.encode() if path is None else Path(path)
    release.asset(content=content, **described)


def _timed(described: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value is not None else value
        for name, value in described.items()
    }
