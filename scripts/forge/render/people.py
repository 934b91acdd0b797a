"""Users."""

import base64
from typing import Any

from forge.links import Links

_PAGES = ("followers", "subscriptions", "repos", "received_events")
_TEMPLATES = {
    "following": "following{/other_user}",
    "gists": "gists{/gist_id}",
    "starred": "starred{/owner}{/repo}",
    "events": "events{/privacy}",
}


def node_id(kind: str, number: int | str) -> str:
    """Return an opaque id as GraphQL has them."""
    return base64.b64encode(f"0:{kind}{number}".encode()).decode()


def user(login: str, number: int, links: Links) -> dict[str, Any]:
    """Return a simple-user."""
    url = f"{links.api}/users/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": node_id("User", number),
        "avatar_url": f"{links.download}/avatars/{number}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{links.download}/{login}",
        **{f"{page}_url": f"{url}/{page}" for page in _PAGES},
        "organizations_url": f"{url}/orgs",
        **{f"{name}_url": f"{url}/{tail}" for name, tail in _TEMPLATES.items()},
        "type": "User",
        "site_admin": False,
    }


def own_user(login: str, number: int, links: Links) -> dict[str, Any]:
    """Return the public-user that ``GET /user`` shows."""
    epoch = "2020-01-01T00:00:00Z"
    unknown = ("name", "company", "location", "email", "hireable", "bio")
    counts = ("public_repos", "public_gists", "followers", "following")
    return {
        **user(login, number, links),
        **dict.fromkeys(unknown),
        "blog": "",
        **dict.fromkeys(counts, 0),
        "created_at": epoch,
        "updated_at": epoch,
    }
