"""Reading bodies: whole and small, or hashed in constant memory. Bytes are counted here, on the wire.

Neither a size nor a pace is trusted: a body is bounded in bytes, and one that drips slower than 1 KiB/s is
given up.
"""

import time
import zlib
from collections.abc import Callable
from typing import BinaryIO

from release.adapters.http.hashing import Hashes
from release.adapters.http.limits import Transient
from release.adapters.http.model import FaultKind, HttpFault, show
from release.adapters.http.transport import Reply
from release.domain.digests import Digest
from release.domain.errors import CannotTell

# Small enough to stay in the processor's cache, and below malloc's threshold for fresh pages from the kernel.
_CHUNK = 128 << 10
# A long body is hashed by another thread: fewer and larger chunks to hand over are cheaper then.
_LARGE = 512 << 10
_LONG = 32 << 20
_SLOWEST = 1 << 10
_SMALL = 1 << 16
_DISCARD = 2.0


class Pace:
    """Gives up on a body that, ``patience`` seconds after it began, averages less than 1 KiB/s."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._began = time.monotonic()

    def check(self, received: int, url: str) -> None:
        """Raise ``Transient`` where ``received`` bytes are too few by now."""
        elapsed = time.monotonic() - self._began
        if elapsed > self._patience and received < elapsed * _SLOWEST:
            text = f"GET {show(url)}: gave up after {elapsed:.0f} s, slower than 1 KiB/s"
            raise Transient(FaultKind.UNREACHABLE, text)


def announced(reply: Reply) -> int | None:
    """Return the Content-Length in bytes, or None where there is none; raise ``HttpFault`` for nonsense."""
    text = reply.headers.get("content-length")
    if text is None or "transfer-encoding" in reply.headers:
        return None
    lengths = {part.strip() for part in text.split(",")}
    value = lengths.pop()
    if lengths or not (value.isascii() and value.isdigit()):
        raise HttpFault(FaultKind.BAD_ANSWER, f"GET {show(reply.url)}: malformed Content-Length")
    return int(value)


def read_whole(reply: Reply, *, limit: int, patience: float) -> bytes:
    """Return the body, gunzipped where it was sent so; more than ``limit`` bytes is a BAD_ANSWER."""
    expected = announced(reply)
    _bound(expected or 0, limit, reply)
    pace, parts, size = Pace(patience), [], 0
    while data := reply.read(min(_CHUNK, limit + 1)):
        parts.append(data)
        size += len(data)
        _bound(size, limit, reply)
        pace.check(size, reply.url)
    _complete(size, expected, reply)
    return _decode(b"".join(parts), limit, reply)


def read_hashed(
    reply: Reply,
    algorithms: tuple[str, ...],
    *,
    patience: float,
    sink: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, tuple[Digest, ...]]:
    """Read the raw body once; return its size in bytes and one digest an algorithm, in that order.

    ``sink`` gets the bytes; ``progress`` is called with the bytes received so far.
    """
    expected, pace, size = announced(reply), Pace(patience), 0
    with Hashes(algorithms) as hashes:
        while data := reply.read(_CHUNK if size < _LONG else _LARGE):
            size += len(data)
            hashes.update(data)
            if sink is not None:
                _keep(sink, data)
            if progress is not None:
                progress(size)
            pace.check(size, reply.url)
        _complete(size, expected, reply)
        return size, hashes.digests()


def discard(reply: Reply) -> None:
    """Read the small body of a reply that nobody needs, so that its connection can be used again."""
    try:
        size = 0 if reply.status == 304 else announced(reply)
        if size is not None and size <= _SMALL:
            read_whole(reply, limit=_SMALL, patience=_DISCARD)
    except HttpFault:
        return


def _keep(sink: BinaryIO, data: bytes) -> None:
    try:
        sink.write(data)
    except OSError as error:
        text = f"the download could not be written: {(error.strerror or 'unknown error').lower()}"
        raise CannotTell("tool.failed", text) from error


def _complete(size: int, expected: int | None, reply: Reply) -> None:
    if expected is not None and size != expected:
        text = f"GET {show(reply.url)}: {size} of {expected} bytes arrived"
        raise Transient(FaultKind.TRUNCATED, text)


def _bound(size: int, limit: int, reply: Reply) -> None:
    if size > limit:
        raise HttpFault(FaultKind.BAD_ANSWER, f"GET {show(reply.url)}: the body is over {limit} bytes")


def _decode(body: bytes, limit: int, reply: Reply) -> bytes:
    encoding = reply.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("identity", "") or not body:
        return body
    text = f"GET {show(reply.url)}"
    if encoding not in ("gzip", "x-gzip"):
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text}: a content encoding that was not asked for")
    decoder = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        decoded = decoder.decompress(body, limit + 1)
    except zlib.error as error:
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text}: the body is not gzip, as it says") from error
    _bound(len(decoded), limit, reply)
    if not decoder.eof:
        raise Transient(FaultKind.TRUNCATED, f"{text}: the gzip body ended early")
    if decoder.unused_data:
        raise HttpFault(FaultKind.BAD_ANSWER, f"{text}: bytes after the end of the gzip body")
    return decoded
