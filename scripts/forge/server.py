"""Sockets: one listener a host, threads for connections, HTTP/1.1 with keep-alive, loopback only."""

import contextlib
import selectors
import socket
import ssl
import sys
import threading
import traceback
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from forge import admin, transmit
from forge.blobs import Blob, spool
from forge.call import Request
from forge.dispatch import Dispatcher
from forge.links import Links

LARGEST_BODY = 10 << 20


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a listener stands: the kind of host, its public links, and the scheme it speaks."""

    host: str
    links: Links
    folder: Path
    tls: ssl.SSLContext | None = None


class Listener(ThreadingHTTPServer):
    """One listening socket. ``place`` is set once all addresses are known."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    place: Place

    def __init__(self, port: int, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher
        self.open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Exchange)

    @property
    def port(self) -> int:
        """The port that the socket got."""
        return int(self.server_address[1])

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve one connection, over TLS where the place says so."""
        if self.place.tls is None:
            super().finish_request(request, client_address)
            return
        with self.place.tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent where a client hangs up, which is part of the game; anything else is our mistake."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.dispatcher.errors.append(traceback.format_exc())

    def server_bind(self) -> None:
        """Bind without asking the resolver for our own name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]


class Loop:
    """Accepts connections for all listeners in one thread that sleeps until there is one."""

    def __init__(self, listeners: list[Listener]) -> None:
        self._listeners = listeners
        self._wake, self._bell = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="forge", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop accepting, close every connection and return when the thread has ended."""
        self._bell.close()
        self._thread.join()
        self._wake.close()
        for listener in self._listeners:
            listener.server_close()
            for connection in list(listener.open):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake, selectors.EVENT_READ)
            for listener in self._listeners:
                selector.register(listener, selectors.EVENT_READ, listener)
            while True:
                for key, _ in selector.select():
                    if key.data is None:
                        return
                    with contextlib.suppress(OSError):
                        key.data.process_request(*key.data.get_request())


class Exchange(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: Listener

    def setup(self) -> None:
        """Remember the connection, so that it can be closed from outside."""
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.open.discard(self.connection)
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def version_string(self) -> str:
        """Name the server as GitHub does."""
        return "GitHub.com"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class' own name
        """Print nothing: the journal knows."""

    def serve(self) -> None:
        """Answer one request."""
        host, path, links = self._where()
        size = self._body_size()
        if size is None:
            self.close_connection = True
            self.send_error(411)
            return
        if host == "admin":
            answer = admin.handle(self.server.dispatcher, self.command, path, self.rfile.read(size))
            transmit.send(self, transmit.whole(answer, self.command))
            return
        request = self._request(host, path, size)
        outcome = self.server.dispatcher.handle(request, self.path, links)
        self._discard(request.upload)
        sending = transmit.plan(outcome, self.command)
        if sending is None:
            self.close_connection = True
            return
        transmit.send(self, sending)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve  # noqa: N815 - the base class' names

    def _where(self) -> tuple[str, str, Links]:
        place, path = self.server.place, urlsplit(self.path).path
        if place.host != "api":
            return place.host, path, place.links
        scheme = "https" if place.tls else "http"
        base = f"{scheme}://{self.headers.get('Host', '')}"
        enterprise = Links(
            api=f"{base}/api/v3",
            uploads=f"{base}/api/uploads",
            download=place.links.download,
            secret=place.links.secret,
        )
        if path.startswith("/_forge/"):
            return "admin", path, place.links
        if path.startswith("/api/uploads/"):
            return "uploads", path.removeprefix("/api/uploads"), enterprise
        if path == "/api/graphql":
            return "api", "/graphql", enterprise
        if path.startswith("/api/v3/"):
            return "api", path.removeprefix("/api/v3"), enterprise
        plain = Links(
            api=base, uploads=place.links.uploads, download=place.links.download, secret=place.links.secret
        )
        return "api", path, plain

    def _body_size(self) -> int | None:
        """Return the announced length; None for a body of unknown length, which GitHub refuses."""
        if "Transfer-Encoding" in self.headers:
            return None
        return int(self.headers.get("Content-Length") or 0)

    def _discard(self, upload: Blob | None) -> None:
        """Remove the bytes of an upload that became no asset."""
        kept = [asset.blob for asset in list(self.server.dispatcher.world.assets.values())]
        if upload is not None and upload not in kept and isinstance(upload.source, Path):
            upload.source.unlink()

    def _request(self, host: str, path: str, size: int) -> Request:
        upload: Blob | None = None
        body = b""
        if host == "uploads":
            upload = spool(self.rfile, size, self.server.place.folder)
        else:
            body = self.rfile.read(min(size, LARGEST_BODY))
        return Request(
            host=host,
            method=self.command,
            path=path,
            query=dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            upload=upload,
        )
