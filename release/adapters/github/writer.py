"""Create-only writes to one repository: a draft, an upload, publishing the draft; each sent exactly once.

No method can replace an asset, move a tag or delete a release. An answer that leaves the outcome open
(5xx, 422, a cut connection) is ``CannotTell``: the caller looks again and never sends again.
"""

from dataclasses import replace
from http import HTTPStatus
from urllib.parse import quote, urlencode

import msgspec

from release.adapters.github import limits, shapes
from release.adapters.github.model import Absent, Access, Got, Pace, Reply
from release.adapters.github.transport import Transport
from release.adapters.http.model import FaultKind, HttpFault, origin
from release.adapters.http.upload import Posted, Upload, post_file
from release.adapters.pacing import Pacer
from release.domain.asset_names import github_name
from release.domain.errors import CannotTell
from release.domain.facts.github import AssetFacts, ReleaseFacts
from release.domain.plan import Asset, GitHubPolicy, ReleaseSpec
from release.domain.transfer import OnTransfer, Transfer, unwatched
from release.write_ports import LocalFile, Refused

_DENIED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
_TYPES = {
    ".tar.gz": "application/gzip",
    ".tgz": "application/gzip",
    ".zip": "application/zip",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}


class GitHubWriter:
    """Implements ``release.write_ports.GitHubWrite``; thread-safe."""

    def __init__(
        self,
        *,
        policy: GitHubPolicy,
        access: Access,
        transport: Transport,
        pace: Pace,
        pacer: Pacer,
        on_transfer: OnTransfer = unwatched,
    ) -> None:
        self._on_transfer = on_transfer
        self._policy, self._access, self._transport = policy, access, transport
        self._pace, self._pacer = pace, pacer

    def create_draft(self, spec: ReleaseSpec, commit: str, notes: str) -> None:
        """Create one draft for the tag; whether it became the only one is for the next look to say."""
        body = {
            "tag_name": spec.tag,
            "target_commitish": commit,
            "name": spec.tag,
            "body": notes,
            "draft": True,
            "prerelease": spec.prerelease,
        }
        self._send("POST", f"/repos/{self._policy.repository}/releases", body, f"the draft for {spec.tag}")

    def publish(self, release: ReleaseFacts, spec: ReleaseSpec, make_latest: str) -> None:
        """Publish the draft by id. ``make_latest`` is "true" or "false"."""
        body = {"draft": False, "prerelease": spec.prerelease, "make_latest": make_latest}
        path = f"/repos/{self._policy.repository}/releases/{release.id}"
        self._send("PATCH", path, body, f"publishing {spec.tag}")

    def upload(self, release: ReleaseFacts, asset: Asset, file: LocalFile) -> None:
        """Upload the file under the planned name; the answer must carry the same name and size."""
        if github_name(asset.name) != asset.name:
            raise Refused("asset.renamed", f"GitHub would store {asset.name} as {github_name(asset.name)}")
        credential = self._access.credential()
        base = release.upload_url.partition("{")[0]
        if credential is None:
            raise Refused("github.write-denied", "uploading needs GITHUB_TOKEN or GH_TOKEN")
        if origin(base) != origin(self._policy.uploads):
            raise CannotTell(
                "github.bad-answer", f"the release's upload address is not {self._policy.uploads}"
            )
        url = f"{base}?{urlencode({'name': asset.name}, quote_via=quote, safe='')}"

        def tell(sent: int) -> None:
            self._on_transfer(Transfer(verb="upload", name=asset.name, done=sent, total=file.size))

        upload = Upload(
            url=url,
            progress=tell,
            path=file.path,
            size=file.size,
            content_type=content_type(asset.name),
            # the token belongs to the API; its upload host is the plan's own, checked just above
            credential=replace(credential, base_url=self._policy.uploads),
        )
        self._pacer.wait()
        try:
            posted = post_file(upload)
        except HttpFault as fault:
            reason = "github.unreachable" if fault.kind is FaultKind.UNREACHABLE else "github.bad-answer"
            raise CannotTell(reason, fault.message) from fault
        self._settle(_reply(posted), f"uploading {asset.name}")
        _demand_same(posted.body, asset, file)

    def discard_interrupted(self, release: ReleaseFacts, asset: AssetFacts) -> None:
        """Delete an upload that never finished: only on a draft, and only if nothing about it changed."""
        if not release.draft or asset.state == "uploaded":
            raise ValueError("only an unfinished upload on a draft may be discarded")
        path = f"/repos/{self._policy.repository}/releases/assets/{asset.id}"
        if not self._is_still(path, asset) or not self._is_still_draft(release):
            return  # it changed since the look: the next one decides
        self._send("DELETE", path, None, f"discarding the interrupted upload {asset.name}")

    def _is_still(self, path: str, asset: AssetFacts) -> bool:
        match self._transport.fetch(path, shapes.Asset, absent=frozenset({HTTPStatus.NOT_FOUND})):
            case Got(value=now):
                return (now.id, now.name, now.state, now.size) == (
                    asset.id,
                    asset.name,
                    asset.state,
                    asset.size,
                )
            case Absent():
                return False

    def _is_still_draft(self, release: ReleaseFacts) -> bool:
        path = f"/repos/{self._policy.repository}/releases/{release.id}"
        match self._transport.fetch(path, shapes.Release, absent=frozenset({HTTPStatus.NOT_FOUND})):
            case Got(value=now):
                return now.draft
            case Absent():
                return False

    def _send(self, verb: str, path: str, body: dict[str, object] | None, what: str) -> None:
        if self._access.token is None:
            raise Refused("github.write-denied", f"{what} needs GITHUB_TOKEN or GH_TOKEN")
        if verb != "DELETE":
            self._pacer.wait()  # a deletion creates no content, and must follow its look at once
        reply = self._transport.write(verb, path, body)
        if verb == "DELETE" and reply.status == HTTPStatus.NOT_FOUND:
            return  # gone already, or not ours to see: the next look says which
        self._settle(reply, what)

    def _settle(self, reply: Reply, what: str) -> None:
        if reply.status in (HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NO_CONTENT):
            return
        limit = limits.limit_of(reply, self._pace.clock)
        if limit is not None:
            self._pace.sleep(min(limit.wait, self._pace.max_wait))
            raise CannotTell("github.rate-limited", f"{what}: GitHub limits writes; nothing was written")
        if reply.status in _DENIED:
            raise Refused(
                "github.write-denied",
                f"{what}: GitHub answered {reply.status}: the token may not write to "
                f"{self._policy.repository} (404 means so, too)",
            )
        raise CannotTell("github.bad-answer", f"{what}: GitHub answered {reply.status}; looking again")


def content_type(name: str) -> str:
    """Return the content type for an asset's name; never guessed from a local path (APIS.md §1)."""
    lower = name.lower()
    for suffix, kind in _TYPES.items():
        if lower.endswith(suffix):
            return kind
    return "application/octet-stream"


def _demand_same(body: bytes, asset: Asset, file: LocalFile) -> None:
    """Raise where GitHub says that it stored the upload under another name, or says nothing of the kind."""
    try:
        stored = msgspec.json.decode(body, type=shapes.Asset)
    except (msgspec.DecodeError, RecursionError) as error:
        text = f"uploading {asset.name}: the answer is not what GitHub's API answers; looking again"
        raise CannotTell("github.bad-answer", text) from error
    if stored.name != asset.name:
        raise Refused("asset.renamed", f"GitHub stored {asset.name} as {stored.name} (id {stored.id})")
    if stored.size != file.size:
        text = f"{asset.name} has {file.size} bytes here, and GitHub stored {stored.size} (id {stored.id})"
        raise Refused("asset.size-differs", text)


def _reply(posted: Posted) -> Reply:
    body = posted.body.decode("utf-8", "replace")
    return Reply(status=posted.status, headers=posted.headers, body=body)
