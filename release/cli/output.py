"""stdout holds the report and nothing else; stderr holds what is said beside it."""

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Mapping
from enum import StrEnum

from release.report.table import Screen


class OutputLost(Exception):
    """The output did not reach its reader: never a success."""


class Format(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


def emit(text: str) -> None:
    """Write to stdout and flush; raise ``OutputLost`` where that fails or stdout is closed."""
    stream = sys.stdout
    if stream is None:
        raise OutputLost("stdout is closed")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError) as error:
        raise OutputLost(getattr(error, "strerror", None) or "stdout is closed") from error


def complain(text: str) -> None:
    """Write to stderr; where that is impossible there is nobody left to tell."""
    stream = sys.stderr
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            stream.write(text)
            stream.flush()


def abandon_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush is silent."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def screen(env: Mapping[str, str]) -> Screen:
    """Return the screen behind stdout: a pipe has no width and no colour."""
    if sys.stdout is None or not sys.stdout.isatty():
        return Screen()
    width = shutil.get_terminal_size().columns
    return Screen(width=width, colour="NO_COLOR" not in env and env.get("TERM") not in (None, "dumb"))
