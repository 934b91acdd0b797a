"""One call's folder for what is temporary, and the end of what killed calls left behind.

A call locks its folder for as long as it lives, and the operating system unlocks it however the call ends;
so a folder that can be locked belongs to nobody. Where no call is alive, half-written files of the stores
beside it belong to nobody either. A system without such locks keeps what killed calls left.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from release.domain.errors import ReleaseError

if sys.platform != "win32":
    import fcntl

_HOME = "temporary"
_HALF_WRITTEN = ("evidence/temporary/*", "http/.*.part", "git/.new-*", "git/*/**/*.lock", "*.git/**/*.lock")


class Scratch:
    """``path`` is this call's own folder below ``state``; use it in ``with``."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._lock: int | None = None
        self.path = state / _HOME

    def __enter__(self) -> Self:
        home = self._state / _HOME
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(home):  # nobody takes a folder away that its owner has not locked yet
                self._sweep(home)
                self.path = Path(tempfile.mkdtemp(prefix="call-", dir=home)).absolute()
                self._lock = _lock(self.path)
        except OSError as error:
            fix = "make the folder writable"
            raise ReleaseError(f"cannot be used: {error.strerror}", file=str(home), fix=fix) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)

    def _sweep(self, home: Path) -> None:
        alive = False
        for folder in home.iterdir():
            lock = _lock(folder)
            if lock is None:
                alive = True
                continue
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
        if alive or sys.platform == "win32":
            return
        for path in (path for pattern in _HALF_WRITTEN for path in self._state.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _lock(folder: Path) -> int | None:
    """Lock the folder and return what holds the lock; None where somebody has it, or locks do not exist."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@contextlib.contextmanager
def _locked(home: Path) -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
