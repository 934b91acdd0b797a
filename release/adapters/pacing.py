"""Paces writes that create content: at most so many in any minute, over all threads (APIS.md §2)."""

import threading
from collections import deque
from collections.abc import Callable

PER_MINUTE = 80
_MINUTE = 60.0


class Pacer:
    """``wait`` returns when the next write may be sent; ``steady`` and ``sleep`` are in seconds."""

    def __init__(
        self, steady: Callable[[], float], sleep: Callable[[float], None], per_minute: int = PER_MINUTE
    ) -> None:
        self._steady, self._sleep, self._limit = steady, sleep, per_minute
        self._sent: deque[float] = deque()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Take the next place in the window, sleeping until there is one."""
        while True:
            with self._lock:
                now = self._steady()
                while self._sent and now - self._sent[0] >= _MINUTE:
                    self._sent.popleft()
                if len(self._sent) < self._limit:
                    self._sent.append(now)
                    return
                pause = _MINUTE - (now - self._sent[0])
            self._sleep(max(pause, 0.001))
