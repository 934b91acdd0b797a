"""The pace of writes that create content: GitHub takes 80 in any minute, over all threads."""

import threading
from bisect import bisect_left

import pytest

from release.adapters.pacing import PER_MINUTE, Pacer


class Clock:
    """A clock that moves by sleeping, and by ``tick`` seconds whenever it is read."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 0.0, tick
        self._lock = threading.Lock()

    def steady(self) -> float:
        with self._lock:
            self.now += self.tick
            return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds


def busiest_minute(times: list[float]) -> int:
    """Return the most writes in any minute that begins with a write."""
    ordered = sorted(times)
    return max(bisect_left(ordered, start + 60.0) - number for number, start in enumerate(ordered))


@pytest.mark.parametrize("tick", [0.0, 0.05, 0.7])
def test_a_thousand_writes_honour_eighty_a_minute(tick: float) -> None:
    """No minute sees more than 80 of 1,000 writes, and no time is wasted beyond that (issue 3)."""
    clock, times = Clock(tick), []
    pacer = Pacer(clock.steady, clock.sleep)
    for _ in range(1000):
        pacer.wait()
        times.append(clock.now)
    assert PER_MINUTE == 80
    assert busiest_minute(times) <= 80
    fastest = max((1000 / 80 - 1) * 60, 1000 * tick)
    assert times[-1] <= fastest + 120


def test_the_first_writes_do_not_wait() -> None:
    """80 writes go out at once; the 81st comes a minute after the first."""
    clock, times = Clock(), []
    pacer = Pacer(clock.steady, clock.sleep)
    for _ in range(81):
        pacer.wait()
        times.append(clock.now)
    assert times[79] == 0.0
    assert times[80] == 60.0


def test_all_threads_share_one_pace() -> None:
    """Four uploading threads together stay below the limit."""
    clock, times, lock = Clock(), [], threading.Lock()
    pacer = Pacer(clock.steady, clock.sleep, per_minute=20)

    def write() -> None:
        for _ in range(50):
            pacer.wait()
            with lock:
                times.append(clock.steady())

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(times) == 200
    assert clock.now >= 60 * (200 / 20 - 1)
