"""One POST of a file: streamed, sent once, and what is said where no answer comes."""

import hashlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from release.adapters.http.model import Credential, FaultKind, HttpFault
from release.adapters.http.upload import Upload, post_file

ANSWER = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Kind: yes\r\n\r\n{}"
SECRET = "Bearer canary-0123456789"


@dataclass
class Post:
    """One connection as the server saw it: the head, the body's length and SHA-256."""

    head: str = ""
    size: int = 0
    sha256: str = ""


@dataclass
class Sink:
    """A server that swallows posts; ``keep`` is how much of a body it reads before it hangs up."""

    answer: bytes = ANSWER
    keep: int | None = None
    posts: list[Post] = field(default_factory=list)
    url: str = ""

    def serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            post = Post()
            while (line := lines.readline()) not in (b"\r\n", b""):
                post.head += line.decode("latin-1")
            self.posts.append(post)
            lengths = [text for text in post.head.splitlines() if text.lower().startswith("content-length:")]
            left = int(lengths[0].partition(":")[2]) if lengths else 0
            left = left if self.keep is None else self.keep
            hashed = hashlib.sha256()
            while left and (data := lines.read(min(left, 1 << 20))):
                hashed.update(data)
                post.size += len(data)
                left -= len(data)
            post.sha256 = hashed.hexdigest()
            connection.sendall(self.answer)


@contextmanager
def sinking(**options: object) -> Iterator[Sink]:
    """Run a sink on loopback."""
    sink = Sink(**options)  # type: ignore[arg-type]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sink.url = f"http://127.0.0.1:{listener.getsockname()[1]}/upload"

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                sink.serve(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield sink
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def upload(url: str, path: Path, progress: Callable[[int], None] | None = None) -> Upload:
    return Upload(
        url=url,
        path=path,
        size=path.stat().st_size,
        content_type="application/zip",
        credential=Credential(url, SECRET),
        progress=progress,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of a few MiB whose bytes are not all the same."""
    path = tmp_path / "acme.zip"
    path.write_bytes(b"".join(bytes([number]) * 65537 for number in range(50)))
    return path


def test_the_bytes_arrive_once_and_whole(file: Path) -> None:
    """One POST with Content-Length, type and credential; the answer comes back as it is."""
    told: list[int] = []
    with sinking() as sink:
        posted = post_file(upload(sink.url, file, told.append))
    (post,) = sink.posts
    assert post.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"Content-Length: {file.stat().st_size}" in post.head
    assert "Content-Type: application/zip" in post.head
    assert f"Authorization: {SECRET}" in post.head
    assert "Transfer-Encoding" not in post.head
    assert (posted.status, posted.body, posted.headers["x-kind"]) == (201, b"{}", "yes")
    assert told == sorted(told)
    assert told[-1] == file.stat().st_size


@pytest.mark.parametrize("status", [301, 307, 422, 502])
def test_every_status_is_an_answer_and_no_redirect_is_followed(file: Path, status: int) -> None:
    """The body would go somewhere else, and the token with it: a redirect is handed back (APIS.md §1)."""
    with sinking() as other:
        head = f"HTTP/1.1 {status} X\r\nLocation: {other.url}\r\nContent-Length: 0\r\n\r\n".encode()
        with sinking(answer=head) as sink:
            assert post_file(upload(sink.url, file)).status == status
            assert len(sink.posts) == 1
        assert other.posts == []


@pytest.mark.parametrize(
    ("answer", "keep"),
    [
        (b"", None),
        (b"", 1000),
        (b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{}", None),
        (b"what is this", None),
    ],
    ids=["cut after the body", "cut inside the body", "the answer is cut", "not http"],
)
def test_no_whole_answer_is_an_unknown_outcome(file: Path, answer: bytes, keep: int | None) -> None:
    """Cut before, inside or after: UNREACHABLE, sent once; the message holds no token and no query (G01)."""
    with sinking(answer=answer, keep=keep) as sink:
        with pytest.raises(HttpFault, match="POST http://127") as caught:
            post_file(upload(f"{sink.url}?name=secret-name", file))
        assert len(sink.posts) == 1
    assert caught.value.kind is FaultKind.UNREACHABLE
    assert "canary" not in str(caught.value)
    assert "secret-name" not in str(caught.value)


def test_a_silent_server_is_not_waited_for_without_end(file: Path) -> None:
    """A server that takes everything and never answers costs the read time-out, not for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        small = file.with_name("small")
        small.write_bytes(b"1")
        with pytest.raises(HttpFault, match="no answer"):
            post_file(upload(url, small), timeout=(1.0, 0.2))


def test_netrc_adds_no_credential(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .netrc for the host can't replace our own header."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login eve password eve\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with sinking() as sink:
        post_file(upload(sink.url, file))
    assert f"Authorization: {SECRET}" in sink.posts[0].head


def test_a_credential_of_another_origin_stays_here(file: Path) -> None:
    """A credential is bound to its origin: another upload host gets none."""
    with sinking() as sink:
        other = Upload(
            url=sink.url,
            path=file,
            size=file.stat().st_size,
            content_type="application/zip",
            credential=Credential("http://127.0.0.1:1", SECRET),
        )
        post_file(other)
    assert "Authorization" not in sink.posts[0].head


MEMORY = """
import json, resource, sys
from pathlib import Path
from release.adapters.http.model import Credential
from release.adapters.http.upload import Upload, post_file
peaks = []
for name in sys.argv[2:]:
    path = Path(name)
    credential = Credential(sys.argv[1], "Bearer x")
    post_file(Upload(url=sys.argv[1], path=path, size=path.stat().st_size, content_type="a/b",
                     credential=credential))
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(json.dumps(peaks))
"""


def test_memory_stays_flat_over_a_large_file(tmp_path: Path) -> None:
    """200 MB are streamed: the peak is hardly above that of a file of one MB."""
    sizes = {"small": 1_000_000, "large": 200_000_000}
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as made:
            made.truncate(size)
    with sinking() as sink:
        paths = [str(tmp_path / name) for name in sizes]
        argv = [sys.executable, "-c", MEMORY, sink.url, *paths]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert [post.size for post in sink.posts] == list(sizes.values())
    small, large = json.loads(done.stdout)
    unit = 1024 if sys.platform != "darwin" else 1
    assert (large - small) * unit < 16 * 2**20
