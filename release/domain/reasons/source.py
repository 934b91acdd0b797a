"""Reasons of the gates that look at the source: version-pr, commit-checks, source-tag."""

from release.domain.reasons.model import approval, done, todo, waiting, wrong

_NEW_VERSION = "Do not move the tag. Release the next version from the right commit."

REASONS = (
    done(
        "version-pr.merged", "The Version Packages pull request is merged, and its merge is in this commit."
    ),
    done(
        "version-pr.version-commit",
        "No changeset is left at the commit, and the commit that consumed them touches only version files.",
    ),
    approval(
        "version-pr.open",
        "The Version Packages pull request is open.",
        "Nobody has merged it yet.",
        "Review it and merge it; the release commit is its merge.",
    ),
    waiting(
        "version-pr.missing",
        "The commit has unconsumed changesets, and no Version Packages pull request is open.",
        "The Changesets workflow has not run yet, or it failed.",
        "Look at the Changesets workflow's last run; run `npx changeset version` on a branch if it is gone.",
    ),
    wrong(
        "version-pr.unconsumed",
        "The pull request is merged, but the commit still has unconsumed changesets.",
        "More changesets landed between the pull request and the commit.",
        "Merge the next Version Packages pull request and release that commit.",
    ),
    wrong(
        "version-pr.closed",
        "The Version Packages pull request was closed without merging, and changesets are left.",
        "Somebody closed it.",
        "Reopen it, or let the Changesets workflow make a new one.",
    ),
    wrong(
        "version-pr.mixed",
        "The commit that sets the versions also changes other files than versions, changelogs, changesets "
        "and lockfiles.",
        "Versions were bumped in an implementation pull request.",
        "Release a commit whose version bump stands alone; the message lists the other files.",
    ),
    wrong(
        "version-pr.not-ancestor",
        "The pull request's merge commit is not the release commit, nor an ancestor of it.",
        "The release is being cut from another branch, or history was rewritten.",
        "Release the pull request's merge commit, or a descendant of it.",
    ),
    done("check.success", "The newest attempt of the check concluded with success on this commit."),
    todo(
        "check.missing",
        "No check or status with this name exists on the commit.",
        "The workflow was not triggered, or the job was renamed or turned into a matrix.",
        "Run the workflow on this commit, or correct `[github] required_checks`.",
    ),
    waiting(
        "check.running",
        "The newest attempt has not finished.",
        "The job is queued, waiting or running.",
        "Wait, then look again.",
    ),
    wrong(
        "check.failed",
        "The newest attempt concluded with failure, error, timed_out or startup_failure.",
        "The job failed.",
        "Mend the cause and release a commit that passes; re-run the job if it was the machine's fault.",
    ),
    wrong(
        "check.not-success",
        "The newest attempt concluded as skipped, neutral, cancelled, stale, or with an unknown conclusion: "
        "that is not success.",
        "A condition or a failed dependency skipped the job, or a newer run cancelled it.",
        "Run the job on this commit to a real conclusion.",
    ),
    approval(
        "check.action-required",
        "The newest attempt waits for a person.",
        "The environment or the workflow needs an approval.",
        "Approve it on GitHub.",
    ),
    done("tag.agrees", "The tag exists on the remote and peels to the canonical commit."),
    todo(
        "tag.absent",
        "The tag does not exist on the remote.",
        "It has not been created or pushed.",
        "Let `release converge` create it when everything before it is complete.",
    ),
    wrong(
        "tag.commit-differs",
        "The tag exists on the remote and peels to another commit.",
        "The tag was made at another commit, or it was moved.",
        _NEW_VERSION,
    ),
    wrong(
        "tag.not-a-commit",
        "The tag peels to something that is not a commit.",
        "It was made on a tree or a blob.",
        _NEW_VERSION,
    ),
    wrong(
        "tag.off-branch",
        "The tag peels to the commit, but the commit is on none of the allowed branches.",
        "The release was cut from a branch that `[release] branches` does not name.",
        "Merge the commit into an allowed branch (without rewriting it), or correct `[release] branches`.",
    ),
    wrong(
        "tag.push-denied",
        "The remote refused to create the tag.",
        "The credential may not push tags, or a rule reserves the name (a deleted immutable release's, too).",
        "Use a credential that may push tags; look at the repository's rules. A reserved name is lost: "
        + _NEW_VERSION,
    ),
    wrong(
        "tag.changed-since",
        "The tag peels to another commit than when it was first seen.",
        "Somebody moved the tag.",
        "Find out who moved it and why; users who fetched it have the first commit. " + _NEW_VERSION,
    ),
    wrong(
        "tag.removed",
        "The tag was seen on the remote before and is gone now.",
        "Somebody deleted it.",
        "Restore it at the commit that the message names, by the person who may.",
    ),
)
