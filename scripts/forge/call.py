"""One request on its way to a handler, the handler's answer, and the refusals that end it early."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forge.blobs import Blob
from forge.journal import Journal, Write
from forge.links import Links
from forge.state import Access, Actor, Repo
from forge.world import World

JSON_TYPE = "application/json; charset=utf-8"


class Refused(Exception):
    """An answer that is no success; ``errors`` are GitHub's objects with resource, code and field."""

    def __init__(self, status: int, message: str, errors: Sequence[Mapping[str, str]] = ()) -> None:
        self.status = status
        self.message = message
        self.errors = errors
        super().__init__(message)


def invalid(resource: str, field_name: str, code: str, message: str = "") -> Refused:
    """Return GitHub's 422 about one field."""
    error = {"resource": resource, "code": code, "field": field_name}
    return Refused(422, "Validation Failed", [error | ({"message": message} if message else {})])


def not_found() -> Refused:
    """Return GitHub's 404, which also hides what the token may not see."""
    return Refused(404, "Not Found")


@dataclass(frozen=True, kw_only=True)
class Request:
    """A parsed request. ``path`` is raw (percent-encoded) and without the query; ``headers`` are lower-case.

    ``body`` is empty for uploads: their bytes are in ``upload``.
    """

    host: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    upload: Blob | None = None

    def json(self) -> dict[str, Any]:
        """Return the body as an object, or refuse it."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError as error:
            raise Refused(400, "Problems parsing JSON") from error
        if not isinstance(value, dict):
            raise Refused(400, "Body should be a JSON object")
        return value


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What goes back. ``body`` is served as it stands, streamed where it is a file."""

    status: int
    body: Blob = field(default_factory=lambda: Blob(b""))
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Settings:
    """What a test may change while the forge runs. ``latency_ms`` is added to each request."""

    latency_ms: float = 0.0
    direct_downloads: bool = False
    max_assets: int = 1000


@dataclass(frozen=True, kw_only=True)
class Call:
    """Everything that a handler may use."""

    world: World
    journal: Journal
    settings: Settings
    request: Request
    actor: Actor
    links: Links
    args: Mapping[str, str]
    found: Repo | None = None

    @property
    def repo(self) -> Repo:
        """The repository in the path."""
        if self.found is None:
            raise not_found()
        return self.found

    def may(self, access: Access) -> bool:
        """Say whether the actor has ``access`` to the repository in the path."""
        return self.actor.may(self.repo, access)

    def wrote(self, what: str, name: str, before: str | None = None, after: str | None = None) -> None:
        """Record a change of the repository in the path."""
        write = Write(what=what, repo=self.repo.full_name, name=name, before=before, after=after)
        self.journal.write(write)


def answer_json(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return ``value`` as JSON."""
    body = Blob(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())
    return Answer(status=status, body=body, headers={"Content-Type": JSON_TYPE, **(headers or {})})


def answer_refused(refused: Refused, request_id: str) -> Answer:
    """Return the refusal as GitHub words it (members as in the recorded 422)."""
    value: dict[str, object] = {
        "message": refused.message,
        "request_id": request_id,
        "documentation_url": "https://docs.github.com/rest",
    }
    if refused.errors:
        value["errors"] = [dict(error) for error in refused.errors]
    return answer_json(value, status=refused.status)
