"""The composition root: the only file that imports both gates and adapters, and that reads the clock.

A call becomes a plan, read ports, a survey and a report, in that order. Nothing here decides anything.
"""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

import release.config as configuration
from gates import GATES
from release.adapters.evidence import EvidenceStore
from release.adapters.evidence_blobs import BlobStore
from release.adapters.git.reader import GitReader
from release.adapters.github.reader import GitHubReader
from release.adapters.http import EtagStore, Http, Meter
from release.adapters.npm.pack import Packer
from release.adapters.npm.reader import NpmReader
from release.adapters.npm.shelf import Shelf
from release.domain.decision import Circumstances, decide
from release.domain.gate_card import GateCard
from release.domain.plan import Plan, Subject
from release.domain.report import Budget, Report
from release.opening import Session, opened
from release.options import OnProgress, Options, Progress
from release.ports import Read
from release.survey import subjects_of, survey

_CLAIMS = {gate.NAME: gate.CLAIM for gate in GATES}


def run_status(options: Options, on_progress: OnProgress) -> Report:
    """Survey the release and return the report; writes to no channel."""
    with opened(options, tuple(_CLAIMS)) as session, ExitStack() as stack:
        meter, now = Meter(), _now()
        read = _read_ports(session, meter, stack)
        gates = tuple(gate for gate in GATES if not options.gates or gate.NAME in options.gates)
        plan = replace(session.plan, required=()) if options.gates else session.plan

        def on_done(subject: Subject, done: int, total: int) -> None:
            on_progress(Progress(gate=subject.gate, subject=subject.name, done=done, total=total))

        findings = survey(plan, gates, read, now, on_done)
        circumstances = Circumstances(
            claims=_CLAIMS,
            budget=Budget(
                requests=meter.requests, not_modified=meter.not_modified, remaining=meter.remaining
            ),
            now=now,
            commit_source=session.canonical.words,
            selected=options.gates,
        )
        return decide(session.plan, findings, circumstances)


def check_config(options: Options) -> Plan:
    """Validate release.toml and the manifests at the commit, and return the plan."""
    with opened(options, tuple(_CLAIMS)) as session:
        return session.plan


def planned_subjects(plan: Plan) -> Mapping[str, tuple[Subject, ...]]:
    """Return every gate's subjects, in order."""
    return subjects_of(plan, GATES)


def config_schema() -> str:
    """Return the JSON Schema of release.toml."""
    return configuration.config_schema()


def gate_cards() -> tuple[GateCard, ...]:
    """Return what each gate says about itself, in order."""
    return tuple(
        GateCard(
            name=gate.NAME,
            claim=gate.CLAIM,
            binding=(gate.__doc__ or "").strip(),
            needs=gate.NEEDS,
            stage=gate.STAGE.value,
            effect=gate.EFFECT.value,
            recheck=gate.RECHECK,
        )
        for gate in GATES
    )


def _read_ports(session: Session, meter: Meter, stack: ExitStack) -> Read:
    """Make read ports that remember nothing of earlier looks; ``stack`` removes what they leave."""
    plan, etags = session.plan, EtagStore(session.state / "http")
    http = Http(cache=etags, meter=meter, clock=_now)
    evidence = EvidenceStore(session.state / "evidence", session.evidence_directories)
    evidence.all()  # malformed evidence is an error of the call, before anything is looked at
    github = None
    if plan.github is not None:
        github = GitHubReader(
            policy=plan.github,
            token=session.github_token,
            http=http,
            etags=etags,
            meter=meter,
            sleep=time.sleep,
            clock=_now,
        )
    npm = NpmReader(
        http=http,
        registry=plan.npm.registry,
        credential=session.npm_credential,
        pack=stack.enter_context(_packer(session, evidence)),
    )
    git = GitReader(session.repository, plan)
    return Read(plan=plan, git=git, npm=npm, github=github, evidence=evidence)


def _packer(session: Session, evidence: EvidenceStore) -> Packer:
    others = tuple(BlobStore(directory) for directory in session.evidence_directories)
    return Packer(
        plan=session.plan,
        source=session.repository.source(session.plan.commit),
        shelf=Shelf(evidence=evidence, blobs=BlobStore(session.state / "evidence"), others=others),
        directory=session.state / "temporary",
        clock=_now,
    )


def _now() -> datetime:
    return datetime.now(UTC)
