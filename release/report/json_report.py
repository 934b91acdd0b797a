"""A report as JSON, ``release-convergence/report/v1``: docs/report.schema.json is its contract."""

import json
from datetime import UTC, datetime

from release.domain.finding import Finding
from release.domain.report import GateReport, Report

SCHEMA = "release-convergence/report/v1"


def render_json(report: Report) -> str:
    """Return the report as ASCII JSON with a final newline."""
    return json.dumps(report_value(report), indent=2, ensure_ascii=True) + "\n"


def render_json_line(report: Report) -> str:
    """Return the report as one line of ASCII JSON."""
    return json.dumps(report_value(report), ensure_ascii=True) + "\n"


def report_value(report: Report) -> dict[str, object]:
    """Return the report as plain JSON values."""
    return {
        "schema": SCHEMA,
        "release": {
            "name": report.name,
            "version": report.version,
            "tags": list(report.tags),
            "commit": report.commit,
            "commit_source": report.commit_source,
            "repository": report.repository,
        },
        "state": report.state.value,
        "exit": report.exit,
        "generated_at": _time(report.generated_at),
        "deep": report.deep,
        "selected": list(report.selected),
        "notes": list(report.notes),
        "gates": [_gate(gate) for gate in report.gates],
        "commits": [
            {"channel": row.channel, "commit": row.commit, "agrees": row.agrees} for row in report.commits
        ],
        "next": [{"gate": step.gate, "command": step.command, "why": step.why} for step in report.next],
        "budget": {
            "requests": report.budget.requests,
            "not_modified": report.budget.not_modified,
            "remaining": report.budget.remaining,
        },
    }


def _gate(gate: GateReport) -> dict[str, object]:
    return {
        "name": gate.name,
        "claim": gate.claim,
        "state": gate.state.value,
        "required": gate.required,
        "subjects": [_subject(finding) for finding in gate.findings],
    }


def _subject(finding: Finding) -> dict[str, object]:
    return {
        "subject": finding.subject,
        "state": finding.state.value,
        "reason": finding.reason,
        "who": finding.who.value,
        "message": finding.message,
        "commit": finding.commit,
        "evidence": list(finding.evidence),
        "observed_at": _time(finding.observed_at),
        "next": finding.next,
        "waiver": finding.waiver,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
