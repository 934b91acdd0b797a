"""Asset bytes by the API's asset URL; ``browser_download_url`` answers 404 for drafts and private ones.

The token goes to the API's origin and not along a redirect. What answers instead of the bytes is not a
verdict about them: a cut body, an error page and a 404 are ``CannotTell``. Other bytes are facts.
"""

import hashlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from release.adapters.github.model import Access
from release.adapters.http.etags import EtagStore, Stored, cache_key
from release.adapters.http.model import FaultKind, HttpFault, Streamed, fault_to_cannot_tell, origin
from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.facts.github import AssetFacts, Downloaded
from release.domain.transfer import OnTransfer, Transfer, unwatched

if TYPE_CHECKING:
    from release.adapters.http import Http

_ACCEPT = "application/octet-stream"
_PAGE = "text/html"
_JSON = "application/json"


class Downloads:
    """Downloads through ``http``; ``cache`` holds small contents by the digest that the API states."""

    def __init__(
        self,
        access: Access,
        *,
        http: "Http",
        cache: EtagStore | None,
        on_transfer: OnTransfer = unwatched,
    ) -> None:
        self._on_transfer = on_transfer
        self._access = access
        self._http = http
        self._cache = cache

    def download(self, question: tuple[AssetFacts, tuple[str, ...]]) -> Downloaded:
        """Download and hash the asset; size and content type are what was received.

        A 404 (deleted meanwhile, or not served yet) and an HTML page are ``download.bad-answer``, fewer bytes
        than the API states ``download.truncated``. JSON instead of the bytes (a server that ignores Accept)
        is returned as it is: its size and content type say so.
        """
        asset, algorithms = question

        def tell(received: int) -> None:
            self._on_transfer(Transfer(verb="download", name=asset.name, done=received, total=asset.size))

        return self._stream(asset, algorithms, progress=tell)

    def content(self, question: tuple[AssetFacts, int]) -> bytes:
        """Return the bytes, whose size and stated digest are verified; no request where they are known.

        More than the limit, or other bytes than the API states, is ``download.bad-answer``.
        """
        asset, limit = question
        if asset.size > limit:
            raise _bad(asset, f"it has {asset.size} bytes, the limit is {limit}")
        if asset.digest is None:
            return self._fetch(asset, limit, "sha256")
        known = self._cache.get(_key(asset.digest)) if self._cache else None
        if known is not None and _matches(known.body, asset.digest):
            return known.body
        body = self._fetch(asset, limit, asset.digest.algorithm)
        if self._cache is not None:
            stored = Stored(etag=str(asset.digest), last_modified=None, headers={}, body=body)
            self._cache.put(_key(asset.digest), stored)
        return body

    def _fetch(self, asset: AssetFacts, limit: int, algorithm: str) -> bytes:
        sink = io.BytesIO()
        got = self._stream(asset, (algorithm,), sink=sink, progress=_bounded(asset, limit))
        if got.size != asset.size:
            raise _bad(asset, f"{got.size} bytes of {got.content_type} arrived, the API says {asset.size}")
        if asset.digest is not None and asset.digest not in got.digests:
            raise _bad(asset, f"its bytes are {got.digests[0]}, the API says {asset.digest}")
        return sink.getvalue()

    def _stream(
        self,
        asset: AssetFacts,
        algorithms: tuple[str, ...],
        *,
        sink: io.BytesIO | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Downloaded:
        self._require_api_origin(asset)
        try:
            got = self._http.stream(
                asset.url,
                accept=_ACCEPT,
                algorithms=algorithms,
                credential=self._access.credential(),
                sink=sink,
                progress=progress,
            )
        except HttpFault as fault:
            raise fault_to_cannot_tell("download", fault) from fault
        _require_bytes(asset, got)
        return Downloaded(url=got.url, size=got.size, digests=got.digests, content_type=got.content_type)

    def _require_api_origin(self, asset: AssetFacts) -> None:
        api = self._access.api
        try:
            prefix = urlsplit(api).path.rstrip("/") + "/"
            inside = origin(asset.url) == origin(api) and urlsplit(asset.url).path.startswith(prefix)
        except ValueError:
            inside = False
        if not inside:
            text = f"asset {asset.id} ({asset.name}): its `url` is not below {api}: not followed"
            raise CannotTell("github.bad-answer", text)


def _require_bytes(asset: AssetFacts, got: Streamed) -> None:
    """Raise where what was received is evidently something else, or only a part of the asset's bytes."""
    if got.status != 200:
        raise _bad(asset, f"answered {got.status}: deleted meanwhile, or not served yet")
    if got.size == asset.size:
        return
    if _instead(asset, got, _PAGE):
        raise _bad(asset, f"a web page of {got.size} bytes was answered instead")
    if got.size < asset.size and not _instead(asset, got, _JSON):
        text = f"asset {asset.id} ({asset.name}): {got.size} of {asset.size} bytes arrived from {got.url}"
        raise CannotTell("download.truncated", text)


def _instead(asset: AssetFacts, got: Streamed, kind: str) -> bool:
    """Say whether an answer of the content type ``kind`` came for an asset of another type."""
    return got.content_type.lower().startswith(kind) and not asset.content_type.lower().startswith(kind)


def _bounded(asset: AssetFacts, limit: int) -> Callable[[int], None]:
    def check(received: int) -> None:
        if received > limit:
            text = f"asset {asset.id} ({asset.name}): more than {limit} bytes arrive"
            raise HttpFault(FaultKind.BAD_ANSWER, text)

    return check


def _bad(asset: AssetFacts, what: str) -> CannotTell:
    return CannotTell("download.bad-answer", f"asset {asset.id} ({asset.name}): {what}")


def _key(digest: Digest) -> str:
    return cache_key("CONTENT", str(digest), _ACCEPT)


def _matches(body: bytes, digest: Digest) -> bool:
    return hashlib.new(digest.algorithm, body, usedforsecurity=False).hexdigest() == digest.hex
