"""Which changes are tried: mutmut's own, and those that make a decision always or never taken.

mutmut turns ``==`` into ``!=``; a gate that stopped comparing would say *equal* always, so each comparison
is also replaced by True and by False, and so is each condition and each guard of a case. A string is
changed once, not three times.
"""

from collections.abc import Iterable

import libcst as cst
from mutmut.__main__ import cli
from mutmut.mutation import mutators

_ALWAYS = (cst.Name("True"), cst.Name("False"))


def always(_node: cst.Comparison) -> Iterable[cst.CSTNode]:
    """Replace a comparison by its two possible answers."""
    yield from _ALWAYS


def decide(node: cst.If | cst.CompIf) -> Iterable[cst.CSTNode]:
    """Take a condition always and never; comparisons are left to ``always``."""
    if not isinstance(node.test, cst.Comparison):
        for answer in _ALWAYS:
            yield node.with_changes(test=answer)


def unguard(node: cst.MatchCase) -> Iterable[cst.CSTNode]:
    """Take a case always and never where its pattern matches."""
    if node.guard is not None and not isinstance(node.guard, cst.Comparison):
        for answer in _ALWAYS:
            yield node.with_changes(guard=answer)


def halve(node: cst.BooleanOperation) -> Iterable[cst.CSTNode]:
    """Keep one side of ``and`` or ``or``."""
    yield node.left
    yield node.right


def change_once(node: cst.BaseString) -> Iterable[cst.BaseString]:
    """Keep the first of mutmut's changes of a string: what is left of it is certainly another text."""
    yield from list(mutators.operator_string(node))[:1]


def install() -> None:
    """Add the operators to mutmut's list, in this process and in every one that it forks."""
    own = mutators.mutation_operators
    own[:] = [
        (kind, change_once if operator is mutators.operator_string else operator) for kind, operator in own
    ]
    own += [
        (cst.Comparison, always),
        (cst.If, decide),
        (cst.CompIf, decide),
        (cst.MatchCase, unguard),
        (cst.BooleanOperation, halve),
    ]


_COMPARISONS = (cst.Comparison, cst.ComparisonTarget, cst.Is, cst.IsNot, cst.In, cst.NotIn)
_BRANCHES = (
    cst.If,
    cst.IfExp,
    cst.CompIf,
    cst.Match,
    cst.MatchCase,
    cst.BooleanOperation,
    cst.UnaryOperation,
)


def kind_of(changed: cst.CSTNode) -> str:
    """Return ``comparison``, ``branch``, ``value`` or ``text``: what the change is a change of."""
    if isinstance(changed, _COMPARISONS):
        return "comparison"
    if isinstance(changed, _BRANCHES):
        return "branch"
    return "text" if isinstance(changed, cst.BaseString) else "value"


if __name__ == "__main__":
    install()
    cli()
