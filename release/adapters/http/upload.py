"""One POST of a file's bytes, streamed once and never repeated (APIS.md §1).

A cut connection or a time-out after the first byte leaves the outcome unknown: that is UNREACHABLE here, and
the caller must look. Redirects are not followed: the body would go somewhere else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import requests

from release.adapters.http.model import Credential, FaultKind, HttpFault, show
from release.adapters.http.transport import authorities

_CHUNK = 1 << 20
_ANSWER_LIMIT = 4 << 20


@dataclass(frozen=True, kw_only=True)
class Posted:
    """What the server answered: any status, lower-case header names, the body up to a few MiB."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One upload: where to, the file, its size in bytes, and who is told how many bytes have gone."""

    url: str
    path: Path
    size: int
    content_type: str
    credential: Credential
    progress: Callable[[int], None] | None = None


class _Counted:
    """A file that counts what was read; ``len`` makes requests send Content-Length and not chunks."""

    def __init__(self, file: BinaryIO, upload: Upload) -> None:
        self._file, self._upload, self._sent = file, upload, 0

    def __len__(self) -> int:
        return self._upload.size - self._sent

    def read(self, amount: int = _CHUNK) -> bytes:
        data = self._file.read(min(max(amount, _CHUNK), len(self)))
        self._sent += len(data)
        if self._upload.progress is not None:
            self._upload.progress(self._sent)
        return data


def post_file(upload: Upload, *, timeout: tuple[float, float] = (10.0, 300.0), agent: str = "") -> Posted:
    """Send the file; raise ``HttpFault`` where no answer came (the outcome is unknown then)."""
    headers = {
        "Accept": "application/vnd.github+json",
        "Content-Type": upload.content_type,
        "User-Agent": agent or "release-convergence",
        **upload.credential.for_url(upload.url),
    }
    with requests.Session() as session, upload.path.open("rb") as file:
        session.trust_env = False  # .netrc must not add a credential of its own
        try:
            answer = session.post(
                upload.url,
                data=_Counted(file, upload),
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
                verify=authorities(None),
                proxies=requests.utils.get_environ_proxies(upload.url),
                stream=True,
            )
            body = answer.raw.read(_ANSWER_LIMIT, decode_content=True)
        except (OSError, ValueError) as error:
            text = f"POST {show(upload.url)}: no answer ({type(error).__name__})"
            raise HttpFault(FaultKind.UNREACHABLE, text) from error
        except Exception as error:
            text = f"POST {show(upload.url)}: the answer was cut ({type(error).__name__})"
            raise HttpFault(FaultKind.UNREACHABLE, text) from error
    lower = {name.lower(): value for name, value in answer.headers.items()}
    return Posted(status=answer.status_code, headers=lower, body=body)
