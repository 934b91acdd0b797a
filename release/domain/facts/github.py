"""Facts from GitHub's API. A member that the answer lacks is None: missing is not false."""

from dataclasses import dataclass
from datetime import datetime

from release.domain.digests import Digest


@dataclass(frozen=True, kw_only=True)
class AssetFacts:
    """One release asset as the API states it. ``digest`` is None where GitHub states none."""

    id: int
    name: str
    label: str | None
    state: str
    size: int
    digest: Digest | None
    url: str
    browser_download_url: str
    content_type: str
    created_at: datetime
    updated_at: datetime
    uploader: str | None


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """One release or draft. ``target_commitish`` is a hint and never evidence of the commit."""

    id: int
    tag_name: str
    name: str | None
    draft: bool
    prerelease: bool
    immutable: bool | None
    target_commitish: str
    html_url: str
    upload_url: str
    created_at: datetime
    published_at: datetime | None
    body: str | None = None


@dataclass(frozen=True, kw_only=True)
class ReleaseListing:
    """All releases of the repository, paginated to the end; ``drafts_visible``: the token may see drafts."""

    releases: tuple[ReleaseFacts, ...]
    drafts_visible: bool

    def of_tag(self, tag: str) -> tuple[ReleaseFacts, ...]:
        """Return the releases and drafts whose tag name is exactly ``tag``."""
        return tuple(release for release in self.releases if release.tag_name == tag)


@dataclass(frozen=True, kw_only=True)
class CheckFacts:
    """One check run or commit status on the commit; statuses are mapped to status + conclusion.

    ``source`` is ``check-run`` or ``status``. A status' ``pending`` is (``in_progress``, None); its
    ``success``, ``failure`` and ``error`` are (``completed``, that word). ``started_at`` orders attempts.
    """

    id: int
    name: str
    source: str
    status: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None
    head_sha: str
    url: str


@dataclass(frozen=True, kw_only=True)
class PullFacts:
    """One pull request. ``merge_commit`` is only meaningful where ``merged_at`` is set."""

    number: int
    title: str
    state: str
    head_ref: str
    merged_at: datetime | None
    merge_commit: str | None
    url: str


@dataclass(frozen=True, kw_only=True)
class PullMerge:
    """A merged pull request's commit, seen from git: is it in the release, and what did it change?"""

    pull: PullFacts
    is_ancestor: bool
    changed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Downloaded:
    """A finished download: counted and hashed while streaming, nothing kept.

    ``digests`` holds one digest per algorithm asked for; ``size`` is in bytes as received on the wire.
    """

    url: str
    size: int
    digests: tuple[Digest, ...]
    content_type: str

    def digest(self, algorithm: str) -> Digest:
        """Return the digest of ``algorithm``; raise ``KeyError`` where it was not asked for."""
        for digest in self.digests:
            if digest.algorithm == algorithm:
                return digest
        raise KeyError(algorithm)
