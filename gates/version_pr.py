"""version-pr: the Changesets pull request is merged, alone, into the canonical commit.

Binding: changeset files are read at the commit; a pull request counts only if its merge commit is the
commit or an ancestor of it. A ``package.json`` counts as a version file by its name: what changed inside
it is not looked at here.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from release.contract import Effect, Stage, found
from release.domain.facts.git import ChangesetFacts
from release.domain.facts.github import PullFacts, PullMerge
from release.domain.finding import Finding
from release.domain.plan import Changesets, Plan, Subject
from release.domain.wording import count, enumerate_names
from release.ports import GitRead, Read

NAME = "version-pr"
CLAIM = "No changeset is left at the commit, and the pull request that consumed them changes only versions."
NEEDS: tuple[str, ...] = ()
STAGE = Stage.BUILD
EFFECT = Effect.READ_ONLY
RECHECK = "git show --stat --first-parent {commit} && git ls-tree -r --name-only {commit}"

_VERSION_FILES = frozenset(
    {
        "package.json",
        "CHANGELOG.md",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
    }
)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the commit says, the pull requests (newest first), and the merge that is in the commit.

    ``merged`` is the newest merged one whose merge is in the commit's history, else the newest merged one.
    """

    changesets: ChangesetFacts
    pulls: tuple[PullFacts, ...]
    merged: PullMerge | None


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject, where the project uses Changesets."""
    if plan.changesets is None:
        return ()
    name = re.sub(r"[^a-z0-9]+", "-", plan.changesets.title.lower()).strip("-") or NAME
    return (Subject(gate=NAME, name=name, plan=plan, item=plan.changesets),)


def observe(subject: Subject, read: Read) -> Seen:
    """Read the changesets at the commit, and the pull requests where there is a forge to ask."""
    spec = _spec(subject)
    changesets = read.git.changesets(spec)
    pulls = read.github.pulls(spec.branch) if read.github else ()
    return Seen(changesets=changesets, pulls=pulls, merged=_merge(pulls, read.git))


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Changesets left at the commit first; then the merge, or the commit that set the versions."""
    if seen.changesets.unconsumed:
        reason, text, evidence = _judge_unconsumed(seen)
    else:
        reason, text, evidence = _judge_consumed(_spec(subject), seen, subject.plan.commit)
    return found(subject, reason, text, now, evidence=evidence)


Judged = tuple[str, str, tuple[str, ...]]


def _judge_unconsumed(seen: Seen) -> Judged:
    left = seen.changesets.unconsumed
    text = f"{count(len(left), 'changeset')} left at the commit ({enumerate_names(left)})"
    open_pull = next((pull for pull in seen.pulls if pull.state == "open"), None)
    newest = max(seen.pulls, key=lambda pull: pull.number, default=None)
    if open_pull is not None:
        return "version-pr.open", f"#{open_pull.number} is open; {text}", (open_pull.url,)
    if newest is not None and newest.merged_at is None:
        return "version-pr.closed", f"#{newest.number} was closed unmerged; {text}", (newest.url,)
    if seen.merged is not None and seen.merged.is_ancestor:
        pull = seen.merged.pull
        return "version-pr.unconsumed", f"#{pull.number} is merged into this commit, but {text}", (pull.url,)
    return "version-pr.missing", f"no pull request is open; {text}", ()


def _judge_consumed(spec: Changesets, seen: Seen, commit: str) -> Judged:
    if seen.merged is None or (seen.merged.is_ancestor and not seen.merged.changed):
        return _judge_version_commit(spec, seen.changesets)
    merged = seen.merged
    pull = merged.pull
    evidence = (pull.url, f"git:{pull.merge_commit}")
    if not merged.is_ancestor:
        text = f"#{pull.number} was merged as {pull.merge_commit}, which is not in the history of {commit}"
        return "version-pr.not-ancestor", text, evidence
    if others := _other_files(spec, merged.changed):
        text = f"#{pull.number} ({pull.merge_commit}) also changes {enumerate_names(others)}"
        return "version-pr.mixed", text, evidence
    # A later bump by hand must stand alone too: the merge may be an earlier version's.
    if _other_files(spec, seen.changesets.changed):
        return _judge_version_commit(spec, seen.changesets)
    where = "this commit" if pull.merge_commit == commit else "in this commit's history"
    return (
        "version-pr.merged",
        f"#{pull.number} is merged; its merge {pull.merge_commit} is {where}",
        evidence,
    )


def _judge_version_commit(spec: Changesets, facts: ChangesetFacts) -> Judged:
    if facts.version_commit is None or not facts.changed:
        return "version-pr.missing", "no commit is known that consumed changesets or set the versions", ()
    evidence = (f"git:{facts.version_commit}",)
    if others := _other_files(spec, facts.changed):
        text = f"{facts.version_commit} sets the versions and also changes {enumerate_names(others)}"
        return "version-pr.mixed", text, evidence
    text = f"{facts.version_commit} sets the versions and changes nothing else; no pull request is known"
    return "version-pr.version-commit", text, evidence


def _other_files(spec: Changesets, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if not _is_version_file(spec, PurePosixPath(path)))


def _is_version_file(spec: Changesets, path: PurePosixPath) -> bool:
    if path.parent == PurePosixPath(spec.directory):
        return path.suffix == ".md" or path.name == "pre.json"
    return path.name in _VERSION_FILES


def _merge(pulls: tuple[PullFacts, ...], git: GitRead) -> PullMerge | None:
    merged = [
        (pull.merged_at, pull.number, pull.merge_commit, pull)
        for pull in pulls
        # An open pull request has a merge commit too: the one that GitHub tests it by.
        if pull.merged_at is not None and pull.merge_commit is not None
    ]
    merged.sort(key=lambda one: one[:2], reverse=True)
    for _, _, commit, pull in merged:
        # An older release is looked at long after: later pull requests are not in its history.
        if git.is_ancestor(commit):
            return PullMerge(pull=pull, is_ancestor=True, changed=git.changed_paths(commit))
    return PullMerge(pull=merged[0][-1], is_ancestor=False, changed=()) if merged else None


def _spec(subject: Subject) -> Changesets:
    if subject.plan.changesets is None:
        raise LookupError("version-pr has no subject in a plan without [changesets]")
    return subject.plan.changesets
