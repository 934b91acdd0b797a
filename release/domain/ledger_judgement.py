"""What the ledger says of this look: is the plan still the one that was frozen, is the ledger whole?

Shown as one more group of findings, ``plan``, where there is a ledger; it is no gate, as no channel is
looked at, and it always counts.
"""

import shlex
from datetime import datetime

from release.domain.finding import Finding
from release.domain.ledger import Recall
from release.domain.plan import Plan
from release.domain.plan_change import weaker
from release.domain.plan_record import PlanRecord
from release.domain.wording import count

GROUP = "plan"
CLAIM = "The plan asks for everything that was frozen in the ledger, and the ledger was only added to."


def judge_recall(recall: Recall, current: PlanRecord, plan: Plan, now: datetime) -> tuple[Finding, ...]:
    """Return a finding for the ledger, and one for the plan where one is recorded; none without a ledger."""
    if not recall.exists:
        return ()
    ledger = _judge_ledger(recall, plan, now)
    if recall.plan is None:
        return (ledger,)
    return (_judge_plan(recall, recall.plan, current, plan, now), ledger)


def _judge_plan(
    recall: Recall, recorded: PlanRecord, current: PlanRecord, plan: Plan, now: datetime
) -> Finding:
    lost = weaker(recorded, current)
    if not lost:
        waiver = f"{recall.accepted.because} ({recall.accepted.by})" if recall.accepted else None
        text = f"everything that was planned at {recorded.commit} is planned now"
        return Finding(
            gate=GROUP, subject="plan", reason="plan.unchanged", message=text, observed_at=now, waiver=waiver
        )
    changes = " ".join(f"--change {shlex.quote(name)}" for name in lost)
    target = f"release ledger accept {plan.selector}".rstrip()
    return Finding(
        gate=GROUP,
        subject="plan",
        reason="plan.changed-since",
        message=f"planned at {recorded.commit}, and not any more: {'; '.join(lost)}",
        observed_at=now,
        next=f"{target} {changes} --because REASON --yes",
    )


def _judge_ledger(recall: Recall, plan: Plan, now: datetime) -> Finding:
    if recall.breaches:
        first = recall.breaches[0]
        more = f", and {len(recall.breaches) - 1} more" if len(recall.breaches) > 1 else ""
        reason, text = "ledger.altered", f"{first.commit}: {first.message}{more}"
    elif recall.blind is not None:
        reason, text = recall.blind.reason, recall.blind.message
    else:
        reason, text = (
            "ledger.intact",
            f"{count(len(recall.entries), 'commit')}, {count(len(recall.facts), 'fact')}",
        )
    command = f"release ledger verify {plan.selector}".rstrip() if reason == "ledger.altered" else ""
    return Finding(gate=GROUP, subject="ledger", reason=reason, message=text, observed_at=now, next=command)
