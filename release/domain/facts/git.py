"""Facts about refs and commits."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TagFacts:
    """A tag on the remote: ``object`` is what the ref points at.

    ``commit`` is its full peel (None: not a commit). ``annotated`` says that the ref points at a
    tag object. ``branches`` are the allowed branches that contain the commit (empty where the plan names
    none).
    """

    name: str
    object: str
    commit: str | None
    annotated: bool
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ChangesetFacts:
    """What the commit itself says of Changesets.

    ``unconsumed`` are paths of changeset files left at the commit. ``changed`` are the paths that
    differ between ``version_commit`` and its first parent; ``version_commit`` is the commit that last
    consumed changesets or bumped a planned manifest's version (None: not found).
    """

    unconsumed: tuple[str, ...]
    version_commit: str | None
    changed: tuple[str, ...]
