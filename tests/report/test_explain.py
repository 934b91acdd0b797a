"""`release explain` knows every reason and every gate, and the generated pages hold all of them."""

import pytest

from gates import GATES
from release.domain.errors import UsageError
from release.domain.gate_card import GateCard
from release.domain.reasons import CATALOGUE
from release.report.explain import explain, gates_page, reasons_page
from release.report.topics import TOPICS, gates_of_reason, reasons_of_gate

CARD = GateCard(
    name="source-tag",
    claim="Each tag exists.",
    binding="source-tag: title.\n\nBinding: the full peel.",
    needs=("package-build",),
    stage="publish",
    effect="irreversible",
    recheck="git ls-remote",
)


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_reason_is_explained(code: str) -> None:
    """State, who, meaning, cause and remedy are printed."""
    text = explain(code, (CARD,))
    reason = CATALOGUE[code]
    for part in (code, reason.state, reason.who, reason.meaning, reason.cause, reason.remedy):
        assert part in text


def test_a_gate_is_explained() -> None:
    """Claim, needs, stage, effect, recheck, binding and the gate's own reasons are printed."""
    text = explain("source-tag", (CARD,))
    for part in (
        "Each tag exists.",
        "package-build",
        "publish",
        "irreversible",
        "git ls-remote",
        "the full peel",
    ):
        assert part in text
    assert "tag.commit-differs" in text
    assert "npm.absent" not in text


def test_another_word_gets_a_guess() -> None:
    """A misspelled code names the near ones; a strange one names the page."""
    with pytest.raises(UsageError, match=r"did you mean npm\.absent"):
        explain("npm.absnt", (CARD,))
    with pytest.raises(UsageError, match=r"docs/reasons\.md"):
        explain("\x1b", (CARD,))


def test_every_gate_has_reasons_and_every_topic_a_gate() -> None:
    """The table of topics names exactly the gates of the product, and each has reasons."""
    names = {gate.NAME for gate in GATES}
    assert names <= set(TOPICS)
    assert all(reasons_of_gate(name) for name in names)


def test_the_pages_hold_everything() -> None:
    """Each reason and each gate has its place in the generated pages."""
    page = reasons_page()
    assert all(f"### `{code}`" in page for code in CATALOGUE)
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert len(set(headings)) == len(headings)
    gates = gates_page((CARD,))
    assert "## `source-tag`" in gates
    assert "| `tag.agrees` | complete | nobody |" in gates
    assert gates_of_reason(CATALOGUE["git.unreachable"]) == ()
