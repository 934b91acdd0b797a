"""What one look at 1 package and 25 assets costs: requests, confirmed answers (304), time."""

from collections.abc import Iterable

from benchmarks.chains import Sent, kind_of
from benchmarks.measure import Figures, measure, median
from benchmarks.release_files import Shape
from benchmarks.section import Section, Target, mebibytes, seconds
from benchmarks.world import World, released

SHAPE = Shape(packages=1, assets=25)
BUDGET = 15
# bytes are downloaded anew on purpose: an old confirmation would prove nothing about them
_ANEW = ("asset", "bytes", "tarball")
_MODES = {
    "shallow, cold": (("--shallow",), True),
    "shallow, warm": (("--shallow",), False),
    "deep, cold": (("--deep",), True),
    "deep, warm": (("--deep",), False),
}
_NOTES = """\
Whole `release status` processes, without latency. Cold: nothing is remembered, and npm packs the
package twice. Warm: a second look. Processor time and memory count npm and git too. The registry is
Verdaccio behind a proxy that counts, GitHub is emulated.
"""


def run(quick: bool) -> Section:
    """Count requests in all four modes."""
    with released(SHAPE) as world:
        found = {mode: _look(world, mode, 1 if quick else 5) for mode in _MODES}
    rows = [
        (mode, str(len(sent)), str(_confirmed(sent)), seconds(one.wall), seconds(one.cpu), mebibytes(one.rss))
        for mode, (one, sent) in found.items()
    ]
    cold = len(found["shallow, cold"][1])
    unconfirmed = [one.path for mode in ("shallow, warm", "deep, warm") for one in _repeated(found[mode][1])]
    return Section(
        title="One look at 1 package and 25 assets",
        notes=_NOTES,
        header=("mode", "requests", "of them 304", "wall", "processor", "largest process"),
        rows=rows,
        targets=(
            Target(promise=f"shallow cold: at most {BUDGET} requests", reached=str(cold), met=cold <= BUDGET),
            Target(
                promise="warm: every repeatable GET is a 304",
                reached=f"not confirmed: {', '.join(unconfirmed) or 'none'}",
                met=not unconfirmed,
            ),
        ),
    )


def _look(world: World, mode: str, rounds: int) -> tuple[Figures, tuple[Sent, ...]]:
    options, cold = _MODES[mode]
    exits = (0,) if "--deep" in options else (2,)
    command = world.status(*options, cold=cold, exits=exits)
    if not cold:
        measure(command)
    figures = median([measure(command) for _ in range(rounds)])
    return figures, world.sent()


def _confirmed(sent: Iterable[Sent]) -> int:
    return sum(one.status == 304 for one in sent)


def _repeated(sent: Iterable[Sent]) -> tuple[Sent, ...]:
    """Return the repeatable GETs that were answered otherwise than with 304."""
    return tuple(one for one in sent if kind_of(one.path) not in _ANEW and one.status != 304)
