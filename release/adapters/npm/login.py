"""Does the registry accept the token? Asked with ``whoami``: a 401, or an answer without a name, says no."""

from typing import TYPE_CHECKING

import msgspec

from release.adapters.http import Credential, HttpFault
from release.domain.preflight import Login

if TYPE_CHECKING:
    from release.adapters.http import Http


class _Who(msgspec.Struct):
    username: str | None = None


def login_of(http: "Http", registry: str, credential: Credential) -> Login:
    """Return what the registry says of the credential; UNKNOWN where it does not answer the question."""
    url = f"{registry.rstrip('/')}/-/whoami"
    try:
        answer = http.get(url, accept="application/json", credential=credential, limit=1 << 16, fresh=True)
        if answer.status != 200:
            return Login.UNKNOWN
        return Login.ACCEPTED if msgspec.json.decode(answer.body, type=_Who).username else Login.REJECTED
    except HttpFault as fault:
        return Login.REJECTED if fault.status == 401 else Login.UNKNOWN
    except msgspec.MsgspecError:
        return Login.UNKNOWN
