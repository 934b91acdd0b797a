"""A plan as text or JSON, for `release config check`: every tag, package, gate and subject."""

import json
from collections.abc import Iterator, Mapping

from release.domain.plan import Plan, Subject
from release.report.visible import visible_ascii

Subjects = Mapping[str, tuple[Subject, ...]]


def render_plan(plan: Plan, subjects: Subjects) -> str:
    """Return the plan as an indented tree with a final newline."""
    return "\n".join(visible_ascii(line).rstrip() for line in _tree(plan, subjects)) + "\n"


def render_plan_json(plan: Plan, subjects: Subjects) -> str:
    """Return the plan as ASCII JSON with a final newline."""
    value = {
        "schema": "release-convergence/plan/v1",
        "release": {"name": plan.name, "version": plan.version, "commit": plan.commit, "policy": plan.policy},
        "tags": [{"name": tag.name, "version": tag.version, "package": tag.package} for tag in plan.tags],
        "packages": [
            {"name": item.name, "version": item.expected_version, "path": item.path, "tag": item.tag}
            for item in plan.packages
        ],
        "gates": [
            {
                "name": name,
                "required": not plan.required or name in plan.required,
                "subjects": [subject.name for subject in of_gate],
            }
            for name, of_gate in subjects.items()
        ],
    }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def _tree(plan: Plan, subjects: Subjects) -> Iterator[str]:
    yield f"release  {plan.name} {plan.version}"
    yield f"commit   {plan.commit}"
    yield f"policy   sha256:{plan.policy}"
    yield f"remote   {plan.remote}"
    yield "tags"
    for tag in plan.tags:
        yield f"  {tag.name}"
    if plan.packages:
        yield "packages"
    for package in plan.packages:
        tags = ", ".join(package.dist_tags)
        yield f"  {package.spec}  in {package.path}, dist-tags {tags}"
    yield "gates"
    for name, of_gate in subjects.items():
        optional = "" if not plan.required or name in plan.required else " (not required)"
        yield f"  {name}{optional}"
        for subject in of_gate:
            yield f"    {subject.name}"
