"""Required checks: only a success of the newest attempt, on this commit and of this name, counts (K37)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kit import Row, World, look
from worlds_channel import BUILD_CHECK

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def attempts(*conclusions: str | None) -> Any:
    """Return a change: the check ran so often, an hour apart; None is an attempt that still runs."""

    def change(w: World) -> None:
        w.forge.world.checks.clear()
        for number, conclusion in enumerate(conclusions):
            status = "in_progress" if conclusion is None else "completed"
            at = START + timedelta(hours=number)
            w.repo.check_run("build", w.commit, status=status, conclusion=conclusion, started_at=at)

    return change


def unfinished(status: str) -> Any:
    """Return a change: the only attempt has not ended."""

    def change(w: World) -> None:
        w.forge.world.checks.clear()
        w.repo.check_run("build", w.commit, status=status)

    return change


def statuses(*states: Any, run: str | None = None) -> Any:
    """Return a change: commit statuses of the name, an hour apart, beside or instead of the check run."""

    def change(w: World) -> None:
        attempts(*([run] if run else []))(w)
        for number, state in enumerate(states):
            w.repo.status("build", w.commit, state, created_at=START + timedelta(hours=number))

    return change


def named(*names: str) -> Any:
    """Return a change: green checks of these names, and none of the required one."""

    def change(w: World) -> None:
        w.forge.world.checks.clear()
        for name in names:
            w.repo.check_run(name, w.commit)

    return change


def on_parent(w: World) -> None:
    """The check was green on the commit before."""
    w.forge.world.checks.clear()
    w.repo.check_run("build", w.parent)


def two_required(w: World) -> None:
    """Two are required, and one of them never ran."""
    w.config["github"]["required_checks"] = ["build", "release / publish"]


def two_apps(w: World) -> None:
    """Another app reports a failure under the same name, later."""
    attempts("success")(w)
    w.repo.check_run(
        "build", w.commit, conclusion="failure", started_at=START + timedelta(hours=1), app="other"
    )


def many_attempts(w: World) -> None:
    """The newest of 130 attempts failed; GitHub lists it on one of several pages."""
    attempts(*["success"] * 129, "failure")(w)


def row(name: str, cases: str, change: Any, reason: str = "", **more: Any) -> Row:
    """Return a row in which at most the one check is open."""
    exits = {"": 0, "check.failed": 1, "check.not-success": 1}
    found = {BUILD_CHECK: reason} if reason else {}
    return Row(id=name, cases=cases, change=change, open=found, exit=exits.get(reason, 2), **more)


NOT_SUCCESS = "check.not-success"
ROWS = [
    row("skipped", "K37 G21 C327 C329", attempts("skipped"), NOT_SUCCESS, says=("skipped",)),
    row("neutral", "K37", attempts("neutral"), NOT_SUCCESS, says=("neutral",)),
    row("cancelled", "K37 C282", attempts("cancelled"), NOT_SUCCESS, says=("cancelled",)),
    row("stale", "K37", attempts("stale"), NOT_SUCCESS, says=("stale",)),
    row("a conclusion of the future", "K37", attempts("mostly_fine"), NOT_SUCCESS, says=("mostly_fine",)),
    row("failure", "K37", attempts("failure"), "check.failed"),
    row("timed out", "K37", attempts("timed_out"), "check.failed", says=("timed_out",)),
    row("startup failure", "K37", attempts("startup_failure"), "check.failed"),
    row("action required", "K37", attempts("action_required"), "check.action-required"),
    row("in progress", "K37", unfinished("in_progress"), "check.running"),
    row("queued", "K37", unfinished("queued"), "check.running"),
    row("waiting for an environment", "K37", unfinished("waiting"), "check.running"),
    row("re-run red to green", "K37", attempts("failure", "success")),
    row("re-run twice", "K37", attempts("failure", "cancelled", "success")),
    row("re-run green to red", "K37", attempts("success", "failure"), "check.failed"),
    row("re-run green to skipped", "K37 C331", attempts("success", "skipped"), NOT_SUCCESS),
    row("re-run that still runs", "K37", attempts("success", None), "check.running"),
    row("missing", "K37 C332", attempts(), "check.missing", says=("no check run or status named build",)),
    row("matrixed", "K37 C332 C334", named("build (linux)", "build (macos)"), "check.missing"),
    row("in other letters", "K37", named("Build", "build ", "rebuild"), "check.missing"),
    row("on the parent only", "K37 K30 C329", on_parent, "check.missing"),
    row("another app, red", "K37", two_apps, "check.failed"),
    row("130 attempts", "K37 K19", many_attempts, "check.failed"),
    row("a status alone", "K37", statuses("success")),
    row("a status, pending", "K37", statuses("pending"), "check.running"),
    row("a status, error", "K37", statuses("error"), "check.failed"),
    row("a status, red to green", "K37", statuses("failure", "success")),
    row("a status, green to pending", "K37", statuses("success", "pending"), "check.running"),
    row("check run green, status red", "K37", statuses("failure", run="success"), "check.failed"),
    row("check run red, status green", "K37", statuses("success", run="failure"), "check.failed"),
    row("check run green, status pending", "K37", statuses("pending", run="success"), "check.running"),
    row("check run and status green", "K37", statuses("success", run="success")),
    Row(
        id="one of two",
        cases="K37 G21",
        change=two_required,
        open={"commit-checks/release / publish": "check.missing"},
        states={"commit-checks": "partial"},
        exit=2,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_required_checks(row: Row, world: World) -> None:
    """Each row: what GitHub says of the check, and what is made of it (K37, K19, K30, G21)."""
    look(row, world)
