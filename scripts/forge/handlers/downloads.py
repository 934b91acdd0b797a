"""The download host: signed addresses, as a storage service has them, and the browser's addresses.

Like the storage service it answers 400 where an Authorization header comes along with a signature.
"""

from forge.call import Answer, Call, Refused, not_found
from forge.state import Asset, Repo


def signed(call: Call) -> Answer:
    """Return the bytes behind a signed address."""
    if "authorization" in call.request.headers:
        raise Refused(400, "Only one auth mechanism allowed")
    expected = call.links.signature(call.request.path)
    if call.request.query.get("sig") != expected:
        raise Refused(403, "Signature did not match")
    asset = call.world.assets.get(int(call.args["asset"]))
    if asset is None:
        raise not_found()
    return _bytes(call, asset)


def browser(call: Call) -> Answer:
    """Redirect from the browser's address to the signed one; a private repository hides everything."""
    if "authorization" in call.request.headers:
        raise Refused(400, "Only one auth mechanism allowed")
    repo = call.world.repo(f"{call.args['owner']}/{call.args['repo']}")
    if repo is None or repo.private:
        raise not_found()
    asset = _named(call, repo)
    return Answer(status=302, headers={"Location": call.links.signed(repo, asset)})


def _named(call: Call, repo: Repo) -> Asset:
    tag, name = call.args["tag"], call.args["name"]
    release = call.world.published(repo, tag)
    if release is None:
        raise not_found()
    for asset in call.world.assets_of(release):
        if asset.name == name and asset.state == "uploaded":
            return asset
    raise not_found()


def _bytes(call: Call, asset: Asset) -> Answer:
    etag = f'"{asset.id}-{asset.blob.size}-{int(asset.updated_at.timestamp())}"'
    headers = {"ETag": etag, "Accept-Ranges": "none"}
    if call.request.headers.get("if-none-match") == etag:
        return Answer(status=304, headers=headers)
    kind = call.request.query.get("response-content-type", asset.content_type)
    disposition = f"attachment; filename={asset.name}"
    return Answer(
        status=200,
        body=asset.blob,
        headers={**headers, "Content-Type": kind, "Content-Disposition": disposition},
    )
