"""`release lease`: who is the one writer of a release, and letting others in."""

from typing import Annotated

import typer

from release.cli.arguments import AsJson, Commit, ConfigPath, Selector, environment, here
from release.cli.output import emit
from release.domain.errors import UsageError
from release.options import Options
from release.report.lease_text import render_lease, render_lease_json
from release.report.visible import visible_ascii

app = typer.Typer(help="Show or release the lease of the one writer.", rich_markup_mode=None)


@app.command()
def show(
    selector: Selector = None, config: ConfigPath = None, commit: Commit = None, json: AsJson = False
) -> None:
    """Print who holds the lease, and until when."""
    from release.wiring import lease_of

    options = Options(cwd=here(), selector=selector, config=config, commit=commit, env=environment())
    lease, now = lease_of(options)
    emit(render_lease_json(lease, now) if json else render_lease(lease, now))


@app.command()
def release(
    selector: Selector = None,
    config: ConfigPath = None,
    commit: Commit = None,
    holder: Annotated[
        str | None, typer.Option("--holder", metavar="NAME", help="Release it if NAME, who is dead, has it.")
    ] = None,
    steal: Annotated[bool, typer.Option("--steal", help="Release it whoever has it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
) -> None:
    """Let others take the lease at once. A holder that is still alive stops before its next write."""
    from release.wiring import release_lease

    if not yes:
        raise UsageError("a holder that is still alive would have to stop", fix="look first; then add --yes")
    options = Options(cwd=here(), selector=selector, config=config, commit=commit, env=environment())
    freed = release_lease(options, holder, steal=steal)
    if freed is None:
        emit("nobody holds the lease\n")
    else:
        emit(visible_ascii(f"released: {freed.holder}, epoch {freed.epoch}") + "\n")
