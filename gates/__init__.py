"""The gates, one module each, listed once and in order: the table of contents of the product."""

from gates import (
    acceptance,
    asset_upload,
    binary_build,
    checksums,
    commit_checks,
    evaluation,
    github_release,
    npm_publish,
    package_build,
    source_tag,
    version_pr,
)
from release.contract import Acting, Gate

GATES: tuple[Gate, ...] = (
    version_pr,  # first: is this the commit that was meant to be released?
    commit_checks,  # what the project's own checks said of it
    package_build,  # what npm users will get, packed from the commit
    evaluation,  # does it do what it should, judged by a suite it cannot touch
    binary_build,  # what binary users will get, built from the commit
    acceptance,  # does each artifact work where a user runs it
    asset_upload,  # reversible: assets go to a draft first
    checksums,  # what a user would download, hashed anew
    source_tag,  # irreversible: only after everything that can be proved without it
    npm_publish,  # irreversible: a published version can never be replaced
    github_release,  # last: publishing the draft announces what is already complete
)

ACTING: tuple[Acting, ...] = (
    asset_upload,  # adds to a draft, or to a release that lacks it
    source_tag,  # creates the tag where no ref has its name
    npm_publish,  # publishes a version that the registry does not have, and sets dist-tags
    github_release,  # creates the draft at the start, and publishes it at the end
)
