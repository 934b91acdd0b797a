"""From a request to an answer: faults, limits, the door, the handler, the ETag, the journal; in this order.

The order is GitHub's as far as it can be seen: a bad token is noticed before the repository is looked up, and
a confirmed answer (304) costs an authenticated client nothing.
"""

import threading
import time
import traceback
import uuid
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from forge import doors, routes
from forge.call import Answer, Call, Refused, Request, Settings, answer_json, answer_refused, not_found
from forge.etags import revalidate
from forge.faults import Fault, FaultScript
from forge.handlers import assets
from forge.journal import Asked, Journal
from forge.limits import Bucket, Limits
from forge.links import Links
from forge.state import Actor
from forge.world import ANONYMOUS, World

_BEFORE = ("cut-before", "status", "starter")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the server shall do: send ``answer`` as ``fault`` says, or cut the connection where it is None."""

    answer: Answer | None
    fault: Fault | None = None


@dataclass
class Dispatcher:
    """The emulated GitHub without its sockets. ``errors`` holds tracebacks of our own mistakes."""

    world: World
    journal: Journal = field(default_factory=Journal)
    faults: FaultScript = field(default_factory=FaultScript)
    limits: Limits = field(default_factory=Limits)
    settings: Settings = field(default_factory=Settings)
    errors: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    load: Callable[[Mapping[str, Any]], None] | None = None

    def handle(self, request: Request, path: str, links: Links) -> Outcome:
        """Answer the request; ``path`` is as the client sent it, with prefix and query."""
        began = time.monotonic()
        verdict = self.faults.judge(request.host, request.method, path)
        self.stopping.wait(self.settings.latency_ms / 1000 + verdict.delay)
        request_id = uuid.uuid4().hex.upper()
        outcome = self._outcome(request, links, verdict.fault, request_id)
        status = None if outcome.answer is None else outcome.answer.status
        self._record(request, path, status, began)
        if outcome.answer is None:
            return outcome
        headers = {"X-GitHub-Request-Id": request_id, **outcome.answer.headers}
        return replace(outcome, answer=replace(outcome.answer, headers=headers))

    def _outcome(self, request: Request, links: Links, fault: Fault | None, request_id: str) -> Outcome:
        action = None if fault is None else fault.action
        if fault is not None and action in _BEFORE:
            if action == "starter":
                self._answer(request, links, request_id, starter=True)
            return Outcome(answer=None if action == "cut-before" else _scripted(fault))
        answer = self._answer(request, links, request_id)
        if action == "cut-after":
            return Outcome(answer=None)
        if fault is not None and action == "status-after":
            return Outcome(answer=_scripted(fault))
        return Outcome(answer=answer, fault=fault)

    def _answer(self, request: Request, links: Links, request_id: str, *, starter: bool = False) -> Answer:
        asker = ANONYMOUS
        try:
            if request.host == "download":
                return self._called(request, links, asker)
            asker = doors.actor(self.world, request)
            if self.limits.look(asker.token).remaining == 0 and request.path != "/rate_limit":
                raise Refused(self.limits.exhausted_status, f"API rate limit exceeded for {asker.login}.")
            answer = revalidate(request, self._called(request, links, asker, starter=starter))
        except Refused as refused:
            answer = answer_refused(refused, request_id)
        except Exception:  # noqa: BLE001 - a mistake of the forge must be seen as one, not as an outage
            self.errors.append(traceback.format_exc())
            answer = answer_json({"message": "the forge itself failed"}, status=500)
        return self._metered(request, answer, asker)

    def _called(self, request: Request, links: Links, asker: Actor, *, starter: bool = False) -> Answer:
        if request.host == "api" and request.path == "/rate_limit":
            return _rate_limit(self.limits.look(asker.token))
        match = routes.find(request.host, request.method, request.path)
        if match is None:
            raise not_found()
        with nullcontext() if request.method in ("GET", "HEAD") else self.world.lock:
            call = Call(
                world=self.world,
                journal=self.journal,
                settings=self.settings,
                request=request,
                actor=asker,
                links=links,
                args=match.args,
                found=doors.repository(self.world, match, asker, request.method),
            )
            if starter:
                assets.leave_starter(call)
                return Answer(status=502)
            return match.handler(call)

    def _metered(self, request: Request, answer: Answer, asker: Actor) -> Answer:
        if request.host == "download":
            return answer
        free = request.path == "/rate_limit" or (answer.status == 304 and asker.token is not None)
        bucket = self.limits.look(asker.token) if free else self.limits.charge(asker.token)
        shared = {"X-GitHub-Media-Type": "github.v3; format=json", **bucket.headers()}
        return replace(answer, headers={**shared, **answer.headers})

    def _record(self, request: Request, path: str, status: int | None, began: float) -> None:
        self.journal.ask(
            Asked(
                number=0,
                host=request.host,
                method=request.method,
                path=path,
                status=status,
                conditional="if-none-match" in request.headers,
                authorized="authorization" in request.headers,
                headers={name: text for name, text in request.headers.items() if name != "authorization"},
                began=began,
                ended=time.monotonic(),
            )
        )


def _scripted(fault: Fault) -> Answer:
    told = answer_json({}, status=fault.status if fault.action != "starter" else 502)
    body = replace(told.body, source=fault.body.encode())
    return replace(told, body=body, headers={**told.headers, **fault.headers})


def _rate_limit(bucket: Bucket) -> Answer:
    shown = {
        "limit": bucket.limit,
        "remaining": bucket.remaining,
        "reset": bucket.reset,
        "used": bucket.used,
    }
    search = {**shown, "limit": 30, "remaining": 30, "used": 0}
    return answer_json({"resources": {"core": shown, "search": search}, "rate": shown})
