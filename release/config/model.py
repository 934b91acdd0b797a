"""The model of release.toml, schema 1. Key names are contract; every key has a description and a type.

Only the shape is decided here; rules across keys stand in ``release.config.crosscheck``.
"""

from datetime import timedelta
from typing import Literal

from pydantic import ConfigDict, Field

from release.config.evaluation import AcceptanceTable, SmokeTable, SuiteTable, Table
from release.config.types import (
    ArchiveTemplate,
    Argv,
    AssetTemplate,
    BaseUrl,
    DistTag,
    Duration,
    ExecutableTemplate,
    LatestSetting,
    Listed,
    Name,
    NpmName,
    PrereleaseSetting,
    Ref,
    Remote,
    RepoPath,
    Repository,
    SchemaVersion,
    TagTemplate,
    Text,
    Word,
)
from release.domain.plan import Latest


class ReleaseTable(Table):
    """What is released, and from where."""

    name: Name = Field(description="The release's name, in reports and evidence.")
    tag: TagTemplate = Field(
        default="v{version}",
        description="Tag template: `v{version}` gives one tag for everything (lockstep), "
        "`{package}@{version}` one tag per package (independent).",
    )
    remote: Remote = Field(
        default="origin", description="Git remote that holds the tags: a name, a path or a URL."
    )
    prerelease: PrereleaseSetting = Field(
        default=None,
        json_schema_extra={"default": "auto"},
        description='Prerelease flag of the GitHub release; "auto": set where the version is a prerelease.',
    )
    latest: LatestSetting = Field(
        default=Latest.AUTO,
        description="Whether GitHub's `latest` must point at this release; "
        '"auto": where it is the highest stable version.',
    )
    branches: Listed[Ref] | None = Field(
        default=None, description="Branches of which one must contain the commit; absent: any."
    )
    immutable: bool = Field(default=False, description="Whether the GitHub release must be immutable.")
    extra_assets: Listed[AssetTemplate] | None = Field(
        default=None, description="Further expected assets; `{version}` and `{tag}` are filled in."
    )
    select: Literal["changed", "all"] | None = Field(
        default=None,
        description="Independent tags only: which packages the release is about. `changed` (the default): "
        "those whose version differs from the first parent's; `all`: every one.",
    )


class GitHubTable(Table):
    """The GitHub repository; without this table there are no GitHub gates."""

    repository: Repository | None = Field(
        default=None, description="`owner/name`; default: GITHUB_REPOSITORY from the environment."
    )
    api: BaseUrl | None = Field(
        default=None, description="API address; default: GITHUB_API_URL, else https://api.github.com."
    )
    uploads: BaseUrl | None = Field(default=None, description="Upload address; default: derived from `api`.")
    required_checks: Listed[Text] | None = Field(
        default=None, description="Check runs or statuses that must have succeeded on the commit."
    )


class NpmTable(Table):
    """The npm registry."""

    registry: BaseUrl | None = Field(
        default=None,
        description="Registry address; default: npm_config_registry, else the public npm registry.",
    )
    propagation: Duration = Field(
        default=timedelta(minutes=10),
        json_schema_extra={"default": "10m"},
        description="How long a published version may stay invisible before that is a failure.",
    )
    stable_reads: int = Field(
        default=2, ge=1, le=10, description="Consecutive reads of a dist-tag that must agree."
    )


class PackageTable(Table):
    """One npm package."""

    name: NpmName | None = Field(
        default=None, description="The package's name; default: read from its package.json at the commit."
    )
    path: RepoPath = Field(default=".", description="Folder of the package in the repository.")
    dist_tags: Listed[DistTag] | None = Field(
        default=None,
        description='Dist-tags that must point at the version; default: "latest" for a stable version, '
        'otherwise the first word of its prerelease part, or "next".',
    )
    build: Argv | None = Field(
        default=None, description="What builds the package before packing: a list of arguments, no shell."
    )


class BinaryTable(Table):
    """One binary, built for several targets."""

    name: Word = Field(description="The binary's name.")
    targets: Listed[Word] = Field(description='Targets, such as ["linux-x64", "darwin-arm64"].')
    build: Argv | None = Field(default=None, description="What builds it: a list of arguments, no shell.")
    archive: ArchiveTemplate = Field(
        description="Name of the archive, such as `acme-{version}-{target}.tar.gz`; "
        "`{target}` is required for more than one target."
    )
    executable: ExecutableTemplate | None = Field(
        default=None,
        description="Path of the executable in the archive; default: the name (`.exe` on Windows).",
    )
    package: NpmName | None = Field(
        default=None, description="Independent tags only: the package whose release holds the archives."
    )


class ChecksumsTable(Table):
    """The checksum file among the assets."""

    file: AssetTemplate | None = Field(
        default=None,
        description="Its name; default: SHA256SUMS or SHA512SUMS. `{version}` and `{tag}` are filled in.",
    )
    algorithm: Literal["sha256", "sha512"] = Field(default="sha256", description="Its digest algorithm.")

    @property
    def template(self) -> str:
        """The file's name, defaults applied."""
        return self.file or f"{self.algorithm.upper()}SUMS"


class ManifestTable(Table):
    """The binary manifest among the assets."""

    file: AssetTemplate = Field(
        default="binary-manifest.json", description="Its name; `{version}` and `{tag}` are filled in."
    )


class ChangesetsTable(Table):
    """Changesets; without this table there is no `version-pr` gate."""

    branch: Ref = Field(
        default="changeset-release/main", description="Head branch of the Version Packages pull request."
    )
    title: Text = Field(default="Version Packages", description="Title of that pull request.")
    directory: RepoPath = Field(default=".changeset", description="Folder of the changesets.")


class GatesTable(Table):
    """Which gates decide."""

    required: Listed[Word] | None = Field(
        default=None,
        description="Gates that the release's state counts; default: every gate that has subjects.",
    )


class Document(Table):
    """release.toml, schema 1."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, title="release.toml", validate_by_alias=True
    )

    schema_version: SchemaVersion = Field(default=1, alias="schema", description="Version of this format.")
    release: ReleaseTable = Field(description="What is released, and from where.")
    github: GitHubTable | None = Field(
        default=None, description="The GitHub repository; without it there are no GitHub gates."
    )
    npm: NpmTable = Field(default=NpmTable(), description="The npm registry.")
    package: Listed[PackageTable] | None = Field(
        default=None, description="The npm packages, one table each."
    )
    binary: Listed[BinaryTable] | None = Field(default=None, description="The binaries, one table each.")
    checksums: ChecksumsTable | None = Field(default=None, description="The checksum file among the assets.")
    manifest: ManifestTable | None = Field(default=None, description="The binary manifest among the assets.")
    changesets: ChangesetsTable | None = Field(
        default=None, description="Changesets; without it there is no `version-pr` gate."
    )
    suite: Listed[SuiteTable] | None = Field(default=None, description="Evaluation suites, one table each.")
    acceptance: Listed[AcceptanceTable] | None = Field(
        default=None, description="Sandboxed acceptances, one table each."
    )
    smoke: Listed[SmokeTable] | None = Field(default=None, description="Smokes, one table each.")
    gates: GatesTable = Field(default=GatesTable(), description="Which gates decide.")

    @property
    def independent(self) -> bool:
        """Whether there is one tag per package."""
        return "{package}" in self.release.tag
