"""Between `release` and every remote: counts all interactions in one row, and lets exactly one go wrong.

There is one proxy for each origin (GitHub's API, uploads, downloads, the registry, the git server), so
credentials meet the same borders as in reality. A fault happens once: a repeated request is answered.
"""

import http.client
import select
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_PATIENCE = 60.0
_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "expect")


class Fault(StrEnum):
    """What happens to one interaction. All but the first two let it take its effect at the remote."""

    CUT_BEFORE = "cut-before"
    BAD_GATEWAY = "502-without-effect"
    CUT_AFTER = "cut-after"
    ERROR_AFTER = "500-after"
    TIMEOUT = "time-out"
    TRUNCATED = "truncated"
    KILLED = "sigkill"
    STARTER = "interrupted-upload"


EVERYWHERE = tuple(fault for fault in Fault if fault is not Fault.STARTER)
_WITHOUT_EFFECT = (Fault.CUT_BEFORE, Fault.BAD_GATEWAY)


@dataclass(frozen=True, kw_only=True)
class Interaction:
    """One request; ``status`` is the remote's own answer (None: it never arrived there)."""

    number: int
    channel: str
    method: str
    path: str
    status: int | None = None

    def __str__(self) -> str:
        return f"{self.channel} {self.method} {urlsplit(self.path).path}"


@dataclass(frozen=True, kw_only=True)
class Target:
    """Number ``number`` (from 1) of the interactions whose text begins with ``like`` ("": of all)."""

    number: int = 0
    like: str = ""
    fault: Fault | None = None


class Row:
    """All interactions of one run; the target meets its fault. ``kill`` ends the run's process."""

    def __init__(self, target: Target) -> None:
        self._lock = threading.Lock()
        self._seen: list[Interaction] = []
        self._target, self._alike = target, 0
        self.hit: Interaction | None = None
        self.over = threading.Event()
        self.kill: Callable[[], None] = lambda: None
        self.before: Callable[[Fault, str], None] = lambda _fault, _channel: None

    @property
    def seen(self) -> tuple[Interaction, ...]:
        """What was asked so far, in order."""
        with self._lock:
            return tuple(self._seen)

    def begin(self, channel: str, method: str, path: str) -> tuple[int, Fault | None]:
        """Count one; return its number and its fault."""
        with self._lock:
            one = Interaction(number=len(self._seen) + 1, channel=channel, method=method, path=path)
            self._seen.append(one)
            self._alike += str(one).startswith(self._target.like)
            if self.hit is not None or self._alike != self._target.number:
                return one.number, None
            self.hit = one
        return one.number, self._target.fault

    def answered(self, number: int, status: int) -> None:
        """Note what the remote itself answered."""
        with self._lock:
            self._seen[number - 1] = replace(self._seen[number - 1], status=status)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the remote answered."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def bodiless(self) -> bool:
        """Say whether HTTP forbids a body here."""
        return self.status in (204, 304) or self.status < 200


def _own(status: int, reason: str) -> Answer:
    headers = (("Content-Type", "text/html"),)
    return Answer(status=status, reason=reason, headers=headers, body=b"<html><h1>Oops</h1></html>\n")


class Proxy(ThreadingHTTPServer):
    """Passes everything on to ``upstream`` (scheme://host:port) as ``channel``. Starts at once; stop it."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, channel: str, upstream: str, row: Row) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.channel, self.row = channel, row
        self.upstream = urlsplit(upstream)
        self.open: set[socket.socket] = set()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL, without a final slash."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the game."""

    def stop(self) -> None:
        """Stop accepting and close every connection."""
        self.shutdown()
        self._thread.join()
        self.server_close()
        for connection in tuple(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Proxy

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""

    def serve(self) -> None:
        body, row = self._body(), self.server.row
        number, fault = row.begin(self.server.channel, self.command, self.path)
        if fault is not None:
            row.before(fault, self.server.channel)
        if fault in _WITHOUT_EFFECT:
            self._spoil(_own(502, "Bad Gateway"), fault)
            return
        answer = self._forward(body)
        row.answered(number, answer.status)
        self._spoil(answer, fault)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve  # noqa: N815 - the base class' names

    def _spoil(self, answer: Answer, fault: Fault | None) -> None:
        match fault:
            case None | Fault.BAD_GATEWAY | Fault.STARTER:
                self._send(answer)
            case Fault.KILLED:
                self.server.row.kill()
                # a program that outlives the killed process goes on, as it would in reality
                self._send(answer)
            case Fault.ERROR_AFTER:
                self._send(_own(500, "Internal Server Error"))
            case Fault.TRUNCATED:
                self._send_half(answer)
            case Fault.TIMEOUT:
                self._wait_for_the_end()
                self._cut()
            case Fault.CUT_BEFORE | Fault.CUT_AFTER:
                self._cut()

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _forward(self, body: bytes) -> Answer:
        place = self.server.upstream
        upstream = http.client.HTTPConnection(place.hostname or "", place.port, timeout=_PATIENCE)
        try:
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _HOP:
                    upstream.putheader(name, value)
            if body or self.command in ("POST", "PUT", "PATCH"):
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body or None)
            response = upstream.getresponse()
            kept = tuple((name, text) for name, text in response.getheaders() if name.lower() not in _HOP)
            return Answer(status=response.status, reason=response.reason, headers=kept, body=response.read())
        finally:
            upstream.close()

    def _head(self, answer: Answer) -> bytes:
        lines = [f"HTTP/1.1 {answer.status} {answer.reason}", *(f"{n}: {v}" for n, v in answer.headers)]
        if not answer.bodiless:
            lines.append(f"Content-Length: {len(answer.body)}")
        return "\r\n".join((*lines, "", "")).encode("latin-1")

    def _send(self, answer: Answer) -> None:
        body = b"" if self.command == "HEAD" or answer.bodiless else answer.body
        self.wfile.write(self._head(answer) + body)
        self.wfile.flush()

    def _send_half(self, answer: Answer) -> None:
        """Promise the whole and send half of the body; half of the header where there is no body."""
        head = self._head(answer)
        has_body = answer.body and self.command != "HEAD" and not answer.bodiless
        self.wfile.write(head + answer.body[: len(answer.body) // 2] if has_body else head[: len(head) // 2])
        self.wfile.flush()
        self._cut()

    def _wait_for_the_end(self) -> None:
        """Say nothing until the client gives up."""
        while not self.server.row.over.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.1)
            if readable:
                return

    def _cut(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def proxies(upstreams: Mapping[str, str], row: Row) -> dict[str, Proxy]:
    """Start one proxy per channel; all count in ``row``."""
    return {channel: Proxy(channel, upstream, row) for channel, upstream in upstreams.items()}
