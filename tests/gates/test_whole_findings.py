"""Whole findings, word by word, of every gate in a few worlds: they are what the report shows.

The expected ones stand in golden/, one line each; UPDATE_GOLDEN=1 writes them, for a person to read.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from whole_worlds import PLAN, WORLDS
from worldkit import a_spec, look

from gates import GATES
from release.domain.finding import Finding

GOLDEN = Path(__file__).parent / "golden"


def lines(findings: Iterable[Finding]) -> str:
    """Return each finding as one line of JSON, without what is empty."""
    return "".join(json.dumps(_shown(finding)) + "\n" for finding in findings)


def _shown(finding: Finding) -> dict[str, object]:
    members: dict[str, object] = {
        "finding": f"{finding.gate} {finding.subject}",
        "reason": finding.reason,
        "message": finding.message,
        "commit": finding.commit,
        "next": finding.next,
        "evidence": list(finding.evidence),
        "claims": [f"{claim.channel}: {claim.commit}" for claim in finding.claims],
        "seen": [{"key": fact.key, **fact.content()} for fact in finding.seen],
        "until": finding.until.isoformat() if finding.until else None,
    }
    return {name: value for name, value in members.items() if value}


def check(name: str, said: str) -> None:
    """Compare with the golden lines."""
    path = GOLDEN / f"{name}.jsonl"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(said, encoding="utf-8")
    assert said.splitlines() == path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", WORLDS)
def test_findings_word_by_word(name: str) -> None:
    """Reason, sentence, commit, command, evidence, claims and facts of every subject, in order."""
    make, plan = WORLDS[name]
    world = make()
    check(name, lines(finding for gate in GATES for finding in look(gate, plan, world).values()))


def test_subjects_member_by_member() -> None:
    """What each gate asks of the plan: name, role, detail, and which of the plan's values it is about."""
    several = replace(PLAN, releases=(*PLAN.releases, a_spec(tag="tool@9.0.0", version="9.0.0")))
    rows = (
        {
            "subject": f"{subject.gate} {subject.name}",
            "role": subject.role,
            "detail": subject.detail,
            "item": f"{type(subject.item).__name__} {getattr(subject.item, 'name', subject.item)}"[:60],
        }
        for plan in (PLAN, several)
        for gate in GATES
        for subject in gate.subjects(plan)
        if subject.plan is plan
    )
    check("subjects", "".join(json.dumps(row) + "\n" for row in rows))
