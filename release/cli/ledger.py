"""`release ledger`: what is remembered of a release outside its channels."""

import getpass
from collections.abc import Mapping
from typing import Annotated

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import emit
from release.domain.errors import ReleaseError, UsageError
from release.domain.ledger import Recall
from release.options import Options
from release.report.ledger_text import render_ledger, render_ledger_json, render_verdict

app = typer.Typer(help="Show, verify or amend what is remembered of a release.", rich_markup_mode=None)


@app.command()
def show(
    selector: Selector = None, config: ConfigPath = None, commit: Commit = None, json: AsJson = False
) -> None:
    """Print every entry with what changed in it, and the first-seen facts."""
    from release.wiring import ledger_of

    recall = _seen(ledger_of(_options(selector, config, commit)))
    emit(render_ledger_json(recall) if json else render_ledger(recall))


@app.command()
def verify(
    selector: Selector = None, config: ConfigPath = None, commit: Commit = None, json: AsJson = False
) -> int:
    """Check the whole chain. Exit code: 0 intact, 1 altered, 4 there is none, or it could not be read."""
    from release.wiring import ledger_of

    recall = _seen(ledger_of(_options(selector, config, commit)))
    if not recall.entries and not recall.breaches:
        raise ReleaseError(
            "this release has no ledger: nothing was verified", fix="`release converge` begins it"
        )
    emit(render_ledger_json(recall) if json else render_verdict(recall))
    return 1 if recall.breaches else 0


@app.command()
def accept(
    because: Annotated[str, typer.Option("--because", metavar="REASON", help="Why it is right.")],
    change: Annotated[
        list[str],
        typer.Option("--change", metavar="NAME", help="What is accepted, as plan.changed-since says."),
    ],
    selector: Selector = None,
    config: ConfigPath = None,
    commit: Commit = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
) -> None:
    """Accept, by name and reason, that the plan asks for less than the one that was frozen."""
    from release.wiring import accept_changes

    if not because.strip():
        raise UsageError("--because is empty", fix="say why the release may be judged by less")
    if not yes:
        raise UsageError("from then on the release is judged by less", fix="look first; then add --yes")
    options = _options(selector, config, commit)
    recall = accept_changes(options, tuple(change), because.strip(), _person(options.env))
    emit(render_ledger(recall))


def _options(selector: Selector, config: ConfigPath, commit: Commit) -> Options:
    return Options(cwd=here(), selector=selector, config=config, commit=commit, env=environment())


def _seen(recall: Recall) -> Recall:
    if recall.blind is not None:
        raise recall.blind
    return recall


def _person(env: Mapping[str, str]) -> str:
    if env.get("GITHUB_ACTOR"):
        return env["GITHUB_ACTOR"]
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
