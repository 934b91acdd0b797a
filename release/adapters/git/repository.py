"""The door to git: one remote, one cache of its objects, one user's checkout or none.

Answers come from the remote's refs as one look showed them, and from objects that were hashed again; the
local checkout's tags and branches are never asked.
"""

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from release.adapters.git.checkout import Checkout
from release.adapters.git.location import locate
from release.adapters.git.objects import parse_tag
from release.adapters.git.remote import Access, Refs, Remote
from release.adapters.git.source import Source
from release.adapters.git.store import Store
from release.adapters.http.model import Credential
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell
from release.domain.facts.git import TagFacts

_DEPTH = 64


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What is needed to open a repository.

    ``state`` is a folder of ours for the cache, ``scratch`` one for temporary files; ``remote`` is a name
    of the checkout's, a URL or a path relative to ``base``.
    """

    state: Path
    remote: str
    base: Path
    checkout: Checkout | None = None
    credentials: tuple[Credential, ...] = field(default=(), repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    scratch: Path | None = None


class Repository:
    """See the module. ``location.shown`` is safe to print. Close it, or use it in ``with``."""

    def __init__(self, opening: Opening) -> None:
        checkout = opening.checkout
        settings = checkout.settings if checkout is not None else None
        self.location = locate(opening.remote, opening.base, settings)
        redactor = opening.redactor.also(self.location.secrets)
        access = Access(
            location=self.location,
            credentials=opening.credentials,
            redactor=redactor,
            scratch=opening.scratch,
        )
        self.remote = Remote(access)
        self.store = Store(opening.state, self.remote, checkout, redactor)

    def __enter__(self) -> "Repository":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the programs that read the cache."""
        self.store.close()

    def tag(self, name: str) -> TagFacts | None:
        """Return the remote's tag of exactly this name, peeled by its objects; ``branches`` stay empty."""
        refs = self.remote.refs()
        oid = refs.tags.get(name)
        if oid is None:
            return None
        if not self.store.has(oid):
            self.store.require(oid, *_siblings(refs, name))
        target, kind = self._peel(oid)
        if refs.peeled.get(name, target) != target:
            raise CannotTell(
                "git.bad-answer", f"{self.location.shown} peels {name} to another object than it is"
            )
        return TagFacts(
            name=name,
            object=oid,
            commit=target if kind == "commit" else None,
            annotated=target != oid,
        )

    def require(self, commit: str) -> None:
        """See to it that ``commit`` is a commit that is here; ``CannotTell`` git.commit-missing otherwise."""
        self.store.require(commit)
        self.store.objects(commit).commit(commit)

    def source(self, commit: str) -> Source:
        """Return the files at ``commit``; nothing is fetched before the first question."""
        return Source(self.store, commit)

    def _peel(self, oid: str) -> tuple[str, str]:
        objects = self.store.objects(oid)
        for _ in range(_DEPTH):
            found = objects.read(oid)
            if found is None:
                raise CannotTell("git.commit-missing", f"object {oid} is not in the repository")
            if found.kind != "tag":
                return oid, found.kind
            oid, _kind = parse_tag(oid, found.data)
        raise CannotTell("git.bad-answer", f"{oid} is a tag of a tag, more than {_DEPTH} deep")


def _siblings(refs: Refs, name: str) -> tuple[str, ...]:
    """Return the tag objects on the same target: a monorepo's tags come with one fetch."""
    target = refs.peeled.get(name)
    return tuple(refs.tags[other] for other, found in refs.peeled.items() if found == target)
