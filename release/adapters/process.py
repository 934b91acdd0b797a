"""The only door to other programs.

A program is an argv, never a shell line; it sees an allowlisted environment, has a wall-clock limit and an
output limit, and runs in a session of its own. Whatever it started is gone when the call returns: its
process tree, its session, and every process that carries its mark (also after setsid and a double fork).
A program that is missing or does not end is ``CannotTell``; an exit code is a value.
"""

import contextlib
import os
import secrets
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import psutil

from release.adapters.environment import environment
from release.adapters.pipes import GRACE, Drain, opened
from release.domain.errors import CannotTell

__all__ = ["Command", "Dialogue", "Finished", "environment", "run"]

_MARK = "RELEASE_PROCESS_MARK"


@dataclass(frozen=True, kw_only=True)
class Command:
    """One call: ``argv``; ``env`` is the whole environment; ``timeout`` in seconds; limits in bytes.

    More than ``limit`` bytes on stdout end the program (half an answer is none); stderr keeps its last
    ``limit_errors`` bytes.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=environment, repr=False)
    cwd: Path | None = None
    stdin: bytes = field(default=b"", repr=False)
    timeout: float = 60.0
    limit: int = 64 << 20
    limit_errors: int = 64 << 10


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A program that ended by itself. ``code`` is negative where a signal ended it (POSIX)."""

    argv: tuple[str, ...]
    code: int
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """Stdout as text; bytes that are not UTF-8 are replaced."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        """Stderr as text, stripped."""
        return self.stderr.decode("utf-8", "replace").strip()


def run(command: Command) -> Finished:
    """Run to the end. ``CannotTell``: tool.missing; tool.failed (time-out, too much output)."""
    child = _Child(command)
    try:
        out = Drain(child.popen.stdout, command.limit, child.kill)
        err = Drain(child.popen.stderr, command.limit_errors, None)
        child.feed(command.stdin)
        in_time = child.wait(command.timeout)
    finally:
        child.end()
    stdout, stderr = out.result(), err.result()
    if not in_time:
        raise CannotTell("tool.failed", f"{command.argv[0]} did not end within {command.timeout:g} s")
    if out.overflowed:
        raise CannotTell("tool.failed", f"{command.argv[0]} wrote more than {command.limit} bytes")
    return Finished(argv=command.argv, code=child.popen.returncode, stdout=stdout, stderr=stderr)


class Dialogue:
    """A program that answers questions on its pipes for as long as this is open. Not thread-safe.

    Each question has ``command.timeout`` seconds from ``ask`` on; past it the program is ended and the
    next read raises ``CannotTell`` (tool.failed), as it does when the program ends early.
    """

    def __init__(self, command: Command) -> None:
        self._name, self._timeout = command.argv[0], command.timeout
        self._child = _Child(command)
        self._errors = Drain(self._child.popen.stderr, command.limit_errors, None)
        self._timer: threading.Timer | None = None

    def __enter__(self) -> "Dialogue":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, question: bytes) -> None:
        """Send ``question``, small enough for a pipe's buffer (4 KiB) unless the program reads at once."""
        self._disarm()
        self._timer = threading.Timer(self._timeout, self._child.kill)
        self._timer.daemon = True
        self._timer.start()
        try:
            opened(self._child.popen.stdin).write(question)
            opened(self._child.popen.stdin).flush()
        except OSError as error:
            raise self._broken() from error

    def line(self) -> bytes:
        """Read one line, without its newline."""
        found = opened(self._child.popen.stdout).readline()
        if not found.endswith(b"\n"):
            raise self._broken()
        return found[:-1]

    def exactly(self, size: int) -> bytes:
        """Read ``size`` bytes."""
        found = opened(self._child.popen.stdout).read(size)
        if len(found) != size:
            raise self._broken()
        return found

    def done(self) -> None:
        """Say that the last question is answered: its clock stops."""
        self._disarm()

    def close(self) -> None:
        """End the program and everything it started."""
        self._disarm()
        self._child.end()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _broken(self) -> CannotTell:
        self.close()
        return CannotTell("tool.failed", f"{self._name} ended or hung in the middle of an answer")


class _Child:
    """A started program, and the means to end it with everything that it started."""

    def __init__(self, command: Command) -> None:
        self._mark = secrets.token_hex(16)
        self._before = set(psutil.pids())
        self._lock = threading.Lock()
        try:
            self.popen = subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env={**command.env, _MARK: self._mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise _not_started(command) from error
        except (OSError, ValueError) as error:
            raise CannotTell("tool.failed", f"{command.argv[0]} cannot be started: {error}") from error
        self._waiter = threading.Thread(target=self.popen.wait, daemon=True)
        self._waiter.start()

    def feed(self, data: bytes) -> None:
        """Write ``data`` and close stdin, without waiting for the program to read it."""
        stdin = opened(self.popen.stdin)

        def write() -> None:
            # A program may end without reading its input: its exit code says what it thinks of it.
            with contextlib.suppress(OSError, ValueError), stdin:
                stdin.write(data)

        if data:
            threading.Thread(target=write, daemon=True).start()
        else:
            stdin.close()

    def wait(self, seconds: float) -> bool:
        """Say whether the program ended within ``seconds``."""
        self._waiter.join(seconds)
        return not self._waiter.is_alive()

    def kill(self) -> None:
        """End the program's tree at once."""
        with self._lock:
            for process in self._tree():
                with contextlib.suppress(psutil.Error, OSError):
                    process.kill()

    def end(self) -> None:
        """End what is left, and wait until it is gone."""
        deadline = time.monotonic() + GRACE
        self.kill()
        # A dying process may just have forked: look until nothing is found.
        while self._descendants() and time.monotonic() < deadline:
            self.kill()
            time.sleep(0.01)
        self._waiter.join(GRACE)
        with contextlib.suppress(OSError, ValueError):
            opened(self.popen.stdin).close()

    def _tree(self) -> list[psutil.Process]:
        found = self._descendants()
        if self._waiter.is_alive():
            with contextlib.suppress(psutil.Error):
                leader = psutil.Process(self.popen.pid)
                found = [leader, *leader.children(recursive=True), *found]
        return found

    def _descendants(self) -> list[psutil.Process]:
        fresh = set(psutil.pids()) - self._before - {self.popen.pid}
        return [process for pid in fresh if (process := self._ours(pid)) is not None]

    def _ours(self, pid: int) -> psutil.Process | None:
        with contextlib.suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            if _session(pid) == self.popen.pid or process.environ().get(_MARK) == self._mark:
                return process
        return None


def _session(pid: int) -> int | None:
    return os.getsid(pid) if os.name == "posix" else None


def _not_started(command: Command) -> CannotTell:
    if command.cwd is not None and not command.cwd.is_dir():
        return CannotTell("tool.failed", f"{command.argv[0]} cannot be started: no directory {command.cwd}")
    return CannotTell("tool.missing", f"{command.argv[0]} is not installed, or not on PATH")
