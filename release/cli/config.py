"""`release config`: validate release.toml and print the plan, or print the schema."""

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import emit
from release.options import Options
from release.report.plan_text import render_plan, render_plan_json

app = typer.Typer(help="Check release.toml, or print its schema.", rich_markup_mode=None)


@app.command()
def check(
    selector: Selector = None, config: ConfigPath = None, commit: Commit = None, json: AsJson = False
) -> None:
    """Validate release.toml and the manifests at the commit, and print the plan."""
    from release.wiring import check_config, planned_subjects

    plan = check_config(
        Options(cwd=here(), selector=selector, config=config, commit=commit, env=environment())
    )
    subjects = planned_subjects(plan)
    emit(render_plan_json(plan, subjects) if json else render_plan(plan, subjects))


@app.command()
def schema(config: ConfigPath = None) -> None:  # noqa: ARG001 - every command takes --config
    """Print the JSON Schema of release.toml, for editors."""
    from release.wiring import config_schema

    emit(config_schema())
