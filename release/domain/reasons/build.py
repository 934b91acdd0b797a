"""Reasons of the gates that look at what was built: package-build, binary-build, evaluation, acceptance."""

from release.domain.reasons.model import done, todo, wrong

_NEXT_COMMIT = "Mend it in the source, and release the next version."

REASONS = (
    done(
        "package.packed",
        "Packed twice from a clean checkout of the commit, with equal bytes and right contents.",
    ),
    todo(
        "package.not-built",
        "The package declares a build, and no evidence of a build of this commit is here.",
        "Looking never runs the project's code, so it does not build.",
        "Run `release build packages`, or bring the evidence with `--evidence DIR`.",
    ),
    todo(
        "package.evidence-for-other-commit",
        "There is build evidence, but for another commit or another policy: it does not count.",
        "The evidence is older than the commit or than release.toml.",
        "Run `release build packages` for this commit.",
    ),
    wrong(
        "package.version-differs",
        "The manifest at the commit does not have the version that the release is for.",
        "The version was not bumped before tagging, or the tag is on the wrong commit.",
        "Release a commit whose manifest has the version.",
    ),
    wrong(
        "package.identity-differs",
        "Name or version inside the packed tarball are not the plan's.",
        "A build step rewrote package.json, or the wrong folder was packed.",
        _NEXT_COMMIT,
    ),
    wrong(
        "package.missing-target",
        "package.json points at files (main, module, types, bin, exports) that are not in the tarball.",
        "The build output was not made, or `files` leaves it out.",
        "Declare the `build`, or correct `files` and the entry points. " + _NEXT_COMMIT,
    ),
    wrong(
        "package.unresolved-protocol",
        "A dependency uses workspace:, file:, link:, portal: or catalog:, which no user can install.",
        "It was packed by a tool that does not rewrite these.",
        "Pack with the workspace's own publisher, or write real versions. " + _NEXT_COMMIT,
    ),
    wrong(
        "package.pins-other-version",
        "A dependency on a package of this release is pinned to exactly another version.",
        "The bump set the package's own version, and not what it says of its siblings.",
        "Write the released version, or a range that holds it. " + _NEXT_COMMIT,
    ),
    wrong(
        "package.private",
        "The manifest says `private: true`; npm refuses to publish it.",
        "The package is not meant for the registry, or the flag was forgotten.",
        "Remove the package from release.toml, or the flag from package.json.",
    ),
    wrong(
        "package.lockfile-differs",
        "The lockfile at the commit does not agree with the manifest.",
        "The version or a dependency was changed without updating the lockfile.",
        "Update the lockfile and commit it. " + _NEXT_COMMIT,
    ),
    wrong(
        "package.not-reproducible",
        "Two packs of the same commit differ.",
        "A build writes times, random values or paths into its output.",
        "Make the build deterministic (SOURCE_DATE_EPOCH); the message lists the files.",
    ),
    wrong(
        "package.pack-failed",
        "npm could not pack the package from a clean checkout of the commit.",
        "The manifest is malformed, or a file that it needs is not committed.",
        "Run `npm pack --dry-run` in a clean clone of the commit.",
    ),
    done(
        "binary.manifest-agrees",
        "The manifest names this commit, this version and the archive with its digest.",
    ),
    done("binary.built", "Evidence of a build of this commit is here, and the archive's digest is known."),
    todo(
        "binary.not-built",
        "Neither build evidence nor a published manifest names this archive.",
        "It has not been built.",
        "Run `release build binaries`, or bring the evidence with `--evidence DIR`.",
    ),
    wrong(
        "binary.commit-differs",
        "The manifest was made for another commit.",
        "Binaries were built from another checkout than the release's.",
        "Build again from this commit; what is published under this version cannot be replaced.",
    ),
    wrong(
        "binary.version-differs",
        "The manifest was made for another version.",
        "A manifest of another release was uploaded.",
        "Release the next version with the right manifest.",
    ),
    wrong(
        "binary.not-in-manifest",
        "The manifest is there and does not list the archive.",
        "A matrix job is missing from the manifest, or the target was renamed.",
        "Release the next version with a manifest of all targets.",
    ),
    wrong(
        "binary.manifest-malformed",
        "The manifest cannot be read as one.",
        "It is not JSON, misses required members, or names something twice.",
        "The message names the member; release the next version with a valid manifest.",
    ),
    wrong(
        "binary.digest-differs",
        "The manifest's digest or size is not that of the build's evidence.",
        "Archive and manifest come from different builds, or one was replaced.",
        "Trust neither; find out which build was published, and release the next version.",
    ),
    wrong(
        "binary.target-differs",
        "The manifest says that the archive is for another target.",
        "Two matrix jobs swapped their outputs, or the target was renamed in one place.",
        "Find out what the archive holds; release the next version with a right manifest.",
    ),
    todo(
        "evaluation.not-run",
        "No evidence of this evaluation exists for the commit.",
        "It has not been run.",
        "Run `release eval run`.",
    ),
    todo(
        "acceptance.not-run",
        "No acceptance of this artifact on this target exists for the commit.",
        "It has not been run.",
        "Run `release accept` on a machine that can execute the target.",
    ),
)
