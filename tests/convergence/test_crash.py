"""A sample of the crash matrix; `scripts/crash-matrix` runs all of it with the same code."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import crash_stage  # noqa: F401 - it makes the kits importable
from crash import Case, all_cases, count, run, stages
from crash_proxy import Fault
from crash_stage import Stages
from registry import VERDACCIO

PUSH = "git POST /remote.git/git-receive-pack"
SAMPLE = (
    "1:cut-before",
    "4:truncated",
    "30:sigkill",
    "90:500-after",
    "140:sigkill",
    "1@api POST:cut-after",
    "1@api POST:500-after",
    "1@api POST:sigkill",
    "1@uploads POST:sigkill",
    "2@uploads POST:cut-after",
    "3@uploads POST:truncated",
    "4@uploads POST:502-without-effect",
    "5@uploads POST:interrupted-upload",
    f"1@{PUSH}:cut-after",
    f"2@{PUSH}:cut-before",
    f"3@{PUSH}:500-after",
    f"3@{PUSH}:sigkill",
    "1@npm PUT:cut-before",
    "1@npm PUT:cut-after",
    "1@npm PUT:sigkill",
    "2@npm PUT:500-after",
    "2@npm PUT:truncated",
    "1@api PATCH:cut-after",
    "1@api PATCH:sigkill",
    "1@api PATCH:time-out",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stages]:
    """Return what all cases share: the project, a registry, a git server."""
    if shutil.which("npm") is None or not VERDACCIO.exists():
        pytest.skip("NOT RUN: needs npm and Verdaccio (scripts/node/install)")
    with stages(tmp_path_factory.mktemp("crash")) as made:
        yield made


@pytest.mark.xdist_group("crash")
@pytest.mark.parametrize("name", SAMPLE)
def test_a_crash_is_finished_by_the_next_run(name: str, shared: Stages) -> None:
    """R-CONV: after the fault, one more run completes the release; nothing is overwritten, twice or left."""
    outcome = run(shared, Case.parse(name))
    assert outcome.hit, "the run had fewer interactions"
    assert outcome.broken == (), outcome


@pytest.mark.xdist_group("crash")
def test_the_sample_is_of_the_matrix(shared: Stages) -> None:
    """Each sampled case is one of the full matrix, and each fault is in the sample."""
    cases = {str(case) for case in all_cases(count(shared))}
    assert set(SAMPLE) <= cases
    assert {Case.parse(name).fault for name in SAMPLE} == set(Fault)
