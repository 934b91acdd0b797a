"""acceptance: each artifact works on each target, shown by a sandboxed run of exactly those bytes.

Binding: evidence that names the commit and the artifact's digest. The runner that makes such evidence does
not exist in this version, so none is accepted: records are looked for and counted, and nothing is complete.
"""

from datetime import datetime

from release.contract import Effect, Stage, found
from release.domain.evidence import Evidence, Kind
from release.domain.finding import Finding
from release.domain.plan import Acceptance, Plan, Subject
from release.ports import Read

NAME = "acceptance"
CLAIM = "Each artifact passed a sandboxed acceptance of exactly its bytes, on each target."
NEEDS: tuple[str, ...] = ("package-build", "binary-build")
STAGE = Stage.PROVE
EFFECT = Effect.READ_ONLY
RECHECK = "release accept"

Seen = tuple[Evidence, ...]


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per (artifact, target) that a declared acceptance names."""
    return tuple(
        Subject(gate=NAME, name=acceptance.slot, plan=plan, item=acceptance, role=acceptance.artifact)
        for acceptance in plan.acceptances
    )


def observe(subject: Subject, read: Read) -> Seen:
    """Find the records of acceptances of this slot, of any commit."""
    return read.evidence.find(Kind.ACCEPTANCE, subject.name)


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Say that it has not been run: no record can be accepted before its runner exists."""
    acceptance = _acceptance(subject)
    text = f"no acceptance of {acceptance.artifact} on {acceptance.target} for {subject.plan.commit}"
    if seen:
        text += f"; {len(seen)} record(s) found, which this version cannot verify"
    command = f"release accept {acceptance.artifact} --target {acceptance.target}"
    return found(subject, "acceptance.not-run", text, now, next=command)


def _acceptance(subject: Subject) -> Acceptance:
    match subject.item:
        case Acceptance() as acceptance:
            return acceptance
        case _:
            raise TypeError(f"{subject.name} is not an acceptance")
