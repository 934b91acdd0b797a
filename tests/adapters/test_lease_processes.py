"""Real processes that want one lease: races, SIGKILL, and SIGSTOP past expiry (issue 3)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from refs_fixtures import Machines

SCRIPT = Path(__file__).with_name("lease_process.py")
ROOT = SCRIPT.parents[2]


class Writers:
    """Starts writers on machines of their own, and ends them."""

    def __init__(self, machines: Machines, stack: ExitStack) -> None:
        self.machines, self._stack = machines, stack
        self.journal = machines.folder / "journal"

    def start(self, term: float) -> "subprocess.Popen[str]":
        """Start one writer; its first line says whether it holds the lease."""
        home = self.machines.store().git_dir
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), home, self.machines.remote, self.journal, str(term)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._stack.callback(_end, process)
        return process

    def written(self) -> list[int]:
        """The process ids in the order of their writes."""
        text = self.journal.read_text() if self.journal.exists() else ""
        return [int(line.split()[0]) for line in text.splitlines()]

    def wait_for_a_write(self, process: "subprocess.Popen[str]") -> None:
        """Return when the process has written."""
        _until(lambda: process.pid in self.written())


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[Writers]:
    """Writers that are ended with the test."""
    with ExitStack() as stack:
        yield Writers(Machines(tmp_path), stack)


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _until(holds: "object") -> None:
    end = time.monotonic() + 20
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def test_of_two_started_together_one_writes(writers: Writers) -> None:
    """Two processes race for the lease: one holds it and writes, the other is told so and writes nothing."""
    two = [writers.start(30), writers.start(30)]
    said = {_line(process): process for process in two}
    assert set(said) == {"held", "busy"}
    writers.wait_for_a_write(said["held"])
    assert said["busy"].wait(timeout=20) == 3
    assert set(writers.written()) == {said["held"].pid}


def test_a_killed_holder_is_succeeded_after_expiry(writers: Writers) -> None:
    """SIGKILL leaves the lease held; another gets it when term and margin are over, and not before."""
    first = writers.start(6)
    assert _line(first) == "held"
    writers.wait_for_a_write(first)
    first.kill()
    first.wait()
    assert _line(writers.start(6)) == "busy"

    begin = time.monotonic()
    while _line(second := writers.start(6)) == "busy":
        assert time.monotonic() - begin < 60
        time.sleep(0.1)
    writers.wait_for_a_write(second)
    assert writers.written()[-1] == second.pid


@pytest.mark.parametrize("is_succeeded", [True, False])
def test_a_holder_that_was_paused_past_expiry_writes_nothing_more(
    writers: Writers, is_succeeded: bool
) -> None:
    """SIGSTOP past expiry, then SIGCONT: at most the write it was in the middle of, then it ends as lost."""
    first = writers.start(4)
    assert _line(first) == "held"
    writers.wait_for_a_write(first)
    os.kill(first.pid, signal.SIGSTOP)
    time.sleep(0.2)
    before, lease = writers.written().count(first.pid), writers.machines.refs()
    time.sleep(4.5)
    if is_succeeded:
        while _line(second := writers.start(4)) == "busy":
            time.sleep(0.1)
        writers.wait_for_a_write(second)
    os.kill(first.pid, signal.SIGCONT)
    assert _line(first).startswith("lost: ")
    assert first.wait(timeout=20) == 5
    # a process may be stopped between its check and its write: that one write was in flight
    assert writers.written().count(first.pid) - before <= 1
    if not is_succeeded:
        assert writers.machines.refs() == lease
