"""The list of commands."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from release import __version__
from release.cli.config import app as config_app
from release.cli.converge import converge
from release.cli.explain import explain
from release.cli.lease import app as lease_app
from release.cli.ledger import app as ledger_app
from release.cli.output import emit
from release.cli.status import status
from release.cli.watch import watch
from release.domain.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(
    help="Prove that every channel of a release agrees on one commit.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    invoke_without_command=True,
)


def version() -> None:
    """Print the version of this program."""
    emit(f"release-convergence {__version__}\n")


@app.callback()
def start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Prove that every channel of a release agrees on one commit."""
    if show_version:
        version()
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        raise UsageError("no command", fix="release status, or release --help")


COMMANDS: tuple["Callable[..., int | None]", ...] = (status, converge, watch, explain, version)
for each in COMMANDS:
    app.command()(each)
app.add_typer(config_app, name="config")
app.add_typer(lease_app, name="lease")
app.add_typer(ledger_app, name="ledger")


def command() -> Any:
    """Return the whole command line as typer's own command object."""
    return typer.main.get_command(app)
