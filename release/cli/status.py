"""`release status`: look at every channel of one release and say whether it agrees with its commit."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import Format, emit, screen
from release.cli.progress import display
from release.domain.errors import UsageError
from release.domain.report import Report
from release.options import Options
from release.report.json_report import render_json
from release.report.markdown import render_markdown
from release.report.table import Screen, render_table


def status(
    selector: Selector = None,
    config: ConfigPath = None,
    commit: Commit = None,
    gate: Annotated[
        list[str] | None, typer.Option("--gate", metavar="GATE", help="Only this gate; repeatable.")
    ] = None,
    json: AsJson = False,
    format: Annotated[Format | None, typer.Option("--format", help="How to print it.")] = None,  # noqa: A002
    deep: Annotated[
        bool, typer.Option("--deep/--shallow", help="Download and hash, or trust what APIs say.")
    ] = True,
    evidence: Annotated[
        list[Path] | None,
        typer.Option("--evidence", metavar="DIR", help="Evidence from another machine; repeatable."),
    ] = None,
) -> int:
    """Say what is there, whether it is the same commit's, and what to do next. Writes nothing.

    Exit code: 0 complete, 1 failed, 2 partial, 3 pending, 4 wrong call or could not look.
    """
    # the composition root brings every adapter with it: `release --help` must not pay for them
    from release.wiring import run_status

    env = environment()
    options = Options(
        cwd=here(),
        selector=selector,
        config=config,
        commit=commit,
        gates=tuple(gate or ()),
        deep=deep,
        evidence=tuple(evidence or ()),
        env=env,
    )
    chosen = _format(json, format)
    with display(env) as shown:
        report = run_status(replace(options, on_transfer=shown.transfer), shown.show)
    emit(_render(report, chosen, screen(env)))
    return report.exit


def _format(as_json: bool, format: Format | None) -> Format:  # noqa: A002
    if as_json and format not in (None, Format.JSON):
        raise UsageError("--json and --format name two formats", fix="use one of them")
    return Format.JSON if as_json else format or Format.TABLE


def _render(report: Report, format: Format, where: Screen) -> str:  # noqa: A002
    match format:
        case Format.TABLE:
            return render_table(report, where)
        case Format.MARKDOWN:
            return render_markdown(report)
        case Format.JSON:
            return render_json(report)
