"""How well round trips overlap: every answer of both servers waits for 50 ms."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.chains import Sent, in_sequence, longest_chain, span
from benchmarks.measure import measure
from benchmarks.rows.requests import SHAPE
from benchmarks.section import Section, Target, seconds
from benchmarks.world import World, released

LATENCY = 0.05
FACTOR = 2.0
_SERVERS = ("GitHub", "registry")
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
overlap, for whatever reason. Network: from the first request to the last answer of that server, with
everything that is computed in between. Walls are of the whole process, with the interpreter's start,
git and npm. Medians.
"""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The runs of one mode: walls without and with latency, and the logs of the latter."""

    without: Sequence[float]
    late: Sequence[float]
    logs: Sequence[tuple[Sent, ...]]


def run(quick: bool) -> Section:
    """Compare the time between first request and last answer with the longest chain of dependent ones."""
    rows: list[tuple[str, ...]] = []
    targets = []
    with released(SHAPE) as world:
        for mode in _MODES:
            seen = _runs(world, mode, 1 if quick else 9)
            measured = [_server(seen, server) for server in _SERVERS]
            walls = tuple(seconds(statistics.median(times)) for times in (seen.without, seen.late))
            rows += [(mode, *cells, *walls) for cells, _ in measured]
            worst = max(ratio for _, ratio in measured)
            targets.append(
                Target(
                    promise=f"{mode}: network at most {FACTOR:.0f} × the longest chain",
                    reached=f"{worst:.1f} ×",
                    met=worst <= FACTOR,
                )
            )
    return Section(
        title="50 ms latency, 1 package and 25 assets",
        notes=_NOTES,
        header=(
            "mode",
            "server",
            "requests",
            "longest chain",
            "one after another",
            "chain × 50 ms",
            "network",
            "wall at 0 ms",
            "wall at 50 ms",
        ),
        rows=rows,
        targets=targets,
    )


def _server(seen: Seen, server: str) -> tuple[tuple[str, ...], float]:
    """Return one server's cells, and how many times the chain's time its requests took."""
    logs = [[one for one in log if one.server == server] for log in seen.logs]
    chain = longest_chain(logs[-1])
    ideal, network = len(chain) * LATENCY, statistics.median(span(log) for log in logs)
    words = f"{len(chain)} ({' → '.join(chain)})"
    sequence = str(round(statistics.median(in_sequence(log) for log in logs)))
    cells = (server, str(len(logs[-1])), words, sequence, seconds(ideal), seconds(network))
    return cells, network / ideal


def _runs(world: World, mode: str, rounds: int) -> Seen:
    """Alternate runs without and with latency, after one that fills the caches."""
    depth, cold = _MODES[mode]
    command = world.status(depth, cold=cold, exits=(0,) if depth == "--deep" else (2,))
    without, late, logs = [], [], []
    measure(command)
    for _ in range(rounds):
        world.set_latency(0)
        without.append(measure(command).wall)
        world.set_latency(LATENCY)
        late.append(measure(command).wall)
        logs.append(world.sent())
    world.set_latency(0)
    return Seen(without=without, late=late, logs=logs)
