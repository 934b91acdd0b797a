"""`release explain`: one reason or one gate, as text; and the two generated pages of documentation."""

import difflib
from collections.abc import Iterator, Sequence

from release.domain.errors import UsageError
from release.domain.gate_card import GateCard
from release.domain.reasons import CATALOGUE, Reason
from release.report.topics import gates_of_reason, reasons_of_gate


def explain(word: str, cards: Sequence[GateCard]) -> str:
    """Return what is known of a reason code or a gate's name; raise ``UsageError`` for another word."""
    for card in cards:
        if card.name == word:
            return "\n".join(_card_lines(card)) + "\n"
    if word in CATALOGUE:
        return "\n".join(_reason_lines(CATALOGUE[word])) + "\n"
    known = (*CATALOGUE, *(card.name for card in cards))
    near = difflib.get_close_matches(word.lower(), known, n=3, cutoff=0.5)
    guess = f"did you mean {' or '.join(near)}?" if near else "docs/reasons.md lists all of them"
    raise UsageError(f"{word[:80]!a} is neither a reason nor a gate", place="REASON|GATE", fix=guess)


def reasons_page() -> str:
    """Return docs/reasons.md."""
    lines = [
        "# Reasons",
        "",
        "Generated from `release/domain/reasons/` by `scripts/generate-docs`. A reason's code is API: it",
        "keeps its meaning. `release explain REASON` prints one of these.",
    ]
    topics: dict[str, list[Reason]] = {}
    for reason in CATALOGUE.values():
        topics.setdefault(reason.code.partition(".")[0], []).append(reason)
    for topic, reasons in topics.items():
        gates = ", ".join(f"`{gate}`" for gate in gates_of_reason(reasons[0])) or "any gate"
        lines += ["", f"## {topic}.…", "", f"Given by {gates}."]
        for reason in reasons:
            lines += ["", f"### `{reason.code}`", "", f"**{reason.state}**, who: {reason.who}", ""]
            lines += [reason.meaning, "", f"- Usual cause: {reason.cause}", f"- Remedy: {reason.remedy}"]
    return "\n".join(lines) + "\n"


def gates_page(cards: Sequence[GateCard]) -> str:
    """Return docs/gates.md."""
    lines = [
        "# Gates",
        "",
        "Generated from the modules in `gates/` by `scripts/generate-docs`, in the order of the product.",
        "`release explain GATE` prints one of these.",
    ]
    for card in cards:
        needs = ", ".join(f"`{name}`" for name in card.needs) or "nothing"
        lines += ["", f"## `{card.name}`", "", card.claim, "", *_binding(card), ""]
        lines += [f"- Needs: {needs}", f"- Stage: {card.stage}", f"- Effect of acting: {card.effect}"]
        lines += [
            f"- Recheck: `{_recheck(card)}`",
            "",
            "| reason | state | who | meaning |",
            "| --- | --- | --- | --- |",
        ]
        for reason in reasons_of_gate(card.name):
            meaning = reason.meaning.replace("|", "\\|")
            lines.append(f"| `{reason.code}` | {reason.state} | {reason.who} | {meaning} |")
    return "\n".join(lines) + "\n"


def _card_lines(card: GateCard) -> Iterator[str]:
    yield card.name
    yield f"  claim    {card.claim}"
    yield f"  needs    {', '.join(card.needs) or 'nothing'}"
    yield f"  stage    {card.stage}"
    yield f"  effect   {card.effect}"
    yield f"  recheck  {_recheck(card)}"
    yield from ("", *(f"  {line}".rstrip() for line in _binding(card)), "", "  reasons:")
    reasons = reasons_of_gate(card.name)
    width = max((len(reason.code) for reason in reasons), default=0)
    for reason in reasons:
        yield f"    {reason.code:<{width}}  {reason.state:<8}  {reason.meaning}"


def _binding(card: GateCard) -> list[str]:
    """Return the module's text without its title, which only repeats the claim."""
    title, _, rest = card.binding.partition("\n\n")
    return (rest or title).strip().replace("``", "`").splitlines()


def _recheck(card: GateCard) -> str:
    """Return the command for people: the template's doubled braces become single ones."""
    return card.recheck.replace("{{", "{").replace("}}", "}")


def _reason_lines(reason: Reason) -> Iterator[str]:
    yield reason.code
    yield f"  state    {reason.state}"
    yield f"  who      {reason.who}"
    yield f"  meaning  {reason.meaning}"
    yield f"  cause    {reason.cause}"
    yield f"  remedy   {reason.remedy}"
    yield f"  gates    {', '.join(gates_of_reason(reason)) or 'any'}"
