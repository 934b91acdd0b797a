"""`scripts/crash-matrix`: every case, over several processes; one line a case, and the summary at the end."""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import asdict
from multiprocessing import get_context
from multiprocessing.util import Finalize
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent))

import crash_stage  # noqa: F401 - it makes the kits importable
from crash import Case, Outcome, Stages, all_cases, count, run, stages
from crash_proxy import Fault, Interaction

_shared: list[Stages] = []
_open = ExitStack()


def main() -> int:
    """Run the matrix; exit 1 where any case failed."""
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="crash-") as name, stages(Path(name)) as shared:
        seen = count(shared)
        wanted = [Case.parse(one) for one in given.only] or [
            case for case in all_cases(seen) if case.fault in given.fault
        ]
    earlier = _earlier(given.results)
    left = [case for case in wanted if str(case) not in earlier]
    outcomes = [*earlier.values(), *_shown(_parallel(left, given.processes), len(left), given.results)]
    print("\n".join(_summary(seen, outcomes)))
    return 1 if any(one.broken for one in outcomes) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NUMBER[@WRITE]:FAULT")
    parser.add_argument("--fault", action="append", type=Fault, choices=list(Fault))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--results", type=Path, help="one JSON line a case; those in it are done")
    given = parser.parse_args()
    given.fault = given.fault or list(Fault)
    return given


def _earlier(results: Path | None) -> dict[str, Outcome]:
    if results is None or not results.exists():
        return {}
    made = [msgspec.json.decode(line, type=Outcome) for line in results.read_bytes().splitlines()]
    return {one.case: one for one in made}


def _parallel(wanted: list[Case], processes: int) -> Iterator[Outcome]:
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
    with pool:
        for done in as_completed([pool.submit(_run, case) for case in wanted]):
            yield done.result()


def _begin() -> None:
    folder = Path(_open.enter_context(tempfile.TemporaryDirectory(prefix="crash-")))
    _shared.append(_open.enter_context(stages(folder)))
    Finalize(
        None, _open.close, exitpriority=10
    )  # a worker's own end runs nothing that is registered elsewhere


def _run(case: Case) -> Outcome:
    """Run the case; once more where the registry itself was ended by somebody: that proves nothing."""
    outcome = run(_shared[-1], case)
    if outcome.broken and not _shared[-1].alive():
        _begin()
        outcome = run(_shared[-1], case)
    return outcome


def _shown(outcomes: Iterator[Outcome], total: int, results: Path | None) -> Iterator[Outcome]:
    for done, one in enumerate(outcomes, start=1):
        what = "FAILED" if one.broken else "ok"
        exits = " then ".join(map(str, one.exits))
        print(f"{done}/{total} {what} {one.case} {one.hit or '(not reached)'}: {exits}", flush=True)
        for problem in one.broken:
            print(f"    {problem}", flush=True)
        if results is not None:
            with results.open("a") as file:
                file.write(json.dumps(asdict(one)) + "\n")
        yield one


def _summary(seen: tuple[Interaction, ...], outcomes: list[Outcome]) -> Iterator[str]:
    channels = Counter(one.channel for one in seen)
    failures = sum(1 for one in outcomes if one.broken)
    yield ""
    yield "interactions: " + ", ".join(f"{name} {times}" for name, times in channels.most_common())
    for fault in Fault:
        of_fault = [one for one in outcomes if one.case.endswith(f":{fault}")]
        exits = Counter(one.exits[0] for one in of_fault)
        first = ", ".join(f"{code}: {times}" for code, times in sorted(exits.items()))
        reached = sum(1 for one in of_fault if one.hit)
        if of_fault:
            yield f"{fault}: {len(of_fault)} cases, {reached} reached, exits of the first run {{{first}}}"
    yield f"N={len(seen)}, cases={len(outcomes)}, failures={failures}"


if __name__ == "__main__":
    sys.exit(main())
