"""Reasons of the checksums gate."""

from release.domain.reasons.model import done, todo, unknown, wrong

_NEXT = "Release the next version with a right checksum file."

REASONS = (
    done(
        "checksums.verified",
        "Downloaded anew and hashed: equal to the checksum file, the manifest and the build.",
    ),
    done("checksums.file-exact", "The checksum file lists exactly the published set, each name once."),
    todo(
        "checksums.not-downloaded",
        "What GitHub says agrees with the checksum file, but nothing was downloaded.",
        "`--shallow` trusts what the API says.",
        "Run `release status --deep`.",
    ),
    todo(
        "checksums.file-absent",
        "The checksum file is not on the release.",
        "It has not been uploaded.",
        "Let `release converge` upload it.",
    ),
    todo(
        "checksums.asset-absent",
        "The asset is not there to be verified.",
        "It has not been uploaded.",
        "Let `release converge` upload it.",
    ),
    todo(
        "checksums.no-release",
        "There is no release yet whose assets could be verified.",
        "The release has not been created.",
        "Let `release converge` create it.",
    ),
    unknown(
        "checksums.draft-not-downloadable",
        "The assets of this draft could not be downloaded with this token.",
        "The token may not read drafts.",
        "Use a token with push access.",
    ),
    wrong(
        "checksums.mismatch",
        "The downloaded bytes do not have the digest that the checksum file states.",
        "The asset was replaced, signed or repackaged after the sums were made.",
        "Do not use the asset. " + _NEXT,
    ),
    wrong(
        "checksums.size-differs",
        "The download has another size than the API states.",
        "The asset was replaced between the two looks, or a proxy changed it.",
        "Look again; if it stays, do not use the asset.",
    ),
    wrong(
        "checksums.digest-differs",
        "The downloaded bytes do not have the digest that the API states.",
        "A cache or a proxy serves other bytes.",
        "Look again from another network; if it stays, do not use the asset.",
    ),
    wrong(
        "checksums.manifest-differs",
        "The downloaded bytes do not have the digest that the manifest states.",
        "Manifest and assets come from different builds.",
        _NEXT,
    ),
    wrong(
        "checksums.differs-from-build",
        "The downloaded bytes are not those that the build's evidence names, whatever the release's own "
        "files say.",
        "Asset, checksum file and manifest were replaced together.",
        "Do not use the release. Find out who replaced them.",
    ),
    wrong(
        "checksums.not-listed",
        "The asset is published, and the checksum file does not list it.",
        "The last job overwrote the file, or the asset was added afterwards.",
        _NEXT,
    ),
    wrong(
        "checksums.names-differ",
        "The checksum file lists names that are not assets.",
        "GitHub rewrote the asset's name, or the file carries paths or another release's names.",
        "The message shows the names side by side. " + _NEXT,
    ),
    wrong(
        "checksums.other-release",
        "The checksum file lists none of the expected names: it seems to be another version's.",
        "The wrong file was attached.",
        _NEXT,
    ),
    wrong(
        "checksums.malformed",
        "The checksum file has lines that are not checksum lines.",
        "It was written by hand, or an error page was uploaded.",
        "The message names the line. " + _NEXT,
    ),
    wrong(
        "checksums.conflicting",
        "The checksum file gives one name two different digests.",
        "Two runs appended to the same file.",
        _NEXT,
    ),
    wrong(
        "checksums.empty",
        "The checksum file lists nothing.",
        "It was made before the assets were.",
        _NEXT,
    ),
)
