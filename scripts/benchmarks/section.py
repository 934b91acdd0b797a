"""One answer of the bench as Markdown: a table, what it means, and the targets with what was reached."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Target:
    """What was promised; ``met`` None: not run here, with the reason in ``reached``."""

    promise: str
    reached: str
    met: bool | None


@dataclass(frozen=True, kw_only=True)
class Section:
    """A title, a few sentences, a table (the first column is text, the others are numbers), targets.

    Line ends in ``notes`` do not count.
    """

    title: str
    notes: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    targets: Sequence[Target] = ()

    def markdown(self) -> str:
        """Return the section with a final newline."""
        parts = [f"## {self.title}", " ".join(self.notes.split())]
        if self.rows:
            rule = ["---", *("---:" for _ in self.header[1:])]
            parts.append("\n".join(_line(row) for row in (self.header, rule, *self.rows)))
        parts += ["\n".join(_target(target) for target in self.targets)] if self.targets else []
        return "\n\n".join(parts) + "\n"


def seconds(value: float) -> str:
    """Return a time, in milliseconds where it is short."""
    return f"{value * 1000:.0f} ms" if value < 10 else f"{value:.1f} s"


def mebibytes(value: float) -> str:
    """Return bytes as MiB."""
    return f"{value / (1 << 20):.0f} MiB"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _target(target: Target) -> str:
    word = {True: "met", False: "**MISSED**", None: "not run"}[target.met]
    return f"- {target.promise}: {target.reached} ({word})"
