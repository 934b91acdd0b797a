"""The lease and the ledger of one opened call, as commands use them. It knows adapters and no gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from release.adapters.git.refs import Pushed
from release.adapters.ledger import Draft
from release.assembly import Assembly
from release.domain.action import Findings
from release.domain.errors import ReleaseError, UsageError
from release.domain.first_seen import FirstSeen
from release.domain.lease import LeaseFacts
from release.domain.ledger import Accepted, Recall
from release.domain.ledger_judgement import GROUP, judge_recall
from release.domain.plan_change import weaker
from release.domain.plan_record import PlanRecord
from release.domain.state import State


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    """``current`` is the plan of this call as the ledger would hold it; ``now`` is the time (UTC)."""

    ports: Assembly
    current: PlanRecord
    now: datetime

    def judged(self, findings: Findings) -> Findings:
        """Add what the ledger says, where there is one."""
        found = judge_recall(self.ports.recall(), self.current, self.ports.session.plan, self.now)
        return {**findings, GROUP: found} if found else findings

    def may_act(self) -> bool:
        """Say whether the ledger is whole and the plan asks for everything that was frozen."""
        return all(finding.state is State.COMPLETE for finding in self.judged({}).get(GROUP, ()))

    def freeze(self) -> str:
        """Record the plan before anything is done; return a note where that is not on the remote."""
        return self.ports.remember(Draft(at=self.now, plan=self.current)).note

    def record(self, report: Mapping[str, object], findings: Findings) -> str:
        """Append the report and what was first seen; return a note where that is not on the remote."""
        seen: tuple[FirstSeen, ...] = tuple(
            fact for of_gate in findings.values() for finding in of_gate for fact in finding.seen
        )
        return self.ports.remember(Draft(at=self.now, report=report, seen=seen, plan=self.current)).note

    def accept(self, changes: tuple[str, ...], because: str, by: str) -> Recall:
        """Record that the plan asks for less, by the names of all differences; return the new ledger."""
        recall = self.ports.recall()
        lost = weaker(recall.plan, self.current) if recall.plan is not None else ()
        if not lost:
            raise UsageError("the plan asks for everything that was frozen: there is nothing to accept")
        if set(changes) != set(lost):
            names = "; ".join(lost)
            raise UsageError(
                "--change must name exactly what the plan does not ask for any more",
                fix=f"one --change for each of: {names}",
            )
        accepted = Accepted(changes=lost, because=because, by=by)
        kept = self.ports.remember(Draft(at=self.now, plan=self.current, accepted=accepted))
        if kept.note or kept.pushed is not Pushed.DONE:
            raise ReleaseError(
                f"the acceptance was not stored on the remote: {kept.note}",
                fix="use a credential that may push to the repository",
            )
        self.ports.session.repository.remote.forget()
        return self.ports.recall()


def free_lease(ports: Assembly, holder: str | None, now: datetime, *, steal: bool) -> LeaseFacts | None:
    """Release an expired lease, the one of ``holder``, or any with ``steal``; None where none was held."""
    lease = ports.lease()
    seen = lease.show()
    if seen is None or seen.released:
        return None
    if not (steal or seen.expires_at <= now or seen.holder == holder):
        raise UsageError(
            f"{seen.holder} holds the lease until {seen.expires_at:%H:%M:%S} UTC, and may be at work",
            fix=f"wait; or, when that process is dead: --holder {seen.holder}",
        )
    lease.free(seen)
    return seen
