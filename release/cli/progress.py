"""Progress on stderr: a bar on a terminal, at most four plain lines elsewhere; never on stdout."""

import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from release.cli.output import complain
from release.domain.transfer import Transfer
from release.options import Progress
from release.report.visible import visible

if TYPE_CHECKING:
    from rich.progress import TaskID

QUARTERS = 4


class Display(Protocol):
    """Shows that subjects were looked at; used as a context manager around the survey."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, progress: Progress) -> None:
        """Take note of one finished subject."""
        ...

    def transfer(self, transfer: Transfer) -> None:
        """Take note of bytes that have gone."""
        ...


def display(env: Mapping[str, str]) -> Display:
    """Return the display for this stderr."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty() and env.get("TERM") not in (None, "dumb")
    return Bar() if on_terminal else Lines()


class Lines:
    """One line for every quarter of the subjects."""

    def __init__(self) -> None:
        self._quarter = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def show(self, progress: Progress) -> None:
        """Print a line where another quarter is done."""
        quarter = progress.done * QUARTERS // max(progress.total, 1)
        if quarter > self._quarter:
            self._quarter = quarter
            complain(f"looked at {progress.done} of {progress.total} subjects\n")

    def transfer(self, transfer: Transfer) -> None:
        """Say nothing: a log needs no bytes."""


class Bar:
    """A bar that disappears when the survey is over."""

    def __init__(self) -> None:
        # rich is heavy: only a terminal pays for it
        from rich.console import Console
        from rich.progress import Progress as Bars

        self._bars: Bars = Bars(console=Console(stderr=True), transient=True)
        self._task = self._bars.add_task("looking", total=None)
        self._transfers: dict[str, TaskID] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def show(self, progress: Progress) -> None:
        """Move the bar, and name the gate."""
        self._bars.update(
            self._task, total=progress.total, completed=progress.done, description=progress.gate
        )

    def transfer(self, transfer: Transfer) -> None:
        """Show a bar for each file that is under way; a finished one disappears."""
        key = f"{transfer.verb} {transfer.name}"
        with self._lock:
            known = self._transfers.get(key)
            if known is None:
                known = self._transfers[key] = self._bars.add_task(visible(key), total=transfer.total)
            done = transfer.done >= transfer.total
            self._bars.update(known, completed=transfer.done, visible=not done)
