"""A registry in front of the registry: it answers scripted paths itself and passes everything else on.

For what a real registry never says: an empty 200, a proxy's page, another package's document, a 401.
"""

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


@dataclass(frozen=True)
class Reply:
    """One scripted answer."""

    status: int = 200
    body: bytes = b""
    type: str = "application/json"


Change = Callable[[bytes], bytes]


class Proxy:
    """Starts at once; ``stop`` it. ``url`` takes the place of the registry's."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._replies: dict[str, Reply] = {}
        self._changes: dict[str, Change] = {}
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                reply = proxy._answer(self.path, self.headers.get("Host", ""))
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.type)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def answer(self, path: str, reply: Reply) -> None:
        """Answer ``path`` (decoded, such as ``/@acme/core``) with ``reply``."""
        self._replies[path] = reply

    def change(self, path: str, change: Change) -> None:
        """Pass ``path`` on, and change the body on its way back."""
        self._changes[path] = change

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, path: str, host: str) -> Reply:
        name = unquote(path)
        if name in self._replies:
            return self._replies[name]
        # The registry builds tarball addresses from the Host that it is asked under.
        request = urllib.request.Request(self._upstream + path, headers={"Host": host})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                body, kind = answer.read(), answer.headers.get("Content-Type", "")
                return Reply(answer.status, self._changes.get(name, bytes)(body), kind)
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.read(), error.headers.get("Content-Type", ""))
