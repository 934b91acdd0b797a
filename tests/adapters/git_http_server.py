"""A git server over HTTP on loopback, with authentication, redirects and faults."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil


class GitServer(ThreadingHTTPServer):
    """Serves the repositories below ``root``; records what it was asked and what others could see.

    ``wanted``: the Authorization header to insist on; ``answer``: a status (and Location) to give instead;
    ``page``: a part of a path that is answered with a web page;
    ``canary``: a text that no process's argv may hold while a request is served.
    """

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root = root
        self.wanted: str | None = None
        self.answer: tuple[int, str] | None = None
        self.canary = ""
        self.page = ""
        self.authorizations: list[str | None] = []
        self.leaks: list[list[str]] = []

    @property
    def url(self) -> str:
        """The base URL, without a final slash."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: GitServer

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        given = self.headers.get("Authorization")
        self.server.authorizations.append(given)
        if self.server.canary:
            argvs = (process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"]))
            self.server.leaks += [argv for argv in argvs if self.server.canary in " ".join(argv)]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.answer is not None:
            status, location = self.server.answer
            self._plain(status, {"Location": location} if location else {})
        elif self.server.page and self.server.page in self.path:
            self._plain(200, {})
        elif self.server.wanted is not None and given != self.server.wanted:
            self._plain(401, {"WWW-Authenticate": 'Basic realm="git"'})
        else:
            self._backend(body)

    def _plain(self, status: int, headers: dict[str, str]) -> None:
        body = b"<html>not git</html>"
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "text/html", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run(("git", "http-backend"), input=body, capture_output=True, env=env, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.send_response(status)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def git_server(root: Path) -> Iterator[GitServer]:
    """Run a server for the duration of the block."""
    server = GitServer(root)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
