"""Models of ``[[suite]]``, ``[[acceptance]]`` and ``[[smoke]]``: declared now, run by later commands."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from release.config.types import Argv, Duration, Glob, Listed, Name, RepoPath, Text, Word, refusal


class Table(BaseModel):
    """A table of release.toml: strict, frozen, and without unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ArtifactKind(StrEnum):
    """The five forms in which a user can get what is released."""

    SOURCE = "source"
    PACKED_NPM = "packedNpm"
    REGISTRY_NPM = "registryNpm"
    BUILT_BINARY = "builtBinary"
    DOWNLOADED_BINARY = "downloadedBinary"


def _artifact(value: object) -> ArtifactKind:
    for kind in ArtifactKind:
        if value == kind.value:
            return kind
    raise refusal("is not an artifact", ", ".join(f'"{kind.value}"' for kind in ArtifactKind))


Artifact = Annotated[ArtifactKind, BeforeValidator(_artifact)]


class Budgets(Table):
    """Limits of one run."""

    wall: Duration | None = Field(default=None, description='Longest run, such as "10m".')
    output: int | None = Field(default=None, ge=1, description="Most bytes on stdout and stderr together.")
    disk: int | None = Field(default=None, ge=1, description="Most bytes written.")
    processes: int | None = Field(default=None, ge=1, description="Most processes at a time.")
    tool_calls: int | None = Field(default=None, ge=1, description="Most tool calls.")
    cost: float | None = Field(
        default=None, gt=0, strict=False, description="Highest cost, in the suite's own unit."
    )


class SuiteTable(Table):
    """One evaluation suite."""

    name: Name = Field(description="The suite's name: the subject of the `evaluation` gate.")
    dir: RepoPath | None = Field(default=None, description="Folder of the suite in the repository.")
    ref: Text | None = Field(
        default=None, description="Git ref that holds the suite, where it lives elsewhere."
    )
    path: Text | None = Field(default=None, description="Path outside the repository that holds the suite.")
    command: Argv | None = Field(
        default=None, description="What runs the suite: a list of arguments, no shell."
    )
    fast_command: Argv | None = Field(
        default=None, description="A quicker run of the suite, for development."
    )
    repetitions: int = Field(default=1, ge=1, le=100, description="Runs that must all pass.")
    budgets: Budgets | None = Field(default=None, description="Limits of each run.")
    data: Listed[Glob] | None = Field(default=None, description="Data files that belong to the suite.")
    outputs: Listed[Glob] | None = Field(default=None, description="Files that a run may write.")
    profile: Literal["release", "compat"] = Field(
        default="release",
        description="`release`: only declared outputs may appear; `compat`: a list of refused kinds.",
    )
    fingerprint: Text | None = Field(default=None, description="Reviewed digest of the suite's files.")
    provenance: Text | None = Field(default=None, description="Where the suite comes from.")


class AcceptanceTable(Table):
    """One sandboxed acceptance; each artifact on each target is a subject of the `acceptance` gate."""

    name: Name = Field(description="The acceptance's name.")
    artifacts: Listed[Artifact] = Field(description="Forms that must pass: " + ", ".join(ArtifactKind) + ".")
    targets: Listed[Word] = Field(description='Platforms that must pass, such as ["linux-x64"].')
    fixture: RepoPath | None = Field(default=None, description="Folder that is copied into the sandbox.")
    command: Argv | None = Field(
        default=None,
        description='What to run, with `{launcher}` for the artifact; default: the scenario "self-probe".',
    )
    expect_exit: int = Field(default=0, ge=0, le=255, description="Exit code that passes.")
    verdict: RepoPath | None = Field(default=None, description="Verdict file that the command writes.")
    repetitions: int = Field(default=1, ge=1, le=100, description="Runs that must all pass.")
    budgets: Budgets | None = Field(default=None, description="Limits of each run.")
    network: bool = Field(default=False, description="Whether the sandbox has a network.")


class SmokeTable(Table):
    """One smoke: necessary, never sufficient for acceptance."""

    name: Name = Field(description="The smoke's name.")
    artifacts: Listed[Artifact] = Field(description="Forms that it runs on.")
    command: Argv = Field(description="What to run, with `{launcher}` for the artifact.")
    exit_codes: Annotated[
        tuple[Annotated[int, Field(ge=0, le=255)], ...], Field(strict=False, min_length=1)
    ] = Field(default=(0,), description="Exit codes that pass.")
