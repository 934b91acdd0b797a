"""Addresses: where the api, the upload, the download and the web host live, and the pages of a list.

The api's address is the one under which the client asked, with its prefix, as an Enterprise Server has it.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote, urlencode

from forge.state import Asset, Release, Repo

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Links:
    """Base addresses without a final slash; ``secret`` signs download addresses."""

    api: str
    uploads: str
    download: str
    secret: bytes = b""

    def repo(self, repo: Repo) -> str:
        """Return the api address of a repository."""
        return f"{self.api}/repos/{repo.full_name}"

    def web(self, repo: Repo) -> str:
        """Return the address of a repository's pages."""
        return f"{self.download}/{repo.full_name}"

    def page_of(self, repo: Repo, release: Release) -> str:
        """Return the release's page; a draft has no tag in its address."""
        return f"{self.web(repo)}/releases/tag/{public_tag(release)}"

    def browser(self, repo: Repo, release: Release, asset: Asset) -> str:
        """Return the address that a browser downloads the asset from."""
        return f"{self.web(repo)}/releases/download/{public_tag(release)}/{quote(asset.name)}"

    def signed(self, repo: Repo, asset: Asset) -> str:
        """Return the signed address on the download host."""
        path = f"/release-assets/{repo.id}/{asset.id}"
        query = {"sig": self.signature(path), "response-content-type": "application/octet-stream"}
        return f"{self.download}{path}?{urlencode(query)}"

    def signature(self, path: str) -> str:
        """Return the signature of a path on the download host."""
        return hmac.new(self.secret, path.encode(), hashlib.sha256).hexdigest()


def public_tag(release: Release) -> str:
    """Return the tag as it stands in web addresses: hidden for a draft."""
    if release.draft:
        return f"untagged-{hashlib.sha256(str(release.id).encode()).hexdigest()[:20]}"
    return quote(release.tag_name, safe="/@")


@dataclass(frozen=True, kw_only=True)
class Page:
    """A part of a list, counted from 1."""

    number: int
    size: int

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Page":
        """Read ``page`` and ``per_page``; per_page is 30 where absent or senseless and at most 100."""
        size = _positive(query.get("per_page", ""), 30)
        return cls(number=_positive(query.get("page", ""), 1), size=min(size, 100))

    def cut(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items on this page."""
        start = (self.number - 1) * self.size
        return items[start : start + self.size]

    def link(self, base: str, query: Mapping[str, str], total: int) -> dict[str, str]:
        """Return the Link header, or nothing where all items fit on one page."""
        last = max(1, -(-total // self.size))
        targets: dict[str, int] = {}
        if self.number > 1:
            targets["prev"] = min(self.number - 1, last)
        if self.number < last:
            targets |= {"next": self.number + 1, "last": last}
        if self.number > 1:
            targets["first"] = 1
        parts = [
            f'<{base}?{urlencode({**query, "page": page})}>; rel="{rel}"' for rel, page in targets.items()
        ]
        return {"Link": ", ".join(parts)} if parts else {}


def _positive(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and int(text) > 0 else default
