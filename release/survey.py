"""Observe every subject of every gate, concurrently and bounded, and judge what was seen (DESIGN §6).

Level-triggered: everything is recomputed from the world on each run. What could not be observed becomes
a cannot-tell finding of that one subject; it never stops the others and never becomes a verdict.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import datetime
from itertools import zip_longest

from release.contract import Gate, found
from release.domain.errors import CannotTell, ReleaseError
from release.domain.finding import Finding
from release.domain.plan import Plan, Subject
from release.ports import Read

# Waiting, not computing: enough that 25 assets are downloaded in one round, and far below GitHub's limit of
# 100 requests at a time.
WORKERS = 32

_logger = logging.getLogger(__name__)

Work = tuple[Gate, Subject]
OnDone = Callable[[Subject, int, int], None]


def subjects_of(plan: Plan, gates: Iterable[Gate]) -> dict[str, tuple[Subject, ...]]:
    """Return each gate's subjects, in the gates' order; a required gate without any is an error."""
    declared = {gate.NAME: gate.subjects(plan) for gate in gates}
    for name in plan.required:
        if not declared.get(name):
            raise ReleaseError(
                f"the gate {name} is required and has nothing to check",
                place="[gates] required",
                fix="declare what it should check, or take it out of the list",
            )
    for name, subjects in declared.items():
        _refuse_twins(name, subjects)
    if not any(declared.values()):
        raise ReleaseError(
            "the plan has no gates: nothing would be checked", fix="declare a package or a tag"
        )
    return {name: subjects for name, subjects in declared.items() if subjects}


def survey(
    plan: Plan, gates: tuple[Gate, ...], read: Read, now: datetime, on_done: OnDone
) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings of every gate that has subjects, in the order of gates and subjects.

    ``on_done(subject, done, total)`` is called from this thread after each subject. Errors of the
    configuration or of evidence files (``ReleaseError``) end the survey; nothing else does.
    """
    by_name = {gate.NAME: gate for gate in gates}
    declared = subjects_of(plan, gates)
    work = _by_turns([[(by_name[name], subject) for subject in declared[name]] for name in declared])
    findings = dict(_run(work, read, now, on_done))
    return {
        name: tuple(findings[name, subject.name] for subject in subjects)
        for name, subjects in declared.items()
    }


def look(gate: Gate, subject: Subject, read: Read, now: datetime) -> Finding:
    """Observe and judge one subject; ``CannotTell`` and defects become cannot-tell findings."""
    try:
        return gate.judge(subject, gate.observe(subject, read), now)
    except CannotTell as fault:
        return found(subject, fault.reason, fault.message, now, evidence=fault.evidence)
    except ReleaseError:
        raise
    except Exception as defect:  # one subject must not hide the others
        _logger.debug("defect while observing %s %s", subject.gate, subject.name, exc_info=defect)
        text = f"{type(defect).__name__} while observing {subject.gate} {subject.name}"
        return found(subject, "observation.internal-error", text, now)


def _by_turns(gates: list[list[Work]]) -> list[Work]:
    """Take one subject of each gate in turn, so that every channel is asked from the beginning."""
    return [one for turn in zip_longest(*gates) for one in turn if one is not None]


def _run(
    work: list[Work], read: Read, now: datetime, on_done: OnDone
) -> Iterator[tuple[tuple[str, str], Finding]]:
    pool = ThreadPoolExecutor(max_workers=min(WORKERS, len(work)), thread_name_prefix="observe")
    try:
        futures: dict[Future[Finding], Subject] = {
            pool.submit(look, gate, subject, read, now): subject for gate, subject in work
        }
        for done, future in enumerate(as_completed(futures), start=1):
            subject = futures[future]
            on_done(subject, done, len(work))
            yield (subject.gate, subject.name), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _refuse_twins(gate: str, subjects: tuple[Subject, ...]) -> None:
    names = [subject.name for subject in subjects]
    twins = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twins:
        raise ReleaseError(f"the gate {gate} has two subjects called {', '.join(twins)}")
