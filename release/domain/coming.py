"""What a run is about to create, as far as it can be known before its first write."""

from dataclasses import dataclass

from release.domain.action import Effect, Step
from release.domain.plan import Asset, Package, ReleaseSpec, Tag


@dataclass(frozen=True, kw_only=True)
class Coming:
    """Everything that the steps of this call create; ``releases`` are created or published."""

    uploads: tuple[Asset, ...] = ()
    releases: tuple[ReleaseSpec, ...] = ()
    tags: tuple[Tag, ...] = ()
    packages: tuple[Package, ...] = ()
    dist_tags: int = 0

    @property
    def github(self) -> bool:
        """Say whether anything is written to GitHub's API."""
        return bool(self.uploads or self.releases)

    @property
    def npm(self) -> bool:
        """Say whether anything is written to the registry."""
        return bool(self.packages or self.dist_tags)


def coming(steps: tuple[Step, ...], *, uploads: bool) -> Coming:
    """Return what the steps, blocked or not, will create; ``uploads`` says that assets may be uploaded.

    Files are asked for only where their upload, or the draft for them, waits for nothing else.
    """
    assets: list[Asset] = []
    releases: list[ReleaseSpec] = []
    tags: list[Tag] = []
    packages: list[Package] = []
    dist_tags = 0
    for step in steps:
        match step.subject.item:
            case Asset() as asset if step.finding.reason == "asset.absent" and not step.blocked:
                assets.append(asset)
            case ReleaseSpec() as spec:
                releases.append(spec)
                new = step.action.effect is Effect.REVERSIBLE and not step.blocked and uploads
                assets += spec.assets if new else ()
            case Tag() as tag:
                tags.append(tag)
            case Package() as package if step.subject.role == "version":
                packages.append(package)
            case Package():
                dist_tags += 1
            case _:
                pass
    return Coming(
        uploads=tuple(dict.fromkeys(assets)),
        releases=tuple(releases),
        tags=tuple(tags),
        packages=tuple(packages),
        dist_tags=dist_tags,
    )
