"""Every command that a report prints as the next step can be typed: it exists, and its options do."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import converge_starts as starts
import pytest
import worlds_outages as outages
from converge_kit import ASSETS, Acting
from kit import CLI, CORE, TAG, World
from typer.main import get_command

from release.cli.app import app

LATER = ("build", "eval", "accept", "doctor")
"""Commands that reports name already, and that come with the next issues."""


def dist_tag_moved(a: Acting) -> None:
    """`latest` was moved back."""
    a.world.npm.publish(CLI, "1.2.2", a.world.packs[CLI])


def latest_elsewhere(a: Acting) -> None:
    """GitHub calls another release the latest."""
    a.world.tag("v1.0.0", a.world.parent)
    a.world.repo.release("v1.0.0")
    a.world.repo.latest_override("v1.0.0")


def wreck(a: Acting) -> None:
    """The draft holds the wreck of an upload."""
    a.draft(*ASSETS[1:]).world.release.asset(ASSETS[0], b"", state="starter", digest=None)


def built_elsewhere(a: Acting) -> None:
    """A package declares a build, a suite and an acceptance are declared, and no evidence is here."""
    a.nothing().world.packs.clear()
    a.world.config["package"][0]["build"] = ["npm", "run", "build"]


def weakened(a: Acting) -> None:
    """The ledger has frozen a plan that asked for more."""
    a.converge()
    del a.world.config["package"][1]


WORLDS: tuple[Callable[[Acting], object], ...] = (
    lambda a: a.nothing(),
    lambda a: a.draft(*ASSETS),
    lambda a: a.world.npm.forget(CORE),
    dist_tag_moved,
    latest_elsewhere,
    wreck,
    built_elsewhere,
    weakened,
    starts.tag_elsewhere,
    starts.wrong_bytes,
    starts.two_drafts,
    starts.published_with_a_twin,
    starts.immutable_lacks_one,
    starts.npm_differs,
    starts.check_skipped,
    lambda a: outages.answers(502, path=outages.LISTING)(a.world),
)


def printed(report: Mapping[str, Any]) -> Iterator[str]:
    """Every next command of a report."""
    for gate in report["gates"]:
        yield from (one["next"] for one in gate["subjects"] if one["next"])
    yield from (one["command"] for one in report["next"])


def parse(words: list[str]) -> str:
    """Parse a command line of `release` without running it; return the command's path."""
    group: Any = get_command(app)
    path = ["release"]
    while hasattr(group, "commands"):
        name = words.pop(0)
        assert name in group.commands, f"no command is called {' '.join([*path, name])}"
        group = group.commands[name]
        path.append(name)
    group.make_context(" ".join(path), words)
    return " ".join(path)


@pytest.mark.parametrize("change", WORLDS, ids=lambda change: change.__name__.strip("<>"))
def test_next_commands_exist_and_parse(change: Callable[[Acting], object], world: World) -> None:
    """R-CONV-24: what is printed can be typed; npm and gh commands name their registry and repository."""
    acting = Acting(world)
    change(acting)
    report = acting.status("--shallow").result.report
    commands = [part.strip() for line in printed(report) for part in line.split("&&")]
    for command in commands:
        words = shlex.split(command)
        match words:
            case ["release", name, *_] if name in LATER:
                continue
            case ["release", *rest]:
                assert parse(rest)
            case ["npm", "dist-tag", "add", *rest]:
                assert "--registry" in rest
            case ["gh", "release", "edit", tag, *rest]:
                assert (tag, "--repo" in rest, "--latest" in rest) == (TAG, True, True)
            case _:
                raise AssertionError(command)


def test_the_check_can_fail() -> None:
    """A command or an option that does not exist is found."""
    with pytest.raises(AssertionError, match="no command is called release converges"):
        parse(["converges", TAG])
    with pytest.raises(Exception, match="--yess"):
        parse(["converge", TAG, "--yess"])
