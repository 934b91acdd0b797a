"""Where a remote is: a local path, or a URL without its userinfo, which becomes a header of its own.

A URL with userinfo would stand in the argv of git's transport programs, and would follow redirects.
"""

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from release.adapters.git.settings import Settings
from release.adapters.http.model import Credential, origin
from release.domain.errors import UsageError

_NAME = re.compile(r"\A[\w.-]+\Z")
_SCP = re.compile(r"\A(?![A-Za-z]:[\\/])[^/\\]+:")


@dataclass(frozen=True, kw_only=True)
class Location:
    """``url`` is what git is given, ``shown`` what people are; ``path`` is set for a local remote.

    ``secrets`` are what stood in the URL's userinfo, for the redactor.
    """

    url: str
    shown: str
    path: Path | None = None
    credential: Credential | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_http(self) -> bool:
        """Say whether git speaks HTTP to it."""
        return urlsplit(self.url).scheme in ("http", "https") if self.path is None else False


def locate(remote: str, base: Path, settings: Settings | None) -> Location:
    """Resolve a remote's name, path (relative to ``base``) or URL; ``UsageError`` for an unknown name."""
    named = settings.url(remote) if settings is not None else None
    text = settings.rewritten(named or remote) if settings is not None else remote
    if "://" in text:
        return _from_url(text)
    path = base / Path(text).expanduser()
    if not _exists(path):
        if named is None and _NAME.match(text) and text not in (".", ".."):
            raise _unknown(text, settings)
        if _SCP.match(text):
            return Location(url=text, shown=text)
    return Location(url=str(path.absolute()), shown=text, path=path.absolute())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def github_credential(server: str, token: str) -> Credential:
    """Return the header with which GitHub's git server takes a token; ``server`` is its web address."""
    return basic_credential(server, "x-access-token", token)


def basic_credential(url: str, user: str, password: str) -> Credential:
    """Return HTTP Basic authentication for the origin of ``url``."""
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return Credential(url, f"Basic {encoded}")


def headers(location: Location, credentials: tuple[Credential, ...]) -> dict[str, str]:
    """Return git's settings for the credential of exactly this origin, of the URL itself first."""
    if not location.is_http:
        return {}
    own = (location.credential,) if location.credential else ()
    for credential in (*own, *credentials):
        for name, value in credential.for_url(location.url).items():
            scheme, host, port = origin(location.url)
            scope = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
            # git would carry the header to wherever the first answer redirects.
            return {f"http.{scope}.extraHeader": f"{name}: {value}", "http.followRedirects": "false"}
    return {}


def _from_url(text: str) -> Location:
    try:
        parts = urlsplit(text)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError as error:
        raise UsageError("the remote's URL is malformed", fix="correct `[release] remote`") from error
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme == "file":
        return Location(url=text, shown=text, path=Path(unquote(parts.path)))
    if parts.scheme not in ("http", "https"):
        kept = f"{parts.username}@{host}" if parts.username else host
        url = urlunsplit(parts._replace(netloc=kept))
        return Location(url=url, shown=url, secrets=(password,))
    url = urlunsplit(parts._replace(netloc=host))
    credential = basic_credential(url, user, password) if user or password else None
    # A lone user name is how a token is often written.
    secrets = (password,) if password else (user,)
    return Location(url=url, shown=url, credential=credential, secrets=secrets)


def _unknown(name: str, settings: Settings | None) -> UsageError:
    if settings is None:
        return UsageError(
            f"no git checkout is here, so the remote {name!r} has no URL",
            fix="run inside a checkout, or set `[release] remote` to a URL or path",
        )
    known = ", ".join(settings.remotes()) or "none"
    return UsageError(
        f"the checkout has no remote {name!r} (it has: {known}), and there is no such path",
        fix="set `[release] remote` to one of them, a URL or a path",
    )
