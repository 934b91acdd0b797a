"""Values of the HTTP client: answers, faults, credentials and the request meter."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from release.domain.digests import Digest
from release.domain.errors import CannotTell


class FaultKind(StrEnum):
    """Why nothing could be learned from a request; the suffix of the channel's reason code."""

    UNREACHABLE = "unreachable"
    DENIED = "denied"
    RATE_LIMITED = "rate-limited"
    BAD_ANSWER = "bad-answer"
    TRUNCATED = "truncated"


class HttpFault(Exception):
    """A request that showed nothing about the world. ``message`` is safe to print (no secrets)."""

    def __init__(self, kind: FaultKind, message: str, *, status: int | None = None) -> None:
        self.kind = kind
        self.message = message
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A whole answer that could be understood: status 200, 404 or 410; after a 304 the stored body.

    ``headers`` has lower-case names. ``not_modified`` says that the server confirmed a stored answer.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    not_modified: bool
    url: str


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """A body that was counted and hashed as received on the wire, and not kept.

    ``status`` is 200, or 404 or 410 with no digests and size 0; ``size`` is in bytes; ``digests`` are in
    the order asked for; ``url`` is where the bytes came from, safe to print.
    """

    status: int
    url: str
    size: int
    digests: tuple[Digest, ...]
    content_type: str


def fault_to_cannot_tell(channel: str, fault: HttpFault) -> CannotTell:
    """Return the "could not look" of ``channel`` (git, npm, github, download) for a fault."""
    if fault.kind is FaultKind.TRUNCATED:
        return CannotTell("download.truncated", fault.message)
    return CannotTell(f"{channel}.{fault.kind}", fault.message)


def show(url: str) -> str:
    """Return scheme://host/path: no user, no query (signed URLs carry secrets there), no fragment."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(a malformed URL)"
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}{parts.path}"


def origin(url: str) -> tuple[str, str, int]:
    """Return (scheme, host, port): a credential belongs to exactly one origin."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return parts.scheme, (parts.hostname or "").lower(), port


@dataclass(frozen=True)
class Credential:
    """An Authorization header for one origin; never shown, never sent to another origin."""

    base_url: str
    authorization: str = field(repr=False)

    def for_url(self, url: str) -> dict[str, str]:
        """Return the header where ``url`` has the credential's own origin, else nothing."""
        return {"Authorization": self.authorization} if origin(url) == origin(self.base_url) else {}


class Meter:
    """Counts requests for the report's budget; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requests = 0
        self.not_modified = 0
        self.remaining: int | None = None

    def count(self, *, not_modified: bool = False, remaining: int | None = None) -> None:
        """Add one request that was sent; ``remaining`` is the server's own count, where it says."""
        with self._lock:
            self.requests += 1
            self.not_modified += not_modified
            if remaining is not None:
                self.remaining = remaining
