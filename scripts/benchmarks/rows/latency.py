"""How well round trips overlap: every answer of both servers waits for 50 ms."""

from benchmarks.chains import in_sequence, longest_chain, span
from benchmarks.measure import Command, Figures, measure, median
from benchmarks.rows.requests import SHAPE
from benchmarks.section import Section, Target, seconds
from benchmarks.world import World, released

LATENCY = 0.05
FACTOR = 2.0
_MODES = {
    "shallow, warm": ("--shallow", False),
    "shallow, cold": ("--shallow", True),
    "deep, warm": ("--deep", False),
    "deep, cold": ("--deep", True),
}
_NOTES = """\
Both servers wait 50 ms before each answer (Verdaccio through a proxy); git's remote is a local path.
The chain is by design (`scripts/benchmarks/chains.py`): requests whose address comes from an earlier
answer, and the second read of a dist-tag. One after another: the most requests whose times did not
overlap, for whatever reason. Added: the whole process with latency less the same without. Network: from
the first request to the last answer, with everything that is computed in between; in a cold look npm
packs meanwhile.
"""


def run(quick: bool) -> Section:
    """Compare what latency adds with the longest chain of dependent round trips."""
    rows, targets = [], []
    with released(SHAPE) as world:
        for mode, (depth, cold) in _MODES.items():
            command = world.status(depth, cold=cold, exits=(0,) if depth == "--deep" else (2,))
            without, with_latency, spans = _runs(world, command, 1 if quick else 5)
            sent = world.sent()
            chain = longest_chain(sent)
            ideal = len(chain) * LATENCY
            added = with_latency.wall - without.wall
            network = sorted(spans)[len(spans) // 2]
            rows.append(
                (
                    mode,
                    str(len(sent)),
                    f"{len(chain)} ({' → '.join(chain)})",
                    str(in_sequence(sent)),
                    seconds(ideal),
                    seconds(added),
                    seconds(network),
                    seconds(without.wall),
                    seconds(with_latency.wall),
                )
            )
            targets.append(
                Target(
                    promise=f"{mode}: latency adds at most {FACTOR:.0f} × the chain's {seconds(ideal)}",
                    reached=f"{added / ideal:.1f} ×",
                    met=added <= FACTOR * ideal,
                )
            )
    return Section(
        title="50 ms latency, 1 package and 25 assets",
        notes=_NOTES,
        header=(
            "mode",
            "requests",
            "longest chain",
            "one after another",
            "chain × 50 ms",
            "added",
            "network",
            "wall at 0 ms",
            "wall at 50 ms",
        ),
        rows=rows,
        targets=targets,
    )


def _runs(world: World, command: Command, rounds: int) -> tuple[Figures, Figures, list[float]]:
    """Alternate runs without and with latency; return both medians and the spans of the latter's requests."""
    without, late, spans = [], [], []
    measure(command)
    for _ in range(rounds):
        world.set_latency(0)
        without.append(measure(command))
        world.set_latency(LATENCY)
        late.append(measure(command))
        spans.append(span(world.sent()))
    return median(without), median(late), spans
