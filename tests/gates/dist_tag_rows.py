"""The worlds of one dist-tag: what the registry answers, and what must come of it."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from worldkit import EARLIER, NOW, World, a_package, a_packument, a_plan, a_tarball, look

from gates import npm_publish
from release.domain.finding import Finding
from release.domain.plan import Plan
from release.domain.state import State

HERE = a_tarball({"name": "acme", "version": "1.2.3"})
WINDOW, MINUTE = timedelta(minutes=10), timedelta(minutes=1)
FLAG = " --registry https://npm.example"
CONVERGE = "release converge v1.2.3"


def add(version: str, tag: str) -> str:
    return f"npm dist-tag add acme@{version} {tag}{FLAG}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One dist-tag of a package with ``version`` among ``versions``, and what must come of it."""

    reason: str
    state: State
    says: str
    next: str = ""
    version: str = "1.2.3"
    planned: tuple[str, ...] = ("latest",)
    tag: str = "latest"
    at: str | None = "1.2.3"
    reads: tuple[str | None, ...] | None = None
    versions: tuple[str, ...] = ("1.2.2", "1.2.3")
    times: dict[str, Any] = field(default_factory=lambda: {"1.2.3": EARLIER})
    published: bool = True

    def plan(self, **changes: Any) -> Plan:
        """Return the plan of a release of ``version``."""
        package = a_package(version=self.version, expected_version=self.version, dist_tags=self.planned)
        return a_plan(packages=(package,), **changes)

    def world(self) -> World:
        """Return a registry in which the tag points at ``at``, or answers ``reads``."""
        world = World()
        tags = {} if self.at is None else {self.tag: self.at}
        document = a_packument(HERE, version=self.version, versions=self.versions)
        document = replace(document, times=self.times, dist_tags=tags)
        world.npm.packuments["acme"] = document if self.published else replace(document, published=None)
        if self.reads is not None:
            world.npm.reads["acme", self.tag] = self.reads
        return world

    def look(self, **changes: Any) -> Finding:
        """Look at the tag."""
        return look(npm_publish, self.plan(**changes), self.world())[f"acme@{self.tag}"]


def complete(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.COMPLETE, says=says, **changes)


def pending(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.PENDING, says=says, **changes)


def failed(reason: str, says: str, **changes: Any) -> Row:
    return Row(reason=reason, state=State.FAILED, says=says, **changes)


FRESH = {"times": {"1.2.3": NOW - WINDOW}}
LATE = {"times": {"1.2.3": NOW - WINDOW - MINUTE}}
UNKNOWN: dict[str, Any] = {"times": {}}
BETA: dict[str, Any] = {"version": "2.0.0-beta.1", "planned": ("next",), "at": "2.0.0-beta.1"}
WITH_STABLE: dict[str, Any] = {"versions": ("1.2.2", "1.2.3", "2.0.0-beta.1")}
BACKPORT: dict[str, Any] = {"planned": ("v1",), "versions": ("1.2.3", "2.0.0", "1.9.0", "2.1.0-rc.1")}
MOVE_BACK = f"{add('1.2.3', 'latest')} && {add('2.0.0-beta.1', 'next')}"

ROWS: dict[str, Row] = {
    # the seven that every gate has
    "right": complete("npm.dist-tag-agrees", "acme@latest points at 1.2.3, in 3 reads in a row"),
    "absent": pending(
        "npm.dist-tag-absent",
        "acme@latest does not exist, the plan is 1.2.3",
        at=None,
        next=add("1.2.3", "latest"),
        **UNKNOWN,
    ),
    "partial": pending(
        "npm.dist-tag-unstable", "disagree: 1.2.2, 1.2.3, 1.2.3", reads=("1.2.2", "1.2.3", "1.2.3")
    ),
    "empty": pending("npm.dist-tag-unstable", "nothing at all", reads=()),
    "another version's": pending(
        "npm.dist-tag-absent",
        "points at 1.2.2, the plan is 1.2.3",
        at="1.2.2",
        next=add("1.2.3", "latest"),
        **UNKNOWN,
    ),
    "different": failed(
        "npm.dist-tag-stale", "points at 1.2.2, the plan is 1.2.3", at="1.2.2", next=add("1.2.3", "latest")
    ),
    # reads
    "fewer reads than asked for": pending("npm.dist-tag-unstable", "1.2.3, 1.2.3", reads=("1.2.3", "1.2.3")),
    "comes and goes": pending(
        "npm.dist-tag-unstable", "nothing, 1.2.3, nothing", reads=(None, "1.2.3", None)
    ),
    "flips at the end": pending(
        "npm.dist-tag-unstable", "1.2.3, 1.2.3, 1.2.2", reads=("1.2.3", "1.2.3", "1.2.2")
    ),
    # propagation
    "on its way": pending(
        "npm.dist-tag-propagating", "points at 1.2.2; acme@1.2.3 was published", at="1.2.2", **FRESH
    ),
    "on its way, no tag yet": pending("npm.dist-tag-propagating", "does not exist", at=None, **FRESH),
    "published by a fast clock": pending(
        "npm.dist-tag-propagating", "1.2.2", at="1.2.2", times={"1.2.3": NOW + MINUTE}
    ),
    "late": failed("npm.dist-tag-stale", "1.2.2", at="1.2.2", next=add("1.2.3", "latest"), **LATE),
    "late, no tag": failed(
        "npm.dist-tag-stale", "does not exist", at=None, next=add("1.2.3", "latest"), **LATE
    ),
    "not published": pending(
        "npm.dist-tag-absent",
        "acme@1.2.3 is not published yet, so acme@latest cannot",
        published=False,
        at=None,
        next=CONVERGE,
    ),
    "another tag": failed(
        "npm.dist-tag-stale",
        "acme@lts",
        planned=("lts", "latest"),
        tag="lts",
        at="1.2.2",
        next=add("1.2.3", "lts"),
    ),
    # moved on
    "superseded": complete(
        "npm.dist-tag-superseded",
        "points at 1.10.0, newer than 1.2.3",
        at="1.10.0",
        versions=("1.2.3", "1.10.0"),
    ),
    "superseded by a prerelease on next": complete(
        "npm.dist-tag-superseded", "2.0.0-beta.2", **{**BETA, "at": "2.0.0-beta.2"}, tag="next", **WITH_STABLE
    ),
    "superseded by stable on next": complete(
        "npm.dist-tag-superseded", "2.0.0", **{**BETA, "at": "2.0.0"}, tag="next"
    ),
    "an older prerelease on next": pending(
        "npm.dist-tag-absent",
        "2.0.0-alpha.9",
        **{**BETA, "at": "2.0.0-alpha.9"},
        tag="next",
        next=add("2.0.0-beta.1", "next"),
        **UNKNOWN,
    ),
    "points at no version": failed(
        "npm.dist-tag-stale", "points at main", at="main", next=add("1.2.3", "latest")
    ),
    # latest
    "a prerelease took latest of a stable release": failed(
        "npm.prerelease-on-latest",
        "points at 2.0.0-beta.1, the highest stable version is 1.2.3",
        at="2.0.0-beta.1",
        next=MOVE_BACK,
        **WITH_STABLE,
    ),
    "a prerelease planned for latest": failed(
        "npm.prerelease-on-latest",
        "highest stable version is 1.2.3",
        **{**BETA, "planned": ("latest",)},
        next=MOVE_BACK,
        **WITH_STABLE,
    ),
    "a prerelease planned for latest and beta": failed(
        "npm.prerelease-on-latest",
        "2.0.0-beta.1",
        **{**BETA, "planned": ("latest", "beta")},
        next=f"{add('1.2.3', 'latest')} && {add('2.0.0-beta.1', 'beta')}",
        **WITH_STABLE,
    ),
    "a prerelease before any stable": complete(
        "npm.dist-tag-agrees", "2.0.0-beta.1", **{**BETA, "planned": ("latest",)}, versions=("2.0.0-beta.1",)
    ),
    "a newer prerelease before any stable": complete(
        "npm.dist-tag-superseded",
        "2.0.0-beta.2",
        **{**BETA, "planned": ("latest",), "at": "2.0.0-beta.2"},
        versions=("2.0.0-beta.2",),
    ),
    "a backport on latest": failed(
        "npm.latest-on-older",
        "points at 1.2.3, the highest stable version is 2.0.0",
        **{**BACKPORT, "planned": ("latest",)},
        next=add("2.0.0", "latest"),
    ),
    "a higher prerelease is no newer release": complete("npm.dist-tag-agrees", "1.2.3", **WITH_STABLE),
    "on next, an older stable is fine": complete("npm.dist-tag-agrees", "1.2.3", **BACKPORT, tag="v1"),
    # the guard: latest is not planned
    "guard, elsewhere": complete(
        "npm.dist-tag-free",
        "points at 1.2.3, and not at 2.0.0-beta.1",
        **{**BETA, "at": "1.2.3"},
        **WITH_STABLE,
    ),
    "guard, no latest": complete(
        "npm.dist-tag-free", "points at nothing, and not", **{**BETA, "at": None}, **WITH_STABLE
    ),
    "guard, on another prerelease": complete(
        "npm.dist-tag-free", "2.0.0-beta.2", **{**BETA, "at": "2.0.0-beta.2"}, **WITH_STABLE
    ),
    "guard, prerelease took latest (G13)": failed(
        "npm.prerelease-on-latest", "2.0.0-beta.1", **BETA, next=MOVE_BACK, **WITH_STABLE
    ),
    "guard, the very first is a prerelease": complete(
        "npm.dist-tag-free",
        "there is no other version it should point at",
        **BETA,
        versions=("2.0.0-beta.1",),
    ),
    "guard, backport took latest (G12)": failed(
        "npm.latest-on-older", "2.0.0", **BACKPORT, next=add("2.0.0", "latest")
    ),
    "guard, on the newest": complete("npm.dist-tag-free", "no other version it should", planned=("next",)),
    "guard, unstable": pending(
        "npm.dist-tag-unstable", "1.2.3", **BETA, reads=("1.2.3", "2.0.0-beta.1", "1.2.3")
    ),
    "guard, not published": pending(
        "npm.dist-tag-unwatched",
        "acme@2.0.0-beta.1 is not published",
        **{**BETA, "at": None},
        published=False,
        next=CONVERGE,
    ),
}
