"""What a gate is: a module that answers five questions, in this order (DESIGN §5).

1. Claim: ``CLAIM``, ``NEEDS``, ``STAGE`` and ``subjects(plan)``, pure, before any I/O.
2. Binding: by which digest or field what is looked at is tied to the commit (the module docstring).
3. Observation: ``observe(subject, read)``, facts through read ports only, safe at any time.
4. Judgement: ``judge(subject, seen, now)``, pure and total.
5. Consequence: ``EFFECT`` and ``RECHECK``, the command a stranger would run to check it.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from release.domain.action import Action
from release.domain.action import Effect as Effect
from release.domain.finding import Claim, Finding
from release.domain.first_seen import FirstSeen
from release.domain.plan import Plan, Subject
from release.ports import Read
from release.write_ports import Refused as Refused
from release.write_ports import Write as Write


class Stage(StrEnum):
    """When a gate's act may run; irreversible stages come after everything reversible is complete."""

    BUILD = "build"
    STAGE = "stage"
    PUBLISH = "publish"
    PROVE = "prove"


class Gate(Protocol):
    """The shape of every module in ``gates/``."""

    NAME: str
    CLAIM: str
    NEEDS: tuple[str, ...]
    STAGE: Stage
    EFFECT: Effect
    RECHECK: str

    def subjects(self, plan: Plan) -> tuple[Subject, ...]:
        """Return what must hold; empty where the plan declares nothing for this gate."""
        ...

    def observe(self, subject: Subject, read: Read) -> Any:
        """Look; return facts. May raise ``CannotTell``, and nothing else."""
        ...

    def judge(self, subject: Subject, seen: Any, now: datetime) -> Finding:
        """Judge what was seen. Total: every value that ``observe`` can return has an answer."""
        ...


class Acting(Protocol):
    """The second half of a gate that can act: which reasons it can mend, and how. Create-only."""

    NAME: str
    ACTIONS: Mapping[str, Action]

    def follows(self, subject: Subject) -> tuple[str, ...]:
        """Return the names of this gate's subjects that must be complete before ``subject`` is acted on."""
        ...

    def act(self, subject: Subject, finding: Finding, write: Write) -> None:
        """Create what is missing. May raise ``Refused`` or ``CannotTell``; never reports success."""
        ...


def found(
    subject: Subject,
    reason: str,
    message: str,
    now: datetime,
    *,
    commit: str | None = None,
    evidence: tuple[str, ...] = (),
    next: str = "",  # noqa: A002 - the report's own word
    claims: tuple[Claim, ...] = (),
    seen: tuple[FirstSeen, ...] = (),
    until: datetime | None = None,
) -> Finding:
    """Build a finding for ``subject``; state and who follow from ``reason``."""
    return Finding(
        gate=subject.gate,
        subject=subject.name,
        reason=reason,
        message=message,
        observed_at=now,
        commit=commit,
        evidence=evidence,
        next=next,
        claims=claims,
        seen=seen,
        until=until,
    )
