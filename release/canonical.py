"""The canonical commit: one full id that everything is compared with (DESIGN §3).

In this order: ``--commit``; the peeled commit of the release tag on the remote; HEAD of a clean checkout,
before the tag exists. Nothing else is ever guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from release.domain.digests import is_commit
from release.domain.errors import UsageError
from release.domain.facts.git import TagFacts

_SHOWN = 5


class Origin(StrEnum):
    """Where the commit comes from."""

    OPTION = "--commit"
    TAG = "tag"
    HEAD = "HEAD"


@dataclass(frozen=True, kw_only=True)
class Canonical:
    """The commit, and where it comes from; ``words`` says it in the report."""

    commit: str
    origin: Origin
    words: str


class History(Protocol):
    """The remote's tags and commits. Both methods may raise ``CannotTell``."""

    def tag(self, name: str) -> TagFacts | None:
        """Return the remote's tag, fully peeled, or None where the remote has none of exactly this name."""
        ...

    def require(self, commit: str) -> None:
        """Return where the full id is a commit that can be read."""
        ...


class LocalCheckout(Protocol):
    """The user's working copy."""

    @property
    def head(self) -> str | None:
        """HEAD's full commit id, or None before the first commit."""
        ...

    @property
    def dirty(self) -> tuple[str, ...]:
        """Paths that are modified, staged or untracked."""
        ...

    def resolve(self, revision: str) -> str:
        """Return the full commit id of ``revision``; ``UsageError`` where it is unknown or ambiguous."""
        ...


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the user asked for: ``--commit`` as typed, and the tags that the selector may stand for."""

    commit: str | None = None
    tags: Sequence[str] = ()


def resolve_commit(wanted: Wanted, history: History, checkout: LocalCheckout | None) -> Canonical:
    """Return the canonical commit; ``UsageError`` where nothing names one, ``CannotTell`` past that."""
    if wanted.commit is not None:
        return _from_option(wanted.commit, history, checkout)
    return _from_tag(wanted.tags, history) or _from_head(wanted.tags, history, checkout)


def _from_option(text: str, history: History, checkout: LocalCheckout | None) -> Canonical:
    full = text.strip().lower()
    if not is_commit(full):
        if checkout is None:
            raise UsageError(
                f"--commit {text!r} is not a full commit id, and no checkout is here to look it up in",
                fix="pass the full id (40 or 64 hex digits)",
            )
        full = checkout.resolve(text)
    history.require(full)
    return Canonical(commit=full, origin=Origin.OPTION, words=f"--commit {text}")


def _from_tag(tags: Sequence[str], history: History) -> Canonical | None:
    found = tuple(facts for name in tags if (facts := history.tag(name)) is not None)
    if not found:
        return None
    for facts in found:
        if facts.commit is None:
            raise UsageError(
                f"the tag {facts.name} on the remote does not peel to a commit",
                fix="pass --commit to look at the release of a commit anyway",
            )
    commits = {facts.commit: facts.name for facts in found if facts.commit is not None}
    if len(commits) > 1:
        listed = ", ".join(f"{name} is {commit}" for commit, name in commits.items())
        raise UsageError(
            f"the selector stands for tags on different commits: {listed}",
            fix="name one tag in full, or pass --commit",
        )
    commit, name = next(iter(commits.items()))
    return Canonical(commit=commit, origin=Origin.TAG, words=f"tag {name} on the remote")


def _from_head(tags: Sequence[str], history: History, checkout: LocalCheckout | None) -> Canonical:
    missing = f"the remote has no tag {' or '.join(tags)}" if tags else "no tag and no --commit were given"
    if checkout is None:
        raise UsageError(
            f"{missing}, and no checkout is here",
            fix="name an existing tag, pass --commit, or run inside a checkout",
        )
    if checkout.head is None:
        raise UsageError(f"{missing}, and the checkout has no commit yet", fix="commit or pass --commit")
    if checkout.dirty:
        raise UsageError(
            f"{missing}, and the checkout is not clean: {_some(checkout.dirty)}",
            fix="commit or pass --commit",
        )
    history.require(checkout.head)
    return Canonical(commit=checkout.head, origin=Origin.HEAD, words="HEAD of the clean checkout")


def _some(paths: Sequence[str]) -> str:
    rest = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
