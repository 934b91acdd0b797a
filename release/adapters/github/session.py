"""The only file that imports PyGithub: one GET through its Requester, and every failure translated.

PyGithub alone would sleep for an hour on a rate limit, repeat a 202 without end, and follow a 301 without
its query (``state=all`` becomes "open only"). So retries are bounded here, limits and redirects are handed
back as answers, and only paths are requested: its URL assertion never has to protect the token.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

import github
from github.GithubRetry import GithubRetry

from release.adapters.github.model import ACCEPT, Access, Reply
from release.adapters.http.model import Meter
from release.adapters.http.transport import CutBody
from release.domain.errors import CannotTell

_API_VERSION = "2022-11-28"
_USER_AGENT = "release-convergence"
_NOT_RETRIED = (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
_RETRIED = (HTTPStatus.ACCEPTED, HTTPStatus.MOVED_PERMANENTLY, *range(500, 600))
_PER_PAGE = 100


class Session:
    """One PyGithub client. Not thread-safe: PyGithub may cross the answers of two threads."""

    def __init__(self, access: Access, *, meter: Meter, sleep: Callable[[float], None]) -> None:
        self._api = access.api
        retry = _ReadRetry(
            total=access.retries,
            backoff_factor=access.backoff,
            backoff_max=8,
            max_rate_limit_wait=0,
            status_forcelist=list(_RETRIED),
            allowed_methods={"GET", "HEAD"},
            respect_retry_after_header=False,
            raise_on_status=False,
        )
        self._wait = retry.on_wait = _count_and_sleep(meter, sleep)
        self._backoff = access.backoff
        self._github = _client(access, retry)

    def get(self, path: str, headers: Mapping[str, str]) -> Reply:
        """GET ``path`` (it starts with / and is below the base URL); raise ``CannotTell``.

        A 301 comes back as a ``Reply`` and is not followed.
        """
        try:
            status, received, body = self._read(path, {"Accept": ACCEPT, **headers})
        except _Moved as moved:
            return Reply(status=HTTPStatus.MOVED_PERMANENTLY, headers={"location": moved.location}, body="")
        except _StillWorking as error:
            text = f"GET {path}: the server keeps answering 202 (still working on it)"
            raise CannotTell("github.unreachable", text) from error
        except OSError as error:
            # every exception of requests is an OSError; their texts may hold the proxy's password
            text = f"GET {path}: no answer from {self._api} ({type(error).__name__})"
            raise CannotTell("github.unreachable", text) from error
        except Exception as error:
            text = f"GET {path}: the answer confused the client library ({type(error).__name__})"
            raise CannotTell("github.bad-answer", text) from error
        return Reply(
            status=status, headers={name.lower(): str(value) for name, value in received.items()}, body=body
        )

    def _read(self, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, Any], str]:
        """GET; a body that is cut is asked for once more: urllib3 retries only what precedes the body."""
        try:
            return self._github.requester.requestJson("GET", path, headers=dict(headers))
        except CutBody:
            self._wait(self._backoff)
            return self._github.requester.requestJson("GET", path, headers=dict(headers))

    def write(self, verb: str, path: str, body: Mapping[str, object] | None) -> Reply:
        """Send one write exactly once; raise ``CannotTell`` where its outcome is unknown.

        Retries are for GET and HEAD only, so PyGithub never repeats it.
        """
        try:
            status, received, text = self._github.requester.requestJson(
                verb, path, headers={"Accept": ACCEPT}, input=dict(body) if body is not None else None
            )
        except OSError as error:
            said = f"{verb} {path}: no answer from {self._api} ({type(error).__name__})"
            raise CannotTell("github.unreachable", said) from error
        except Exception as error:
            said = f"{verb} {path}: the answer confused the client library ({type(error).__name__})"
            raise CannotTell("github.bad-answer", said) from error
        headers = {name.lower(): str(value) for name, value in received.items()}
        return Reply(status=status, headers=headers, body=text)

    def close(self) -> None:
        """Close the connections."""
        self._github.close()


def _client(access: Access, retry: "_ReadRetry") -> github.Github:
    try:
        return github.Github(
            auth=github.Auth.Token(access.token) if access.token else None,
            base_url=access.api,
            per_page=_PER_PAGE,
            timeout=access.timeout,
            retry=retry,
            seconds_between_requests=None,
            seconds_between_writes=None,
            api_version=_API_VERSION,
            user_agent=_USER_AGENT,
            lazy=True,
        )
    except (AssertionError, AttributeError, ValueError) as error:
        text = f"{access.api} is not the address of an API ({type(error).__name__})"
        raise CannotTell("github.bad-answer", text) from error


class _Moved(Exception):
    """A 301, taken out of PyGithub's hands: it would drop the query."""

    def __init__(self, location: str) -> None:
        self.location = location
        super().__init__("moved")


class _StillWorking(Exception):
    """A 202 that stayed a 202: PyGithub would ask again without end."""


class _ReadRetry(GithubRetry):
    """Retries 5xx, 202 and broken connections a few times; never waits for a rate limit itself."""

    on_wait: Callable[[float], None] = staticmethod(lambda _seconds: None)

    def new(self, **kw: Any) -> Self:
        fresh = super().new(**kw)
        fresh.on_wait = self.on_wait
        return fresh

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        return status_code not in _NOT_RETRIED and super().is_retry(method, status_code, has_retry_after)

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: Any = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: TracebackType | None = None,
    ) -> Any:
        if response is not None and response.status == HTTPStatus.MOVED_PERMANENTLY:
            response.drain_conn()
            raise _Moved(response.headers.get("Location", ""))
        if response is not None and response.status == HTTPStatus.ACCEPTED and not self.total:
            response.drain_conn()
            raise _StillWorking
        return super().increment(method, url, response, error, _pool, _stacktrace)

    def sleep(self, response: Any = None) -> None:  # noqa: ARG002 - Retry-After is the transport's business
        self.on_wait(self.get_backoff_time())


def _count_and_sleep(meter: Meter, sleep: Callable[[float], None]) -> Callable[[float], None]:
    def wait(seconds: float) -> None:
        meter.count()
        if seconds > 0:
            sleep(seconds)

    return wait
