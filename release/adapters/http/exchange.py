"""From a question to the reply that answers it: redirects, credentials, the meter and retries.

A credential and the caller's own headers go to the first URL's origin and, once a redirect has left it,
nowhere else. Redirects never go from https to http; Location is followed as written.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar
from urllib.parse import quote, urljoin, urlsplit

from release.adapters.http.bodies import discard
from release.adapters.http.limits import REDIRECTS, Clock, Transient, fault_of
from release.adapters.http.model import Credential, FaultKind, HttpFault, Meter, origin, show
from release.adapters.http.transport import Reply, Transport

_MAX_REDIRECTS = 5
_READ = frozenset({200, 404, 410})
_FIRST_BACKOFF = 0.5
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question. ``headers`` go to every hop; ``own`` and the credential only to the first origin."""

    url: str
    headers: Mapping[str, str]
    own: Mapping[str, str] = field(default_factory=dict)
    credential: Credential | None = None

    def private(self) -> dict[str, str]:
        """Return the headers that must not follow a redirect to another origin."""
        return {**self.own, **(self.credential.for_url(self.url) if self.credential else {})}

    def shown(self, reply: Reply) -> str:
        """Return where the reply came from: the URL as asked, or the redirect's end without its query."""
        return self.url if reply.url == self.url else show(reply.url)


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Opens replies; ``base`` headers go with every request."""

    transport: Transport
    meter: Meter
    base: Mapping[str, str]
    clock: Clock | None

    @contextmanager
    def open(self, call: Call) -> Iterator[Reply]:
        """Yield the reply with status 200, 304, 404 or 410; raise ``HttpFault`` for every other outcome."""
        url, private = call.url, call.private()
        for _ in range(_MAX_REDIRECTS + 1):
            with self.transport.open(url, {**self.base, **call.headers, **private}) as reply:
                self._count(reply)
                if reply.status not in _READ:
                    discard(reply)
                if reply.status not in REDIRECTS:
                    self._check(reply, call, private)
                    yield reply
                    return
                url = _target(reply)
            if origin(url) != origin(call.url):
                private = {}
        text = f"GET {show(call.url)}: more than {_MAX_REDIRECTS} redirects"
        raise HttpFault(FaultKind.BAD_ANSWER, text)

    def _count(self, reply: Reply) -> None:
        remaining = reply.headers.get("x-ratelimit-remaining", "")
        known = remaining.isascii() and remaining.isdigit() and len(remaining) < 10
        self.meter.count(not_modified=reply.status == 304, remaining=int(remaining) if known else None)

    def _check(self, reply: Reply, call: Call, private: Mapping[str, str]) -> None:
        text = f"GET {show(reply.url)}"
        if reply.status in (401, 403, 429) and "Authorization" not in private:
            text += " without a credential"
        elsewhere = origin(reply.url) != origin(call.url)
        fault = fault_of(reply.status, reply.headers, text, clock=self.clock, elsewhere=elsewhere)
        if fault is not None:
            raise fault


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How often a transient fault is tried again; ``max_wait`` bounds all waits of one call, in seconds."""

    limit: int
    max_wait: float
    sleep: Callable[[float], None]

    def run(self, once: Callable[[], T]) -> T:
        """Return the first result of ``once``; raise its last ``HttpFault``, with the number of attempts."""
        waited = 0.0
        for attempt in count(1):
            try:
                return once()
            except Transient as fault:
                wait = _FIRST_BACKOFF * 2 ** (attempt - 1) if fault.wait is None else fault.wait
                if attempt > self.limit or waited + wait > self.max_wait:
                    raise _tried(fault, attempt) from fault
            waited += wait
            self.sleep(wait)
        raise AssertionError("unreachable")


def _tried(fault: HttpFault, attempts: int) -> HttpFault:
    text = fault.message if attempts == 1 else f"{fault.message} (after {attempts} attempts)"
    return HttpFault(fault.kind, text, status=fault.status)


def _target(reply: Reply) -> str:
    """Return where the redirect leads, as written but for bytes that no URL may hold."""
    text = f"GET {show(reply.url)}: redirected"
    location = reply.headers.get("location")
    if not location:
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text} to nowhere", status=reply.status)
    try:
        absolute = location if urlsplit(location).scheme else urljoin(reply.url, location)
        target = quote(absolute, safe=_PRINTABLE, encoding="latin-1")
        parts = urlsplit(target)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text} to something that is no web address")
    if parts.scheme == "http" and urlsplit(reply.url).scheme == "https":
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text} from https to http, which is refused")
    return target
