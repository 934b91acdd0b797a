"""Reasons of the npm-publish gate."""

from release.domain.reasons.model import approval, done, todo, unknown, waiting, wrong

_NEW_VERSION = "A published version can't be replaced. Release the next version."

REASONS = (
    done("npm.identical", "The registry's integrity equals that of the tarball packed from the commit."),
    done(
        "npm.identical-content",
        "The archive's bytes differ, but the unpacked trees are equal: it was only compressed differently.",
    ),
    todo(
        "npm.absent",
        "The registry does not have this version.",
        "It has not been published.",
        "Let `release converge` publish it when everything before it is complete.",
    ),
    waiting(
        "npm.propagating",
        "The version was published a short while ago and is not visible yet.",
        "The registry is still spreading it.",
        "Wait; past `[npm] propagation` it becomes npm.not-visible.",
    ),
    wrong(
        "npm.not-visible",
        "A publish succeeded, the propagation window is over, and the version is still not visible.",
        "The publish was lost, or it waits for a staged approval.",
        "Look at the package's page and its staged versions; ask the registry's support.",
    ),
    waiting(
        "npm.tarball-propagating",
        "The version's metadata is visible, its tarball is not, inside the propagation window.",
        "Tarballs spread separately.",
        "Wait; past `[npm] propagation` it becomes npm.tarball-missing.",
    ),
    wrong(
        "npm.tarball-missing",
        "The version's metadata is visible, and its tarball answers 404 past the propagation window.",
        "The tarball was lost or removed.",
        "Ask the registry's support. " + _NEW_VERSION,
    ),
    approval(
        "npm.staged",
        "The version is staged and waits for a person.",
        "The package uses staged publishing.",
        "Approve it: `npm stage approve`.",
    ),
    todo(
        "npm.not-packed",
        "The version is published, and there is nothing packed from the commit to compare it with.",
        "The package declares a build, and no evidence of it is here.",
        "Run `release build packages`, or bring the evidence with `--evidence DIR`.",
    ),
    todo(
        "npm.not-compared",
        "The bytes differ from those packed here, and the contents have not been compared.",
        "`--shallow` does not download tarballs.",
        "Run `release status --deep`.",
    ),
    wrong(
        "npm.integrity-differs",
        "The published contents are not those packed from the commit.",
        "It was published from another commit, from a dirty tree, or after another build.",
        "The message lists the files. " + _NEW_VERSION,
    ),
    wrong(
        "npm.tarball-corrupt",
        "The registry serves bytes that do not have the integrity that it states itself.",
        "Two publishes raced, a mirror is broken, or the tarball was tampered with.",
        "Do not install it. Ask the registry's support. " + _NEW_VERSION,
    ),
    wrong(
        "npm.identity-differs",
        "Name or version inside the published tarball are not the ones it is published under.",
        "It was published from a wrong or modified folder.",
        _NEW_VERSION,
    ),
    wrong(
        "npm.commit-differs",
        "The published version's gitHead names another commit, although its contents are equal.",
        "It was published from another checkout.",
        "Find out which checkout published it. " + _NEW_VERSION,
    ),
    wrong(
        "npm.missing-target",
        "The published package.json points at files that are not in the published tarball.",
        "It was published without its build output.",
        _NEW_VERSION,
    ),
    wrong(
        "npm.unresolved-protocol",
        "A published dependency uses workspace:, file:, link:, portal: or catalog:; nobody can install it.",
        "It was published by a tool that does not rewrite these.",
        _NEW_VERSION,
    ),
    wrong(
        "npm.dependency-unsatisfied",
        "A published dependency on a package of this release is satisfied by no version in the registry.",
        "The other package was not published, or the range names another version.",
        "Publish the missing package with `release converge`, or release the next version.",
    ),
    todo(
        "npm.dependency-absent",
        "The package depends on one of this release that is not published yet.",
        "The packages are published in dependency order, and that has not finished.",
        "Let `release converge` publish the missing package.",
    ),
    wrong(
        "npm.publish-denied",
        "The registry refused the publish for good.",
        "The credential is missing, expired or may not publish this name; 404 to a publish means so, too.",
        "Renew the credential, or ask for access to the package; then run `release converge` again.",
    ),
    wrong(
        "npm.dist-tag-denied",
        "The registry refused to set the dist-tag.",
        "The credential may publish but not set dist-tags (trusted publishing covers publishing only).",
        "Run the printed `npm dist-tag add` command with a credential that may.",
    ),
    wrong(
        "npm.removed",
        "The registry knows that this version existed; it is gone.",
        "It was unpublished. A version that was unpublished can't be published again.",
        "Release the next version.",
    ),
    wrong(
        "npm.changed-since",
        "The version's integrity is not the one that was first seen.",
        "The registry or a mirror serves other bytes than before.",
        "Do not install it. Ask the registry's support. " + _NEW_VERSION,
    ),
    done("npm.dist-tag-agrees", "The dist-tag points at the version, in every one of the consecutive reads."),
    done("npm.dist-tag-superseded", "The dist-tag has moved on to a newer version since."),
    done(
        "npm.dist-tag-free",
        "`latest`, which the plan does not ask for, was not taken by this version wrongly.",
    ),
    todo(
        "npm.dist-tag-absent",
        "The dist-tag does not exist, or points at an older version.",
        "The version was published under another tag, or the tag was not set.",
        "Run the printed `npm dist-tag add` command, or `release converge`.",
    ),
    todo(
        "npm.dist-tag-unwatched",
        "The version is not published yet: whether it takes `latest`, which it must not, shows only then.",
        "The release is not published yet.",
        "Run `release converge`.",
    ),
    waiting(
        "npm.dist-tag-propagating",
        "The dist-tag does not point at the version yet, inside the propagation window.",
        "The registry is still spreading it.",
        "Wait; past `[npm] propagation` it becomes npm.dist-tag-stale.",
    ),
    wrong(
        "npm.dist-tag-stale",
        "The dist-tag still points at an older version, past the propagation window.",
        "The publish did not move it, or somebody moved it back.",
        "Run the printed `npm dist-tag add` command.",
    ),
    unknown(
        "npm.dist-tag-unstable",
        "Consecutive reads of the dist-tag disagree.",
        "The registry is still spreading a change, or its mirrors differ.",
        "Look again in a minute.",
    ),
    wrong(
        "npm.prerelease-on-latest",
        "The dist-tag `latest` points at a prerelease, although stable versions exist.",
        "It was published without `--tag`.",
        "Run the two printed `npm dist-tag add` commands.",
    ),
    wrong(
        "npm.latest-on-older",
        "The dist-tag `latest` points at this version, although a newer stable version is published.",
        "A backport was published without `--tag`, and took `latest`.",
        "Run the printed `npm dist-tag add` command.",
    ),
)
