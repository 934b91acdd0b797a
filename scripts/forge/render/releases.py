"""Releases and their assets."""

from typing import Any
from urllib.parse import quote

from forge.links import Links
from forge.render.people import node_id, user
from forge.state import Asset, Release, Repo, stamp
from forge.world import World


def asset(one: Asset, release: Release, repo: Repo, world: World, links: Links) -> dict[str, Any]:
    """Return a release-asset. The download counter never moves: it would change the answer's ETag."""
    value = {
        "url": f"{links.repo(repo)}/releases/assets/{one.id}",
        "id": one.id,
        "node_id": node_id("ReleaseAsset", one.id),
        "name": one.name,
        "label": one.label,
        "uploader": user(one.uploader, world.user_id(one.uploader), links),
        "content_type": one.content_type,
        "state": one.state,
        "size": one.size,
        "digest": one.digest,
        "download_count": 0,
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.updated_at),
        "browser_download_url": links.browser(repo, release, one),
    }
    return {name: member for name, member in value.items() if name not in one.omit}


def release(one: Release, repo: Repo, world: World, links: Links) -> dict[str, Any]:
    """Return a release with all its assets embedded."""
    url = f"{links.repo(repo)}/releases/{one.id}"
    tag = quote(one.tag_name, safe="/@")
    upload = f"{links.uploads}/repos/{repo.full_name}/releases/{one.id}/assets{{?name,label}}"
    value = {
        "url": url,
        "assets_url": f"{url}/assets",
        "upload_url": upload,
        "html_url": links.page_of(repo, one),
        "id": one.id,
        "author": user(one.author, world.user_id(one.author), links),
        "node_id": node_id("Release", one.id),
        "tag_name": one.tag_name,
        "target_commitish": one.target,
        "name": one.name,
        "draft": one.draft,
        "immutable": one.immutable,
        "prerelease": one.prerelease,
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.published_at or one.created_at),
        "published_at": None if one.draft else stamp(one.published_at),
        "assets": [asset(each, one, repo, world, links) for each in world.assets_of(one)],
        "tarball_url": None if one.draft else f"{links.repo(repo)}/tarball/{tag}",
        "zipball_url": None if one.draft else f"{links.repo(repo)}/zipball/{tag}",
        "body": one.body,
    }
    return {name: member for name, member in value.items() if name not in one.omit}
