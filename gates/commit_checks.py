"""commit-checks: each required check or status concluded with success on the canonical commit.

Binding: ``head_sha`` of the check run or status, never the colour of a workflow. The newest attempt
decides; a name that exists as check run and as status must succeed as both. Skipped, neutral, cancelled,
stale and absent are not success.
"""

from datetime import UTC, datetime

from release.contract import Effect, Stage, found
from release.domain.facts.github import CheckFacts
from release.domain.finding import Finding
from release.domain.plan import Plan, Subject
from release.domain.reasons import reason_of
from release.domain.state import State
from release.ports import Read

NAME = "commit-checks"
CLAIM = "Each required check concluded with success on the canonical commit, by its newest attempt."
NEEDS: tuple[str, ...] = ()
STAGE = Stage.BUILD
EFFECT = Effect.READ_ONLY
RECHECK = "gh api 'repos/{repository}/commits/{commit}/check-runs?filter=all' --paginate"

_FAILED = frozenset({"failure", "error", "timed_out", "startup_failure"})
_BEGINNING = datetime.min.replace(tzinfo=UTC)
_FAR = datetime.max.replace(tzinfo=UTC)
_WORST_FIRST = (
    "check.failed",
    "check.not-success",
    "check.action-required",
    "check.running",
    "check.success",
)

Seen = tuple[CheckFacts, ...]


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per required check."""
    required = plan.github.required_checks if plan.github else ()
    return tuple(Subject(gate=NAME, name=name, plan=plan, item=name) for name in required)


def observe(subject: Subject, read: Read) -> Seen:
    """Return every attempt, check run or status, with exactly this name."""
    checks = read.forge().checks(subject.plan.commit)
    return tuple(check for check in checks if check.name == subject.name)


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """Judge the newest attempt of each source; the worst one decides."""
    ours = tuple(check for check in seen if check.head_sha == subject.plan.commit)
    if not ours:
        return found(subject, "check.missing", _describe_missing(subject, seen), now)
    newest = tuple(
        max((check for check in ours if check.source == source), key=_order)
        for source in sorted({check.source for check in ours})
    )
    worst = min(newest, key=lambda check: _WORST_FIRST.index(_reason(check)))
    reason = _reason(worst)
    shown = newest if reason_of(reason).state is State.COMPLETE else (worst,)
    text = " and ".join(_describe(check) for check in shown)
    evidence = tuple(check.url for check in shown)
    return found(subject, reason, text, now, commit=worst.head_sha, evidence=evidence)


def _reason(check: CheckFacts) -> str:
    if check.status != "completed":
        return "check.running"
    match check.conclusion:
        case "success":
            return "check.success"
        case "action_required":
            return "check.action-required"
        case str() as conclusion if conclusion in _FAILED:
            return "check.failed"
        case _:
            return "check.not-success"


def _order(check: CheckFacts) -> tuple[datetime, int]:
    # An attempt that has not started yet is newer than every one that has.
    unknown = _BEGINNING if check.status == "completed" else _FAR
    return check.started_at or check.completed_at or unknown, check.id


def _describe(check: CheckFacts) -> str:
    outcome = check.conclusion if check.status == "completed" else check.status
    return f"{check.source} {check.id} of {check.name}: {outcome}"


def _describe_missing(subject: Subject, seen: Seen) -> str:
    others = sorted({check.head_sha for check in seen})
    if others:
        return f"{subject.name} ran on {', '.join(others)}, not on {subject.plan.commit}"
    return f"no check run or status named {subject.name} on {subject.plan.commit}"
