"""The plan of actions as text or JSON: what would be created where, in which order, after what."""

import json
from collections.abc import Iterator

from release.domain.action import Step
from release.domain.report import Report
from release.report.json_report import report_value
from release.report.visible import visible_ascii

SCHEMA = "release-convergence/actions/v1"


def render_actions(steps: tuple[Step, ...]) -> str:
    """Return one line an action with a final newline; a blocked one says what it waits for."""
    if not steps:
        return "nothing to do: no action would bring this release further\n"
    return "\n".join(visible_ascii(line) for line in _lines(steps)) + "\n"


def render_actions_json(report: Report, steps: tuple[Step, ...]) -> str:
    """Return the report and the actions as ASCII JSON with a final newline."""
    value = {
        "schema": SCHEMA,
        "actions": [
            {
                "gate": step.subject.gate,
                "subject": step.subject.name,
                "does": step.sentence,
                "where": step.action.where,
                "effect": step.action.effect.value,
                "waits_for": list(step.blocked),
            }
            for step in steps
        ],
        "report": report_value(report),
    }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def describe_step(step: Step) -> str:
    """Return what is being done, for progress lines."""
    return visible_ascii(f"{step.action.where}: {step.sentence}")


def _lines(steps: tuple[Step, ...]) -> Iterator[str]:
    yield "actions"
    for number, step in enumerate(steps, start=1):
        yield f"  {number}. {step.sentence}  [{step.action.where}, {step.action.effect.value}]"
        if step.blocked:
            more = f", and {len(step.blocked) - 4} more" if len(step.blocked) > 4 else ""
            yield f"     after: {', '.join(step.blocked[:4])}{more}"
