"""What a status means for an observer, and how long a limited server asks us to wait.

A 403 is a limit only where the headers say so; error texts are never read. The server's own ``Date`` is
the clock for its waits: a laptop's may be wrong.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from release.adapters.http.model import FaultKind, HttpFault

UNDERSTOOD = frozenset({200, 304, 404, 410})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRIED = frozenset({408, 500, 502, 503, 504})

Clock = Callable[[], datetime]


class Transient(HttpFault):
    """A fault that another attempt may mend; ``wait`` is what the server asks for in seconds, or None."""

    def __init__(
        self, kind: FaultKind, message: str, *, status: int | None = None, wait: float | None = None
    ) -> None:
        super().__init__(kind, message, status=status)
        self.wait = wait


def is_limited(status: int, headers: Mapping[str, str]) -> bool:
    """Say whether the answer is a primary or secondary rate limit."""
    says_so = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return status == 429 or (status == 403 and says_so)


def lift(headers: Mapping[str, str], clock: Clock | None) -> tuple[datetime | None, float | None]:
    """Return when the server will answer again, and the seconds until then; None where it does not say."""
    now = server_now(headers, clock)
    after = headers.get("retry-after", "").strip()
    if after.isascii() and after.isdigit():
        seconds = min(int(after[:12]), 10**8)
        return (now + timedelta(seconds=seconds) if now else None), float(seconds)
    at = _date(after) or _reset(headers)
    return at, max((at - now).total_seconds(), 1.0) if at and now else None


def server_now(headers: Mapping[str, str], clock: Clock | None) -> datetime | None:
    """Return the server's time, or the given clock's, or None where neither is known."""
    return _date(headers.get("date", "")) or (clock() if clock else None)


def fault_of(
    status: int, headers: Mapping[str, str], text: str, *, clock: Clock | None, elsewhere: bool
) -> HttpFault | None:
    """Return why an answer shows nothing, or None where it can be understood.

    ``text`` begins the message (method and URL). ``elsewhere``: a redirect led to another origin, so a
    refusal there may be a signed URL that is not valid yet or any more: asking again from the start helps.
    """
    if status in UNDERSTOOD:
        return None
    if is_limited(status, headers):
        return _limited(status, headers, text, clock)
    if status == 407:
        return HttpFault(FaultKind.UNREACHABLE, f"{text}: the proxy wants a login (407)", status=status)
    if status in (401, 403):
        kind = Transient if elsewhere else HttpFault
        return kind(FaultKind.DENIED, f"{text}: refused ({status})", status=status)
    if status in _RETRIED:
        _, wait = lift(headers, clock)
        return Transient(FaultKind.UNREACHABLE, f"{text}: server error {status}", status=status, wait=wait)
    if status >= 500:
        return HttpFault(FaultKind.UNREACHABLE, f"{text}: server error {status}", status=status)
    kind = Transient if elsewhere and status == 400 else HttpFault
    return kind(FaultKind.BAD_ANSWER, f"{text}: unexpected status {status}", status=status)


def _limited(status: int, headers: Mapping[str, str], text: str, clock: Clock | None) -> Transient:
    at, wait = lift(headers, clock)
    if at is not None:
        until = f"until {at:%Y-%m-%dT%H:%M:%SZ}"
    elif wait is not None:
        until = f"for {wait:.0f} s"
    else:
        until = "and the server does not say until when"
    message = f"{text}: rate limited ({status}) {until}"
    return Transient(FaultKind.RATE_LIMITED, message, status=status, wait=wait)


def _reset(headers: Mapping[str, str]) -> datetime | None:
    reset = headers.get("x-ratelimit-reset", "").strip()
    told = headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit()
    return datetime.fromtimestamp(int(reset), UTC) if told and len(reset) <= 11 else None


def _date(text: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
