"""A report as a table for a terminal or a log. Without colour it is ASCII, and never wrapped.

Every subject that is not complete is shown, whatever the width; commands are never broken.
"""

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from release.domain.report import Report
from release.domain.state import State
from release.report.lines import (
    Line,
    agreement,
    by_command,
    depth,
    gate_lines,
    headline,
    spent,
    verdict,
)
from release.report.visible import visible, visible_ascii

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {
    State.COMPLETE: "green",
    State.PENDING: "yellow",
    State.PARTIAL: "magenta",
    State.FAILED: "bold red",
}
NARROWEST = 20
UNWRAPPED = 100_000


@dataclass(frozen=True, kw_only=True)
class Screen:
    """Where the table goes: ``width`` in columns, None for a pipe (no wrapping, no colour, ASCII)."""

    width: int | None = None
    colour: bool = False


def render_table(report: Report, screen: Screen = Screen()) -> str:
    """Return the table as text with a final newline."""
    page = _Page(screen)
    page.line(("release", "bold"), (f"  {headline(report)}", ""))
    page.line(("commit", "bold"), (f"   {report.commit}", ""), (_source(report), "dim"))
    page.line(("state", "bold"), (f"    {verdict(report)}", COLOURS[report.state]))
    for gate in report.gates:
        page.blank()
        optional = "" if gate.required else "  (not required)"
        page.line((gate.name, "bold"), (f"  {gate.state}", COLOURS[gate.state]), (optional, "dim"))
        for line in gate_lines(gate):
            _subject(page, line)
    _commits(page, report)
    _next(page, report)
    for note in report.notes:
        page.blank()
        page.line(("note", "bold"), (f"  {note}", ""))
    page.blank()
    page.line((f"{depth(report)}; {spent(report)}; {report.generated_at:%Y-%m-%d %H:%M:%S}Z", "dim"))
    return page.text()


class _Page:
    """Collects lines: styled and wrapped by rich on a terminal, plain otherwise."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._lines: list[str] = []
        self._console = None if screen == Screen() else _console(screen)

    def line(self, *parts: tuple[str, str], indent: int = 0, wrap: bool = True) -> None:
        """Add one line of (text, style) parts; wrapped lines keep the indent."""
        if self._console is None:
            text = visible_ascii("".join(part for part, _ in parts))
            self._lines.append(" " * indent + text.rstrip())
            return
        shown = visible if self._screen.colour else visible_ascii
        width = self._screen.width if wrap else None
        room = UNWRAPPED if width is None else max(NARROWEST, width - indent)
        styled = [(shown(part), style) for part, style in parts]
        self._lines += [" " * indent + line for line in _styled(self._console, styled, room)]

    def blank(self) -> None:
        """Add an empty line."""
        self._lines.append("")

    def text(self) -> str:
        """Return everything, with a final newline."""
        return "\n".join(self._lines) + "\n"


def _console(screen: Screen) -> "Console":
    # rich is heavy: neither `release --help` nor a pipe pays for it
    from rich.console import Console

    return Console(
        file=StringIO(),
        width=UNWRAPPED,
        force_terminal=screen.colour,
        no_color=not screen.colour,
        color_system="standard" if screen.colour else None,
        legacy_windows=False,
        _environ={},
    )


def _styled(console: "Console", parts: list[tuple[str, str]], room: int) -> list[str]:
    from rich.text import Text

    with console.capture() as captured:
        for wrapped in Text.assemble(*parts).wrap(console, room):
            wrapped.rstrip()
            console.print(wrapped, soft_wrap=True, highlight=False, markup=False)
    return captured.get().splitlines()


def _source(report: Report) -> str:
    return f"  ({report.commit_source})" if report.commit_source else ""


def _subject(page: _Page, line: Line) -> None:
    who = "" if line.who == "nobody" else f"  [{line.who}]"
    page.line(
        (f"{line.state:<8}", COLOURS[line.state]),
        (f"  {line.subject}", ""),
        (f"  {line.reason}", "dim"),
        (who, "bold"),
        indent=2,
    )
    if line.message and line.state is not State.COMPLETE:
        page.line((line.message, ""), indent=12)


def _commits(page: _Page, report: Report) -> None:
    if not report.commits:
        return
    page.blank()
    page.line(("commit agreement", "bold"))
    styles = {True: "green", False: "bold red", None: "yellow"}
    width = max(len(visible(row.channel)) for row in report.commits)
    for row in report.commits:
        channel = f"{visible(row.channel):<{min(width, 40)}}"
        commit = row.commit or "-"
        page.line((f"{agreement(row):<12}", styles[row.agrees]), (f"  {channel}  {commit}", ""), indent=2)


def _next(page: _Page, report: Report) -> None:
    if not report.next:
        return
    page.blank()
    page.line(("next", "bold"))
    for command, steps in by_command(report.next):
        page.line((command, "bold"), indent=2, wrap=False)
        for step in steps:
            page.line((f"{step.gate}: {step.why}", ""), indent=6)
