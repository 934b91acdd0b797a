"""The builder of a repository: it puts state into the world directly; no writes are recorded."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from forge import git
from forge.handles import ReleaseHandle
from forge.state import CheckRun, Pull, Release, Repo, Status
from forge.world import World


@dataclass(frozen=True)
class RepoHandle:
    """One repository."""

    world: World
    id: int

    @property
    def value(self) -> Repo:
        """The repository as it is now."""
        return self.world.repos[self.id]

    def set(self, **changes: Any) -> "RepoHandle":
        """Replace members."""
        self.world.repos[self.id] = replace(self.value, **changes)
        return self

    def release(
        self,
        tag: str,
        *,
        draft: bool = False,
        prerelease: bool = False,
        target: str | None = None,
        name: str | None = None,
        body: str | None = "",
        immutable: bool | None = None,
        author: str = "acme-bot",
        created_at: datetime | None = None,
        published_at: datetime | None = None,
        omit: Iterable[str] = (),
    ) -> ReleaseHandle:
        """Add a release; no tag is created. ``immutable`` None: as the repository says, if published."""
        when = created_at or self.world.clock()
        frozen = self.value.immutable and not draft if immutable is None else immutable
        made = Release(
            id=self.world.new_id(),
            repo_id=self.id,
            tag_name=tag,
            target=target or self.value.default_branch,
            name=tag if name is None else name,
            body=body,
            draft=draft,
            prerelease=prerelease,
            immutable=frozen,
            author=author,
            created_at=when,
            published_at=None if draft else published_at or when,
            omit=frozenset(omit),
        )
        self.world.releases[made.id] = made
        if frozen:
            self.world.burned.add((self.id, tag))
        return ReleaseHandle(self.world, made.id)

    def burn(self, tag: str) -> None:
        """Let the tag name be one that a deleted immutable release has used."""
        self.world.burned.add((self.id, tag))

    def latest_override(self, tag: str) -> None:
        """Let ``/releases/latest`` answer with the published release of this tag."""
        chosen = self.world.published(self.value, tag)
        if chosen is None:
            raise LookupError(f"no published release for {tag}")
        self.set(latest_id=chosen.id)

    def check_run(
        self,
        name: str,
        sha: str,
        *,
        status: str = "completed",
        conclusion: str | None = "success",
        started_at: datetime | None = None,
        completed_at: datetime | None = None,
        app: str = "github-actions",
    ) -> CheckRun:
        """Add one attempt of a check; a later attempt hides earlier ones of the same name and app."""
        started = started_at or self.world.clock()
        done = status == "completed"
        made = CheckRun(
            id=self.world.new_id(),
            repo_id=self.id,
            sha=sha,
            name=name,
            status=status,
            conclusion=conclusion if done else None,
            started_at=started,
            completed_at=(completed_at or started) if done else None,
            app=app,
        )
        self.world.checks[made.id] = made
        return made

    def status(
        self,
        context: str,
        sha: str,
        state: Literal["success", "failure", "error", "pending"],
        *,
        description: str | None = None,
        created_at: datetime | None = None,
    ) -> Status:
        """Add a commit status."""
        when = created_at or self.world.clock()
        made = Status(
            id=self.world.new_id(),
            repo_id=self.id,
            sha=sha,
            context=context,
            state=state,
            description=description,
            created_at=when,
        )
        self.world.statuses[made.id] = made
        return made

    def pull(
        self,
        number: int,
        title: str,
        *,
        head: str,
        state: str = "open",
        base: str | None = None,
        merged_at: datetime | None = None,
        merge_commit_sha: str | None = None,
        created_at: datetime | None = None,
        head_owner: str | None = None,
        body: str | None = None,
    ) -> Pull:
        """Add a pull request from the branch ``head``; with ``merged_at`` it is merged and closed."""
        git_dir, target = self.value.git_dir, base or self.value.default_branch
        made = Pull(
            id=self.world.new_id(),
            repo_id=self.id,
            number=number,
            title=title,
            state="closed" if merged_at else state,
            head=head,
            head_sha=git.commit_sha(git_dir, head) or git.NOTHING,
            head_owner=head_owner or self.value.owner,
            base=target,
            base_sha=git.commit_sha(git_dir, target) or git.NOTHING,
            merged_at=merged_at,
            merge_commit_sha=merge_commit_sha,
            created_at=created_at or merged_at or self.world.clock(),
            body=body,
        )
        self.world.pulls[made.id] = made
        return made
