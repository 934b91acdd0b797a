"""The environment of a child process: an allowlist, fixed locale and time zone, and what is named.

Nothing else of this process's environment reaches a child: no token, no editor, no tool's own switches.
"""

import os
from collections.abc import Iterable, Mapping

_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")
_ALLOWED = (
    "PATH",
    *("TMPDIR", "TEMP", "TMP"),
    *_PROXIES,
    *(name.upper() for name in _PROXIES),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"),
)


def environment(keep: Iterable[str] = (), extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a child's whole environment: the allowlist, the names in ``keep``, then ``extra``.

    Locale and time zone are fixed, so that output does not depend on the machine.
    """
    names = (*_ALLOWED, *keep)
    chosen = {name: os.environ[name] for name in names if name in os.environ}
    return {**chosen, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", **(extra or {})}
