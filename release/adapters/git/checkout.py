"""The user's own working copy, looked at without touching it: no lock, no index refresh, no filter."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from release.adapters import process
from release.adapters.git.command import Setup, demand, run, words
from release.adapters.git.settings import Settings, parse_settings
from release.adapters.redact import Redactor
from release.domain.digests import is_commit
from release.domain.errors import CannotTell, UsageError

_OURS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
_USERS = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
_STATUS = (
    "status",
    *("--porcelain=v2", "--branch", "-z", "--no-ahead-behind", "--no-renames"),
    *("--untracked-files=all", "--ignore-submodules=untracked"),
)


@dataclass(frozen=True, kw_only=True)
class WorkTree:
    """HEAD's commit (None before the first one), its branch (None: detached), and what is not committed.

    ``dirty`` are paths that are modified, staged or untracked (ignored files do not count).
    """

    head: str | None
    branch: str | None
    dirty: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A working copy: its top folder, its object store, and whether its history is cut (shallow)."""

    toplevel: Path
    objects: Path
    is_shallow: bool
    redactor: Redactor = field(default_factory=Redactor, repr=False, compare=False)

    @classmethod
    def find(cls, start: Path, redactor: Redactor | None = None) -> "Checkout | None":
        """Return the checkout that holds ``start``, or None; ``CannotTell`` where git can't read it."""
        start = start.absolute()
        if not any(_exists(folder / ".git") for folder in (start, *start.parents)):
            return None
        cleaner = redactor or Redactor()
        asked = ("--show-toplevel", "--git-path", "objects", "--is-shallow-repository")
        finished = run(Setup(cwd=start), "rev-parse", *asked)
        answers = finished.stdout.decode("utf-8", "surrogateescape").splitlines()
        if finished.code != 0 or len(answers) != 3:
            raise CannotTell("tool.failed", f"git can't read the checkout: {words(finished, cleaner)}")
        toplevel, objects, shallow = answers
        return cls(
            toplevel=Path(toplevel),
            objects=(start / objects).resolve(),
            is_shallow=shallow == "true",
            redactor=cleaner,
        )

    @cached_property
    def settings(self) -> Settings:
        """The configuration that the user's own git would see here; reading it runs nothing."""
        command = Setup(cwd=self.toplevel).command("config", "--list", "-z", "--includes")
        ours = {name: value for name, value in command.env.items() if name not in _OURS}
        finished = process.run(replace(command, env=process.environment(_USERS, ours)))
        if finished.code != 0:
            said = words(finished, self.redactor)
            raise CannotTell("tool.failed", f"git can't read the checkout's configuration: {said}")
        return parse_settings(finished.stdout)

    @property
    def is_whole(self) -> bool:
        """Say whether every object of its history is here: neither a shallow nor a partial clone."""
        return not self.is_shallow and not self.settings.is_partial

    @cached_property
    def worktree(self) -> WorkTree:
        """HEAD, branch and what is not committed, from one ``git status`` that writes nothing."""
        setup = Setup(cwd=self.toplevel, config=self.settings.for_status())
        finished = demand(setup, self.redactor, *_STATUS)
        return _parse_status(finished.stdout.decode("utf-8", "surrogateescape"))

    @property
    def head(self) -> str | None:
        """HEAD's full commit id, or None before the first commit."""
        return self.worktree.head

    @property
    def branch(self) -> str | None:
        """The current branch, or None where HEAD is detached."""
        return self.worktree.branch

    @property
    def dirty(self) -> tuple[str, ...]:
        """Paths that are modified, staged or untracked."""
        return self.worktree.dirty

    @property
    def is_clean(self) -> bool:
        """Say whether nothing is modified, staged or untracked."""
        return not self.worktree.dirty

    def resolve(self, revision: str) -> str:
        """Return the full commit id of ``revision``; ``UsageError`` where it is unknown or ambiguous."""
        self._refuse_ambiguous(revision)
        question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        finished = run(Setup(cwd=self.toplevel), *question)
        found = finished.text.strip()
        if finished.code != 0 or not is_commit(found):
            raise UsageError(
                f"{revision!r} names no commit in this checkout, or more than one",
                fix="pass the full commit id",
            )
        return found

    def _refuse_ambiguous(self, revision: str) -> None:
        # git itself only warns, and takes the tag.
        full = tuple(f"refs/{kind}/{revision}" for kind in ("tags", "heads", "remotes"))
        question = ("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", "--", *full)
        listed = demand(Setup(cwd=self.toplevel), self.redactor, *question).text.splitlines()
        found = {name: ids[-1] for name, *ids in (line.split() for line in listed) if name in full}
        if len(set(found.values())) > 1:
            names = " and ".join(sorted(found))
            raise UsageError(
                f"{revision!r} is ambiguous: {names} are different commits",
                fix=f"pass --commit with one of {names}, or the full commit id",
            )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # A folder above that may not be looked into holds no checkout for us.
        return False


def _parse_status(listing: str) -> WorkTree:
    """Parse ``git status --porcelain=v2 --branch -z``."""
    head, branch, dirty = None, None, []
    for item in listing.split("\0"):
        match item[:2]:
            case "# ":
                key, _, value = item[2:].partition(" ")
                if key == "branch.oid" and is_commit(value):
                    head = value
                elif key == "branch.head" and value != "(detached)":
                    branch = value
            case "? ":
                dirty.append(item[2:])
            case "1 ":
                dirty.append(item.split(" ", 8)[8])
            case "u ":
                dirty.append(item.split(" ", 10)[10])
            case _:
                continue
    return WorkTree(head=head, branch=branch, dirty=tuple(sorted(dirty)))
