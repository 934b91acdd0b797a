"""The way to script a forge that runs in another process: ``/_forge/…`` on the api host.

``GET /_forge/requests``, ``/_forge/writes`` and ``/_forge/losses`` tell; ``POST /_forge/faults`` (one rule or
a list), ``/_forge/settings``, ``/_forge/limits`` and ``/_forge/world`` (see ``forge.document``) change;
``DELETE /_forge/faults`` and ``/_forge/journal`` clear. None of it is counted or recorded.
"""

import json
from dataclasses import asdict
from typing import Any

from forge.call import Answer, Refused, answer_json, answer_refused
from forge.dispatch import Dispatcher
from forge.faults import Fault
from forge.journal import losses


def handle(dispatcher: Dispatcher, method: str, path: str, body: bytes) -> Answer:
    """Answer an admin request; a bad one is 422 with what was wrong."""
    try:
        return answer_json(
            _do(dispatcher, method, path.removeprefix("/_forge/"), json.loads(body or b"null"))
        )
    except (TypeError, ValueError, LookupError) as error:
        return answer_refused(Refused(422, f"{type(error).__name__}: {error}"), "admin")


def _do(dispatcher: Dispatcher, method: str, name: str, wanted: Any) -> object:
    match method, name:
        case "GET", "requests":
            return [asdict(one) for one in dispatcher.journal.requests]
        case "GET", "writes":
            return [asdict(one) for one in dispatcher.journal.writes]
        case "GET", "losses":
            return losses(dispatcher.journal.writes)
        case "GET", "faults":
            return [asdict(one) for one in dispatcher.faults.pending()]
        case "POST", "faults":
            rules = wanted if isinstance(wanted, list) else [wanted]
            dispatcher.faults.add(*[Fault(**rule) for rule in rules])
        case "POST", "settings":
            for member, value in wanted.items():
                if not hasattr(dispatcher.settings, member):
                    raise LookupError(f"no such setting: {member}")
                setattr(dispatcher.settings, member, value)
        case "POST", "limits":
            dispatcher.limits.set(wanted.pop("token", None), **wanted)
        case "POST", "world" if dispatcher.load is not None:
            dispatcher.load(wanted)
        case "DELETE", "faults":
            dispatcher.faults.clear()
        case "DELETE", "journal":
            dispatcher.journal.clear()
        case _:
            raise LookupError(f"{method} /_forge/{name} does nothing")
    return {"done": True}
