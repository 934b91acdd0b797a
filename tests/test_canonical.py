"""The canonical commit: --commit, then the remote's peeled tag, then HEAD of a clean checkout."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from release.canonical import Canonical, Origin, Wanted, resolve_commit
from release.domain.errors import CannotTell, ReleaseError, UsageError
from release.domain.facts.git import TagFacts

A, B, C = "a" * 40, "b" * 40, "c" * 40


@dataclass
class Remote:
    """A remote with tags (name → commit, None: not a commit) and commits."""

    tags: Mapping[str, str | None] = field(default_factory=dict)
    commits: frozenset[str] = frozenset((A, B, C))
    asked: list[str] = field(default_factory=list)

    def tag(self, name: str) -> TagFacts | None:
        self.asked.append(name)
        if name not in self.tags:
            return None
        return TagFacts(name=name, object="d" * 40, commit=self.tags[name], annotated=True)

    def require(self, commit: str) -> None:
        if commit not in self.commits:
            raise CannotTell("git.commit-missing", f"{commit} is neither here nor on the remote")


@dataclass(frozen=True)
class Local:
    """A checkout at ``head``."""

    head: str | None = C
    dirty: tuple[str, ...] = ()

    def resolve(self, revision: str) -> str:
        if revision == "main~1":
            return A
        raise UsageError(f"{revision!r} names no commit in this checkout")


def test_the_option_comes_first() -> None:
    """--commit beats the tag and HEAD, and the remote's tags are not even asked."""
    remote = Remote({"v1": B})
    found = resolve_commit(Wanted(commit=A, tags=("v1",)), remote, Local())
    assert found == Canonical(commit=A, origin=Origin.OPTION, words=f"--commit {A}")
    assert remote.asked == []


def test_the_tag_comes_before_head() -> None:
    """The remote's peeled commit counts, whatever is checked out, clean or not."""
    found = resolve_commit(Wanted(tags=("v1",)), Remote({"v1": B}), Local(dirty=("x",)))
    assert (found.commit, found.origin, found.words) == (B, Origin.TAG, "tag v1 on the remote")


def test_head_of_a_clean_checkout_is_last() -> None:
    """Before the tag exists, the release is what is checked out."""
    for wanted in (Wanted(), Wanted(tags=("v1",))):
        found = resolve_commit(wanted, Remote(), Local())
        assert (found.commit, found.origin) == (C, Origin.HEAD)


def test_a_revision_is_resolved_in_the_checkout() -> None:
    """A short name becomes a full id; what was typed is what the report shows."""
    found = resolve_commit(Wanted(commit="main~1"), Remote(), Local())
    assert (found.commit, found.words) == (A, "--commit main~1")


def test_an_upper_case_id_is_the_same_id() -> None:
    """Ids are pasted from anywhere."""
    assert resolve_commit(Wanted(commit=f" {A.upper()}"), Remote(), None).commit == A


def test_a_revision_without_a_checkout_is_a_usage_error() -> None:
    """A short id can't be completed without a repository."""
    with pytest.raises(UsageError, match="not a full commit id, and no checkout is here") as caught:
        resolve_commit(Wanted(commit="abc1234"), Remote(), None)
    assert caught.value.problems[0].fix == "pass the full id (40 or 64 hex digits)"


def test_an_empty_option_is_not_no_option() -> None:
    """`--commit ""` (an unset variable in a script) never falls through to HEAD."""
    for text in ("", "  "):
        with pytest.raises(UsageError, match=r"--commit|names no commit"):
            resolve_commit(Wanted(commit=text), Remote(), Local())


def test_a_commit_that_is_nowhere_is_cannot_tell() -> None:
    """It must exist; it may only not be pushed, so it is no verdict."""
    with pytest.raises(CannotTell, match=r"git\.commit-missing"):
        resolve_commit(Wanted(commit="e" * 40), Remote(), Local())
    with pytest.raises(CannotTell, match=r"git\.commit-missing"):
        resolve_commit(Wanted(), Remote(commits=frozenset()), Local())


@pytest.mark.parametrize("count", [1, 5, 6, 40])
def test_a_dirty_checkout_is_a_usage_error(count: int) -> None:
    """Some of the paths are named, and the fix."""
    dirty = tuple(f"file-{index}" for index in range(count))
    with pytest.raises(UsageError, match="the checkout is not clean: file-0") as caught:
        resolve_commit(Wanted(), Remote(), Local(dirty=dirty))
    message = caught.value.problems[0].message
    assert sum(path in message.replace(",", " ").split() for path in dirty) == min(count, 5)
    assert ("more" in message) is (count > 5)
    assert caught.value.problems[0].fix == "commit or pass --commit"


def test_a_missing_tag_without_a_checkout_is_a_usage_error() -> None:
    """The tag that was looked for is named."""
    with pytest.raises(UsageError, match="the remote has no tag v9 or 9, and no checkout is here"):
        resolve_commit(Wanted(tags=("v9", "9")), Remote({"v1": A}), None)


def test_nothing_at_all_is_a_usage_error() -> None:
    """No tag, no option, no checkout."""
    with pytest.raises(UsageError, match="no tag and no --commit were given, and no checkout is here"):
        resolve_commit(Wanted(), Remote(), None)


def test_a_checkout_without_a_commit_is_a_usage_error() -> None:
    """An unborn branch has no HEAD."""
    with pytest.raises(UsageError, match="the checkout has no commit yet"):
        resolve_commit(Wanted(), Remote(), Local(head=None))


def test_a_tag_on_something_else_is_a_usage_error() -> None:
    """A tag on a blob or tree names no commit, and HEAD does not step in for it."""
    with pytest.raises(UsageError, match="the tag v1 on the remote does not peel to a commit"):
        resolve_commit(Wanted(tags=("v1",)), Remote({"v1": None}), Local())


def test_a_selector_for_two_tags_must_mean_one_commit() -> None:
    """`1.2.3` may be v1.2.3 and pkg@1.2.3: fine on one commit, ambiguous on two."""
    tags = ("v1.2.3", "pkg@1.2.3")
    assert resolve_commit(Wanted(tags=tags), Remote(dict.fromkeys(tags, A)), None).commit == A
    with pytest.raises(UsageError, match="the selector stands for tags on different commits") as caught:
        resolve_commit(Wanted(tags=tags), Remote({"v1.2.3": A, "pkg@1.2.3": B}), None)
    assert A in str(caught.value)
    assert B in str(caught.value)


def test_every_combination_gives_a_full_id_or_says_why() -> None:
    """Total: no input falls through to a guess."""
    options = (None, A, "main~1", "nope", "")
    tags: tuple[Mapping[str, str | None], ...] = ({}, {"v1": B}, {"v1": None})
    checkouts = (None, Local(), Local(head=None), Local(dirty=("x",)))
    for option, remote, checkout in itertools.product(options, tags, checkouts):
        try:
            found = resolve_commit(Wanted(commit=option, tags=("v1",)), Remote(remote), checkout)
        except ReleaseError as error:
            assert error.problems[0].message
            continue
        assert len(found.commit) == 40
        expected = Origin.OPTION if option else Origin.TAG if remote.get("v1") else Origin.HEAD
        assert found.origin is expected
