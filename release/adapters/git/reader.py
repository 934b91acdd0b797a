"""The port ``GitRead``: refs on the remote and the history of one canonical commit."""

from dataclasses import replace
from fnmatch import fnmatchcase
from posixpath import join, normpath

from release.adapters.git.history import changed_paths, changeset_facts
from release.adapters.git.repository import Repository
from release.adapters.once import Once
from release.domain.digests import is_commit
from release.domain.errors import CannotTell
from release.domain.facts.git import ChangesetFacts, TagFacts
from release.domain.plan import Changesets, Plan


class GitReader:
    """Answers for the plan's commit. ``[release] branches`` may be names or patterns (``release/*``)."""

    def __init__(self, repository: Repository, plan: Plan) -> None:
        self._repository, self._plan = repository, plan
        self._source = repository.source(plan.commit)
        self._branches = Once(self._branches_of)
        self._changesets = Once(self._changeset_facts)

    def tag(self, name: str) -> TagFacts | None:
        """Return the remote's tag, fully peeled, with the allowed branches that contain its commit."""
        facts = self._repository.tag(name)
        if facts is None or facts.commit is None or not self._plan.branches:
            return facts
        return replace(facts, branches=self._branches(facts.commit))

    def changesets(self, spec: Changesets) -> ChangesetFacts:
        """Return what the canonical commit and its first-parent history say of Changesets."""
        return self._changesets(spec)

    def is_ancestor(self, ancestor: str) -> bool:
        """Say whether ``ancestor`` is the canonical commit or one of its ancestors."""
        _demand_id(ancestor)
        self._repository.require(self._plan.commit)
        return self._repository.store.is_ancestor(ancestor, self._plan.commit)

    def changed_paths(self, commit: str) -> tuple[str, ...]:
        """Return the paths that differ from the commit's first parent, sorted; all of a root commit."""
        _demand_id(commit)
        self._repository.require(commit)
        return changed_paths(self._repository.store.objects(commit), commit)

    def _branches_of(self, commit: str) -> tuple[str, ...]:
        allowed = tuple(name.removeprefix("refs/heads/") for name in self._plan.branches)
        heads = self._repository.remote.refs().heads
        tips = {name: tip for name, tip in heads.items() if any(fnmatchcase(name, one) for one in allowed)}
        store = self._repository.store
        store.require(*tips.values())
        return tuple(sorted(name for name, tip in tips.items() if store.is_ancestor(commit, tip)))

    def _changeset_facts(self, spec: Changesets) -> ChangesetFacts:
        manifests = tuple(normpath(join(package.path, "package.json")) for package in self._plan.packages)
        return changeset_facts(self._source.objects, self._plan.commit, spec, manifests)


def _demand_id(commit: str) -> None:
    if not is_commit(commit):
        raise CannotTell("git.bad-answer", f"{commit!r:.80} is not a full commit id")
