"""A clock that never jumps and goes on while the process is paused and while the machine sleeps."""

import time


def steady() -> float:
    """Return seconds since an arbitrary moment.

    Linux's CLOCK_MONOTONIC, Python's ``time.monotonic``, stands still in a suspended machine;
    CLOCK_BOOTTIME does not. On macOS it is the other way round: CLOCK_MONOTONIC goes on.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return time.monotonic() if clock is None else time.clock_gettime(clock)
