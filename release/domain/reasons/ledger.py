"""Reasons of what is remembered of a release outside its channels: the frozen plan and the ledger."""

from release.domain.reasons.model import done, wrong

REASONS = (
    done("plan.unchanged", "The plan asks for everything that was frozen in the ledger."),
    wrong(
        "plan.changed-since",
        "The plan asks for less than the one that was frozen in the ledger.",
        "A gate, subject, package or repetition was taken out of release.toml or of the manifests.",
        "Restore what the message names; or accept it by name and reason with `release ledger accept`.",
    ),
    done("ledger.intact", "The ledger was only added to, and every entry is understood."),
    wrong(
        "ledger.altered",
        "The ledger was rewritten, or an entry of it changes or drops a fact or the plan.",
        "Somebody pushed to the ledger's ref by hand.",
        "Run `release ledger verify`, find out who pushed, and restore the ref to its last good entry.",
    ),
)
