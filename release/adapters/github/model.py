"""Values of the GitHub client: how to reach the API, how long to wait, what it answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from release.adapters.http.model import Credential

ACCEPT = "application/vnd.github+json"

Shape = TypeVar("Shape")


@dataclass(frozen=True, kw_only=True)
class Access:
    """How to reach the API: base URL without a final slash, time-outs and waits in seconds."""

    api: str
    token: str | None = field(repr=False)
    timeout: int
    retries: int
    backoff: float

    def credential(self) -> Credential | None:
        """Return the token as a header for the API's origin; None for an anonymous reader."""
        return Credential(self.api, f"Bearer {self.token}") if self.token else None


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How to wait, in seconds, and for how long at most for one question; ``clock`` is aware of UTC."""

    sleep: Callable[[float], None]
    clock: Callable[[], datetime]
    max_wait: float


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server answered: any status; ``headers`` has lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, kw_only=True)
class Got(Generic[Shape]):
    """A validated answer. ``link`` is its Link header.

    ``link_stated`` is False where this very answer had none (a 304 need not repeat it), so that a full
    page can't be believed to be the last.
    """

    value: Shape
    link: str
    link_stated: bool


@dataclass(frozen=True, kw_only=True)
class Absent:
    """The server says that the thing is not there, with one of the statuses that the caller expects."""

    status: int
