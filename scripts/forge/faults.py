"""The fault script: rules that say which request goes wrong, how, and how often.

Rules are tried in the order in which they were added. ``delay`` lets the request go on to the next rule;
of the others the first that matches decides.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Action = Literal[
    "delay",
    "status",
    "status-after",
    "cut-before",
    "cut-after",
    "starter",
    "truncate",
    "wrong-length",
    "no-length",
    "html",
    "gzip",
    "gzip-header",
    "corrupt",
    "stall",
]
ACTIONS: tuple[str, ...] = get_args(Action)
HTML = b"<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One rule. Matches ``method`` (None: any), ``host`` (api, uploads, download; None: any) and ``path``.

    ``path`` is a regular expression searched in the path with its query. The rule acts from its ``nth`` match
    on, ``times`` times (None: for ever). What the actions do:

    - delay: wait ``seconds``, then go on
    - status: do nothing, answer ``status`` with ``headers`` and ``body``; status-after: do it, then answer so
    - cut-before, cut-after: close the connection without an answer, without or with the effect
    - starter: on an upload, leave an empty asset in state starter and answer 502
    - truncate: promise all bytes, send ``keep`` (None: half) and close
    - wrong-length: send everything under a Content-Length that is ``delta`` off
    - no-length: send ``keep`` bytes (None: all) without a Content-Length
    - html: 200 with a page; gzip: Content-Encoding gzip, and the body compressed once more
    - gzip-header: Content-Encoding gzip over the bytes as they are; corrupt: flip the last byte
    - stall: wait ``seconds`` in the middle of the body
    """

    action: Action
    method: str | None = None
    path: str = ""
    host: str | None = None
    nth: int = 1
    times: int | None = 1
    status: int = 502
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"message":"Server Error"}'
    seconds: float = 0.0
    keep: int | None = None
    delta: int = -1

    def __post_init__(self) -> None:
        """Refuse a rule that could never act."""
        if self.action not in ACTIONS:
            raise ValueError(f"unknown action {self.action!r}; one of: {', '.join(ACTIONS)}")
        re.compile(self.path)

    def matches(self, host: str, method: str, path: str) -> bool:
        """Say whether the rule is about this request."""
        return (
            self.method in (None, method)
            and self.host in (None, host)
            and re.search(self.path, path) is not None
        )


def secondary_limit(*, status: int = 403, retry_after: int = 1, path: str = "", times: int = 1) -> Fault:
    """Return GitHub's answer to too many requests at once."""
    body = '{"message":"You have exceeded a secondary rate limit. Please wait before you try again."}'
    headers = {"Retry-After": str(retry_after)}
    return Fault(action="status", path=path, times=times, status=status, headers=headers, body=body)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the script says of one request: how long to wait first, and the one fault, if any."""

    delay: float
    fault: Fault | None


class FaultScript:
    """The rules and how often each one matched; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[tuple[Fault, list[int]]] = []

    def add(self, *faults: Fault) -> None:
        """Append rules."""
        with self._lock:
            self._rules += [(fault, [0]) for fault in faults]

    def clear(self) -> None:
        """Drop all rules."""
        with self._lock:
            self._rules.clear()

    def pending(self) -> tuple[Fault, ...]:
        """Return the rules that have not yet acted as often as they should."""
        with self._lock:
            return tuple(
                fault
                for fault, seen in self._rules
                if fault.times is None or seen[0] < fault.nth + fault.times - 1
            )

    def judge(self, host: str, method: str, path: str) -> Verdict:
        """Count the request against the rules and return what shall happen to it."""
        delay = 0.0
        with self._lock:
            for fault, seen in self._rules:
                if not fault.matches(host, method, path):
                    continue
                seen[0] += 1
                if seen[0] < fault.nth or (fault.times is not None and seen[0] >= fault.nth + fault.times):
                    continue
                if fault.action != "delay":
                    return Verdict(delay=delay, fault=fault)
                delay += fault.seconds
        return Verdict(delay=delay, fault=None)
