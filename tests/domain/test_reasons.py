"""The catalogue of reasons: each code once, explained, reachable, and used somewhere."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from release.domain.reasons import (
    CATALOGUE,
    Who,
    build,
    checksums,
    github,
    ledger,
    npm,
    observing,
    reason_of,
    source,
)
from release.domain.state import State

ROOT = Path(__file__).resolve().parents[2]
TOPICS = (source, build, npm, github, checksums, ledger, observing)
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*")

# Codes of channels that adapters put together from a channel's name and the kind of a fault.
FAULTS = {
    f"{channel}.{fault}"
    for channel in ("git", "npm", "github", "download")
    for fault in ("unreachable", "denied", "rate-limited", "bad-answer", "truncated")
}

# In the catalogue for what is built later: nothing can report them yet.
RESERVED = {"npm.staged", "checksums.draft-not-downloadable"}

# Looks like a code and is a file's name.
FILES = {"package.json"}


def _strings(*folders: str) -> Counter[str]:
    """Count the string constants in the folders, the catalogue itself left out."""
    found: Counter[str] = Counter()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent.name == "reasons":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found[node.value] += 1
    return found


def test_codes_are_unique() -> None:
    """No code stands twice, in one topic or in two."""
    counted = Counter(reason.code for topic in TOPICS for reason in topic.REASONS)
    assert [code for code, times in counted.items() if times > 1] == []
    assert counted.keys() == CATALOGUE.keys()


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_row_is_whole(code: str) -> None:
    """Each row has a dotted code, and a meaning, a cause and a remedy that are sentences."""
    row = reason_of(code)
    assert row.code == code
    assert CODE.fullmatch(code)
    for sentence in (row.meaning, row.cause, row.remedy):
        assert sentence.strip() == sentence
        assert sentence.endswith((".", "`")), sentence


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_state_and_who_agree(code: str) -> None:
    """Complete is done by nobody; only what is pending waits, is approved or cannot be told."""
    row = reason_of(code)
    assert (row.state is State.COMPLETE) == (row.who is Who.NOBODY)
    assert row.state is not State.PARTIAL, "partial is a join, never one subject's own state"
    if row.who in (Who.WAIT, Who.APPROVER, Who.CANNOT_TELL):
        assert row.state is State.PENDING


@pytest.mark.parametrize("state", [State.PENDING, State.COMPLETE, State.FAILED])
def test_each_state_is_reachable(state: State) -> None:
    """Some reason stands for each state that one subject can have."""
    assert any(row.state is state for row in CATALOGUE.values())


@pytest.mark.parametrize("who", Who)
def test_each_who_is_reachable(who: Who) -> None:
    """Some reason names each who."""
    assert any(row.who is who for row in CATALOGUE.values())


def test_could_not_look_is_never_a_verdict() -> None:
    """Every reason for "could not look" is pending, and who is cannot-tell."""
    rows = {row.code: (row.state, row.who) for row in observing.REASONS}
    assert {code for code, row in rows.items() if row != (State.PENDING, Who.CANNOT_TELL)} == set()
    assert {code for code in FAULTS if code in CATALOGUE} <= rows.keys()


def test_every_cannot_tell_in_the_source_has_such_a_reason() -> None:
    """A literal code that the source gives to ``CannotTell`` is one whose who is cannot-tell."""
    wrong = []
    for path in (ROOT / "release").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="CannotTell"), args=[ast.Constant(value=str(code)), *_]):
                    if code not in CATALOGUE or CATALOGUE[code].who is not Who.CANNOT_TELL:
                        wrong.append(f"{path.name}: {code}")
    assert wrong == []


def test_every_code_is_used() -> None:
    """A row that nothing can report is dead, unless it is listed as reserved."""
    used = _strings("release", "gates")
    assert {code for code in CATALOGUE if not used[code]} - FAULTS == RESERVED


def test_every_code_in_the_gates_is_in_the_catalogue() -> None:
    """A code that a gate names and the catalogue lacks would be a crash at run time."""
    topics = {code.partition(".")[0] for code in CATALOGUE}
    named = {text for text in _strings("gates") if CODE.fullmatch(text) and text.partition(".")[0] in topics}
    assert named - FILES - CATALOGUE.keys() == set()


def test_an_unknown_code_is_a_bug() -> None:
    """Asking for a code that is not there raises, and never answers with a state."""
    with pytest.raises(KeyError, match=r"npm\.never"):
        reason_of("npm.never")
