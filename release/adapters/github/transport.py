"""GET one path of the API: conditional, bounded in time, validated; every failure is a ``CannotTell``.

A stored answer is used only after the server confirmed it (304). The token goes to the API's own origin
only: redirects and links are reduced to paths below the base URL, or refused. Nothing here waits longer
than ``max_wait`` for one question, and while a longer limit lasts nothing is sent at all.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Generic
from urllib.parse import urljoin, urlsplit

import msgspec

from release.adapters.github import limits
from release.adapters.github.model import ACCEPT, Absent, Access, Got, Pace, Reply, Shape
from release.adapters.http.etags import EtagStore, cache_key, stored_from
from release.adapters.http.model import Meter, origin
from release.domain.errors import CannotTell

if TYPE_CHECKING:
    from release.adapters.github.session import Session

_REDIRECTS = frozenset({301, 302, 307, 308})
_TURNS = 6
_UNDECODABLE = (msgspec.DecodeError, RecursionError)
_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, kw_only=True)
class _Known(Generic[Shape]):
    """A stored answer that still decodes: usable as soon as the server confirms it."""

    value: Shape
    etag: str
    link: str


class Transport:
    """The API as a map from paths to validated answers; thread-safe, with one PyGithub client a thread."""

    def __init__(self, access: Access, pace: Pace, *, etags: EtagStore | None, meter: Meter) -> None:
        self._access = access
        self._pace = pace
        self._etags = etags
        self._meter = meter
        self._local = threading.local()
        self._sessions: list[Session] = []
        self._limited_until: datetime | None = None
        self._prefix = urlsplit(access.api).path.rstrip("/")

    def fetch(
        self, path: str, shape: type[Shape], *, absent: frozenset[int] = frozenset()
    ) -> Got[Shape] | Absent:
        """GET ``path`` and decode it as ``shape``; a status in ``absent`` is a value, any other raises."""
        path, reply, known = self._settle(path, shape)
        link = reply.headers.get("link")
        if reply.status == HTTPStatus.NOT_MODIFIED and known is not None:
            remembered = known.link if link is None else link
            return Got(value=known.value, link=remembered, link_stated=link is not None)
        if reply.status == HTTPStatus.OK:
            value = _decode(path, reply.body.encode(), shape)
            self._remember(path, reply)
            return Got(value=value, link=link or "", link_stated=link is not None)
        if reply.status in absent:
            return Absent(status=reply.status)
        raise limits.refusal(path, reply, self._access)

    def write(self, verb: str, path: str, body: Mapping[str, object] | None) -> Reply:
        """Send one write below the base URL, once; any status is an answer, no answer is ``CannotTell``."""
        self._meter.count()
        return self._session().write(verb, path, body)

    def inside(self, url: str, path: str) -> str:
        """Return ``url``, which the answer to ``path`` named, as a path below the API's base URL.

        Raise ``CannotTell`` (bad-answer) where it leads anywhere else: the token must not follow.
        """
        try:
            absolute = urljoin(f"{self._access.api}{path}", url)
            parts, same = urlsplit(absolute), origin(absolute) == origin(self._access.api)
        except ValueError as error:
            raise CannotTell("github.bad-answer", f"GET {path}: it names an address that is none") from error
        if not same or "@" in parts.netloc or not parts.path.startswith(f"{self._prefix}/"):
            where = f"{parts.scheme}://{parts.hostname or ''}"
            text = f"GET {path}: it leads away from {self._access.api}, to {where}: not followed"
            raise CannotTell("github.bad-answer", text)
        below = parts.path.removeprefix(self._prefix)
        return f"{below}?{parts.query}" if parts.query else below

    def close(self) -> None:
        """Close the connections of all threads."""
        for session in self._sessions:
            session.close()

    def _settle(self, path: str, shape: type[Shape]) -> tuple[str, Reply, _Known[Shape] | None]:
        """Ask until the answer is neither a redirect nor a limit that is short enough to wait for."""
        waited = 0.0
        for _ in range(_TURNS):
            known = self._recall(path, shape)
            reply = self._ask(path, {"If-None-Match": known.etag} if known else {})
            if reply.status in _REDIRECTS:
                path = self.inside(reply.headers.get("location", "//"), path)
                continue
            limit = limits.limit_of(reply, self._pace.clock)
            if limit is None:
                return path, reply, known
            waited += limit.wait
            if waited > self._pace.max_wait:
                self._limited_until = limit.until
                raise limits.limited(path, limit.until)
            self._pace.sleep(limit.wait)
        text = f"GET {path}: still redirected or limited after {_TURNS} requests"
        raise CannotTell("github.bad-answer", text)

    def _ask(self, path: str, headers: dict[str, str]) -> Reply:
        until = self._limited_until
        if until is not None and self._pace.clock() < until:
            raise limits.limited(path, until)
        try:
            reply = self._session().get(path, headers)
        except CannotTell:
            self._meter.count()
            raise
        remaining = reply.headers.get("x-ratelimit-remaining", "")
        self._meter.count(
            not_modified=reply.status == HTTPStatus.NOT_MODIFIED,
            remaining=int(remaining) if remaining.isascii() and remaining.isdigit() else None,
        )
        return reply

    def _session(self) -> "Session":
        found: Session | None = getattr(self._local, "session", None)
        return found or self._open()

    def _open(self) -> "Session":
        # PyGithub takes a quarter of a second to import: only where GitHub is asked
        from release.adapters.github.session import Session

        _check_token(self._access)
        session = Session(self._access, meter=self._meter, sleep=self._pace.sleep)
        self._local.session = session
        self._sessions.append(session)
        return session

    def _recall(self, path: str, shape: type[Shape]) -> _Known[Shape] | None:
        """Return the stored answer; None where there is none, or where it does not have the shape."""
        stored = self._etags.get(self._key(path)) if self._etags else None
        if stored is None or stored.etag is None:
            return None
        try:
            value = msgspec.json.decode(stored.body, type=shape)
        except _UNDECODABLE:
            return None
        return _Known(value=value, etag=stored.etag, link=stored.headers.get("link", ""))

    def _remember(self, path: str, reply: Reply) -> None:
        stored = stored_from(reply.headers, reply.body.encode())
        if self._etags is not None and stored is not None:
            self._etags.put(self._key(path), stored)

    def _key(self, path: str) -> str:
        return cache_key("GET", self._access.api + path, ACCEPT, self._access.credential())


def _decode(path: str, body: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except _UNDECODABLE as error:
        text = f"GET {path}: the answer is not what GitHub's API answers: {error}"
        raise CannotTell("github.bad-answer", text) from error


def _check_token(access: Access) -> None:
    if access.token is not None and not _TOKEN.fullmatch(access.token):
        text = "GITHUB_TOKEN or GH_TOKEN holds characters that no token has (a space or a line end?)"
        raise CannotTell("github.denied", text)
