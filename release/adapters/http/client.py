"""GETs that either show something about the world or fail as ``HttpFault``: no third way.

Two verbs: ``get`` for whole small answers, revalidated through the store; ``stream`` for bodies of any
size that are hashed as they are on the wire. There is no POST here.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import release
from release.adapters.http.bodies import discard, read_hashed, read_whole
from release.adapters.http.etags import EtagStore, Stored, cache_key, stored_from
from release.adapters.http.exchange import Call, Exchange, Retries
from release.adapters.http.limits import Clock, Transient
from release.adapters.http.model import (
    Answer,
    Credential,
    FaultKind,
    HttpFault,
    Meter,
    Streamed,
    show,
)
from release.adapters.http.transport import Reply, Transport

_AGENT = f"release-convergence/{release.__version__}"
_OURS = frozenset({"accept", "accept-encoding", "authorization", "cookie", "if-none-match", "range"})


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What a stream is read for."""

    algorithms: tuple[str, ...]
    expect_size: int | None
    sink: BinaryIO | None
    progress: Callable[[int], None] | None


class Http:
    """A client for one survey; thread-safe, with one pool of connections for all threads.

    ``timeout`` is (connect, read) and ``max_wait`` the most it waits in all for one call, in seconds;
    ``retries`` come after the first attempt. ``clock`` (UTC) stands in where a server sends no Date.
    """

    def __init__(
        self,
        *,
        cache: EtagStore | None,
        meter: Meter,
        timeout: tuple[float, float] = (5.0, 60.0),
        retries: int = 3,
        sleep: Callable[[float], None] = time.sleep,
        clock: Clock | None = None,
        max_wait: float = 60.0,
        ca_bundle: Path | str | None = None,
        user_agent: str = _AGENT,
        concurrency: int = 32,
    ) -> None:
        self._cache = cache
        self._patience = timeout[1]
        self._retries = Retries(limit=retries, max_wait=max_wait, sleep=sleep)
        self._transport = Transport(timeout=timeout, ca_bundle=ca_bundle, concurrency=concurrency)
        base = {"User-Agent": user_agent, "Cache-Control": "no-cache"}
        self._exchange = Exchange(transport=self._transport, meter=meter, base=base, clock=clock)

    def get(
        self,
        url: str,
        *,
        accept: str,
        credential: Credential | None = None,
        limit: int = 64 << 20,
        fresh: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return the whole answer: 200, 404 or 410, or the stored one that a 304 confirmed.

        ``limit`` bounds the decoded body in bytes; ``fresh`` asks without validators. Raises ``HttpFault``.
        """
        own = _checked(headers)
        variant = "\n".join((accept, *sorted(f"{name.lower()}:{value}" for name, value in own.items())))
        key = cache_key("GET", url, variant, credential)
        stored = self._cache.get(key) if self._cache and not fresh else None
        if stored is not None and len(stored.body) > limit:
            stored = None
        sent = {"Accept": accept, "Accept-Encoding": "gzip", **(stored.validators() if stored else {})}
        call = Call(url=url, headers=sent, own=own, credential=credential)
        return self._retries.run(lambda: self._get(call, key, stored, limit))

    def stream(
        self,
        url: str,
        *,
        accept: str,
        algorithms: tuple[str, ...],
        credential: Credential | None = None,
        sink: BinaryIO | None = None,
        expect_size: int | None = None,
        headers: Mapping[str, str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Streamed:
        """Hash the body as it is on the wire, in constant memory, never decoded; a 404 or 410 has no digests.

        ``sink`` must be seekable: it holds the bytes of the last attempt only, and none after a fault.
        Fewer than ``expect_size`` bytes is TRUNCATED; more is a fact for the caller to judge. ``progress``
        is called with the bytes received so far in this attempt. Raises ``HttpFault``.
        """
        sent = {"Accept": accept, "Accept-Encoding": "identity"}
        call = Call(url=url, headers=sent, own=_checked(headers), credential=credential)
        wanted = _Wanted(algorithms=algorithms, expect_size=expect_size, sink=sink, progress=progress)
        start = sink.tell() if sink else 0

        def once() -> Streamed:
            try:
                with self._exchange.open(call) as reply:
                    return self._hash(call, reply, wanted)
            except BaseException:
                if sink is not None:
                    sink.seek(start)
                    sink.truncate()
                raise

        return self._retries.run(once)

    def close(self) -> None:
        """Close all idle connections."""
        self._transport.close()

    def _get(self, call: Call, key: str, stored: Stored | None, limit: int) -> Answer:
        with self._exchange.open(call) as reply:
            url = call.shown(reply)
            if reply.status != 304:
                body = read_whole(reply, limit=limit, patience=self._patience)
                if self._cache and reply.status == 200 and (kept := stored_from(reply.headers, body)):
                    self._cache.put(key, kept)
                return _answer(reply, reply.headers, body, url)
            if stored is None:
                raise _unasked(reply)
            return _answer(reply, {**reply.headers, **stored.headers}, stored.body, url)

    def _hash(self, call: Call, reply: Reply, wanted: _Wanted) -> Streamed:
        url, kind = call.shown(reply), reply.headers.get("content-type", "")
        if reply.status == 304:
            raise _unasked(reply)
        if reply.status != 200:
            discard(reply)
            return Streamed(status=reply.status, url=url, size=0, digests=(), content_type=kind)
        size, digests = read_hashed(
            reply,
            wanted.algorithms,
            patience=self._patience,
            sink=wanted.sink,
            progress=wanted.progress,
        )
        if wanted.expect_size is not None and size < wanted.expect_size:
            text = f"GET {show(url)}: {size} of {wanted.expect_size} bytes arrived"
            raise Transient(FaultKind.TRUNCATED, text)
        return Streamed(status=200, url=url, size=size, digests=digests, content_type=kind)


def _answer(reply: Reply, headers: Mapping[str, str], body: bytes, url: str) -> Answer:
    confirmed = reply.status == 304
    status = 200 if confirmed else reply.status
    return Answer(status=status, headers=headers, body=body, not_modified=confirmed, url=url)


def _unasked(reply: Reply) -> HttpFault:
    text = f"GET {show(reply.url)}: 304 to a question without validators"
    return HttpFault(FaultKind.BAD_ANSWER, text, status=304)


def _checked(headers: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the caller's own headers; raise ``ValueError`` for those that are the client's to set."""
    taken = {name.lower() for name in headers or {}} & _OURS
    if taken:
        raise ValueError(f"set by the client itself: {', '.join(sorted(taken))}")
    return headers or {}
