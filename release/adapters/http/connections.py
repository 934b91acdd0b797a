"""Pooled connections that bound the wait for a header and know when they were dropped while idle."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection


class StaleConnection(ConnectionResetError):
    """The server had closed a kept-alive connection: nothing was answered, and a new one will do."""


class Connections(HTTPAdapter):
    """requests' adapter over guarded connections; ``patience`` in seconds bounds the wait for a header."""

    def __init__(self, patience: float, concurrency: int) -> None:
        class Plain(_Guarded):
            limit = patience

        class Secure(_Guarded, HTTPSConnection):
            limit = patience

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        self._pools = {"http": PlainPool, "https": SecurePool}
        super().__init__(pool_connections=16, pool_maxsize=concurrency)

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the manager of direct connections; called by requests."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
        """Return the manager of connections through a proxy; called by requests."""
        manager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = self._pools
        return manager


class _Lines:
    """A file that remembers the last line read."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.last = b""

    def readline(self, limit: int = -1) -> bytes:
        self.last = self._file.readline(limit)
        return self.last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Whole(HTTPResponse):
    """http.client takes a header that was cut anywhere for a whole one: a 404, or half a Location."""

    def begin(self) -> None:
        file = self.fp
        lines: Any = _Lines(file)
        self.fp = lines
        super().begin()
        if self.fp is lines:
            self.fp = file
        if lines.last not in (b"\r\n", b"\n"):
            raise ConnectionAbortedError("the header was cut")


class _Guarded(HTTPConnection):
    response_class = _Whole
    limit = 60.0
    answers = 0
    late = False

    def connect(self) -> None:
        self.answers, self.late = 0, False
        super().connect()

    def getresponse(self) -> Any:
        try:
            with _cut_after(self.limit, self):
                response = super().getresponse()
        except (ConnectionError, HTTPException) as error:
            if self.late:
                raise TimeoutError("the header took too long") from error
            if self.answers and isinstance(error, ConnectionError):
                raise StaleConnection("dropped while idle") from error
            raise
        self.answers += 1
        return response


@contextmanager
def _cut_after(seconds: float, connection: _Guarded) -> Iterator[None]:
    """Cut the connection after ``seconds``: socket time-outs start again with every byte that drips in."""

    def cut() -> None:
        connection.late = True
        if connection.sock is not None:
            try:
                socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)
            except OSError:
                return

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
