"""Times child processes: wall, processor time and peak memory of a command with everything it started."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_STOPWATCH = str(Path(__file__).with_name("stopwatch.py"))


class Unexpected(Exception):
    """A measured command did something else than it should: its figures would mean nothing."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to run. ``exits`` are the right exit codes; ``prepare`` runs before each round, unmeasured."""

    argv: Sequence[str]
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    exits: tuple[int, ...] = (0,)
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Seconds and bytes. ``rss`` is the largest of all processes, not their sum.

    ``own`` are the seconds that the command printed of itself, or else ``wall``.
    """

    wall: float
    cpu: float
    rss: int
    own: float


def measure(command: Command) -> Figures:
    """Run once; raise ``Unexpected`` with what it said where it exits otherwise."""
    command.prepare()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "figures"
        argv = [sys.executable, "-I", "-S", _STOPWATCH, str(result), *command.argv]
        with (Path(folder) / "output").open("w+b") as output:
            subprocess.run(argv, cwd=command.cwd, env=command.env, stdout=output, stderr=output, check=False)
            output.seek(0)
            said = output.read().decode(errors="replace")
        figures = json.loads(result.read_text())
    if figures.pop("exit") not in command.exits:
        raise Unexpected(f"{' '.join(command.argv)}: exit code is none of {command.exits}:\n{said[-3000:]}")
    return Figures(**figures, own=_own(said, figures["wall"]))


def alternate(commands: Mapping[str, Command], rounds: int) -> dict[str, Figures]:
    """Run all commands in turn, ``rounds`` times, and return each one's medians (the peak of the memory).

    One unmeasured round comes first: it fills caches and writes byte code.
    """
    for command in commands.values():
        measure(command)
    found: dict[str, list[Figures]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(measure(command))
    return {name: median(figures) for name, figures in found.items()}


def median(figures: Sequence[Figures]) -> Figures:
    """Return the medians of times and the largest memory."""
    return Figures(
        wall=statistics.median(one.wall for one in figures),
        cpu=statistics.median(one.cpu for one in figures),
        rss=max(one.rss for one in figures),
        own=statistics.median(one.own for one in figures),
    )


def _own(said: str, wall: float) -> float:
    try:
        return float(said)
    except ValueError:
        return wall
