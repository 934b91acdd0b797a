"""Processes that take one step at a time: each call to the outside world waits until it is let through.

A process is a thread, but only one of all threads ever runs: the order of steps is the caller's alone, so a
run can be repeated exactly. A killed process takes no step more, not even while it unwinds.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

from release.domain.errors import CannotTell, ReleaseError

T = TypeVar("T")
UNREACHABLE = {"git": "git.unreachable", "npm": "npm.unreachable", "github": "github.unreachable"}


class Killed(BaseException):
    """The process is gone."""


class Process:
    """One process. ``call`` is what its ports use; ``grant`` lets it take one step.

    ``fault`` is what happens to its next read or write; ``near`` says that it is about to write.
    """

    def __init__(self, name: str, body: Callable[["Process"], None]) -> None:
        self.name = name
        self.fault: str = ""
        self.near = False
        self.ended = False
        self.error: BaseException | None = None
        self._killed = False
        self._unbroken = False
        self._go, self._arrived = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, args=(body,), name=name, daemon=True)
        self._thread.start()
        self._arrived.acquire()

    def call(self, channel: str, effect: Callable[[], T], *, writes: bool = False) -> T:
        """Take one step: wait to be let through, then do ``effect``, or what the fault says instead."""
        if not self._unbroken:
            self._arrived.release()
            self._go.acquire()
        if self._killed:
            raise Killed
        if writes:
            self._unbroken = self.near = False
        fault = self._take_fault(writes=writes)
        if fault == "before":
            raise CannotTell(UNREACHABLE[channel], "cut before the effect")
        done = effect()
        if fault == "after":
            raise CannotTell(UNREACHABLE[channel], "cut after the effect")
        return done

    def hold(self) -> None:
        """Let nothing come between this and the next write: the check right before it."""
        self._unbroken = True

    def release(self) -> None:
        """Let others come in between again."""
        self._unbroken = False

    def grant(self) -> bool:
        """Let one step happen; False where the process has ended."""
        if not self.ended:
            self._go.release()
            self._arrived.acquire()
        return not self.ended

    def kill(self) -> None:
        """End the process where it stands, as SIGKILL does: nothing that it holds is given back."""
        self._killed = True
        while self.grant():
            pass
        self._thread.join()

    def _take_fault(self, *, writes: bool) -> str:
        kind, _, when = self.fault.partition(" ")
        if not kind or (kind == "write") is not writes:
            return ""
        self.fault = ""
        return when

    def _run(self, body: Callable[["Process"], None]) -> None:
        try:
            body(self)
        except Killed:
            pass
        except (CannotTell, ReleaseError) as error:
            self.error = error  # what the command line says, with exit code 4
        except BaseException as error:  # noqa: BLE001 - the test fails by it
            self.error = error
        finally:
            self.ended = True
            self._arrived.release()
