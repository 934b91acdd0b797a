"""A lease as text or JSON, for `release lease`."""

import json
from datetime import UTC, datetime

from release.domain.lease import LeaseFacts
from release.report.visible import visible_ascii

SCHEMA = "release-convergence/lease-state/v1"


def lease_state(lease: LeaseFacts | None, now: datetime) -> str:
    """Return one word: free, held, or expired (free soon, unless it is renewed)."""
    if lease is None or lease.is_free(now):
        return "free"
    return "held" if lease.expires_at > now else "expired"


def render_lease(lease: LeaseFacts | None, now: datetime) -> str:
    """Return the lease in a few lines with a final newline."""
    state = lease_state(lease, now)
    if lease is None:
        return "free: nobody ever took the lease\n"
    how = "released" if lease.released else f"valid until {_time(lease.expires_at)}"
    lines = [f"{state}: {lease.holder}, epoch {lease.epoch}, {how}"]
    if state != "free":
        seconds = max(0, round((lease.free_at - now).total_seconds()))
        lines.append(f"others may take it from {_time(lease.free_at)} ({seconds} s), unless it is renewed")
    return "".join(visible_ascii(line) + "\n" for line in lines)


def render_lease_json(lease: LeaseFacts | None, now: datetime) -> str:
    """Return the lease as ASCII JSON with a final newline."""
    value: dict[str, object] = {"schema": SCHEMA, "state": lease_state(lease, now), "lease": None}
    if lease is not None:
        value["lease"] = {
            "holder": lease.holder,
            "epoch": lease.epoch,
            "expires_at": _time(lease.expires_at),
            "free_at": _time(lease.free_at),
            "released": lease.released,
            "commit": lease.commit,
        }
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
