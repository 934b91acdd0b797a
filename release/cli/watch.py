"""`release watch`: look at a release until it is complete, failed, or time is up; print what changes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import emit
from release.domain.changes import Change
from release.domain.errors import UsageError
from release.options import Options, seconds
from release.report.change_text import render_change, render_change_json
from release.report.json_report import render_json_line
from release.report.lines import headline, verdict
from release.report.visible import visible_ascii
from release.watch import Rhythm, Shown


def watch(
    selector: Selector = None,
    config: ConfigPath = None,
    commit: Commit = None,
    interval: Annotated[
        str,
        typer.Option(
            "--interval", metavar="TIME", help="The shortest pause; it grows while nothing changes."
        ),
    ] = "30s",
    timeout: Annotated[str, typer.Option("--timeout", metavar="TIME", help="When to give up.")] = "1h",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on after a failure: some are mended.")
    ] = False,
    gate: Annotated[
        list[str] | None, typer.Option("--gate", metavar="GATE", help="Only this gate; repeatable.")
    ] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option("--evidence", metavar="DIR", help="Evidence from another machine; repeatable."),
    ] = None,
    json: AsJson = False,
) -> int:
    """Print one line a change until the release is complete or failed. Writes nothing.

    Exit code: as `status` at the last look: 0 complete, 1 failed, 2 partial, 3 pending, 4 could not look.
    """
    # the composition root brings every adapter with it: `release --help` must not pay for them
    from release.wiring import run_watch

    rhythm = Rhythm(interval=_pause(interval), timeout=_time(timeout), keep_going=keep_going)
    asked = Options(cwd=here(), selector=selector, config=config, commit=commit, env=environment())
    options = replace(asked, gates=tuple(gate or ()), evidence=tuple(evidence or ()))

    def on_change(change: Change) -> None:
        emit(render_change_json(change) if json else render_change(change))

    watched = run_watch(options, rhythm, Shown(on_change=on_change, on_progress=lambda _: None))
    report = watched.report
    if json:
        emit(render_json_line(report))
    else:
        end = f"{headline(report)}: {verdict(report)}, {watched.ending} after {watched.looks} looks"
        emit(visible_ascii(end) + "\n")
    return report.exit


def _time(text: str) -> timedelta:
    return timedelta(seconds=seconds(text))


def _pause(text: str) -> timedelta:
    pause = _time(text)
    if not pause:
        raise UsageError("--interval must not be zero", fix="use at least 1s")
    return pause
