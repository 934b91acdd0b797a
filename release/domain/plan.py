"""The plan: everything that must hold of one release, known before anything is looked at (DESIGN §4).

Built from ``release.toml`` and the manifests at the canonical commit by ``release.config``. All values
are frozen; an empty tuple means "none declared", never "skip the check".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

PUBLIC_REGISTRY = "https://registry.npmjs.org"
"""Where npm itself publishes when nothing else is configured."""


class AssetKind(StrEnum):
    """What an expected release asset is."""

    BINARY = "binary"
    CHECKSUMS = "checksums"
    MANIFEST = "manifest"
    EXTRA = "extra"


class Latest(StrEnum):
    """Where GitHub's ``latest`` must point: AUTO is at the highest stable version."""

    AUTO = "auto"
    YES = "true"
    NO = "false"


@dataclass(frozen=True, kw_only=True)
class Tag:
    """One expected tag. ``package`` is set where tags are per package (``{package}@{version}``)."""

    name: str
    version: str
    package: str | None = None


@dataclass(frozen=True, kw_only=True)
class Package:
    """One npm package of the release, as its manifest at the canonical commit says.

    ``path`` is POSIX, relative to the repository root ("." is the root). ``build`` is argv, or None
    where packing needs no build. ``manifest`` is package.json as parsed JSON. ``expected_version`` is
    the version that the release is for; it differs from ``version`` where the manifest was not bumped.
    """

    name: str
    version: str
    expected_version: str
    path: str
    manifest: Mapping[str, object]
    dist_tags: tuple[str, ...]
    build: tuple[str, ...] | None
    tag: str
    private: bool = False
    lockfile_problem: str = ""

    @property
    def spec(self) -> str:
        """``name@version``, as on npm's command line."""
        return f"{self.name}@{self.expected_version}"


@dataclass(frozen=True, kw_only=True)
class Binary:
    """One binary on one target: its archive's name and the executable's path inside it."""

    name: str
    target: str
    archive: str
    executable: str
    build: tuple[str, ...] | None
    tag: str

    @property
    def slot(self) -> str:
        """``name/target``: the subject's name."""
        return f"{self.name}/{self.target}"


@dataclass(frozen=True, kw_only=True)
class Asset:
    """One expected release asset: the name GitHub must store it under, and what it is."""

    name: str
    kind: AssetKind
    tag: str
    binary: Binary | None = None

    @property
    def ledger_name(self) -> str:
        """``asset:TAG/NAME``: the subject of its first-seen record."""
        return f"asset:{self.tag}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class ReleaseSpec:
    """One expected GitHub Release: its tag, flags, and every asset it must hold."""

    tag: str
    version: str
    prerelease: bool
    latest: Latest
    immutable: bool
    assets: tuple[Asset, ...]

    def asset(self, kind: AssetKind) -> Asset | None:
        """Return the first asset of ``kind``, or None."""
        return next((asset for asset in self.assets if asset.kind is kind), None)


@dataclass(frozen=True, kw_only=True)
class GitHubPolicy:
    """``[github]``: ``repository`` is ``owner/name``; the two base URLs have no final slash."""

    repository: str
    api: str
    uploads: str
    required_checks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NpmPolicy:
    """``[npm]``: registry base URL without a final /, propagation window, reads that must agree."""

    registry: str
    propagation: timedelta
    stable_reads: int


@dataclass(frozen=True, kw_only=True)
class Changesets:
    """``[changesets]``: the head branch and title of the Version Packages pull request, and its folder."""

    branch: str
    title: str
    directory: str


@dataclass(frozen=True, kw_only=True)
class Suite:
    """``[[suite]]``: an evaluation suite, declared now and run by `release eval`."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """One (artifact, target) that a declared ``[[acceptance]]`` must prove."""

    name: str
    artifact: str
    target: str

    @property
    def slot(self) -> str:
        """``name/artifact/target``: the subject's name."""
        return f"{self.name}/{self.artifact}/{self.target}"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The whole expected set for one canonical commit.

    ``selector`` is what the user typed after ``release status`` to get here (for printed commands).
    ``policy`` is the SHA-256 (hex) of release.toml's canonical content: evidence is bound to it.
    ``branches`` are the allowed branches of the release commit; empty means any.
    """

    name: str
    version: str
    commit: str
    selector: str
    policy: str
    remote: str
    branches: tuple[str, ...]
    tags: tuple[Tag, ...]
    packages: tuple[Package, ...]
    binaries: tuple[Binary, ...]
    releases: tuple[ReleaseSpec, ...]
    github: GitHubPolicy | None
    npm: NpmPolicy
    checksum_algorithm: str
    changesets: Changesets | None
    suites: tuple[Suite, ...]
    acceptances: tuple[Acceptance, ...]
    required: tuple[str, ...]
    deep: bool = True

    def release_of(self, tag: str) -> ReleaseSpec:
        """Return the planned release of ``tag``; a tag without one is a bug and raises ``LookupError``."""
        for spec in self.releases:
            if spec.tag == tag:
                return spec
        raise LookupError(f"no release is planned for {tag}")

    @property
    def download_algorithms(self) -> tuple[str, ...]:
        """The digests to take of every download: GitHub's own, and the checksum file's."""
        return tuple(dict.fromkeys(("sha256", self.checksum_algorithm)))


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One thing that one gate must show: the gate's name, the subject's unique name, what is expected.

    ``item`` is the plan's own value for it (a ``Tag``, ``Package``, ``Asset``, …); ``role`` tells apart
    subjects of one gate that hang on the same item (for example ``version`` and ``dist-tag``); ``detail``
    is the role's own value (the dist-tag's name).
    """

    gate: str
    name: str
    plan: Plan
    item: object = None
    role: str = ""
    detail: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)

    def command(self, verb: str, *options: str) -> str:
        """Return the command to type for this release, e.g. ``release converge v1.2.3``."""
        return " ".join(part for part in ("release", verb, self.plan.selector, *options) if part)
