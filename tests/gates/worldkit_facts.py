"""Builders of facts for gate tests: what the channels of acme 1.2.3 answer when all is right."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.git import TagFacts
from release.domain.facts.github import AssetFacts, CheckFacts, PullFacts, ReleaseFacts
from release.domain.facts.npm import Packed, Packument, Published, Tarball, TreeEntry

COMMIT = "c" * 40
OTHER = "d" * 40
NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
EARLIER = NOW - timedelta(hours=6)
POLICY = "p" * 64
UNREACHABLE = CannotTell("github.unreachable", "connection refused")


def sha256(body: bytes) -> Digest:
    return Digest("sha256", hashlib.sha256(body).hexdigest())


def a_tag(name: str = "v1.2.3", commit: str | None = COMMIT, **changes: Any) -> TagFacts:
    return replace(TagFacts(name=name, object="e" * 40, commit=commit, annotated=True), **changes)


def a_release(number: int = 1, **changes: Any) -> ReleaseFacts:
    release = ReleaseFacts(
        id=number,
        tag_name="v1.2.3",
        name="acme 1.2.3",
        draft=False,
        prerelease=False,
        immutable=None,
        target_commitish="main",
        html_url=f"https://forge.example/releases/{number}",
        upload_url="https://uploads.example",
        created_at=EARLIER,
        published_at=EARLIER,
    )
    return replace(release, **changes)


def stored(number: int, name: str, body: bytes, **changes: Any) -> AssetFacts:
    """Return what the API says of an uploaded asset with these bytes."""
    asset = AssetFacts(
        id=number,
        name=name,
        label=None,
        state="uploaded",
        size=len(body),
        digest=sha256(body),
        url=f"https://api.example/assets/{number}",
        browser_download_url=f"https://forge.example/download/{name}",
        content_type="application/octet-stream",
        created_at=EARLIER,
        updated_at=EARLIER,
        uploader="acme-bot",
    )
    return replace(asset, **changes)


def a_check(number: int = 1, name: str = "test", **changes: Any) -> CheckFacts:
    check = CheckFacts(
        id=number,
        name=name,
        source="check-run",
        status="completed",
        conclusion="success",
        started_at=EARLIER,
        completed_at=EARLIER,
        head_sha=COMMIT,
        url=f"https://forge.example/checks/{number}",
    )
    return replace(check, **changes)


def a_pull(number: int = 7, **changes: Any) -> PullFacts:
    pull = PullFacts(
        number=number,
        title="Version Packages",
        state="closed",
        head_ref="changeset-release/main",
        merged_at=EARLIER,
        merge_commit=COMMIT,
        url=f"https://forge.example/pull/{number}",
    )
    return replace(pull, **changes)


def a_record(kind: Kind, subject: str, body: bytes | None = None, **changes: Any) -> Evidence:
    """Return an evidence record of this commit and policy; ``body`` sets digest and size."""
    record = Evidence(
        id=f"sha256:{hashlib.sha256(f'{kind}{subject}{body!r}'.encode()).hexdigest()}",
        kind=kind,
        release="acme",
        version="1.2.3",
        commit=COMMIT,
        tree="f" * 40,
        subject=subject,
        digest=str(sha256(body)) if body is not None else None,
        size=len(body) if body is not None else None,
        policy=POLICY,
        verdict="pass",
        exit_code=0,
        started_at=EARLIER,
        ended_at=EARLIER,
        platform="linux-x64",
        isolation="none",
        tools={},
        data={},
    )
    return replace(record, **changes)


def a_tarball(manifest: dict[str, object], files: dict[str, bytes] | None = None) -> Tarball:
    """Return a tarball whose digests follow from its manifest and files (not a real gzip stream)."""
    contents = {"package.json": repr(manifest).encode(), "index.js": b"", **(files or {})}
    tree = tuple(
        TreeEntry(path=path, mode=0o644, size=len(body), sha256=hashlib.sha256(body).hexdigest())
        for path, body in sorted(contents.items())
    )
    raw = repr(sorted(contents.items())).encode()
    integrity = Digest("sha512", hashlib.sha512(raw).hexdigest())
    return Tarball(integrity=integrity, sha256=sha256(raw), size=len(raw), manifest=manifest, tree=tree)


def packed(tarball: Tarball, **changes: Any) -> Packed:
    return replace(
        Packed(tarball=tarball, npm_version="11.0.0", differing=(), evidence="sha256:0"), **changes
    )


def a_packument(tarball: Tarball, name: str = "acme", version: str = "1.2.3", **changes: Any) -> Packument:
    """Return the document of a package that published ``tarball`` as ``version`` and as ``latest``."""
    published = Published(
        name=name,
        version=version,
        integrity=tarball.integrity,
        tarball_url=f"https://npm.example/{name}/-/{version}.tgz",
        git_head=None,
        manifest=tarball.manifest,
    )
    document = Packument(
        name=name,
        versions=(version,),
        times={version: EARLIER},
        dist_tags={"latest": version},
        published=published,
        unpublished=False,
    )
    return replace(document, **changes)
