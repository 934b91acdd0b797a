"""The catalogue of reasons: data only. ``release explain`` prints it; docs/reasons.md is made from it."""

from release.domain.reasons import build, checksums, github, ledger, npm, observing, source
from release.domain.reasons.model import Reason, Who

CATALOGUE: dict[str, Reason] = {
    reason.code: reason
    for topic in (source, build, npm, github, checksums, ledger, observing)
    for reason in topic.REASONS
}


def reason_of(code: str) -> Reason:
    """Return the catalogue's row for ``code``; an unknown code is a bug and raises ``KeyError``."""
    return CATALOGUE[code]


__all__ = ["CATALOGUE", "Reason", "Who", "reason_of"]
