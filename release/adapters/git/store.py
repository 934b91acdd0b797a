"""Our own bare repository for one remote: it borrows the checkout's objects, and fetches what is missing.

Nothing is ever written into the user's repository. A checkout whose history is cut (shallow, partial) is
not borrowed from: git would believe that everything behind its tips is there. What was fetched is kept
under ``refs/kept/<object id>``, so a name on the remote can't collide with another.
"""

import hashlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from release.adapters.git.checkout import Checkout
from release.adapters.git.command import Setup, demand, run, words
from release.adapters.git.objects import Objects
from release.adapters.git.remote import Refs, Remote
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell

_ALL: tuple[tuple[str, Callable[[Refs], Mapping[str, str]]], ...] = (
    ("+refs/heads/*:refs/kept/heads/*", lambda refs: refs.heads),
    ("+refs/tags/*:refs/kept/tags/*", lambda refs: refs.tags),
)
_FINAL = ("git.denied", "git.rate-limited")


class Store:
    """The cache repository of ``remote`` under the folder ``state``, made when it is first needed."""

    def __init__(self, state: Path, remote: Remote, checkout: Checkout | None, redactor: Redactor) -> None:
        self._remote, self._redactor = remote, redactor
        self._borrowed = checkout.objects if checkout is not None and checkout.is_whole else None
        name = f"{remote.location.url}\0{self._borrowed or ''}"
        self.git_dir = (
            state / "git" / hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:24]
        )
        self._lock = threading.RLock()
        self._objects = Objects(self.git_dir, self.mend)
        self._mended = False

    def objects(self, oid: str) -> Objects:
        """Return the objects; ``oid`` (any id) tells which hash the repository uses."""
        with self._lock:
            if not (self.git_dir / "HEAD").exists():
                self._create("sha1" if len(oid) == 40 else "sha256")
            return self._objects

    def has(self, oid: str) -> bool:
        """Say whether the object is here, without asking the remote."""
        return self.objects(oid).copy(oid, len) is not None

    def require(self, *oids: str) -> None:
        """See to it that the objects are here with their history.

        ``CannotTell`` git.commit-missing where the remote does not have one, or why it can't be asked.
        """
        with self._lock:
            missing = [oid for oid in dict.fromkeys(oids) if not self.has(oid)]
            if not missing:
                return
            refs = self._remote.refs()
            self._fetch(refs, missing)
            for oid in missing:
                if not self.has(oid):
                    where = self._remote.location.shown
                    raise CannotTell("git.commit-missing", f"{oid} is neither here nor on {where}")

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Say whether ``commit`` is ``ancestor`` or descends from it; the history of ``commit`` is here."""
        if ancestor == commit:
            return True
        if self.has(ancestor):
            return self._exit_code(commit, "merge-base", "--is-ancestor", ancestor, commit) == 0
        # Absent only proves something where the whole history is here.
        self._exit_code(commit, "rev-list", "--quiet", commit)
        return self.has(ancestor) and self.is_ancestor(ancestor, commit)

    def mend(self, oid: str) -> None:
        """Make the cache anew, once: objects that it relies on are gone, pruned where they were borrowed."""
        with self._lock:
            if self._mended:
                return
            refs = self._remote.refs()
            self._mended = True
            self._start_anew(oid)
            self._remote.fetch(self.git_dir, _everything(refs))

    def _exit_code(self, commit: str, *question: str) -> int:
        """Ask git about the history of ``commit``: 0 or 1; a history with holes is mended first."""
        setup = Setup(git_dir=self.git_dir)
        finished = run(setup, *question)
        if finished.code not in (0, 1):
            self.mend(commit)
            self.require(commit)
            finished = run(setup, *question)
        if finished.code not in (0, 1):
            raise CannotTell("tool.failed", f"git {question[0]}: {words(finished, self._redactor)}")
        return finished.code

    def close(self) -> None:
        """End the programs that read from it."""
        with self._lock:
            self._objects.close()

    def _fetch(self, refs: Refs, missing: list[str]) -> None:
        named = {oid: f"refs/heads/{name}" for name, oid in refs.heads.items()}
        named |= {oid: f"refs/tags/{name}" for name, oid in refs.tags.items()}
        wanted = [f"+{named.get(oid, oid)}:refs/kept/{oid}" for oid in missing]
        try:
            self._remote.fetch(self.git_dir, wanted)
        except CannotTell as error:
            if error.reason in _FINAL:
                raise
            # The remote may refuse an id that no ref names; or objects that we borrowed are gone.
            if run(Setup(git_dir=self.git_dir), "rev-list", "--quiet", "--all").code != 0:
                self._start_anew(missing[0])
            self._remote.fetch(self.git_dir, _everything(refs))

    def _start_anew(self, oid: str) -> None:
        self.close()
        shutil.rmtree(self.git_dir, ignore_errors=True)
        self.objects(oid)

    def _create(self, algorithm: str) -> None:
        home = self.git_dir.parent
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".new-", dir=home) as folder:
                fresh = Path(folder, "repository")
                options = ("--bare", "--quiet", "--template=", f"--object-format={algorithm}")
                demand(Setup(cwd=home), self._redactor, "init", *options, "--", str(fresh))
                self._borrow(fresh / "objects" / "info")
                fresh.rename(self.git_dir)
        except OSError as error:
            # Another run may have made it meanwhile.
            if not (self.git_dir / "HEAD").exists():
                raise CannotTell("tool.failed", f"{self.git_dir} cannot be made: {error}") from error

    def _borrow(self, info: Path) -> None:
        if self._borrowed is not None:
            info.mkdir(exist_ok=True)
            line = f"{_quoted(self._borrowed)}\n"
            (info / "alternates").write_text(line, encoding="utf-8", errors="surrogateescape")


def _everything(refs: Refs) -> tuple[str, ...]:
    return tuple(refspec for refspec, found in _ALL if found(refs))


def _quoted(path: Path) -> str:
    text = path.as_posix().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
