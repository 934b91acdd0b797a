"""One request, as it goes over the wire: no retries, no redirects, no cookies, no .netrc.

Only this file and ``connections`` know requests and urllib3. Every way a request can fail becomes an
``HttpFault`` here, described by the operating system's or TLS library's own words and never by
a library's text, which may quote URLs and proxy passwords.
"""

import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import requests
import urllib3
from requests.structures import CaseInsensitiveDict

from release.adapters.http.connections import Connections, StaleConnection
from release.adapters.http.limits import Transient
from release.adapters.http.model import FaultKind, HttpFault, show
from release.domain.errors import UsageError

_CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
CutBody = requests.exceptions.ChunkedEncodingError
"""What requests raises where a body ends before its announced end."""

_FAILURES = (OSError, ValueError, HTTPException, urllib3.exceptions.HTTPError)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Status and headers (lower-case names), with the body still on the wire."""

    url: str
    status: int
    headers: Mapping[str, str]
    raw: urllib3.BaseHTTPResponse

    def read(self, amount: int) -> bytes:
        """Return the next bytes as sent, at most ``amount`` and as soon as there are any; b"" at the end.

        Raises ``Transient``: TRUNCATED where the connection ended early, UNREACHABLE on time-outs.
        """
        try:
            return self.raw.read1(amount, decode_content=False) or b""
        except urllib3.exceptions.TimeoutError as error:
            raise _transient(FaultKind.UNREACHABLE, self.url, "timed out in the body") from error
        except _FAILURES as error:
            raise _transient(FaultKind.TRUNCATED, self.url, "the body ended early") from error


class Transport:
    """Sends GETs over one shared pool of kept-alive connections; thread-safe.

    ``timeout`` is (connect, read) in seconds; the read one also bounds the wait for the whole header.
    Proxies come from the environment, as does the CA bundle where ``ca_bundle`` is None.
    """

    def __init__(
        self, *, timeout: tuple[float, float], ca_bundle: Path | str | None, concurrency: int = 32
    ) -> None:
        self._timeout = timeout
        self._verify = authorities(ca_bundle)
        self._adapter = Connections(timeout[1], concurrency)
        self._concurrency = concurrency

    @contextmanager
    def open(self, url: str, headers: Mapping[str, str]) -> Iterator[Reply]:
        """Send a GET of ``url`` exactly as written; the connection is released or closed at the end."""
        response = self._send(_request(url, headers))
        try:
            lower = {name.lower(): value for name, value in response.headers.items()}
            yield Reply(url=url, status=response.status_code, headers=lower, raw=response.raw)
        finally:
            response.close()

    def close(self) -> None:
        """Close all idle connections."""
        self._adapter.close()

    def _send(self, request: requests.PreparedRequest) -> requests.Response:
        url = str(request.url)
        for _ in range(self._concurrency):
            try:
                return self._send_once(request, url)
            except StaleConnection:
                continue
        raise _transient(FaultKind.UNREACHABLE, url, "kept-alive connections are cut again and again")

    def _send_once(self, request: requests.PreparedRequest, url: str) -> requests.Response:
        try:
            proxies = requests.utils.get_environ_proxies(url)
            return self._adapter.send(
                request, stream=True, timeout=self._timeout, verify=self._verify, proxies=proxies
            )
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidHeader, UnicodeError) as error:
            raise HttpFault(FaultKind.BAD_ANSWER, f"GET {show(url)}: malformed URL or headers") from error
        except _FAILURES as error:
            for cause in _chain(error):
                if isinstance(cause, StaleConnection):
                    raise cause from None
            raise _unreachable(url, error) from error


def _request(url: str, headers: Mapping[str, str]) -> requests.PreparedRequest:
    """Build the request by hand: ``prepare`` would rewrite the URL's escapes, and signed URLs break then."""
    request = requests.PreparedRequest()
    request.method = "GET"
    request.url = url
    request.headers = CaseInsensitiveDict(headers)
    return request


def authorities(explicit: Path | str | None) -> str | bool:
    """Return the CA bundle's path, or True for the built-in one; raise ``UsageError`` where it is missing."""
    named = [("--ca-bundle", str(explicit))] if explicit else []
    named += [(name, os.environ[name]) for name in _CA_VARIABLES if os.environ.get(name)]
    if not named:
        return True
    name, path = named[0]
    if not Path(path).exists():
        raise UsageError(f"{name} names {path}, which does not exist", fix="give a file of PEM certificates")
    return path


def _transient(kind: FaultKind, url: str, text: str) -> Transient:
    return Transient(kind, f"GET {show(url)}: {text}")


def _unreachable(url: str, error: BaseException) -> HttpFault:
    chain = tuple(_chain(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            text = f"GET {show(url)}: the certificate is not trusted ({cause.verify_message})"
            return HttpFault(FaultKind.UNREACHABLE, text)
    through = "the proxy: " if any(isinstance(e, requests.exceptions.ProxyError) for e in chain) else ""
    return _transient(FaultKind.UNREACHABLE, url, f"{through}{_words(chain)}")


def _words(chain: tuple[BaseException, ...]) -> str:
    # urllib3's "could not connect" is also one of its time-outs: the system's own words come first.
    for cause in chain:
        match cause:
            case requests.RequestException():
                continue
            case ssl.SSLError():
                return f"TLS failed ({cause.reason or 'handshake'})"
            case OSError(errno=int(), strerror=str(words)):
                return words.lower()
            case _:
                continue
    timeouts = (requests.exceptions.Timeout, urllib3.exceptions.TimeoutError, TimeoutError)
    late = any(isinstance(cause, timeouts) for cause in chain)
    return "timed out" if late else "the connection was cut before an answer"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Walk an exception, what it wraps (in arguments or as a reason) and what caused it."""
    pending, seen = [error], set[int]()
    while pending:
        current = pending.pop(0)
        if not isinstance(current, BaseException) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        pending += [getattr(current, "reason", None), current.__cause__, current.__context__]
        pending += [argument for argument in current.args if isinstance(argument, BaseException)]
