"""One look per question, also from many threads."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from release.adapters.once import Once
from release.domain.errors import CannotTell


def test_many_threads_with_one_question_cost_one_look() -> None:
    """Thirty-two threads that ask at once get the same answer from one call."""
    looks: list[str] = []
    together = threading.Barrier(32)

    def look(name: str) -> str:
        looks.append(name)
        time.sleep(0.05)
        return name.upper()

    once = Once(look)

    def ask(name: str) -> str:
        together.wait(timeout=10)
        return once(name)

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(ask, ["a"] * 32))
    assert answers == ["A"] * 32
    assert looks == ["a"]


def test_different_questions_are_looked_up_each_and_do_not_wait_for_each_other() -> None:
    """A slow question holds up nobody who asks another one."""
    release = threading.Event()

    def look(name: str) -> str:
        if name == "slow":
            assert release.wait(timeout=10)
        return name

    once = Once(look)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(once, "slow")
        assert once("quick") == "quick"
        assert not slow.done()
        release.set()
        assert slow.result(timeout=10) == "slow"


def test_could_not_look_is_remembered() -> None:
    """Asking again what could not be seen does not ask the world again."""
    looks: list[int] = []

    def look(number: int) -> int:
        looks.append(number)
        raise CannotTell("github.unreachable", "nobody there")

    once = Once(look)
    for _ in range(3):
        with pytest.raises(CannotTell, match="nobody there"):
            once(1)
    assert looks == [1]


def test_a_defect_is_raised_and_not_remembered() -> None:
    """An unexpected exception reaches the caller, and the next call tries again."""
    looks: list[int] = []

    def look(number: int) -> int:
        looks.append(number)
        if len(looks) == 1:
            raise ZeroDivisionError("a defect")
        return number

    once = Once(look)
    with pytest.raises(ZeroDivisionError, match="a defect"):
        once(1)
    assert once(1) == 1


def test_a_defect_reaches_the_threads_that_wait_too() -> None:
    """Nobody who waits for a look that blows up waits for ever."""
    started = threading.Event()

    def look(number: int) -> int:
        started.set()
        time.sleep(0.1)
        raise ZeroDivisionError("a defect")

    once = Once(look)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(once, 1)
        assert started.wait(timeout=10)
        second = pool.submit(once, 1)
        for waiting in (first, second):
            with pytest.raises(ZeroDivisionError, match="a defect"):
                waiting.result(timeout=10)


def test_none_is_an_answer() -> None:
    """An absence is remembered like any other answer."""
    looks: list[int] = []
    once = Once(looks.append)
    assert once(1) is None
    assert once(1) is None
    assert looks == [1]
