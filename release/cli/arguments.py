"""Arguments that several commands share, and the call's circumstances."""

import os
from pathlib import Path
from typing import Annotated

import typer

from release.domain.errors import UsageError

Selector = Annotated[
    str | None,
    typer.Argument(
        metavar="[TAG|VERSION]", help="The release; default: what the manifests at the commit say."
    ),
]
ConfigPath = Annotated[
    Path | None,
    typer.Option("--config", metavar="PATH", help="release.toml; default: the nearest one upward from here."),
]
Commit = Annotated[
    str | None,
    typer.Option(
        "--commit", metavar="SHA", help="The canonical commit; default: the remote tag's, else HEAD."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def here() -> Path:
    """Return the working directory; raise ``UsageError`` where it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the working directory does not exist", fix="change to another folder") from error


def environment() -> dict[str, str]:
    """Return the environment of the call."""
    return dict(os.environ)
