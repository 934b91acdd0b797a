"""Refs, tag objects and commits."""

from typing import Any

from forge import git
from forge.links import Links
from forge.render.people import node_id
from forge.state import Repo

_PLURAL = {"commit": "commits", "tag": "tags", "tree": "trees", "blob": "blobs"}
_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def ref(one: git.Ref, repo: Repo, links: Links) -> dict[str, Any]:
    """Return a git-ref."""
    return {
        "ref": one.name,
        "node_id": node_id("Ref", one.name),
        "url": f"{links.repo(repo)}/git/{one.name}",
        "object": _pointer(one.sha, one.type, repo, links),
    }


def tag(one: git.TagObject, repo: Repo, links: Links) -> dict[str, Any]:
    """Return a git-tag."""
    return {
        "node_id": node_id("Tag", one.sha),
        "sha": one.sha,
        "url": f"{links.repo(repo)}/git/tags/{one.sha}",
        "tagger": _person(one.tagger),
        "object": _pointer(one.object, one.object_type, repo, links),
        "tag": one.tag,
        "message": one.message,
        "verification": _UNSIGNED,
    }


def commit(one: git.Commit, repo: Repo, links: Links) -> dict[str, Any]:
    """Return a commit without its files; git identities belong to no account here."""
    base = links.repo(repo)
    url, page = f"{base}/commits/{one.sha}", f"{links.web(repo)}/commit"
    return {
        "sha": one.sha,
        "node_id": node_id("Commit", one.sha),
        "commit": {
            "author": _person(one.author),
            "committer": _person(one.committer),
            "message": one.message,
            "tree": {"sha": one.tree, "url": f"{base}/git/trees/{one.tree}"},
            "url": f"{base}/git/commits/{one.sha}",
            "comment_count": 0,
            "verification": _UNSIGNED,
        },
        "url": url,
        "html_url": f"{page}/{one.sha}",
        "comments_url": f"{url}/comments",
        "author": None,
        "committer": None,
        "parents": [
            {"sha": sha, "url": f"{base}/commits/{sha}", "html_url": f"{page}/{sha}"} for sha in one.parents
        ],
    }


def _pointer(sha: str, kind: str, repo: Repo, links: Links) -> dict[str, str]:
    return {"sha": sha, "type": kind, "url": f"{links.repo(repo)}/git/{_PLURAL[kind]}/{sha}"}


def _person(one: git.Person) -> dict[str, str]:
    return {"name": one.name, "email": one.email, "date": one.when}
