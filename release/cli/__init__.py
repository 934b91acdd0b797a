"""The command line: one thin file a command: parse, call, print, exit."""

from release.cli.main import main

__all__ = ["main"]
