"""One look per question: a thread-safe, single-flight memo.

The first thread that asks runs the question; threads that ask the same one meanwhile wait for its answer.
"Could not look" is an answer and is kept; anything else that is raised is a defect, reaches everyone who
waits, and is forgotten. A question must not ask itself.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from release.domain.errors import CannotTell

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class Once(Generic[Question, Answer]):
    """Wraps a function of one hashable question; equal questions are answered from one call.

    With ``keep_failures`` False, "could not look" reaches everyone who waits, and the next one looks again.
    """

    def __init__(self, look: Callable[[Question], Answer], *, keep_failures: bool = True) -> None:
        self._look = look
        self._keep_failures = keep_failures
        self._lock = threading.Lock()
        self._answers: dict[Question, Future[Answer]] = {}

    def __call__(self, question: Question) -> Answer:
        """Return the answer, from memory where it was asked before; raise what the look raised."""
        with self._lock:
            known = self._answers.get(question)
            if known is None:
                mine = self._answers[question] = Future[Answer]()
        if known is not None:
            return known.result()
        self._answer(question, mine)
        return mine.result()

    def _answer(self, question: Question, mine: Future[Answer]) -> None:
        try:
            mine.set_result(self._look(question))
        except CannotTell as error:
            if not self._keep_failures:
                self._forget(question)
            mine.set_exception(error)
        except BaseException as error:
            self._forget(question)
            mine.set_exception(error)
            raise

    def _forget(self, question: Question) -> None:
        with self._lock:
            del self._answers[question]
