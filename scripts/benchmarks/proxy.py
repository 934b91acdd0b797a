"""A proxy in front of the npm registry: it waits before each answer, and keeps a log of them."""

import http.client
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from benchmarks.chains import Sent

_PASSED = ("etag", "last-modified", "cache-control", "content-encoding")


class Proxy(ThreadingHTTPServer):
    """Starts at once. ``latency`` in seconds is waited for in each request; ``sent`` is the log."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.latency = 0.0
        self.sent: list[Sent] = []
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: Proxy
    upstream: http.client.HTTPConnection | None = None

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the base class' own name
        """Print nothing."""

    def do_GET(self) -> None:
        """Wait, ask the registry under the name that the client used, and pass its answer on."""
        began = time.monotonic()
        time.sleep(self.server.latency)
        answer = self._ask()
        body = answer.read()
        conditional = "If-None-Match" in self.headers or "If-Modified-Since" in self.headers
        self.server.sent.append(
            Sent(
                server="registry",
                path=self.path,
                status=answer.status,
                conditional=conditional,
                began=began,
                ended=time.monotonic(),
            )
        )
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() in _PASSED or name.lower() == "content-type":
                self.send_header(name, value)
        if answer.status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _ask(self) -> http.client.HTTPResponse:
        if self.upstream is None:
            self.upstream = http.client.HTTPConnection(self.server.upstream, timeout=60)
            self.upstream.connect()
            self.upstream.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            # the registry builds tarball addresses from the Host that it is asked under
            self.upstream.putrequest("GET", self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "authorization"):
                    self.upstream.putheader(name, value)
            self.upstream.endheaders()
            return self.upstream.getresponse()
        except (OSError, http.client.HTTPException):
            self.upstream.close()
            self.upstream = None
            raise
