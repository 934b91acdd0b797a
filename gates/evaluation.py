"""evaluation: each evaluation suite passes on the canonical commit, and so does the store's doctor.

Binding: evidence that names the commit and the suite's own digest. The runner that makes such evidence does
not exist in this version, so none is accepted: records are looked for and counted, and nothing is complete.
"""

from datetime import datetime

from release.contract import Effect, Stage, found
from release.domain.evidence import Evidence, Kind
from release.domain.finding import Finding
from release.domain.plan import Plan, Subject
from release.ports import Read

NAME = "evaluation"
CLAIM = "Each evaluation suite has the verdict pass for the commit, and the store's doctor finds nothing."
NEEDS: tuple[str, ...] = ("package-build", "binary-build")
STAGE = Stage.BUILD
EFFECT = Effect.READ_ONLY
RECHECK = "release eval run {subject}"

DOCTOR = "doctor"

Seen = tuple[Evidence, ...]


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per declared suite, and the doctor where there is any suite."""
    suites = tuple(
        Subject(gate=NAME, name=suite.name, plan=plan, item=suite, role="suite") for suite in plan.suites
    )
    return (*suites, Subject(gate=NAME, name=DOCTOR, plan=plan, role=DOCTOR)) if suites else ()


def observe(subject: Subject, read: Read) -> Seen:
    """Find the records of evaluations of this name, of any commit."""
    return read.evidence.find(Kind.EVALUATION, subject.name)


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Say that it has not been run: no record can be accepted before its runner exists."""
    command = "release doctor eval" if subject.role == DOCTOR else f"release eval run {subject.name}"
    text = f"no evaluation of {subject.plan.commit} by {subject.name}"
    if seen:
        text += f"; {len(seen)} record(s) found, which this version cannot verify"
    return found(subject, "evaluation.not-run", text, now, next=command)
