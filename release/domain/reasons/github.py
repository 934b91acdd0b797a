"""Reasons of the github-release and asset-upload gates."""

from release.domain.reasons.model import done, todo, unknown, waiting, wrong

_TERMINAL = "This version can't be completed. Release the next version."

REASONS = (
    done("release.published", "The release is published for the tag, as planned, on the canonical commit."),
    todo(
        "release.absent",
        "No release exists for the tag, as far as this token can see.",
        "It has not been created, or it is a draft that the token may not see.",
        "Let `release converge` create it; check the token's access where a draft should be there.",
    ),
    todo(
        "release.draft",
        "The release is still a draft.",
        "Drafts are published last, after everything else is complete.",
        "Let `release converge` publish it when everything before it is complete.",
    ),
    wrong(
        "release.ambiguous",
        "More than one release exists for the tag.",
        "Jobs raced, or a lookup by tag did not find the draft and made another.",
        "Decide by id which one is right, and delete the wrong draft by hand; the message lists the ids.",
    ),
    wrong(
        "release.commit-differs",
        "The release's tag peels to another commit.",
        "The tag was made at another commit, for example at the default branch's tip.",
        _TERMINAL,
    ),
    wrong(
        "release.tag-missing",
        "The release is published, and its tag is not on the remote.",
        "The tag was deleted after publishing.",
        "Restore the tag at the canonical commit, by the person who may.",
    ),
    wrong(
        "release.prerelease-differs",
        "The release's prerelease flag is not the planned one.",
        "It was created by hand or by another tool.",
        "Set the flag on the release's page, where it may still be edited.",
    ),
    wrong(
        "release.not-immutable",
        "The release is published and not immutable, although `[release] immutable` asks for it.",
        "Immutable releases were not enabled when it was published.",
        "Enable immutable releases for the repository, and release the next version.",
    ),
    wrong(
        "github.write-denied",
        "GitHub refused a write.",
        "The token is missing, expired, or may not write releases; 404 to a write means so, too.",
        "Use a token with contents: write; then run `release converge` again.",
    ),
    wrong(
        "release.changed-since",
        "The release has another id than when it was first seen.",
        "It was deleted and made again.",
        "Find out who did it and why; compare the assets' digests with the first ones.",
    ),
    wrong(
        "release.removed",
        "The release was seen before and is gone.",
        "Somebody deleted it.",
        _TERMINAL,
    ),
    done("release.latest-agrees", "GitHub's `latest` points where the policy says."),
    done("release.latest-superseded", "GitHub's `latest` has moved on to a newer stable release."),
    todo(
        "release.latest-pending",
        "GitHub's `latest` cannot point at the release yet, as it is not published.",
        "The release is absent or a draft.",
        "Publish the release first.",
    ),
    wrong(
        "release.latest-differs",
        "GitHub's `latest` points at another release than the policy says.",
        "A backport or a prerelease took it, or an old release was edited.",
        "Mark the right release as latest on its page.",
    ),
    done("asset.uploaded", "The asset is uploaded, with the size and digest of what was built."),
    done("asset.none-unexpected", "The release holds no asset that the plan does not name."),
    todo(
        "asset.absent",
        "The asset is not on the release.",
        "It has not been uploaded.",
        "Let `release converge` upload it.",
    ),
    todo(
        "asset.no-release",
        "There is no release yet that could hold the asset.",
        "The release has not been created, or is a draft that the token may not see.",
        "Let `release converge` create the draft and upload the asset.",
    ),
    todo(
        "asset.digest-unknown",
        "The asset is there, and its digest is not known: GitHub states none.",
        "It was uploaded before June 2025, or the server is an older GitHub Enterprise.",
        "Run `release status --deep`, which downloads and hashes it.",
    ),
    todo(
        "asset.not-compared",
        "The asset is there, and nothing says what its bytes should be.",
        "No build evidence and no manifest names it.",
        "Bring the build's evidence with `--evidence DIR`, or publish the manifest.",
    ),
    waiting(
        "asset.processing",
        "The asset's upload is in progress.",
        "Somebody is uploading it right now.",
        "Wait; an upload that does not end becomes asset.upload-interrupted.",
    ),
    wrong(
        "asset.upload-interrupted",
        "An interrupted upload holds the asset's name: its state is not `uploaded`.",
        "The upload was cut, or GitHub answered 502.",
        "On a draft: `release converge --discard-interrupted`. On a published release: " + _TERMINAL,
    ),
    wrong(
        "asset.missing-in-immutable",
        "The asset is missing, and the release is published and immutable: it can never be added.",
        "The release was published before all its assets were uploaded.",
        _TERMINAL,
    ),
    wrong(
        "asset.size-differs",
        "The asset's size is not that of what was built.",
        "A truncated or another file was uploaded.",
        "It is never overwritten. " + _TERMINAL,
    ),
    wrong(
        "asset.digest-differs",
        "The asset's digest is not that of what was built (asset conflict).",
        "It was built twice with different bytes, or it was replaced.",
        "It is never overwritten. Find out which bytes are right. " + _TERMINAL,
    ),
    wrong(
        "asset.empty",
        "The asset has no bytes.",
        "The upload failed without an error.",
        "It is never overwritten. " + _TERMINAL,
    ),
    wrong(
        "asset.in-other-draft",
        "The asset is missing from the published release, and an orphan draft of the same tag holds it.",
        "Matrix jobs raced and made several drafts.",
        "The message names the draft's id. " + _TERMINAL,
    ),
    wrong(
        "asset.renamed",
        "The asset is there under the name that GitHub makes of it, not under the planned one.",
        "GitHub rewrites special characters in asset names.",
        "Plan the rewritten name; checksum files must carry it too.",
    ),
    wrong(
        "asset.unexpected",
        "The release holds assets that the plan does not name.",
        "Files of another build or an older run were uploaded, or the plan lacks them.",
        "Add them to `[release] extra_assets` if they belong there; otherwise find out who uploaded them.",
    ),
    wrong(
        "asset.changed-since",
        "The asset's digest is not the one that was first seen.",
        "It was replaced after the release.",
        "Tell the users; everyone who pinned the digest breaks. " + _TERMINAL,
    ),
    wrong(
        "asset.removed",
        "The asset was seen before and is gone.",
        "Somebody deleted it.",
        "It may be uploaded again only with the same bytes.",
    ),
    unknown(
        "release.drafts-not-visible",
        "Nothing is published for the tag, and the token may not see drafts.",
        "The token has no push access.",
        "Use a token with push access.",
    ),
)
