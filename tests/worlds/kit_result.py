"""What a look at a world says, and how a table's row is compared with it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

W = TypeVar("W")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one ``release status --json`` said; ``report`` is empty where stdout was no report."""

    exit: int
    report: Mapping[str, Any]
    stdout: str
    stderr: str

    @property
    def gates(self) -> dict[str, str]:
        """Return gate → state."""
        return {gate["name"]: gate["state"] for gate in self.report["gates"]}

    @property
    def open(self) -> dict[str, str]:
        """Return ``gate/subject`` → reason of everything that is not complete."""
        return {
            f"{gate['name']}/{one['subject']}": one["reason"]
            for gate in self.report["gates"]
            for one in gate["subjects"]
            if one["state"] != "complete"
        }

    @property
    def commits(self) -> dict[str, bool | None]:
        """Return channel → whether its commit agrees (None: it does not say)."""
        return {row["channel"]: row["agrees"] for row in self.report["commits"]}

    def state(self, gate: str) -> str:
        """Return the gate's state; "absent" where the report has no such gate."""
        return self.gates.get(gate, "absent")

    def finding(self, gate: str, subject: str) -> Mapping[str, Any]:
        """Return the subject's finding: state, reason, who, message, commit, evidence, next."""
        subjects = next(one["subjects"] for one in self.report["gates"] if one["name"] == gate)
        found: Mapping[str, Any] = next(one for one in subjects if one["subject"] == subject)
        return found

    def reason(self, gate: str, subject: str) -> str:
        """Return the subject's reason code."""
        return str(self.finding(gate, subject)["reason"])

    def message(self, gate: str, subject: str) -> str:
        """Return the subject's message."""
        return str(self.finding(gate, subject)["message"])


@dataclass(frozen=True, kw_only=True)
class Row(Generic[W]):
    """One world: how it differs from the complete release, and what is then said of it.

    ``open`` is ``gate/subject`` → reason of *everything* that is not complete; ``done`` the reasons of
    subjects that are complete otherwise than usual; ``states`` gate → state (a gate that is not named and
    has nothing open is complete); ``says`` are words that the messages of the open findings must hold.
    """

    id: str
    cases: str
    change: Callable[[W], object]
    open: Mapping[str, str] = field(default_factory=dict)
    done: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    exit: int = 0
    deep: bool = True


def compare(row: Row[W], result: Result) -> None:
    """Compare what was said with what the row expects: every open finding, every state, the exit code."""
    assert result.report, f"no report: {result.stderr}"
    keys = sorted({*result.open, *row.open})
    pairs = {key: (row.open.get(key), result.open.get(key)) for key in keys}
    wrong = [f"{key}: {wanted} → {found}" for key, (wanted, found) in pairs.items() if wanted != found]
    assert not wrong, "expected → found:\n" + "\n".join(wrong)
    for gate, state in result.gates.items():
        blamed = any(key.startswith(f"{gate}/") for key in row.open)
        assert blamed or state == "complete", gate
    states = {gate: result.state(gate) for gate in row.states}
    assert states == dict(row.states), states
    for key, reason in row.done.items():
        assert result.reason(*key.split("/", 1)) == reason, (key, result.message(*key.split("/", 1)))
    messages = "\n".join(result.message(*key.split("/", 1)) for key in row.open)
    for words in row.says:
        assert words in messages, messages
    assert result.exit == result.report["exit"] == row.exit, result.exit


def read_result(code: int, out: str, err: str) -> Result:
    """Return what a call said; ``report`` is empty where stdout is no JSON."""
    report = json.loads(out) if out.startswith("{") else {}
    return Result(exit=code, report=report, stdout=out, stderr=err)
