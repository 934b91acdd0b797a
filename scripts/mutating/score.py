"""The score as a Markdown table, and the mutants that no test noticed."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from mutants import Mutant

KINDS = ("comparison", "branch", "value", "text")

Explained = dict[tuple[str, str, str, str], str]


def table(mutants: Sequence[Mutant]) -> str:
    """Return one row a file: noticed/all by kind, and the share of all that are no text."""
    lines = [
        "| file | comparisons | branches | values | **without texts** | texts |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for file, group in groupby(mutants, key=lambda one: one.file):
        lines.append(_row(f"`{file}`", tuple(group)))
    return "\n".join([*lines, _row("**all**", mutants)])


def listing(mutants: Iterable[Mutant], explained: Explained) -> str:
    """Return the unnoticed mutants, each as one line of what was and what becomes of it."""
    lines = []
    for one in mutants:
        why = explained.get(one.key)
        mark = f"  (equivalent: {why})" if why else ""
        lines.append(f"{one.file} {one.function} [{one.kind}]{mark}\n  - {one.was}\n  + {one.becomes}")
    return "\n".join(lines)


def _row(name: str, mutants: Sequence[Mutant]) -> str:
    counted = {kind: tuple(one for one in mutants if one.kind == kind) for kind in KINDS}
    rest = tuple(one for one in mutants if one.kind != "text")
    cells = [_fraction(counted[kind]) for kind in KINDS[:-1]]
    share = f"**{100 * _noticed(rest) / len(rest):.1f} %** ({_fraction(rest)})" if rest else "-"
    return f"| {name} | {' | '.join(cells)} | {share} | {_fraction(counted['text'])} |"


def _fraction(mutants: Sequence[Mutant]) -> str:
    return f"{_noticed(mutants)}/{len(mutants)}"


def _noticed(mutants: Iterable[Mutant]) -> int:
    return sum(bool(one.noticed) for one in mutants)
