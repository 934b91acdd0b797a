"""A registry in front of the registry that also passes writes on: it counts them, and bends answers.

For what a real registry never does on demand: deny a publish as npm does, answer 403 to its own retry, take
a publish and show it minutes later.
"""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer."""

    status: int
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


@dataclass(frozen=True, kw_only=True)
class Write:
    """One write that arrived here: method, decoded path, and the upstream's status (None: not passed on)."""

    method: str
    path: str
    status: int | None


Bend = Callable[[Answer], Answer]


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class Registry:
    """Starts at once; use it in ``with``. ``url`` takes the place of the registry's."""

    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream)
        self.writes: list[Write] = []
        self._denied: dict[str, Answer] = {}
        self._bent: dict[tuple[str, str], Bend] = {}
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def deny(self, path: str, answer: Answer) -> None:
        """Answer every write to ``path`` (decoded, such as ``/@acme/core``) so, without any effect."""
        self._denied[path] = answer

    def allow(self, path: str) -> None:
        """Deny no more."""
        del self._denied[path]

    def bend(self, method: str, path: str, change: Bend) -> None:
        """Pass ``path`` on, and change the answer on its way back."""
        self._bent[method, path] = change

    def straighten(self) -> None:
        """Change no more answers."""
        self._bent.clear()

    def count(self, path: str) -> int:
        """Say how many writes to ``path`` arrived here."""
        return sum(write.path == path for write in self.writes)

    def serve(self, request: BaseHTTPRequestHandler) -> Answer:
        """Answer one request."""
        path, body = unquote(request.path), b""
        writes = request.command not in ("GET", "HEAD")
        if size := int(request.headers.get("Content-Length") or 0):
            body = request.rfile.read(size)
        if writes and path in self._denied:
            self.writes.append(Write(method=request.command, path=path, status=None))
            return self._denied[path]
        answer = self._forward(request, body)
        if writes:
            self.writes.append(Write(method=request.command, path=path, status=answer.status))
        return self._bent.get((request.command, path), _same)(answer)

    def _forward(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        connection = http.client.HTTPConnection(self.upstream.hostname or "", self.upstream.port, timeout=60)
        try:
            # with the Host under which we are asked: the registry builds its tarball addresses from it
            headers = {name: text for name, text in request.headers.items() if name.lower() not in _HOP}
            connection.request(request.command, request.path, body or None, headers)
            got = connection.getresponse()
            kept = tuple((name, text) for name, text in got.getheaders() if name.lower() not in _HOP)
            return Answer(status=got.status, body=got.read(), headers=kept)
        finally:
            connection.close()


def instead(status: int, error: str) -> Bend:
    """Return a bend: whatever was answered, say this."""
    body = f'{{"error":"{error}"}}'.encode()
    return lambda answer: replace(answer, status=status, body=body, headers=Answer.headers)


def _same(answer: Answer) -> Answer:
    return answer


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def serve(self) -> None:
            answer = registry.serve(self)
            self.send_response(answer.status)
            for name, text in answer.headers:
                self.send_header(name, text)
            body = b"" if answer.status in (204, 304) else answer.body
            if answer.status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = serve  # noqa: N815 - the base class' names

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler
