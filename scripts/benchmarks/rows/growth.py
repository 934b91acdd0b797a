"""How time, requests and memory grow with the number of assets and of packages."""

from collections.abc import Mapping, Sequence

from benchmarks.measure import Figures, measure, median
from benchmarks.release_files import Shape
from benchmarks.section import Section, Target, mebibytes, seconds
from benchmarks.world import released

# a constant part (start-up, git) makes growth look better than linear; this much worse is a defect
TOLERANCE = 1.25
PENDING = (2,)

Grown = Mapping[int, tuple[Figures, int]]


def run_assets(quick: bool) -> Section:
    """Look at 10, 100 and 1,000 small assets, shallow and deep."""
    sizes = (10, 100) if quick else (10, 100, 1000)
    shallow, deep = {}, {}
    for size in sizes:
        shape = Shape(packages=0, assets=size)
        shallow[size] = _grown(shape, ("--shallow",), PENDING, 1 if quick else 3)
        deep[size] = _grown(shape, ("--deep",), (0,), 1 if quick else 3)
    return _section("assets", {"shallow": shallow, "deep": deep}, "Archives of about a kilobyte.")


def run_packages(quick: bool) -> Section:
    """Look at 10, 100 and 500 published packages, shallow and deep."""
    sizes = (10, 100) if quick else (10, 100, 500)
    shallow, deep = {}, {}
    for size in sizes:
        shape = Shape(packages=size, assets=0, built=True)
        shallow[size] = _grown(shape, ("--shallow",), PENDING, 1 if quick else 3)
        deep[size] = _grown(shape, ("--deep",), PENDING, 1 if quick else 3)
    note = "The packages declare a build, so that none is packed: npm takes a second for each, twice."
    return _section("packages", {"shallow": shallow, "deep": deep}, note)


def _grown(
    shape: Shape, options: tuple[str, ...], exits: tuple[int, ...], rounds: int
) -> tuple[Figures, int]:
    with released(shape) as world:
        command = world.status(*options, cold=True, exits=exits)
        figures = median([measure(command) for _ in range(rounds + 1)][1:])
        return figures, len(world.sent())


def _section(what: str, found: Mapping[str, Grown], note: str) -> Section:
    rows: list[Sequence[str]] = []
    targets = []
    for mode, grown in found.items():
        for size, (one, requests) in grown.items():
            each = seconds(one.cpu / size)
            rows.append(
                (
                    mode,
                    str(size),
                    str(requests),
                    seconds(one.wall),
                    seconds(one.cpu),
                    each,
                    mebibytes(one.rss),
                )
            )
        targets.append(_linear(mode, what, grown))
    return Section(
        title=f"Growth with {what}",
        notes=f"Cold looks without latency. {note}",
        header=("mode", what, "requests", "wall", "processor", "processor each", "largest process"),
        rows=rows,
        targets=targets,
    )


def _linear(mode: str, what: str, grown: Grown) -> Target:
    """Compare what each further subject costs at the end with what it costs at the beginning."""
    sizes = tuple(grown)
    small, large = sizes[-2], sizes[-1]
    times = grown[large][0].wall / grown[small][0].wall
    asked = grown[large][1] / grown[small][1]
    ratio = large / small
    return Target(
        promise=f"{mode}: {large} {what} cost at most {ratio:.0f} × of {small}",
        reached=f"{times:.1f} × the time, {asked:.1f} × the requests",
        met=times <= ratio * TOLERANCE and asked <= ratio * TOLERANCE,
    )
