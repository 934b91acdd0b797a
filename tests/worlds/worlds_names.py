"""Names of findings that many rows need: ``gate/subject``, and groups of them with one reason."""

from kit import ARCHIVES, CLI, CORE, MANIFEST, SUMS, TAG, VERSION

V_CORE, V_CLI = f"npm-publish/{CORE}@{VERSION}", f"npm-publish/{CLI}@{VERSION}"
T_CORE, T_CLI = f"npm-publish/{CORE}@latest", f"npm-publish/{CLI}@latest"
P_CORE, P_CLI = f"package-build/{CORE}", f"package-build/{CLI}"
RELEASE, LATEST = f"github-release/{TAG}", "github-release/latest"
SOURCE_TAG = f"source-tag/{TAG}"
ASSETS = (*ARCHIVES, MANIFEST, SUMS)
BINARIES = ("acme/linux-x64", "acme/darwin-arm64", "acme-windows/windows-x64")

NO_TAG = {SOURCE_TAG: "tag.absent"}
NOT_BUILT = {f"binary-build/{name}": "binary.not-built" for name in BINARIES}
NO_RELEASE = {
    **NOT_BUILT,
    **{f"asset-upload/{name}": "asset.no-release" for name in (*ASSETS, "(unexpected)")},
    **{f"checksums/{name}": "checksums.no-release" for name in ASSETS},
    RELEASE: "release.absent",
    LATEST: "release.latest-pending",
}
NO_CORE = {V_CORE: "npm.absent", T_CORE: "npm.dist-tag-absent"}
NO_CLI = {V_CLI: "npm.absent", T_CLI: "npm.dist-tag-absent"}
