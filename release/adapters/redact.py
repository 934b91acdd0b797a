"""Takes secrets out of text before anyone sees it.

Known values go in every form in which a tool may echo them (plain, percent-encoded, base64 of a Basic
header); the userinfo of any URL goes whether its value is known or not. Pure.
"""

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MARK = "***"
_SHORTEST = 4
_USERS = ("x-access-token", "oauth2", "git", "token", "")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_USERINFO = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#\"'<>]*@")


class Redactor:
    """Knows the secrets of one run. Values shorter than four characters are ignored: they hide nothing."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secret for secret in secrets if len(secret) >= _SHORTEST)
        forms = {form for secret in self._secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def __repr__(self) -> str:
        return "Redactor(***)"

    def also(self, secrets: Iterable[str]) -> "Redactor":
        """Return a redactor that knows these secrets too."""
        return Redactor(self._secrets.union(secrets))

    def clean(self, text: str) -> str:
        """Return ``text`` with every known secret and every URL's userinfo replaced by ``***``."""
        if self._known is not None:
            text = self._known.sub(MARK, text)
        return _USERINFO.sub(rf"\g<scheme>{MARK}@", text)


def _forms(secret: str) -> set[str]:
    quoted = quote(secret, safe="")
    plain = {secret, quoted, quote_plus(secret), _ESCAPE.sub(lambda found: found[0].lower(), quoted)}
    basic = {base64.b64encode(f"{user}:{secret}".encode()).decode("ascii") for user in _USERS}
    alone = base64.b64encode(secret.encode()).decode("ascii")
    encoded = basic | {alone}
    return (
        plain | encoded | {form.rstrip("=") for form in encoded} | {quote(form, safe="") for form in encoded}
    )
