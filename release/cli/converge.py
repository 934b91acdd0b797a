"""`release converge`: create what is missing, and nothing else."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import complain, emit, screen
from release.cli.progress import display
from release.domain.action import Step
from release.domain.errors import UsageError
from release.domain.report import Report
from release.domain.state import State
from release.options import Options, seconds
from release.report.actions import describe_step, render_actions, render_actions_json
from release.report.json_report import render_json
from release.report.table import render_table
from release.report.visible import visible_ascii


def converge(
    selector: Selector = None,
    config: ConfigPath = None,
    commit: Commit = None,
    yes: Annotated[bool, typer.Option("--yes", help="Act without asking.")] = False,
    gate: Annotated[
        list[str] | None, typer.Option("--gate", metavar="GATE", help="Only this gate acts; repeatable.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="GATE", help="The last gate that acts.")
    ] = None,
    dist: Annotated[
        Path | None, typer.Option("--dist", metavar="DIR", help="Archives, checksum file and manifest.")
    ] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option("--evidence", metavar="DIR", help="Evidence from another machine; repeatable."),
    ] = None,
    discard_interrupted: Annotated[
        bool,
        typer.Option("--discard-interrupted", help="Delete uploads to a draft that never finished."),
    ] = False,
    wait: Annotated[
        str, typer.Option("--wait", metavar="TIME", help="How long to wait for propagation.")
    ] = "0s",
    lease_wait: Annotated[
        str, typer.Option("--lease-wait", metavar="TIME", help="How long to wait for another writer to end.")
    ] = "10m",
    json: AsJson = False,
) -> int:
    """Create what is missing, irreversible steps last; nothing that exists is ever changed.

    Without --yes it prints what it would do, and asks where there is a terminal. Exit code: as `status`.
    """
    # the composition root brings every adapter with it: `release --help` must not pay for them
    from release.wiring import plan_actions, run_converge

    options = Options(
        cwd=here(),
        selector=selector,
        config=config,
        commit=commit,
        gates=tuple(gate or ()),
        until=until,
        evidence=tuple(evidence or ()),
        dist=dist,
        acting=True,
        discard_interrupted=discard_interrupted,
        wait=seconds(wait),
        lease_wait=seconds(lease_wait),
        env=environment(),
    )
    if not yes:
        with display(options.env) as shown:
            report, steps = plan_actions(replace(options, on_transfer=shown.transfer), shown.show)
        emit(render_actions_json(report, steps) if json else _both(report, steps, options))
        if not _agreed(steps, as_json=json):
            return report.exit
    with display(options.env) as shown:
        report = run_converge(replace(options, on_transfer=shown.transfer), shown.show, _tell, _say)
    emit(render_json(report) if json else render_table(report, screen(options.env)))
    return report.exit


def _both(report: Report, steps: tuple[Step, ...], options: Options) -> str:
    text = render_table(report, screen(options.env))
    return text if report.state is State.COMPLETE else f"{text}\n{render_actions(steps)}"


def _agreed(steps: tuple[Step, ...], *, as_json: bool) -> bool:
    """Ask on a terminal; anywhere else the answer is no."""
    free = any(not step.blocked for step in steps)
    if as_json or not free or sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    complain("do this? [y/N] ")
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except (OSError, ValueError) as error:
        raise UsageError("the answer could not be read", fix="use --yes") from error


def _say(sentence: str) -> None:
    complain(f"{visible_ascii(sentence)}\n")


def _tell(step: Step) -> None:
    complain(f"{describe_step(step)}\n")
