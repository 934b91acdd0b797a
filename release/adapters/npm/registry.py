"""Questions to one npm registry, each sent once per survey; every failure is ``CannotTell``.

Absent is a 404 or 410 that is not some page: HTML comes from a proxy or a wrong address. The public registry
also answers 404 for a private package without access; that cannot be told apart here.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, TypeVar
from urllib.parse import quote

from release.adapters.http import Answer, Credential, HttpFault, Streamed, fault_to_cannot_tell, show
from release.adapters.npm.archive import read_archive
from release.adapters.npm.document import Document, parse_document
from release.adapters.once import Once
from release.domain.digests import Digest
from release.domain.errors import CannotTell, InputError
from release.domain.facts.npm import Published, Tarball

if TYPE_CHECKING:
    from release.adapters.http import Http

_DOCUMENT_LIMIT = 256 << 20
# Revalidate at the origin. `no-cache` would say the same, but servers made with Express (Verdaccio among
# them) take it for "send it all again" and never answer 304.
_REVALIDATE = {"Cache-Control": "max-age=0"}
_DENIED_HINT = "; set NODE_AUTH_TOKEN or NPM_TOKEN to a token that may read it"

Tags = Mapping[str, str]
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True, kw_only=True)
class _Asked:
    spec: str
    url: str
    algorithm: str
    integrity: Digest


class Registry:
    """One registry: ``url`` is its base; ``credential`` goes to the credential's own origin only."""

    def __init__(self, *, http: "Http", url: str, credential: Credential | None) -> None:
        self._http = http
        self._url = url.rstrip("/")
        self._credential = credential
        # what was downloaded serves all looks of a run; a 404 only the look that met it
        self._kept: dict[_Asked, Tarball] = {}
        self._start_look()

    def fresh(self) -> "Registry":
        """Return a registry for a new look: it shares downloaded tarballs, and no document."""
        other = copy.copy(self)
        other._start_look()
        return other

    def _start_look(self) -> None:
        self._documents = Once(self._fetch)
        self._tarballs = Once(self._look_at_tarball)
        self._tags = Once(self._read_tags)

    def document(self, name: str) -> Document | None:
        """Return the package's document, or None where the registry does not know the name."""
        return self._documents(name)

    def tarball(self, published: Published) -> Tarball | None:
        """Download, hash and read the tarball of one version; None where its URL answers 404."""
        asked = _Asked(
            spec=f"{published.name}@{published.version}",
            url=published.tarball_url,
            algorithm=published.integrity.algorithm,
            integrity=published.integrity,
        )
        return self._tarballs(asked)

    def tags(self, name: str, reads: int) -> tuple[Tags, ...]:
        """Return ``reads`` consecutive answers, each of all dist-tags; the first is the document's own.

        Every later one is a request of its own, which all dist-tags of a package share. It asks for the
        document and not for the dist-tags endpoint: the document is what an install reads.
        """
        return tuple(self._tags((name, index)) for index in range(reads))

    def _read_tags(self, question: tuple[str, int]) -> Tags:
        name, index = question
        document = self._fetch(name) if index else self.document(name)
        return {} if document is None else document.tags()

    def _fetch(self, name: str) -> Document | None:
        url = f"{self._url}/{quote(name, safe='@')}"
        try:
            answer = self._http.get(
                url,
                accept="application/json",
                credential=self._credential,
                limit=_DOCUMENT_LIMIT,
                headers=_REVALIDATE,
            )
        except HttpFault as fault:
            raise _cannot_tell(fault) from fault
        if answer.status == 200:
            return understand(url, lambda: parse_document(answer.body, name))
        if _is_page(answer):
            raise CannotTell("npm.bad-answer", f"GET {show(url)}: status {answer.status} with an HTML page")
        return None

    def _look_at_tarball(self, asked: _Asked) -> Tarball | None:
        known = self._kept.get(asked)
        if known is not None:
            return known
        tarball = self._download(asked)
        if tarball is not None:
            self._kept[asked] = tarball
        return tarball

    def _download(self, asked: _Asked) -> Tarball | None:
        try:
            with TemporaryFile() as file:
                got = self._stream(asked, file)
                if got.status != 200:
                    return None
                file.seek(0)
                contents = understand(asked.url, lambda: read_archive(file))
        except OSError as error:
            raise CannotTell(
                "tool.failed", f"no temporary file for {asked.spec}: {error.strerror}"
            ) from error
        return Tarball(
            integrity=got.digests[0],
            sha256=got.digests[-1],
            size=got.size,
            manifest=contents.manifest,
            tree=contents.tree,
        )

    def _stream(self, asked: _Asked, file: BinaryIO) -> Streamed:
        algorithms = tuple(dict.fromkeys((asked.algorithm, "sha256")))
        try:
            return self._http.stream(
                asked.url, accept="*/*", credential=self._credential, algorithms=algorithms, sink=file
            )
        except HttpFault as fault:
            raise _cannot_tell(fault) from fault


def understand(url: str, parse: Callable[[], _Parsed]) -> _Parsed:
    """Return what ``parse`` makes of an answer; ``InputError`` becomes ``CannotTell`` (npm.bad-answer)."""
    try:
        return parse()
    except InputError as error:
        raise CannotTell("npm.bad-answer", f"GET {show(url)}: {error}") from error


def _cannot_tell(fault: HttpFault) -> CannotTell:
    known = fault_to_cannot_tell("npm", fault)
    hint = _DENIED_HINT if fault.status in (401, 403) else ""
    return CannotTell(known.reason, known.message + hint)


def _is_page(answer: Answer) -> bool:
    kind = answer.headers.get("content-type", "").lower()
    return "html" in kind or answer.body.lstrip()[:1] == b"<"
