"""Answers on the wire, whole or spoiled as the fault script says."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from forge.blobs import Blob
from forge.call import Answer
from forge.dispatch import Outcome
from forge.faults import HTML, Fault


@dataclass(frozen=True, kw_only=True)
class Sending:
    """What to send: ``promised`` is the Content-Length (None: none), ``sent`` bytes really go out.

    With a ``pause`` in seconds the body stops half-way for so long. ``close`` ends the connection.
    """

    status: int
    headers: Mapping[str, str]
    body: Blob
    promised: int | None
    sent: int
    pause: float = 0.0
    close: bool = False


def plan(outcome: Outcome, method: str) -> Sending | None:
    """Return what goes out, or None for a cut connection."""
    if outcome.answer is None:
        return None
    sound = whole(_spoiled(outcome.answer, outcome.fault), method)
    return sound if sound.sent == 0 or outcome.fault is None else _shortened(sound, outcome.fault)


def whole(answer: Answer, method: str) -> Sending:
    """Return the answer as a sound server sends it."""
    bodyless = method == "HEAD" or answer.status in (204, 304)
    return Sending(
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        promised=None if answer.status in (204, 304) else answer.body.size,
        sent=0 if bodyless else answer.body.size,
    )


def send(handler: BaseHTTPRequestHandler, sending: Sending) -> None:
    """Write the answer to the client."""
    handler.send_response(sending.status)
    for name, value in sending.headers.items():
        handler.send_header(name, value)
    if sending.promised is not None:
        handler.send_header("Content-Length", str(sending.promised))
    if sending.close:
        handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = handler.close_connection or sending.close
    half = sending.sent // 2 if sending.pause else sending.sent
    _write(handler, sending.body, 0, half)
    if sending.pause:
        handler.wfile.flush()
        _stopping(handler, sending.pause)
        _write(handler, sending.body, half, sending.sent - half)


def _write(handler: BaseHTTPRequestHandler, body: Blob, start: int, count: int) -> None:
    match body.source:
        case bytes() as data:
            handler.wfile.write(data[start : start + count])
        case Path() as path if count:
            handler.wfile.flush()
            with path.open("rb") as file:
                handler.connection.sendfile(file, start, count)
        case _:
            return


def _stopping(handler: BaseHTTPRequestHandler, seconds: float) -> None:
    handler.server.dispatcher.stopping.wait(seconds)  # type: ignore[attr-defined]


def _spoiled(answer: Answer, fault: Fault | None) -> Answer:
    match fault.action if fault else None:
        case "html":
            return Answer(status=200, body=Blob(HTML), headers={"Content-Type": "text/html; charset=utf-8"})
        case "gzip":
            packed = Blob(gzip.compress(answer.body.read(), mtime=0))
            return replace(answer, body=packed, headers={**answer.headers, "Content-Encoding": "gzip"})
        case "gzip-header":
            return replace(answer, headers={**answer.headers, "Content-Encoding": "gzip"})
        case "corrupt" if answer.body.size:
            data = answer.body.read()
            return replace(answer, body=Blob(data[:-1] + bytes([data[-1] ^ 1])))
        case _:
            return answer


def _shortened(sound: Sending, fault: Fault) -> Sending:
    size = sound.sent
    kept = size if fault.keep is None else min(fault.keep, size)
    match fault.action:
        case "truncate":
            return replace(sound, sent=size // 2 if fault.keep is None else kept, close=True)
        case "wrong-length":
            return replace(sound, promised=max(0, size + fault.delta), close=True)
        case "no-length":
            return replace(sound, promised=None, sent=kept, close=True)
        case "stall":
            return replace(sound, pause=fault.seconds)
        case _:
            return sound
