"""A scripted loopback server in the shape of GitHub's API, and readers that talk to it with a fake clock."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from release.adapters.github.reader import GitHubReader
from release.adapters.http import EtagStore, Http, Meter
from release.domain.errors import CannotTell
from release.domain.plan import GitHubPolicy

TOKEN = "ghp_canaryCANARYcanary0123456789"
COMMIT = "a" * 40
LATEST = "/repos/acme/widget/releases/latest"
START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request that the server got; ``headers`` are lower-case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Response:
    """One answer. ``cut``: send only so many bytes of the body, then close; -1 closes without an answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    length: bool = True


Handler = Callable[[Request], Response]


def answer(value: object, *, status: int = 200, **headers: str) -> Response:
    """Return a JSON answer; header names are given with underscores."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(
        status=status,
        body=json.dumps(value).encode(),
        headers={"Content-Type": "application/json; charset=utf-8", **named},
    )


class Server:
    """A server on 127.0.0.1 that answers by ``handler`` and remembers every request."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[Request] = []
        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), _handler_class(self))
        self._httpd.daemon_threads = True
        self.port = self._httpd.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._httpd.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._httpd.shutdown()
        self._httpd.server_close()

    def count(self, path: str) -> int:
        """Return how many requests had exactly this path (without the query)."""
        return sum(request.path == path for request in self.requests)


def _handler_class(server: Server) -> type[BaseHTTPRequestHandler]:
    class Scripted(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            request = Request(
                method=self.command,
                path=parts.path,
                query={name: values[-1] for name, values in parse_qs(parts.query).items()},
                headers={name.lower(): value for name, value in self.headers.items()},
            )
            server.requests.append(request)
            self._send(server.handler(request))

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _send(self, response: Response) -> None:
            if response.cut == -1:
                self.close_connection = True
                return
            self.send_response_only(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if response.length and response.status != 304:
                self.send_header("Content-Length", str(len(response.body)))
            else:
                self.close_connection = response.status != 304
            self.end_headers()
            if response.status != 304:
                self.wfile.write(response.body[: response.cut])
            if response.cut is not None:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Scripted


class FakeTime:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._lock = threading.Lock()
        self._now = START

    def now(self) -> datetime:
        """Return the time."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        with self._lock:
            self.slept.append(seconds)
            self._now += timedelta(seconds=seconds)


@dataclass(frozen=True, kw_only=True)
class Rig:
    """A reader with what it was made of."""

    reader: GitHubReader
    meter: Meter
    time: FakeTime


@contextmanager
def rig(
    api: str,
    *,
    token: str | None = TOKEN,
    cache: Path | None = None,
    repository: str = "acme/widget",
    **more: Any,
) -> Iterator[Rig]:
    """Yield a reader of ``repository`` at ``api``; ``cache`` is the ETag store's folder."""
    meter, time = Meter(), FakeTime()
    store = EtagStore(cache) if cache else None
    policy = GitHubPolicy(repository=repository, api=api, uploads=api, required_checks=())
    http = Http(cache=store, meter=meter, sleep=time.sleep, clock=time.now, timeout=(2.0, 5.0))
    reader = GitHubReader(
        policy=policy,
        token=token,
        http=http,
        etags=store,
        meter=meter,
        sleep=time.sleep,
        clock=time.now,
        **more,
    )
    try:
        yield Rig(reader=reader, meter=meter, time=time)
    finally:
        reader.close()
        http.close()


def repository_json(**more: object) -> dict[str, object]:
    """Return ``GET /repos/acme/widget`` for a token that may push."""
    return {"id": 1, "full_name": "acme/widget", "permissions": {"push": True}, "private": False, **more}


def release_json(number: int = 1, **more: object) -> dict[str, object]:
    """Return one published release, as GitHub answers it."""
    return {
        "id": number,
        "tag_name": f"v1.0.{number}",
        "name": f"v1.0.{number}",
        "draft": False,
        "prerelease": False,
        "immutable": True,
        "target_commitish": "main",
        "html_url": f"https://github.test/acme/widget/releases/tag/v1.0.{number}",
        "upload_url": f"https://uploads.test/repos/acme/widget/releases/{number}/assets{{?name,label}}",
        "created_at": "2026-11-30T10:00:00Z",
        "published_at": "2026-11-30T12:00:00+02:00",
        "body": "notes",
        "reactions": {"+1": 3},
        **more,
    }


def asset_json(base: str, number: int = 1, content: bytes = b"bytes", **more: object) -> dict[str, object]:
    """Return one uploaded asset whose API URL is below ``base``; no digest."""
    return {
        "id": number,
        "name": f"widget-{number}.tar.gz",
        "label": None,
        "state": "uploaded",
        "size": len(content),
        "url": f"{base}/repos/acme/widget/releases/assets/{number}",
        "browser_download_url": f"https://github.test/acme/widget/releases/download/v1/widget-{number}.tar.gz",
        "content_type": "application/gzip",
        "created_at": "2026-11-30T10:00:00Z",
        "updated_at": "2026-11-30T10:00:01Z",
        "uploader": {"login": "bot", "id": 7},
        "download_count": 0,
        **more,
    }


def paged(request: Request, items: list[Any], base: str) -> Response:
    """Answer one page of ``items`` with GitHub's Link header (absent where all fit on one page)."""
    size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
    last = max(1, -(-len(items) // size))
    query = "&".join(f"{name}={value}" for name, value in request.query.items() if name != "page")
    targets = {"next": page + 1, "last": last} if page < last else {}
    if page > 1:
        targets |= {"prev": page - 1, "first": 1}
    link = ", ".join(f'<{base}{request.path}?{query}&page={to}>; rel="{rel}"' for rel, to in targets.items())
    return answer(items[(page - 1) * size : page * size], **({"Link": link} if link else {}))


def always(response: Response) -> Handler:
    """Return a handler that knows one answer."""
    return lambda _request: response


def sequence(*responses: Response) -> Handler:
    """Return a handler that gives one answer after the other, and the last one for ever."""
    left = list(responses)
    return lambda _request: left.pop(0) if len(left) > 1 else left[0]


def refused(made: Rig) -> CannotTell:
    """Ask for the latest release and return why it could not be seen."""
    with pytest.raises(CannotTell, match=r"/repos/acme/widget") as caught:
        made.reader.latest()
    assert TOKEN not in str(caught.value)
    return caught.value
