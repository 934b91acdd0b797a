"""Evidence: one immutable record per observation that cost something (DESIGN §7).

A record is canonical JSON (RFC 8785), named by its SHA-256. It counts for a plan only when commit and
policy are the plan's; a digest, where one is asked for, must match too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

SCHEMA = "release-convergence/evidence/v1"


class Kind(StrEnum):
    """What was observed. The value is part of the record and of the contract."""

    PACKAGE_BUILD = "package-build"
    BINARY_BUILD = "binary-build"
    NPM_PUBLISH = "npm-publish"
    ASSET_UPLOAD = "asset-upload"
    DOWNLOAD = "download"
    FIRST_SEEN = "first-seen"
    EVALUATION = "evaluation"
    ACCEPTANCE = "acceptance"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One record. ``id`` is ``sha256:HEX`` of its canonical bytes; times are UTC; ``data`` is kind-specific.

    ``digest`` is the artifact's ``ALGORITHM:HEX`` or None; ``subject`` is the gate's subject name or the
    artifact's file name; ``policy`` is the plan's policy digest.
    """

    id: str
    kind: Kind
    release: str
    version: str
    commit: str
    tree: str
    subject: str
    digest: str | None
    size: int | None
    policy: str
    verdict: str
    exit_code: int | None
    started_at: datetime
    ended_at: datetime
    platform: str
    isolation: str
    tools: Mapping[str, str]
    data: Mapping[str, object]


def counts(record: Evidence, *, commit: str, policy: str) -> bool:
    """Say whether a record is for this commit and policy; otherwise it must not be used."""
    return record.commit == commit and record.policy == policy
