"""Releases: looked at, made, published, and what an immutable one forbids."""

from dataclasses import replace
from typing import Any

from forge import git
from forge.call import Answer, Call, Refused, answer_json, invalid, not_found
from forge.handlers.lists import answer_page
from forge.handlers.publishing import make_latest, publish, refuse_burned
from forge.render import releases
from forge.state import Access, Release


def list_all(call: Call) -> Answer:
    """Return releases, newest first; drafts only for who may push."""
    found = call.world.releases_of(call.repo, drafts=call.may(Access.PUSH))
    return answer_page(
        call, found, "/releases", lambda one: releases.release(one, call.repo, call.world, call.links)
    )


def latest(call: Call) -> Answer:
    """Return the latest full release."""
    found = call.world.latest(call.repo)
    if found is None:
        raise not_found()
    return _show(call, found)


def of_tag(call: Call) -> Answer:
    """Return the published release of a tag; a draft is never found so."""
    found = call.world.published(call.repo, call.args["tag"])
    if found is None:
        raise not_found()
    return _show(call, found)


def get(call: Call) -> Answer:
    """Return a release by its id."""
    return _show(call, find(call))


def create(call: Call) -> Answer:
    """Make a release; unless it is a draft it is published at once."""
    wanted = call.request.json()
    tag = str(wanted.get("tag_name") or "")
    if not tag or not git.is_ref_name(f"refs/tags/{tag}"):
        raise invalid(
            "Release", "tag_name", "invalid" if tag else "missing_field", "tag_name is not well-formed"
        )
    draft = bool(wanted.get("draft", False))
    made = Release(
        id=call.world.new_id(),
        repo_id=call.repo.id,
        tag_name=tag,
        target=str(wanted.get("target_commitish") or call.repo.default_branch),
        name=wanted.get("name"),
        body=wanted.get("body"),
        draft=True,
        prerelease=bool(wanted.get("prerelease", False)),
        immutable=False,
        author=call.actor.login,
        created_at=call.world.clock(),
        published_at=None,
    )
    refuse_burned(call, tag)
    if not draft:
        made = publish(call, made, str(wanted.get("make_latest", "true")))
    call.world.releases[made.id] = made
    call.wrote("release.create", tag)
    if not draft:
        call.wrote("release.publish", tag)
    return answer_json(releases.release(made, call.repo, call.world, call.links), status=201)


def update(call: Call) -> Answer:
    """Change a release; ``draft: false`` publishes it."""
    old, wanted = find(call), call.request.json()
    new = _changed(old, wanted)
    if old.immutable and (new.tag_name, new.target) != (old.tag_name, old.target):
        raise Refused(422, "Cannot change the tag of an immutable release.")
    if new.tag_name != old.tag_name:
        refuse_burned(call, new.tag_name)
    publishes = old.draft and wanted.get("draft") is False
    if publishes:
        new = publish(call, new, str(wanted.get("make_latest", "true")))
    elif wanted.get("make_latest") == "true" and not new.draft:
        make_latest(call, new)
    call.world.releases[new.id] = new
    call.wrote("release.publish" if publishes else "release.update", new.tag_name)
    return _show(call, new)


def delete(call: Call) -> Answer:
    """Delete a release and its assets; the tag name of an immutable one stays used for ever."""
    old = find(call)
    for asset in call.world.assets_of(old):
        del call.world.assets[asset.id]
    del call.world.releases[old.id]
    call.wrote("release.delete", old.tag_name)
    return Answer(status=204)


def find(call: Call) -> Release:
    """Return the release in the path; drafts exist only for who may push."""
    found = call.world.releases.get(int(call.args["release"]))
    if found is None or found.repo_id != call.repo.id or (found.draft and not call.may(Access.PUSH)):
        raise not_found()
    return found


def _show(call: Call, release: Release) -> Answer:
    return answer_json(releases.release(release, call.repo, call.world, call.links))


def _changed(old: Release, wanted: dict[str, Any]) -> Release:
    names = {"tag_name": "tag_name", "target_commitish": "target", "name": "name", "body": "body"}
    changes = {names[key]: value for key, value in wanted.items() if key in names}
    if "prerelease" in wanted:
        changes["prerelease"] = bool(wanted["prerelease"])
    if wanted.get("draft") is True:
        changes["draft"] = True
    return replace(old, **changes)
