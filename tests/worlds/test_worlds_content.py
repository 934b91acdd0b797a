"""What npm users would get: entry points that are there, dependencies that can be installed."""

import json
from typing import Any

import pytest
from kit import CLI, CORE, TAG, VERSION, Row, World, look
from kit_project import as_json, lockfile_of, manifest_of, repacked
from worlds_names import NO_CORE, P_CLI, P_CORE, V_CLI, V_CORE

LINUX, MAC = f"{CLI}-linux-x64", f"{CLI}-darwin-arm64"
FAILED = {"package-build": "failed", "npm-publish": "failed"}


def manifests(w: World, *, core: dict[str, Any] | None = None, cli: dict[str, Any] | None = None) -> None:
    """Release with these members in the packages' manifests, and a lockfile that knows them."""
    made = manifest_of(CORE, **(core or {})), manifest_of(CLI, **(cli or {}))
    files = {f"packages/{name}/package.json": as_json(made[at]) for at, name in enumerate(("core", "cli"))}
    w.recommit({**files, "package-lock.json": as_json(lockfile_of(*made))})


def core(w: World, **members: Any) -> None:
    """Release with these members in core's manifest."""
    manifests(w, core=members)


def cli(w: World, **members: Any) -> None:
    """Release with these members in cli's manifest."""
    manifests(w, cli=members)


def needs(w: World, wanted: str) -> None:
    """Let cli need core as ``wanted``."""
    cli(w, dependencies={CORE: wanted})


def platforms(w: World, wanted: str = VERSION) -> None:
    """Let cli have two platform packages of the version ``wanted``."""
    cli(w, optionalDependencies={LINUX: wanted, MAC: wanted})


def put_platform(w: World, name: str, version: str = VERSION) -> None:
    """Publish a platform package, which is no package of the plan."""
    w.npm.publish(name, version, repacked(w.packs[CORE], name=name, version=version))


def all_platforms(w: World) -> None:
    """Every platform package is there."""
    platforms(w)
    for name in (LINUX, MAC):
        put_platform(w, name)


def no_platform(w: World) -> None:
    """The platform packages were never published: npm installs silently without them."""
    platforms(w)


def one_platform(w: World) -> None:
    """The one for this machine is there, so that installing works here."""
    platforms(w)
    put_platform(w, LINUX)


def older_platforms(w: World) -> None:
    """The platform packages are there, and stuck at an older version."""
    platforms(w)
    for name in (LINUX, MAC):
        put_platform(w, name, "1.2.0")


def pinned_to_the_version_before(w: World) -> None:
    """cli pins core to 1.2.2, which is there: it installs, and users get the old core."""
    needs(w, "1.2.2")
    w.npm.publish(CORE, "1.2.2", repacked(w.packs[CORE], version="1.2.2"), tags=("old",))


def published_without_output(w: World) -> None:
    """The commit packs right; it was published without its main file."""
    w.npm.forget(CORE)
    w.npm.publish(CORE, VERSION, repacked(w.packs[CORE], {"index.js": None}))


def published_with_workspace(w: World) -> None:
    """The commit packs right; another tool published cli with workspace:* in its manifest."""
    w.npm.forget(CLI)
    w.npm.publish(CLI, VERSION, repacked(w.packs[CLI], dependencies={CORE: "workspace:*"}))


def published_with_catalog_outside(w: World) -> None:
    """The tarball is right; the registry's copy of the manifest, by which npm installs, is not."""
    with w.npm.edit(CLI) as document:
        document["versions"][VERSION]["dependencies"] = {CORE: "catalog:"}


def lockfile_stayed(w: World) -> None:
    """cli's dependency was raised in its manifest, not in the lockfile."""
    old, new = (manifest_of(CLI, dependencies={CORE: f"^{VERSION}", "left-pad": at}) for at in ("1.2", "1.3"))
    lock = lockfile_of(manifest_of(CORE), old)
    w.recommit({"packages/cli/package.json": as_json(new), "package-lock.json": as_json(lock)})


def lockfile_not_stamped(w: World) -> None:
    """The bump stamped the manifests, and not the workspaces in the lockfile: npm ci does not mind."""
    old = lockfile_of(manifest_of(CORE, "1.2.2"), manifest_of(CLI, "1.2.2"))
    w.recommit({"package-lock.json": as_json(old)})


def manifest_stayed(w: World) -> None:
    """The tag says 1.2.3, core's package.json 1.2.2."""
    old = manifest_of(CORE, "1.2.2")
    lock = lockfile_of(old, manifest_of(CLI))
    w.recommit({"packages/core/package.json": as_json(old), "package-lock.json": as_json(lock)})


def private(w: World) -> None:
    """The package is private, and was never published."""
    core(w, private=True)
    w.npm.forget(CORE)


EXPORTS = {".": "./index.js", "./a": {"types": "./a.d.ts", "import": "./a.mjs"}, "./b/*": "./b/*.js"}

ROWS = (
    Row(id="main-missing", cases="G14 C071 C073", change=lambda w: core(w, main="dist/index.js"),
        open={P_CORE: "package.missing-target", V_CORE: "npm.missing-target"},
        states=FAILED, says=("main: dist/index.js",), exit=1),
    Row(id="exports-missing", cases="G14 C076", change=lambda w: core(w, exports=EXPORTS),
        open={P_CORE: "package.missing-target", V_CORE: "npm.missing-target"},
        states=FAILED, says=("./a.d.ts", "./a.mjs", "./b/*.js"), exit=1),
    Row(id="types-missing", cases="C076", change=lambda w: core(w, types="index.d.ts"),
        open={P_CORE: "package.missing-target", V_CORE: "npm.missing-target"}, states=FAILED, exit=1),
    Row(id="bin-missing", cases="G14 C083", change=lambda w: cli(w, bin={"acme": "dist/cli.js"}),
        open={P_CLI: "package.missing-target", V_CLI: "npm.missing-target"},
        states=FAILED, says=("bin acme: dist/cli.js",), exit=1),
    Row(id="published-without-its-output", cases="C073 C075", change=published_without_output,
        open={V_CORE: "npm.missing-target"}, states={"npm-publish": "failed"}, exit=1),
    Row(id="workspace", cases="G15 C085", change=lambda w: needs(w, "workspace:*"),
        open={P_CLI: "package.unresolved-protocol", V_CLI: "npm.unresolved-protocol"},
        states=FAILED, says=("workspace:*",), exit=1),
    Row(id="file", cases="G15", change=lambda w: needs(w, "file:../core"),
        open={P_CLI: "package.unresolved-protocol", V_CLI: "npm.unresolved-protocol"},
        states=FAILED, exit=1),
    Row(id="catalog", cases="G15", change=lambda w: needs(w, "catalog:"),
        open={P_CLI: "package.unresolved-protocol", V_CLI: "npm.unresolved-protocol"},
        states=FAILED, exit=1),
    Row(id="published-with-workspace", cases="G15 C085", change=published_with_workspace,
        open={V_CLI: "npm.unresolved-protocol"}, states={"npm-publish": "failed"}, exit=1),
    Row(id="catalog-in-the-registry's-manifest", cases="G15", change=published_with_catalog_outside,
        open={V_CLI: "npm.unresolved-protocol"}, states={"npm-publish": "failed"}, exit=1),
    Row(id="dependency-that-nothing-satisfies", cases="C086", change=lambda w: needs(w, "^2.0.0"),
        open={V_CLI: "npm.dependency-unsatisfied"}, states={"npm-publish": "failed"},
        says=(f"{CORE}@^2.0.0",), exit=1),
    Row(id="platform-packages", cases="G04", change=all_platforms),
    Row(id="no-platform-packages", cases="G04 C008", change=no_platform,
        open={V_CLI: "npm.dependency-unsatisfied"}, says=(LINUX, MAC), exit=1),
    Row(id="one-platform-package", cases="C010 G02 G04", change=one_platform,
        open={V_CLI: "npm.dependency-unsatisfied"}, says=(MAC,), exit=1),
    Row(id="platform-packages-stuck", cases="C008 C011", change=older_platforms,
        open={V_CLI: "npm.dependency-unsatisfied"}, says=(LINUX, MAC), exit=1),
    Row(id="sibling-pinned-to-the-version-before", cases="C011", change=pinned_to_the_version_before,
        open={P_CLI: "package.pins-other-version"}, says=("@acme/core at 1.2.2 (released: 1.2.3)",),
        states={"package-build": "failed", "npm-publish": "complete"}, exit=1),
    Row(id="lockfile-drift", cases="C089 C091", change=lockfile_stayed,
        open={P_CLI: "package.lockfile-differs"}, says=("left-pad",),
        states={"package-build": "failed", "npm-publish": "complete"}, exit=1),
    Row(id="lockfile-not-stamped", cases="C089", change=lockfile_not_stamped),
    Row(id="manifest-not-bumped", cases="C081 C080", change=manifest_stayed,
        open={P_CORE: "package.version-differs", V_CORE: "npm.identity-differs"}, states=FAILED, exit=1),
    Row(id="private", cases="C093", change=private,
        open={P_CORE: "package.private", **NO_CORE, V_CLI: "npm.dependency-absent"},
        states={"package-build": "failed", "npm-publish": "partial"}, exit=1),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_package_holds_what_it_promises(row: Row, world: World) -> None:
    """Each row's ``cases``: judged in the tarball, before publishing and after."""
    look(row, world)


def test_looking_runs_no_script_of_the_project(world: World) -> None:
    """Lifecycle scripts stay ignored when `status` packs for real (DESIGN §4)."""
    trace = world.folder / "ran"
    scripts = dict.fromkeys(("prepare", "prepack", "postpack"), f"touch {trace}")
    core(world, scripts=scripts)
    world.packs.clear()
    assert world.status().exit == 0
    assert not trace.exists()


def test_the_working_copy_is_not_what_is_packed(world: World) -> None:
    """An old dist/ that lies in the author's folder does not make the package right (G14)."""
    core(world, main="dist/index.js")
    (world.checkout / "packages/core/dist").mkdir()
    (world.checkout / "packages/core/dist/index.js").write_text("module.exports = 1;\n")
    world.packs.clear()
    result = world.status()
    assert result.reason("package-build", CORE) == "package.missing-target"
    assert json.loads((world.checkout / "packages/core/package.json").read_text())["main"] == "dist/index.js"
    assert (result.exit, result.state("source-tag")) == (1, "complete"), TAG
