"""A report as GitHub-flavoured Markdown: names from outside can neither break the table nor make HTML."""

import re
from collections.abc import Iterator

from release.domain.report import Report
from release.domain.state import State
from release.report.lines import agreement, by_command, depth, gate_lines, headline, spent, verdict
from release.report.visible import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>@&])")
_MARKS = {State.COMPLETE: "✅", State.PENDING: "⏳", State.PARTIAL: "🟡", State.FAILED: "❌"}


def render_markdown(report: Report) -> str:
    """Return the report as Markdown with a final newline."""
    return "\n".join(_lines(report)) + "\n"


def escape(text: str) -> str:
    """Escape text so that Markdown shows it literally, also in a table cell; no mention, link or HTML."""
    shown = _SPECIAL.sub(r"\\\1", visible(text))
    return shown.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;").replace("\\@", "&#64;")


def code(text: str) -> str:
    """Return text as a code span that its own backticks cannot end."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell(text: str) -> str:
    """Return a code span for a table, where a pipe must be escaped even in code."""
    return code(text).replace("|", "\\|")


def _lines(report: Report) -> Iterator[str]:
    yield f"## {_MARKS[report.state]} {escape(headline(report))}: {escape(verdict(report))}"
    yield ""
    source = f" ({escape(report.commit_source)})" if report.commit_source else ""
    yield f"Commit {code(report.commit)}{source}"
    yield ""
    yield "| gate | state | subjects |"
    yield "| --- | --- | --- |"
    for gate in report.gates:
        complete = sum(finding.state is State.COMPLETE for finding in gate.findings)
        optional = "" if gate.required else " (not required)"
        state = f"{_MARKS[gate.state]} {gate.state}"
        yield f"| {cell(gate.name)}{optional} | {state} | {complete} of {len(gate.findings)} complete |"
    yield from _open_subjects(report)
    yield from _commits(report)
    yield from _next(report)
    for note in report.notes:
        yield from ("", f"> {escape(note)}")
    yield ""
    yield f"<sub>{depth(report)}; {spent(report)}; {report.generated_at:%Y-%m-%d %H:%M:%S}Z</sub>"


def _open_subjects(report: Report) -> Iterator[str]:
    rows = [(gate, line) for gate in report.gates for line in gate_lines(gate)]
    rows = [(gate, line) for gate, line in rows if line.state is not State.COMPLETE]
    if not rows:
        return
    yield from ("", "### Not complete", "", "| gate | subject | state | who | why |", "| --- " * 5 + "|")
    for gate, line in rows:
        why = f"{cell(line.reason)} {escape(line.message)}"
        yield f"| {cell(gate.name)} | {cell(line.subject)} | {line.state} | {line.who} | {why} |"


def _commits(report: Report) -> Iterator[str]:
    if not report.commits:
        return
    yield from ("", "### Commit agreement", "", "| channel | commit | |", "| --- | --- | --- |")
    for row in report.commits:
        commit = cell(row.commit) if row.commit else "-"
        yield f"| {escape(row.channel)} | {commit} | {agreement(row)} |"


def _next(report: Report) -> Iterator[str]:
    if not report.next:
        return
    yield from ("", "### Next", "")
    for command, steps in by_command(report.next):
        yield f"- {code(command)}"
        yield from (f"  - {escape(step.gate)}: {escape(step.why)}" for step in steps)
