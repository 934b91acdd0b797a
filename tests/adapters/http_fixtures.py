"""Loopback servers for the HTTP client's tests: scripted answers, raw bytes, TLS and a small proxy."""

import gzip
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

CANARY = "ghp_canary0123456789canary"


@dataclass(frozen=True)
class Seen:
    """One request as a server received it: header names in lower case, the client's port."""

    method: str
    path: str
    headers: dict[str, str]
    port: int = 0


@dataclass(frozen=True)
class Say:
    """One scripted answer. ``raw`` sends exactly these bytes instead and closes the connection."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    raw: bytes | None = None
    drip: float = 0.0


Script = Callable[[Seen], Say]


class Server:
    """A running server: ``url``, and every request it got in ``seen``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seen: list[Seen] = []

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [seen.path for seen in self.seen]


def gzipped(body: bytes) -> bytes:
    """Compress ``body`` the same way each time."""
    return gzip.compress(body, mtime=0)


def replies(*answers: Say) -> Script:
    """Answer with each of ``answers`` in turn, and with the last one ever after."""
    queue = list(answers)
    return lambda _: queue.pop(0) if len(queue) > 1 else queue[0]


@contextmanager
def serving(script: Script, *, certificate: Path | None = None) -> Iterator[Server]:
    """Run a server on a free loopback port that answers as ``script`` says."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, self.client_address[1])
            server.seen.append(seen)
            _answer(self, script(seen))

        def log_message(self, *_: object) -> None:
            return

    class Threaded(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            return

    listener = Threaded(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
    scheme = "https" if certificate else "http"
    server = Server(f"{scheme}://127.0.0.1:{listener.server_address[1]}")
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()


def _answer(handler: BaseHTTPRequestHandler, say: Say) -> None:
    if say.raw is not None:
        handler.close_connection = True
        _send(handler, say.raw, say.drip)
        return
    handler.send_response(say.status)
    for name, value in say.headers.items():
        handler.send_header(name, value)
    if say.status != 304:
        handler.send_header("Content-Length", str(len(say.body) if say.length is None else say.length))
    handler.end_headers()
    _send(handler, say.body, say.drip)
    if say.length is not None and say.length != len(say.body):
        handler.close_connection = True


def _send(handler: BaseHTTPRequestHandler, data: bytes, drip: float) -> None:
    if not drip:
        handler.wfile.write(data)
        return
    stop = threading.Event()
    for byte in data:
        handler.wfile.write(bytes((byte,)))
        handler.wfile.flush()
        stop.wait(drip)


@contextmanager
def proxying(*, refuse: int = 0) -> Iterator[Server]:
    """Run a plain-HTTP and CONNECT proxy; ``refuse`` is a status it answers to everything instead."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_relay, args=(client, server, refuse), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        listener.close()


def _relay(client: socket.socket, server: Server, refuse: int) -> None:
    with client, client.makefile("rb") as reader:
        method, target, _ = reader.readline().decode("latin-1").split(" ")
        lines = []
        while (line := reader.readline()) not in (b"\r\n", b""):
            lines.append(line)
        headers = dict(line.decode("latin-1").strip().lower().split(": ", 1) for line in lines)
        server.seen.append(Seen(method, target, headers))
        if refuse:
            client.sendall(f"HTTP/1.1 {refuse} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            return
        where = urlsplit(target if method != "CONNECT" else f"//{target}")
        with socket.create_connection((where.hostname or "", where.port or 80)) as upstream:
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                threading.Thread(target=_copy, args=(client, upstream), daemon=True).start()
            else:
                upstream.sendall(f"{method} {where.path} HTTP/1.1\r\nConnection: close\r\n".encode())
                upstream.sendall(b"".join(lines) + b"\r\n")
            _copy(upstream, client)


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        return


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1; return (key and certificate, certificate alone) as PEM files."""
    key, certificate, both = folder / "key.pem", folder / "ca.pem", folder / "both.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=acme.test", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both, certificate
