"""The remote: one look at all its refs, and fetching objects from it into a repository of ours."""

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from release.adapters.git.command import Setup, run, words
from release.adapters.git.faults import fault, is_smart
from release.adapters.git.location import Location, headers
from release.adapters.http.model import Credential
from release.adapters.once import Once
from release.adapters.process import Finished
from release.adapters.redact import Redactor
from release.domain.digests import is_commit
from release.domain.errors import CannotTell

_NAME = "subject"
_TAGS, _HEADS, _PEELED = "refs/tags/", "refs/heads/", "^{}"
OURS = "refs/convergence/"
_FETCH = (
    "fetch",
    *("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"),
    *("--no-show-forced-updates", "--quiet", "--stdin", _NAME),
)
_TRIES = 2


@dataclass(frozen=True, kw_only=True)
class Refs:
    """All tags and branches of a remote at one moment, by their names without ``refs/tags/``.

    ``peeled`` has the annotated tags only, each with the object that the remote says it peels to; ``ours``
    are our own refs by their full names.
    """

    tags: Mapping[str, str]
    peeled: Mapping[str, str]
    heads: Mapping[str, str]
    ours: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Access:
    """How to get at a remote: where it is, the credentials that may be used, seconds to wait.

    ``scratch`` is where temporary files are made; None: in the system's own place.
    """

    location: Location
    credentials: tuple[Credential, ...] = field(default=(), repr=False)
    redactor: Redactor = field(default_factory=Redactor, repr=False)
    scratch: Path | None = None
    look: float = 60.0
    fetch: float = 900.0


class Remote:
    """A remote that is looked at once. ``CannotTell``: git.unreachable, denied, rate-limited, bad-answer."""

    def __init__(self, access: Access) -> None:
        self.location = access.location
        self._access = access
        self._config = {
            f"remote.{_NAME}.url": access.location.url,
            "fetch.unpackLimit": "1",
            **headers(access.location, access.credentials),
        }
        self._refs = Once(self._look)

    def refs(self) -> Refs:
        """Return the tags and branches, from the first look of this run."""
        return self._refs("refs")

    def forget(self) -> None:
        """Look at the refs anew when they are next asked for."""
        self._refs = Once(self._look)

    def fetch(self, git_dir: Path, refspecs: Iterable[str]) -> None:
        """Fetch into the repository ``git_dir``; refspecs have full names on both sides."""
        setup = Setup(git_dir=git_dir, config=self._config, timeout=self._access.fetch)
        self._ask(setup, *_FETCH, stdin="".join(f"{refspec}\n" for refspec in refspecs).encode())

    def ref(self, name: str) -> str | None:
        """Return the id under exactly the full name ``name`` of a ref, asked anew; None: it is not there."""
        listing = (line.partition("\t") for line in self._listing(name).splitlines())
        found = next((oid for oid, _, ref in listing if ref == name), None)
        if found is not None and not is_commit(found):
            raise CannotTell("git.bad-answer", f"git ls-remote printed {found!r:.80} for {name}")
        return found

    def _look(self, _: str) -> Refs:
        return parse_refs(self._listing(f"{_TAGS}*", f"{_HEADS}*", f"{OURS}*"))

    def _listing(self, *patterns: str) -> str:
        # An empty place as repository: whatever folder we stand in, its configuration must not count.
        with tempfile.TemporaryDirectory(prefix="git-", dir=self._access.scratch) as empty:
            setup = Setup(git_dir=Path(empty, "none"), config=self._config, timeout=self._access.look)
            return self._ask(setup, "ls-remote", "--quiet", _NAME, *patterns).text

    def _ask(self, setup: Setup, *arguments: str, stdin: bytes = b"") -> Finished:
        error = None
        for _ in range(1 if self.location.path is not None else _TRIES):
            with tempfile.TemporaryDirectory(prefix="git-", dir=self._access.scratch) as folder:
                trace = Path(folder, "trace")
                traced = {"GIT_TRACE_CURL": str(trace), "GIT_TRACE_CURL_NO_DATA": "1"}
                env = traced if self.location.is_http else {}
                finished = run(_with(setup, env), *arguments, stdin=stdin)
                if finished.code == 0 and (not self.location.is_http or is_smart(trace)):
                    return finished
                error = fault(self.location, trace, words(finished, self._access.redactor))
            if error.reason != "git.unreachable":
                break
        raise error or CannotTell("git.unreachable", self.location.shown)


def _with(setup: Setup, env: Mapping[str, str]) -> Setup:
    return Setup(git_dir=setup.git_dir, config=setup.config, env=env, timeout=setup.timeout)


def parse_refs(listing: str) -> Refs:
    """Parse ``git ls-remote``: exact names, however many other names end with the same words."""
    tags: dict[str, str] = {}
    peeled: dict[str, str] = {}
    heads: dict[str, str] = {}
    ours: dict[str, str] = {}
    for line in listing.splitlines():
        oid, _, ref = line.partition("\t")
        if not is_commit(oid):
            raise CannotTell("git.bad-answer", f"git ls-remote printed {line!r:.80}")
        if ref.startswith(_HEADS):
            heads[ref.removeprefix(_HEADS)] = oid
        elif ref.startswith(_TAGS) and ref.endswith(_PEELED):
            peeled[ref.removeprefix(_TAGS).removesuffix(_PEELED)] = oid
        elif ref.startswith(_TAGS):
            tags[ref.removeprefix(_TAGS)] = oid
        elif ref.startswith(OURS):
            ours[ref] = oid
    return Refs(tags=tags, peeled=peeled, heads=heads, ours=ours)
