"""Assets: looked at, redirected to their bytes, uploaded, renamed and deleted."""

from dataclasses import replace

from forge.blobs import Blob
from forge.call import Answer, Call, Refused, answer_json, invalid, not_found
from forge.handlers import releases
from forge.handlers.lists import answer_page
from forge.names import stored_name
from forge.render.releases import asset as render
from forge.state import Access, Asset, Release

LARGEST = 2**31


def list_all(call: Call) -> Answer:
    """Return the release's assets."""
    release = releases.find(call)
    found = call.world.assets_of(release)
    return answer_page(
        call,
        found,
        f"/releases/{release.id}/assets",
        lambda one: render(one, release, call.repo, call.world, call.links),
    )


def get(call: Call) -> Answer:
    """Return the asset's description, or for ``Accept: application/octet-stream`` the way to its bytes."""
    asset, release = find(call)
    if "application/octet-stream" not in call.request.headers.get("accept", ""):
        return answer_json(render(asset, release, call.repo, call.world, call.links))
    if asset.state != "uploaded":
        raise not_found()
    if call.settings.direct_downloads:
        return Answer(status=200, body=asset.blob, headers={"Content-Type": "application/octet-stream"})
    return Answer(status=302, headers={"Location": call.links.signed(call.repo, asset)})


def upload(call: Call) -> Answer:
    """Keep an uploaded asset under the name that GitHub would give it."""
    release = releases.find(call)
    if release.immutable:
        raise Refused(422, "Cannot upload assets to an immutable release.")
    blob = call.request.upload
    if blob is None or blob.size == 0:
        raise Refused(400, "Bad Content-Length: ")
    made = _new_asset(call, release, "uploaded")
    _refuse_limits(call, release, blob.size)
    made = replace(made, blob=blob, size=blob.size, digest=blob.sha256)
    _add(call, release, made, blob.sha256)
    return answer_json(render(made, release, call.repo, call.world, call.links), status=201)


def leave_starter(call: Call) -> None:
    """Do what a failed upload may do: leave an asset without bytes in state ``starter``."""
    release = releases.find(call)
    _add(call, release, _new_asset(call, release, "starter"), None)


def update(call: Call) -> Answer:
    """Rename or relabel an asset."""
    asset, release = find(call)
    wanted = call.request.json()
    name = stored_name(str(wanted.get("name", asset.name)))
    if release.immutable:
        raise Refused(422, "Cannot update assets of an immutable release.")
    if name != asset.name:
        _refuse_taken(call, release, name)
    label = wanted.get("label", asset.label)
    new = replace(asset, name=name, label=label, updated_at=call.world.clock())
    call.world.assets[asset.id] = new
    what = "asset.update" if name == asset.name else "asset.rename"
    call.wrote(what, f"{release.tag_name}/{asset.name}", asset.digest, asset.digest)
    return answer_json(render(new, release, call.repo, call.world, call.links))


def delete(call: Call) -> Answer:
    """Delete an asset."""
    asset, release = find(call)
    if release.immutable:
        raise Refused(422, "Cannot delete assets from an immutable release.")
    del call.world.assets[asset.id]
    before = asset.blob.sha256 if asset.state == "uploaded" else None
    call.wrote("asset.delete", f"{release.tag_name}/{asset.name}", before)
    return Answer(status=204)


def find(call: Call) -> tuple[Asset, Release]:
    """Return the asset in the path and its release; those of drafts exist only for who may push."""
    asset = call.world.assets.get(int(call.args["asset"]))
    release = None if asset is None else call.world.releases.get(asset.release_id)
    if asset is None or release is None or release.repo_id != call.repo.id:
        raise not_found()
    if release.draft and not call.may(Access.PUSH):
        raise not_found()
    return asset, release


def _new_asset(call: Call, release: Release, state: str) -> Asset:
    given = call.request.query.get("name", "")
    if not given:
        raise invalid("ReleaseAsset", "name", "missing_field")
    name, now = stored_name(given), call.world.clock()
    _refuse_taken(call, release, name)
    return Asset(
        id=call.world.new_id(),
        release_id=release.id,
        name=name,
        label=call.request.query.get("label", ""),
        content_type=call.request.headers.get("content-type", "application/octet-stream"),
        state=state,
        size=0,
        digest=None,
        blob=Blob(b""),
        uploader=call.actor.login,
        created_at=now,
        updated_at=now,
    )


def _add(call: Call, release: Release, asset: Asset, digest: str | None) -> None:
    call.world.assets[asset.id] = asset
    what = "asset.create" if asset.state == "uploaded" else f"asset.{asset.state}"
    call.wrote(what, f"{release.tag_name}/{asset.name}", None, digest)


def _refuse_taken(call: Call, release: Release, name: str) -> None:
    if any(one.name == name for one in call.world.assets_of(release)):
        raise invalid("ReleaseAsset", "name", "already_exists")


def _refuse_limits(call: Call, release: Release, size: int) -> None:
    if size >= LARGEST:
        raise invalid("ReleaseAsset", "size", "custom", f"size must be less than {LARGEST}")
    if len(call.world.assets_of(release)) >= call.settings.max_assets:
        limit = f"file_count limited to {call.settings.max_assets} assets per release"
        raise invalid("ReleaseAsset", "file_count", "custom", limit)
