"""What the npm tests share: handmade tarballs, a scripted registry on loopback, the real one, a reader."""

import base64
import contextlib
import gzip
import hashlib
import importlib.util
import io
import json
import shutil
import sys
import tarfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

from release.adapters.http import Credential, EtagStore, Http, Meter
from release.adapters.npm.reader import NpmReader
from release.domain.facts.npm import NotPacked, PackResult
from release.domain.plan import Package

ROOT = Path(__file__).resolve().parents[2]


def load_registry_script() -> ModuleType:
    """Import scripts/registry.py, which stands in no package."""
    known = sys.modules.get("registry")
    if known is not None:
        return known
    spec = importlib.util.spec_from_file_location("registry", ROOT / "scripts" / "registry.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["registry"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def require_npm() -> None:
    """Skip, loudly and by name, where the real npm or Verdaccio is not installed."""
    script = load_registry_script()
    if shutil.which("npm") is None or not script.VERDACCIO.exists():
        pytest.skip("NOT RUN: needs npm and Verdaccio (scripts/node/install)")


def member(
    name: str, body: bytes = b"", *, mode: int = 0o644, kind: bytes = tarfile.REGTYPE
) -> tarfile.TarInfo:
    """Return a tar header; a link's target is given as ``body``."""
    info = tarfile.TarInfo(name)
    info.mode, info.type = mode, kind
    if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        info.linkname = body.decode()
    elif kind == tarfile.REGTYPE:
        info.size = len(body)
    return info


def tgz(*entries: tuple[tarfile.TarInfo, bytes], level: int = 9) -> bytes:
    """Return a gzipped tar of the entries, in their order."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, body in entries:
            archive.addfile(info, io.BytesIO(body) if info.isreg() else None)
    return gzip.compress(buffer.getvalue(), level, mtime=0)


def package_tgz(files: Mapping[str, bytes], *, level: int = 9) -> bytes:
    """Return a package's tarball: ``files`` by path, without ``package/``."""
    return tgz(*((member(f"package/{path}", body), body) for path, body in files.items()), level=level)


def sri(body: bytes) -> str:
    """Return the sha512 integrity of ``body``."""
    return "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()


def version_of(name: str, version: str, url: str, integrity: str, **more: object) -> dict[str, object]:
    """Return one version's manifest, as in a packument."""
    return {"name": name, "version": version, "dist": {"integrity": integrity, "tarball": url}, **more}


def packument_of(name: str, *versions: dict[str, object], **more: object) -> dict[str, object]:
    """Return a packument whose ``latest`` is the last of ``versions``."""
    listed = {str(version["version"]): version for version in versions}
    tags = {"latest": list(listed)[-1]} if listed else {}
    times = dict.fromkeys(listed, "2026-11-30T12:00:00.000Z")
    return {"_id": name, "name": name, "versions": listed, "dist-tags": tags, "time": times, **more}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One scripted answer; ``sent`` bytes of the body are sent although all are announced."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int | None = None


def as_json(value: object, *, status: int = 200, etag: str = "") -> Reply:
    """Return a JSON answer."""
    headers = {"Content-Type": "application/json", **({"ETag": etag} if etag else {})}
    return Reply(status=status, body=json.dumps(value).encode(), headers=headers)


class Loopback:
    """A server that answers each path by its script: one reply a request, the last one again and again."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._scripts: dict[str, list[Reply]] = {}
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                loopback.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                reply = loopback._next(unquote(self.path))
                etag = reply.headers.get("ETag")
                if etag and self.headers.get("If-None-Match") == etag:
                    reply = Reply(status=304, headers={"ETag": etag})
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body[: reply.sent])
                if reply.sent is not None:
                    self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> "Loopback":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def route(self, path: str, *replies: Reply) -> None:
        """Answer ``path`` (decoded) with the replies in turn; paths without a script answer 404."""
        self._scripts[path] = list(replies)

    def asked(self, path: str) -> int:
        """Return how often ``path`` (decoded) was asked for."""
        return sum(unquote(seen) == path for seen, _ in self.requests)

    def _next(self, path: str) -> Reply:
        script = self._scripts.get(path)
        if not script:
            return as_json({"error": "not found"}, status=404)
        return script.pop(0) if len(script) > 1 else script[0]


@dataclass(frozen=True)
class NoPacking:
    """A packer for tests that only read the registry."""

    def packed(self, package: Package) -> PackResult:
        """Nothing is packed here."""
        return NotPacked(other=False)


@contextlib.contextmanager
def reading(
    url: str, *, credential: Credential | None = None, cache: Path | None = None, meter: Meter | None = None
) -> Iterator[NpmReader]:
    """Open a reader of one survey over the real HTTP client, without waits between its retries."""
    store = EtagStore(cache) if cache is not None else None
    http = Http(cache=store, meter=meter or Meter(), retries=1, sleep=lambda _: None, max_wait=1.0)
    try:
        yield NpmReader(http=http, registry=url, credential=credential, pack=NoPacking())
    finally:
        http.close()


NAME = "@acme/widget"
PATH = "/@acme/widget"
TARBALL = "/@acme/widget/-/widget-1.0.0.tgz"
BYTES = package_tgz({"package.json": b'{"name": "@acme/widget", "version": "1.0.0"}', "index.js": b"1"})
PAGE = Reply(body=b"<html><body>Sign in</body></html>", headers={"Content-Type": "text/html"})


def widget(server: Loopback, integrity: str = sri(BYTES), **more: object) -> dict[str, object]:
    """Return the manifest of the widget's version 1.0.0, served by ``server``."""
    return version_of(NAME, "1.0.0", server.url + TARBALL, integrity, **more)
