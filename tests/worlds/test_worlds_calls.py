"""How the command is called: gates chosen, formats, two at once, and a state folder that cannot be used."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import worlds_assets
from jsonschema import Draft202012Validator
from kit import ROOT, SUMS, TAG, World
from kit_result import Result
from worlds_channel import BUILD_CHECK, LINUX, sum_of, up
from worlds_names import NO_CLI, T_CLI, V_CLI

STATES = ("failed", "partial", "pending", "complete")


def partial(w: World) -> None:
    """One package is missing; everything else is complete."""
    w.npm.forget("@acme/cli")


def wrong(w: World) -> None:
    """One package is missing, one archive has other bytes, and one check still runs."""
    partial(w)
    worlds_assets.other_bytes(w)
    w.repo.check_run("build", w.commit, status="queued")


def ask(w: World, *options: str) -> Result:
    """Run `release status v1.2.3` with exactly these options."""
    return w.call("status", TAG, *options)


@pytest.mark.parametrize(
    ("gates", "code", "found"),
    [
        (("source-tag",), 0, {}),
        (("source-tag", "github-release"), 0, {}),
        (("npm-publish",), 2, NO_CLI),
        (("commit-checks",), 3, {BUILD_CHECK: "check.running"}),
        (("asset-upload", "npm-publish"), 1, {**NO_CLI, up(LINUX): "asset.digest-differs"}),
    ],
)
def test_a_gate_alone_decides(gates: tuple[str, ...], code: int, found: dict[str, str], world: World) -> None:
    """`--gate` looks at these gates only, and they alone make state and exit code."""
    wrong(world)
    result = world.status(*(word for gate in gates for word in ("--gate", gate)))
    assert (result.exit, result.open) == (code, found)
    assert set(result.gates) == set(gates)


def test_a_gate_alone_asks_nobody_else(world: World) -> None:
    """`--gate source-tag` needs neither GitHub's API nor npm."""
    assert world.status("--gate", "source-tag").exit == 0
    assert world.forge.requests == ()


def test_an_unknown_gate_is_a_wrong_call(world: World) -> None:
    """It exits 4 and names the gates that exist; nothing is looked at."""
    result = world.status("--gate", "checksum")
    assert (result.exit, result.stdout, world.forge.requests) == (4, "", ())
    assert "checksums" in result.stderr


@pytest.mark.parametrize("change", [lambda w: None, partial, wrong], ids=["complete", "partial", "failed"])
@pytest.mark.parametrize(
    "options", [(), ("--format", "markdown"), ("--json",)], ids=["table", "markdown", "json"]
)
def test_every_format_says_the_same(change: Any, options: tuple[str, ...], world: World) -> None:
    """State, gates, the reason of each open finding, and the next commands are in every format."""
    change(world)
    expected = world.status()
    said = ask(world, *options)
    assert said.exit == expected.exit
    assert expected.report["state"] in said.stdout
    for name in expected.gates:
        assert name in said.stdout
    for reason in expected.open.values():
        assert reason in said.stdout
    for step in expected.report["next"]:
        assert step["command"] in said.stdout.replace("\n", " ")


@pytest.mark.parametrize("change", [lambda w: None, partial, wrong, lambda w: w.release.remove()])
def test_json_is_as_the_schema_says(change: Any, world: World) -> None:
    """The report validates against the published schema, in every state."""
    change(world)
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    result = world.status()
    Draft202012Validator(schema).validate(result.report)
    assert result.report["state"] in STATES
    assert result.stdout.endswith("}\n")


def test_shallow_says_what_apis_say(world: World) -> None:
    """`--shallow` downloads no archive, judges assets by the API, and proves no checksum."""
    worlds_assets.other_bytes(world)
    result = world.status(deep=False)
    assert result.reason(*up(LINUX).split("/")) == "asset.digest-differs"
    assert result.reason(*sum_of(LINUX).split("/")) == "checksums.mismatch"
    assert result.reason(*sum_of(SUMS).split("/")) == "checksums.not-downloaded"
    downloads = {one.path.split("?")[0] for one in world.forge.requests if one.host == "download"}
    assert len(downloads) == 2


def test_shallow_after_deep_is_no_deeper(world: World) -> None:
    """What an earlier look downloaded proves nothing now."""
    assert world.status().exit == 0
    assert world.status(deep=False).exit == 2


def test_two_looks_at_once_share_a_state_folder(world: World) -> None:
    """Two processes that start together both answer, and leave nothing half-written."""
    world.packs.clear()
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: world.status_process(), range(2)))
    assert [result.exit for result in results] == [0, 0], [result.stderr for result in results]
    assert world.status().exit == 0
    assert not [path for path in (world.checkout / ".release").rglob("*") if "tmp" in path.name]


def test_the_checkout_stays_clean(world: World) -> None:
    """Looking changes no file that git would see, and no ref of the remote."""
    before = world.git("ls-remote", str(world.remote))
    partial(world)
    world.status()
    assert world.git("status", "--porcelain") == ""
    assert world.git("ls-remote", str(world.remote)) == before


def block_with_a_file(folder: Path) -> None:
    """Put a file where the state folder should be."""
    folder.write_text("mine")


def block_with_a_link(folder: Path) -> None:
    """Put a link to nowhere where the state folder should be."""
    folder.symlink_to("/nonexistent/place")


def block_the_cache(folder: Path) -> None:
    """Put a file where the cache of answers should be."""
    folder.mkdir()
    (folder / "http").write_text("mine")


@pytest.mark.parametrize("block", [block_with_a_file, block_with_a_link])
def test_a_state_folder_that_cannot_be_made_is_an_error(block: Any, world: World) -> None:
    """It is named, with what to do; exit 4, no report, no traceback."""
    world.packs.clear()
    world.evidence.shelve()
    block(world.checkout / ".release")
    result = world.status()
    assert (result.exit, result.stdout) == (4, "")
    assert ".release" in result.stderr
    assert "fix:" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_cache_that_cannot_be_written_only_costs_requests(world: World) -> None:
    """Answers are kept to be quick: where they can't be, the look is the same."""
    packs = dict(world.packs)
    world.packs.clear()
    block_the_cache(world.checkout / ".release")
    world.packs.update(packs)
    for _ in range(2):
        result = world.status()
        assert (result.exit, result.open) == (0, {}), result.stderr


def bound_by_permissions(w: World) -> Result:
    """Run the command as a user whom permissions bind: root without the right to pass over them."""
    tool, root = shutil.which("setpriv"), os.geteuid() == 0
    if root and tool is None:
        pytest.skip("NOT RUN: needs setpriv, as root is bound by no permission")
    drop = [str(tool), "--bounding-set=-dac_override,-dac_read_search"] if root else []
    return w.status_process(through=drop)


def test_no_state_folder_can_be_made(world: World) -> None:
    """A read-only project: one clear message that names the folder, exit 4, no verdict."""
    world.packs.clear()
    world.checkout.chmod(0o555)
    result = bound_by_permissions(world)
    assert (result.exit, result.stdout) == (4, "")
    assert ".release: cannot be created: Permission denied" in result.stderr
    assert "fix:" in result.stderr


def test_a_state_folder_that_became_read_only_is_an_error(world: World) -> None:
    """One clear message that names the folder, exit 4, no verdict; made writable again, all is as before."""
    assert world.status().exit == 0
    seal(world.checkout / ".release")
    result = bound_by_permissions(world)
    assert (result.exit, result.stdout) == (4, "")
    assert ".release/" in result.stderr
    assert "Permission denied" in result.stderr
    assert "fix: make the folder writable" in result.stderr
    for path in (world.checkout / ".release").rglob("*"):
        path.chmod(0o755)
    (world.checkout / ".release").chmod(0o755)
    assert bound_by_permissions(world).exit == 0


def seal(folder: Path) -> None:
    """Take the right to write away, all the way down."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def test_names_of_what_is_missing_stand_in_the_table(world: World) -> None:
    """The default output is for people: what is missing, who acts, what to type (C001)."""
    partial(world)
    text = ask(world).stdout
    for key in (V_CLI, T_CLI):
        assert key.partition("/")[2] in text
    assert f"release converge {TAG}" in text
