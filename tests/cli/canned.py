"""Runs the command line over a composition root that answers without a world. CANNED names the answer."""

import os
import sys
import time
import types
from datetime import UTC, datetime, timedelta

from release.domain.decision import Circumstances, decide
from release.domain.errors import CannotTell, ConfigError
from release.domain.finding import Finding
from release.domain.gate_card import GateCard
from release.domain.plan import NpmPolicy, Plan, Subject, Tag
from release.domain.report import Budget, Report
from release.domain.state import NothingToJoin
from release.options import OnProgress, Options, Progress

NOW = datetime(2025, 1, 2, tzinfo=UTC)
REASONS = {
    "complete": ("tag.agrees",),
    "failed": ("tag.commit-differs", "git.unreachable"),
    "partial": ("tag.agrees", "tag.absent"),
    "pending": ("tag.absent",),
    "blind": ("git.unreachable", "tag.agrees"),
    "many": ("tag.absent",) * 2000,
}
PLAN = Plan(
    name="acme",
    version="1.0.0",
    commit="a" * 40,
    selector="v1.0.0",
    policy="0" * 64,
    remote="origin",
    branches=(),
    tags=(Tag(name="v1.0.0", version="1.0.0"),),
    packages=(),
    binaries=(),
    releases=(),
    github=None,
    npm=NpmPolicy(registry="https://r", propagation=timedelta(minutes=10), stable_reads=2),
    checksum_algorithm="sha256",
    changesets=None,
    suites=(),
    acceptances=(),
    required=(),
)


def run_status(options: Options, on_progress: OnProgress) -> Report:
    """Answer what CANNED says."""
    answer = os.environ["CANNED"]
    match answer:
        case "defect":
            raise RuntimeError("token canary-secret")
        case "cannot-tell":
            raise CannotTell("git.unreachable", "origin does not answer")
        case "nothing":
            raise NothingToJoin("no subjects")
        case "config":
            raise ConfigError("is wrong", file="release.toml", place="a.b", fix="mend it")
        case "interrupt":
            raise KeyboardInterrupt
        case "echo":
            sys.stderr.write(repr((options.selector, options.config, options.commit, options.gates)) + "\n")
            sys.stderr.write(repr((options.deep, options.evidence, options.cwd.name)) + "\n")
            answer = "complete"
        case "sleep":
            sys.stderr.write("asleep\n")
            sys.stderr.flush()
            time.sleep(60)
    found = []
    codes = REASONS[answer]
    for index, code in enumerate(codes):
        on_progress(Progress(gate="source-tag", subject=str(index), done=index + 1, total=len(codes)))
        found.append(
            Finding(gate="source-tag", subject=f"s{index}", reason=code, message="m\x1b[2J", observed_at=NOW)
        )
    budget = Budget(requests=1, not_modified=0, remaining=None)
    how = Circumstances(claims={"source-tag": "Claim."}, budget=budget, now=NOW, commit_source="HEAD")
    return decide(PLAN, {"source-tag": tuple(found)}, how)


def _install() -> None:
    wiring = types.ModuleType("release.wiring")
    card = GateCard(
        name="source-tag",
        claim="C.",
        binding="B.",
        needs=(),
        stage="publish",
        effect="irreversible",
        recheck="x",
    )
    subjects = {"source-tag": (Subject(gate="source-tag", name="v1.0.0", plan=PLAN),)}
    answers = {
        "run_status": run_status,
        "check_config": lambda _options: PLAN,
        "planned_subjects": lambda _plan: subjects,
        "config_schema": lambda: "{}\n",
        "gate_cards": lambda: (card,),
    }
    for name, answer in answers.items():
        setattr(wiring, name, answer)
    sys.modules["release.wiring"] = wiring


if __name__ == "__main__":
    _install()
    from release.cli import main

    sys.exit(main())
