"""What a ledger is given: plans, facts and reports."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from refs_fixtures import Machines

from release.adapters.git.location import Location
from release.adapters.git.refs import RefStore
from release.adapters.ledger import Draft
from release.adapters.memory import Memory
from release.domain.first_seen import FirstSeen
from release.domain.plan_record import PlanRecord

KEY = "v1.0.0"
LEDGER = f"refs/convergence/ledger/{KEY}"
START = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
PLAN = PlanRecord(
    version="1.0.0",
    commit="a" * 40,
    policy="0" * 64,
    gates={"source-tag": ("v1.0.0",), "npm-publish": ("acme#latest", "acme@1.0.0")},
    required=("npm-publish", "source-tag"),
    packages={"acme@1.0.0": ("latest",)},
    floors={"npm.stable_reads": 3},
    fixed={"npm.registry": "https://registry.example.test"},
)
LESS = replace(PLAN, gates={"source-tag": ("v1.0.0",)}, required=("source-tag",))
TAG = FirstSeen(key="tag:v1.0.0", commit="a" * 40, at=START)
NPM = FirstSeen(key="npm:acme@1.0.0", digest="sha256:" + "1" * 64, at=START + timedelta(minutes=1))


def report(state: str, **reasons: str) -> dict[str, object]:
    """A report's JSON with one gate; each reason's key is its subject."""
    subjects = [{"subject": name, "reason": reason} for name, reason in reasons.items()]
    return {
        "schema": "release-convergence/report/v1",
        "release": {"commit": "a" * 40, "version": "1.0.0"},
        "state": state,
        "generated_at": "2025-01-02T03:04:05Z",
        "gates": [{"name": "source-tag", "subjects": subjects}],
    }


def draft(state: str = "complete", *seen: FirstSeen, **changes: object) -> Draft:
    """What one survey would append."""
    made = Draft(at=START, report=report(state, tag=f"tag.{state}"), seen=seen, plan=PLAN)
    return replace(made, **changes)


def memory(machines: Machines, home: Path | None = None) -> Memory:
    """What is remembered on a new machine, or on the one whose ``ledger.git`` is ``home``."""
    where = Location(url=str(machines.remote), shown="origin", path=machines.remote)
    folder = home or machines.folder / f"state-{len(list(machines.folder.iterdir()))}" / "ledger.git"
    return Memory(RefStore(git_dir=folder, location=where), KEY, "sha1")


def home_of(remembered: Memory) -> Path:
    """The machine's ``ledger.git``."""
    return remembered.remote.refs.git_dir
