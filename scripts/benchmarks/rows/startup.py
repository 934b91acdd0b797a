"""What every call costs before it does anything, against an interpreter that does nothing."""

import subprocess
import sys

from benchmarks.measure import Command, alternate
from benchmarks.section import Section, Target, mebibytes, seconds
from benchmarks.world import program

_HEAVY = ("github", "requests", "cryptography", "pydantic", "rich")
_PROBE = f"""\
import contextlib, io, sys
from release.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["--help"])
print(*(name for name in {_HEAVY!r} if name in sys.modules))
"""


def run(quick: bool) -> Section:
    """Measure ``release --help``, ``version`` and ``explain``, and look at what --help imports."""
    release = program("release")
    commands = {
        "python -c pass": Command(argv=(sys.executable, "-c", "pass")),
        "release --help": Command(argv=(release, "--help")),
        "release version": Command(argv=(release, "version")),
        "release explain npm.absent": Command(argv=(release, "explain", "npm.absent")),
    }
    found = alternate(commands, 5 if quick else 21)
    base = found["python -c pass"]
    rows = [
        (f"`{name}`", seconds(one.wall), f"{one.wall / base.wall:.1f}", seconds(one.cpu), mebibytes(one.rss))
        for name, one in found.items()
    ]
    imported = _imported()
    return Section(
        title="Start-up",
        notes="Medians of alternating runs of whole processes.",
        header=("command", "wall", "× python", "processor", "peak memory"),
        rows=rows,
        targets=(
            Target(
                promise=f"`release --help` imports none of {', '.join(_HEAVY)}",
                reached=imported or "none",
                met=not imported,
            ),
        ),
    )


def _imported() -> str:
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True)
    return done.stdout.strip()
