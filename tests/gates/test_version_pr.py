"""version-pr: changesets consumed, the pull request merged into the commit, and nothing else in it."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from worldkit import COMMIT, EARLIER, OTHER, UNREACHABLE, World, a_plan, a_pull, only

from gates import version_pr
from release.domain.errors import CannotTell
from release.domain.facts.git import ChangesetFacts
from release.domain.facts.github import PullFacts
from release.domain.plan import Changesets
from release.domain.reasons import Who
from release.domain.state import State

VERSIONS = (
    ".changeset/brave-cats.md",
    ".changeset/pre.json",
    "CHANGELOG.md",
    "bun.lock",
    "package-lock.json",
    "package.json",
    "packages/a/CHANGELOG.md",
    "packages/a/package.json",
    "pnpm-lock.yaml",
    "yarn.lock",
)
MIXED = (*VERSIONS, "src/index.ts")
LEFT = (".changeset/new-one.md",)
OLD = "a" * 40
NAME = "version-pr"

MERGED = a_pull(7)
OPEN = a_pull(8, state="open", merged_at=None, merge_commit=None)
CLOSED = replace(OPEN, state="closed")


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    reason: str
    unconsumed: tuple[str, ...] = ()
    version_commit: str | None = COMMIT
    version_changed: tuple[str, ...] = VERSIONS
    pulls: tuple[PullFacts, ...] = (MERGED,)
    ancestors: frozenset[str] = frozenset({COMMIT, OLD})
    changed: dict[str, tuple[str, ...]] = field(default_factory=lambda: {COMMIT: VERSIONS, OLD: VERSIONS})


LATER_ELSEWHERE = a_pull(9, merged_at=EARLIER + timedelta(days=9), merge_commit=OTHER)

ROWS = (
    Row(name="right", reason="version-pr.merged"),
    Row(name="right, merged before", pulls=(a_pull(7, merge_commit=OLD),), reason="version-pr.merged"),
    Row(name="right, a later one is open", pulls=(OPEN, MERGED), reason="version-pr.merged"),
    Row(name="right, later ones are merged", pulls=(LATER_ELSEWHERE, MERGED), reason="version-pr.merged"),
    Row(name="right, without a pull request", pulls=(), reason="version-pr.version-commit"),
    Row(name="absent", pulls=(), version_commit=None, version_changed=(), reason="version-pr.missing"),
    Row(name="absent, changesets left", unconsumed=LEFT, pulls=(), reason="version-pr.missing"),
    Row(name="partial", unconsumed=LEFT, reason="version-pr.unconsumed"),
    Row(name="open", unconsumed=LEFT, pulls=(OPEN,), reason="version-pr.open"),
    Row(name="open again", unconsumed=LEFT, pulls=(OPEN, MERGED), reason="version-pr.open"),
    Row(name="closed", unconsumed=LEFT, pulls=(CLOSED,), reason="version-pr.closed"),
    Row(name="closed after a merge", unconsumed=LEFT, pulls=(CLOSED, MERGED), reason="version-pr.closed"),
    Row(
        name="merged elsewhere, changesets left",
        unconsumed=LEFT,
        pulls=(a_pull(7, merge_commit=OTHER),),
        reason="version-pr.missing",
    ),
    Row(name="empty", changed={}, reason="version-pr.version-commit"),
    Row(
        name="empty, and no version commit",
        changed={},
        version_commit=None,
        version_changed=(),
        reason="version-pr.missing",
    ),
    Row(name="empty version commit", pulls=(), version_changed=(), reason="version-pr.missing"),
    Row(name="no version commit", pulls=(), version_commit=None, reason="version-pr.missing"),
    Row(
        name="merged without a merge commit",
        pulls=(a_pull(7, merge_commit=None),),
        reason="version-pr.version-commit",
    ),
    Row(
        name="open, with GitHub's test merge",
        pulls=(replace(OPEN, merge_commit=COMMIT), replace(CLOSED, merge_commit=OLD)),
        reason="version-pr.version-commit",
    ),
    Row(
        name="another commit",
        pulls=(a_pull(7, merge_commit=OTHER),),
        reason="version-pr.not-ancestor",
    ),
    Row(name="different", changed={COMMIT: MIXED}, reason="version-pr.mixed"),
    Row(
        name="different, bumped by hand after the merge",
        pulls=(a_pull(7, merge_commit=OLD),),
        version_changed=MIXED,
        reason="version-pr.mixed",
    ),
    Row(name="different, without a pull request", pulls=(), version_changed=MIXED, reason="version-pr.mixed"),
)


def arrange(world: World, row: Row) -> None:
    world.git.changeset_facts = ChangesetFacts(
        unconsumed=row.unconsumed, version_commit=row.version_commit, changed=row.version_changed
    )
    world.git.ancestors = set(row.ancestors)
    world.git.changed = row.changed
    world.github.pull_facts["changeset-release/main"] = list(row.pulls)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_judges_the_version_pull_request(row: Row, world: World) -> None:
    """Only a merge that is in the commit's history and changes nothing but versions counts (K33)."""
    arrange(world, row)
    assert only(version_pr, a_plan(), world).reason == row.reason


@pytest.mark.parametrize(
    "path",
    ["src/package.json.ts", "README.md", ".changeset/config.json", ".changeset/x/a.md", "changelog.md"],
)
def test_other_files_make_it_mixed(path: str, world: World) -> None:
    """A file is a version file by its whole name and place, never by a part of them."""
    arrange(world, Row(name="", reason="", changed={COMMIT: (*VERSIONS, path)}))
    finding = only(version_pr, a_plan(), world)
    assert finding.reason == "version-pr.mixed"
    assert path in finding.message
    assert "package-lock.json" not in finding.message


def test_the_list_of_other_files_is_bounded(world: World) -> None:
    """A merge that changes a thousand files is told in one line."""
    files = tuple(f"src/{number:04}.ts" for number in range(1000))
    arrange(world, Row(name="", reason="", changed={COMMIT: files}))
    assert "and 990 more" in only(version_pr, a_plan(), world).message


@pytest.mark.parametrize(
    ("merge", "text"),
    [
        (COMMIT, f"#7 is merged; its merge {COMMIT} is this commit"),
        (OLD, f"#7 is merged; its merge {OLD} is in this commit's history"),
    ],
)
def test_says_where_the_merge_is(merge: str, text: str, world: World) -> None:
    """The release may be cut at the merge, or later."""
    arrange(world, Row(name="", reason="", pulls=(a_pull(7, merge_commit=merge),)))
    assert only(version_pr, a_plan(), world).message == text


def test_the_newest_merge_counts_not_the_highest_number(world: World) -> None:
    """A pull request may be opened first and merged last."""
    last = a_pull(7, merged_at=EARLIER + timedelta(hours=1))
    arrange(world, Row(name="", reason="", pulls=(a_pull(8, merge_commit=OLD), last)))
    assert "#7" in only(version_pr, a_plan(), world).message


def test_an_open_pull_request_waits_for_an_approver(world: World) -> None:
    """A person must merge it: pending, who = approver."""
    arrange(world, Row(name="", reason="", unconsumed=LEFT, pulls=(OPEN,)))
    finding = only(version_pr, a_plan(), world)
    assert (finding.state, finding.who) == (State.PENDING, Who.APPROVER)
    assert finding.evidence == (OPEN.url,)


@pytest.mark.parametrize("channel", ["git", "github"])
def test_unreachable_is_never_a_verdict(channel: str, world: World) -> None:
    """Neither git nor the forge can be left out: could not look is pending."""
    arrange(world, Row(name="", reason=""))
    fault = UNREACHABLE if channel == "github" else CannotTell("git.commit-missing", "shallow clone")
    (world.github if channel == "github" else world.git).faults["*"] = fault
    assert only(version_pr, a_plan(), world).reason == fault.reason


def test_without_a_forge_the_commit_itself_is_judged(world: World) -> None:
    """A plan without [github] reads only git."""
    arrange(world, Row(name="", reason="", changed={COMMIT: MIXED}))
    plan = a_plan(github=None)
    (subject,) = version_pr.subjects(plan)
    seen = version_pr.observe(subject, replace(world.read(plan), github=None))
    assert seen.pulls == ()
    assert world.github.calls == []


def test_subjects_follow_the_title() -> None:
    """The subject is named by the title; without [changesets] there is none."""
    assert [subject.name for subject in version_pr.subjects(a_plan())] == ["version-packages"]
    assert version_pr.subjects(a_plan(changesets=None)) == ()


@pytest.mark.parametrize(
    ("title", "name"),
    [("[ci] Release 2!", "ci-release-2"), ("chore(release): VERSION", "chore-release-version"), ("!", NAME)],
)
def test_a_title_becomes_a_plain_name(title: str, name: str) -> None:
    """Letters and digits joined by hyphens; the gate's own name where there are none."""
    changesets = Changesets(branch="b", title=title, directory=".changeset")
    assert [subject.name for subject in version_pr.subjects(a_plan(changesets=changesets))] == [name]
