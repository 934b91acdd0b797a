"""package-build: what the commit packs to, judged in a fixed order."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from worldkit import COMMIT, World, a_package, a_plan, a_tarball, look, only, packed

from gates import package_build
from release.domain.errors import CannotTell
from release.domain.facts.npm import NotPacked, Packed, PackFailed
from release.domain.finding import Claim
from release.domain.plan import Package, Plan, Subject
from release.domain.state import State

RIGHT = a_tarball({"name": "acme", "version": "1.2.3", "main": "index.js"})
PACKAGE = a_package()
UNREACHABLE = CannotTell("tool.missing", "npm is not installed")


def tarball(**manifest: Any) -> Packed:
    return packed(a_tarball({"name": "acme", "version": "1.2.3", **manifest}))


@dataclass(frozen=True, kw_only=True)
class Row:
    """One world of one package: what the plan says, what is packed, and what must come of it."""

    reason: str
    state: State
    says: str
    package: Package = PACKAGE
    pack: Any = None
    next: str = ""


ROWS = {
    "right": Row(
        reason="package.packed", state=State.COMPLETE, says="npm 11.0.0: 2 files, sha512-", pack=packed(RIGHT)
    ),
    "absent": Row(
        reason="package.not-built",
        state=State.PENDING,
        says="acme declares a build, and no evidence",
        pack=NotPacked(other=False),
        next="release build packages",
    ),
    "partial": Row(
        reason="package.missing-target",
        state=State.FAILED,
        says="acme: main: dist/index.js; bin: cli.js (packed with npm 11.0.0)",
        pack=tarball(main="dist/index.js", bin="cli.js"),
    ),
    "empty": Row(
        reason="package.identity-differs",
        state=State.FAILED,
        says="inside the tarball is None@None, the plan has acme@1.2.3",
        pack=packed(replace(RIGHT, manifest={}, tree=())),
    ),
    "another commit": Row(
        reason="package.evidence-for-other-commit",
        state=State.PENDING,
        says="of another commit or policy",
        pack=NotPacked(other=True),
        next="release build packages",
    ),
    "different": Row(
        reason="package.not-reproducible",
        state=State.FAILED,
        says="two packs of acme differ in dist/a.js, dist/b.js (packed with npm 11.0.0)",
        pack=packed(RIGHT, differing=("dist/a.js", "dist/b.js")),
    ),
    "differs in many files": Row(
        reason="package.not-reproducible",
        state=State.FAILED,
        says="19 and 2 more (packed",
        pack=packed(RIGHT, differing=tuple(str(number) for number in range(22))),
    ),
    "differs in as many as are shown": Row(
        reason="package.not-reproducible",
        state=State.FAILED,
        says="18, 19 (packed",
        pack=packed(RIGHT, differing=tuple(str(number) for number in range(20))),
    ),
    "npm refuses": Row(
        reason="package.pack-failed",
        state=State.FAILED,
        says="acme: invalid package.json",
        pack=PackFailed(message="invalid package.json"),
    ),
    "another name inside": Row(
        reason="package.identity-differs",
        state=State.FAILED,
        says="acme-fork@1.2.3",
        pack=tarball(name="acme-fork"),
    ),
    "another version inside": Row(
        reason="package.identity-differs",
        state=State.FAILED,
        says="acme@1.2.2",
        pack=tarball(version="1.2.2"),
    ),
    "unresolved protocol": Row(
        reason="package.unresolved-protocol",
        state=State.FAILED,
        says="dependencies @acme/b: workspace:*",
        pack=tarball(dependencies={"@acme/b": "workspace:*"}),
    ),
    "many missing targets": Row(
        reason="package.missing-target",
        state=State.FAILED,
        says="and 5 more (packed",
        pack=tarball(bin={f"cli-{number}": f"{number}.js" for number in range(25)}),
    ),
    "private": Row(
        reason="package.private",
        state=State.FAILED,
        says="package.json in packages/a says private",
        package=a_package(private=True, path="packages/a", version="1.2.2", lockfile_problem="stale"),
    ),
    "version not bumped": Row(
        reason="package.version-differs",
        state=State.FAILED,
        says="has version 1.2.2, the release is 1.2.3",
        package=a_package(version="1.2.2", lockfile_problem="stale"),
    ),
    "lockfile drift": Row(
        reason="package.lockfile-differs",
        state=State.FAILED,
        says="package-lock.json has 1.2.2",
        package=a_package(lockfile_problem="package-lock.json has 1.2.2"),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str, world: World) -> None:
    """Each world gives its reason, state, words and next command (C081, C089, C085, G14)."""
    row = ROWS[name]
    if row.pack is not None:
        world.npm.packs["acme"] = row.pack
    finding = only(package_build, a_plan(packages=(row.package,)), world)
    assert (finding.reason, finding.state, finding.next) == (row.reason, row.state, row.next)
    assert row.says in finding.message


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.pack is None])
def test_what_the_manifest_decides_is_not_packed(name: str, world: World) -> None:
    """Packing costs a checkout; it is not done where its result could not change the verdict."""
    only(package_build, a_plan(packages=(ROWS[name].package,)), world)
    assert world.npm.asked("packed") == 0


def test_unreachable(world: World) -> None:
    """Without npm nothing is known: cannot tell, never a verdict."""
    world.npm.faults["packed"] = UNREACHABLE
    finding = only(package_build, a_plan(), world)
    assert (finding.reason, finding.state) == ("tool.missing", State.PENDING)


@pytest.mark.parametrize("name", ROWS)
def test_only_what_was_packed_speaks_of_the_commit(name: str, world: World) -> None:
    """The commit of a tarball is measured at the checkout, and never claimed without one."""
    row = ROWS[name]
    world.npm.packs["acme"] = row.pack
    finding = only(package_build, a_plan(packages=(row.package,)), world)
    measured = isinstance(row.pack, Packed)
    assert finding.claims == (Claim(channel="package acme", commit=COMMIT if measured else None),)
    assert finding.commit == (COMMIT if measured else None)
    assert finding.evidence == (("sha256:0",) if measured else ())


def test_each_package_is_a_subject_of_its_own(world: World) -> None:
    """One package's fault is not another's, and each is asked for once."""
    world.npm.packs = {"acme": packed(RIGHT), "@acme/b": PackFailed(message="no")}
    plan = a_plan(packages=(a_package(), a_package("@acme/b"), a_package("@acme/c")))
    found = {name: finding.reason for name, finding in look(package_build, plan, world).items()}
    assert found == {
        "acme": "package.packed",
        "@acme/b": "package.pack-failed",
        "@acme/c": "package.not-built",
    }
    assert world.npm.asked("packed") == 3


def test_a_sibling_is_not_pinned_to_another_version(world: World) -> None:
    """A package that pins one of the same release to another version would install the old one (C011)."""
    plan = a_plan(packages=(a_package(), a_package("@acme/b")))
    world.npm.packs = {"acme": tarball(optionalDependencies={"@acme/b": "1.2.2"}), "@acme/b": packed(RIGHT)}
    finding = look(package_build, plan, world)["acme"]
    assert (finding.reason, finding.state) == ("package.pins-other-version", State.FAILED)
    assert "acme pins @acme/b at 1.2.2 (released: 1.2.3)" in finding.message


def test_no_packages_no_subjects() -> None:
    """A project without npm packages has nothing to show here."""
    assert package_build.subjects(a_plan(packages=())) == ()


def test_judging_is_total_where_nothing_was_packed(world: World) -> None:
    """None, which means that packing was not needed, is still never complete."""
    (subject,) = package_build.subjects(a_plan())
    assert package_build.judge(subject, None, only(package_build, a_plan(), world).observed_at).reason == (
        "package.not-built"
    )


@pytest.mark.parametrize("call", [package_build.observe])
def test_a_subject_of_something_else_is_a_bug(call: Callable[..., object], world: World) -> None:
    """A subject that is no package cannot be judged as one."""
    plan: Plan = a_plan()
    with pytest.raises(TypeError, match="v1 is not a package"):
        call(Subject(gate="package-build", name="v1", plan=plan), world.read(plan))


def test_order_of_judgement(world: World) -> None:
    """Reproducible, then identity, then contents: a later rule needs the earlier one to mean anything."""
    wrong = a_tarball({"name": "other", "version": "1.2.3", "main": "gone"})
    world.npm.packs["acme"] = packed(wrong, differing=("a",))
    assert only(package_build, a_plan(), world).reason == "package.not-reproducible"
    world.npm.packs["acme"] = packed(wrong)
    assert only(package_build, a_plan(), world).reason == "package.identity-differs"
