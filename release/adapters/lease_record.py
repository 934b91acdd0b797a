"""A lease as JSON in a git commit: strict, as a lease that is half understood would be no lease."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import msgspec

from release.domain.errors import CannotTell
from release.domain.lease import LeaseFacts

FILE = "lease.json"
SCHEMA = "release-convergence/lease/v1"


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    schema: Literal["release-convergence/lease/v1"]
    holder: Annotated[str, msgspec.Meta(min_length=1)]
    epoch: Annotated[int, msgspec.Meta(ge=1)]
    term: Annotated[float, msgspec.Meta(gt=0, le=86400)]
    expires_at: Annotated[datetime, msgspec.Meta(tz=True)]
    released: bool
    nonce: str


def encode(facts: LeaseFacts, nonce: str) -> dict[str, object]:
    """Return the lease as JSON members; ``nonce`` makes each commit one that only its writer can make."""
    return {
        "schema": SCHEMA,
        "holder": facts.holder,
        "epoch": facts.epoch,
        "term": facts.term.total_seconds(),
        "expires_at": facts.expires_at.isoformat(),
        "released": facts.released,
        "nonce": nonce,
    }


def decode(commit: str, content: bytes) -> LeaseFacts:
    """Read a lease; ``CannotTell`` git.bad-answer where it is none."""
    try:
        record = msgspec.json.decode(content, type=_Record)
    except msgspec.DecodeError as error:
        raise CannotTell("git.bad-answer", f"{FILE} in commit {commit} is not a lease: {error}") from error
    return LeaseFacts(
        commit=commit,
        holder=record.holder,
        epoch=record.epoch,
        term=timedelta(seconds=record.term),
        expires_at=record.expires_at.astimezone(UTC),
        released=record.released,
    )
