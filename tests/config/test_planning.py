"""release.toml and the manifests at a commit become the plan."""

from datetime import timedelta

import pytest

from release.config import build_plan
from release.config.planning import default_dist_tag
from release.domain.errors import ConfigError, UsageError
from release.domain.plan import PUBLIC_REGISTRY, AssetKind, Latest, Plan

COMMIT = "c" * 40
LOCKSTEP = '[release]\nname = "acme"\n[github]\nrepository = "acme/acme"\n'
INDEPENDENT = (
    '[release]\nname = "acme"\ntag = "{package}@{version}"\n[github]\nrepository = "acme/acme"\n'
    '[[package]]\npath = "packages/core"\n[[package]]\npath = "packages/cli"\n'
)
CORE = {"name": "@acme/core", "version": "1.2.0"}
CLI = {"name": "@acme/cli", "version": "2.0.0"}
BOTH = {"packages/core/package.json": CORE, "packages/cli/package.json": CLI}


def plan_of(config, tree, selector=None, version=None, gates=()) -> Plan:
    """Build the plan of the sample commit."""
    return build_plan(
        config,
        commit=COMMIT,
        selector=selector,
        version=version,
        tree=tree,
        deep=True,
        known_gates=gates,
    )


def test_lockstep_takes_the_common_version_and_one_tag(configure, tree) -> None:
    """Without VERSION, the manifests' one version gives the one tag."""
    config = configure(LOCKSTEP + '[[package]]\n[[package]]\npath = "cli"\n')
    files = {
        "package.json": {"name": "a", "version": "1.0.0"},
        "cli/package.json": {"name": "b", "version": "1.0.0"},
    }
    plan = plan_of(config, tree(files))
    assert [tag.name for tag in plan.tags] == ["v1.0.0"]
    assert plan.version == "1.0.0"
    assert [(package.spec, package.path, package.tag) for package in plan.packages] == [
        ("a@1.0.0", ".", "v1.0.0"),
        ("b@1.0.0", "cli", "v1.0.0"),
    ]


def test_lockstep_with_a_given_version_keeps_the_manifests_own(configure, tree) -> None:
    """The manifest that was not bumped stays visible: expected and own version differ."""
    config = configure(LOCKSTEP + "[[package]]\n")
    plan = plan_of(config, tree({"package.json": {"name": "a", "version": "1.0.0"}}), "v1.1.0", "1.1.0")
    assert (plan.packages[0].version, plan.packages[0].expected_version) == ("1.0.0", "1.1.0")
    assert plan.tags[0].name == "v1.1.0"


def test_lockstep_with_two_versions_is_explained(configure, tree) -> None:
    """Manifests that disagree are listed, with the way out."""
    config = configure(LOCKSTEP + '[[package]]\n[[package]]\npath = "cli"\n')
    files = {
        "package.json": {"name": "a", "version": "1.0.0"},
        "cli/package.json": {"name": "b", "version": "2.0.0"},
    }
    with pytest.raises(ConfigError, match=r"a 1\.0\.0, b 2\.0\.0.*\n.*release status VERSION"):
        plan_of(config, tree(files))


def test_lockstep_without_packages_asks_for_the_version(configure, tree) -> None:
    """Nothing says the version: the error names the command."""
    with pytest.raises(ConfigError, match="type the version"):
        plan_of(configure(LOCKSTEP), tree({}))
    assert plan_of(configure(LOCKSTEP), tree({}), "1.0", "1.0").tags[0].name == "v1.0"


def test_independent_selects_what_changed_since_the_first_parent(configure, tree) -> None:
    """Only the package whose version differs from the parent's is released."""
    parent = {**BOTH, "packages/core/package.json": {**CORE, "version": "1.1.0"}}
    plan = plan_of(configure(INDEPENDENT), tree(BOTH, parent))
    assert [tag.name for tag in plan.tags] == ["@acme/core@1.2.0"]
    assert [package.name for package in plan.packages] == ["@acme/core"]
    assert [release.tag for release in plan.releases] == ["@acme/core@1.2.0"]


def test_independent_selects_new_packages(configure, tree) -> None:
    """A package that the parent does not have, or has unreadable, is new."""
    parent = {"packages/core/package.json": "{"}
    plan = plan_of(configure(INDEPENDENT), tree(BOTH, parent))
    assert [tag.name for tag in plan.tags] == ["@acme/core@1.2.0", "@acme/cli@2.0.0"]
    assert plan.version == "1.2.0, 2.0.0"


def test_independent_adds_the_named_package_with_the_named_version(configure, tree) -> None:
    """TAG names a package that did not change: it is planned with the tag's version."""
    plan = plan_of(configure(INDEPENDENT), tree(BOTH, BOTH), "@acme/cli@1.9.0", "1.9.0")
    assert [tag.name for tag in plan.tags] == ["@acme/cli@1.9.0"]
    assert plan.packages[0].version == "2.0.0"
    assert plan.packages[0].expected_version == "1.9.0"


def test_independent_all_selects_every_package(configure, tree) -> None:
    """select = "all" takes packages that did not change too."""
    config = configure(INDEPENDENT.replace("[github]", 'select = "all"\n[github]'))
    assert len(plan_of(config, tree(BOTH, BOTH)).tags) == 2


def test_independent_with_nothing_changed_is_explained(configure, tree) -> None:
    """No selected package is an error that says why and what to type, never an empty plan."""
    with pytest.raises(ConfigError, match="no package changed its version") as caught:
        plan_of(configure(INDEPENDENT), tree(BOTH, BOTH))
    assert len(caught.value.problems) == 3


def test_independent_refuses_a_package_that_the_commit_lacks(configure, tree) -> None:
    """A TAG for an unknown package gets a did-you-mean."""
    with pytest.raises(UsageError, match='did you mean "@acme/core"'):
        plan_of(configure(INDEPENDENT), tree(BOTH, BOTH), "@acme/cor@1.0.0", "1.0.0")


def test_binaries_assets_and_companions_in_order(configure, tree) -> None:
    """Archives, checksum file, manifest and extra assets, with placeholders filled in."""
    config = configure(
        LOCKSTEP.replace("[github]", 'extra_assets = ["acme-{version}.sbom.json"]\nlatest = false\n[github]')
        + '[[binary]]\nname = "acme"\ntargets = ["linux-x64", "windows-x64"]\n'
        + 'archive = "acme-{version}-{target}.zip"\n[checksums]\nalgorithm = "sha512"\n[manifest]\n'
    )
    plan = plan_of(config, tree({}), "v1.0.0-rc.1", "1.0.0-rc.1")
    release = plan.releases[0]
    assert [(asset.name, asset.kind) for asset in release.assets] == [
        ("acme-1.0.0-rc.1-linux-x64.zip", AssetKind.BINARY),
        ("acme-1.0.0-rc.1-windows-x64.zip", AssetKind.BINARY),
        ("SHA512SUMS", AssetKind.CHECKSUMS),
        ("binary-manifest.json", AssetKind.MANIFEST),
        ("acme-1.0.0-rc.1.sbom.json", AssetKind.EXTRA),
    ]
    assert [binary.executable for binary in plan.binaries] == ["acme", "acme.exe"]
    assert (release.prerelease, release.latest, release.immutable) == (True, Latest.NO, False)
    assert plan.checksum_algorithm == "sha512"


def test_independent_binaries_belong_to_their_package(configure, tree) -> None:
    """Archives and companions stand on the release of the binary's package only."""
    config = configure(
        INDEPENDENT
        + '[[binary]]\nname = "acme"\ntargets = ["linux-x64"]\npackage = "@acme/cli"\n'
        + 'archive = "acme-{version}-{target}.zip"\n[checksums]\n'
    )
    plan = plan_of(config, tree(BOTH))
    assets = {release.tag: [asset.name for asset in release.assets] for release in plan.releases}
    assert assets == {"@acme/core@1.2.0": [], "@acme/cli@2.0.0": ["acme-2.0.0-linux-x64.zip", "SHA256SUMS"]}


def test_binary_of_a_package_that_the_commit_lacks_is_explained(configure, tree) -> None:
    """Names that only the manifests know are checked at the commit."""
    config = configure(
        INDEPENDENT
        + '[[binary]]\nname = "acme"\ntargets = ["a"]\npackage = "@acme/cly"\narchive = "x-{target}.zip"\n'
    )
    with pytest.raises(ConfigError, match=r"binary\[0\]\.package.*\n.*@acme/cli"):
        plan_of(config, tree(BOTH))


def test_a_package_tag_in_an_asset_name_is_refused(configure) -> None:
    """A scoped tag holds a slash, which GitHub would rewrite (G06)."""
    text = INDEPENDENT.replace("[github]", 'extra_assets = ["{tag}.txt"]\n[github]')
    with pytest.raises(ConfigError, match=r"extra_assets\[0\]: GitHub would store the asset '@acme/core@1"):
        configure(text)


def test_required_gates_must_be_gates(configure, tree) -> None:
    """An unknown gate is an error that lists the gates."""
    config = configure(LOCKSTEP + '[gates]\nrequired = ["source-tag", "npm-publsh"]\n')
    with pytest.raises(ConfigError, match=r'gates\.required\[1\].*\n.*did you mean "npm-publish"'):
        plan_of(config, tree({}), "1.0.0", "1.0.0", ("source-tag", "npm-publish"))
    config = configure(LOCKSTEP + '[gates]\nrequired = ["source-tag"]\n')
    assert plan_of(config, tree({}), "1.0.0", "1.0.0", ("source-tag",)).required == ("source-tag",)


def test_acceptance_slots_are_artifacts_times_targets(configure, tree) -> None:
    """Each artifact on each target is one slot."""
    config = configure(
        LOCKSTEP
        + '[[package]]\n[[acceptance]]\nname = "real"\n'
        + 'artifacts = ["source", "packedNpm"]\ntargets = ["a", "b"]\n'
    )
    plan = plan_of(config, tree({"package.json": {"name": "a", "version": "1.0.0"}}))
    assert [slot.slot for slot in plan.acceptances] == [
        "real/source/a",
        "real/source/b",
        "real/packedNpm/a",
        "real/packedNpm/b",
    ]


def test_the_policy_is_the_content_and_not_the_layout(configure) -> None:
    """Comments, order and environment leave the policy digest; a value changes it."""
    one = configure(LOCKSTEP)
    two = configure(
        "# note\n" + '[github]\nrepository="acme/acme"\n[release]\nname="acme"\n',
        {"GITHUB_API_URL": "https://h/api/v3"},
    )
    three = configure(LOCKSTEP + "[npm]\nstable_reads = 3\n")
    assert one.policy == two.policy != three.policy
    assert len(one.policy) == 64


UPLOADS = {
    "https://api.github.com": "https://uploads.github.com",
    "https://api.acme.ghe.com": "https://uploads.acme.ghe.com",
    "https://git.acme.example/api/v3": "https://git.acme.example/api/uploads",
    "http://127.0.0.1:8080": "http://127.0.0.1:8080/api/uploads",
}


@pytest.mark.parametrize("api", UPLOADS)
def test_the_upload_host_follows_the_api(api: str, configure) -> None:
    """github.com, ghe.com and GitHub Enterprise Server each have their own upload address."""
    config = configure(
        '[release]\nname = "acme"\n[github]\n', {"GITHUB_REPOSITORY": "a/b", "GITHUB_API_URL": api}
    )
    assert config.github is not None
    assert config.github.uploads == UPLOADS[api]
    assert config.github.repository == "a/b"


def test_npm_defaults_come_from_the_environment(configure) -> None:
    """The registry is the file's, else npm's variable, else the public one; without a final slash."""
    text = '[release]\nname = "acme"\n'
    assert configure(text).npm.registry == PUBLIC_REGISTRY
    assert (
        configure(text, {"npm_config_registry": "http://localhost:4873/"}).npm.registry
        == "http://localhost:4873"
    )
    given = configure(
        text + '[npm]\nregistry = "https://r.example/npm/"\npropagation = "90s"\n',
        {"npm_config_registry": "http://x"},
    )
    assert given.npm.registry == "https://r.example/npm"
    assert given.npm.propagation == timedelta(seconds=90)


DIST_TAGS = {
    "1.0.0": "latest",
    "1.0.0+b1": "latest",
    "1.0.0-rc.1": "rc",
    "1.0.0-0": "next",
    "2.0.0-beta": "beta",
}


@pytest.mark.parametrize("version", DIST_TAGS)
def test_the_default_dist_tag_follows_the_version(version: str) -> None:
    """A prerelease never defaults to latest."""
    assert default_dist_tag(version) == DIST_TAGS[version]


MANIFESTS: dict[str, tuple[str | bytes | dict[str, object] | None, str]] = {
    "missing": (None, "does not exist in this commit"),
    "not json": ("{", "1:2: is not JSON"),
    "not utf-8": (b'{"name": "\xff"}', "is not UTF-8"),
    "not an object": ("[]", "is not a JSON object"),
    "key twice": ('{"name": "a", "name": "b"}', "the key 'name' is there twice"),
    "not a number": ('{"name": NaN}', "nested too deeply, or an odd number"),
    "too deep": ("[" * 200_000, "is not JSON that can be used"),
    "huge": (b" " * (5 * 1024 * 1024 + 1), "larger than 5 MiB"),
    "no name": ({"version": "1.0.0"}, "name: is missing"),
    "no version": ({"name": "a"}, "version: is missing"),
    "version a number": ({"name": "a", "version": 1}, "version: must be text"),
    "version odd": ({"name": "a", "version": "1.0"}, "'1.0' is not a semantic version"),
    "name odd": ({"name": "A b", "version": "1.0.0"}, "is not an npm package name"),
    "another name": (
        {"name": "b", "version": "1.0.0"},
        r"is 'b', and package\[0\].name in release.toml is 'a'",
    ),
}


@pytest.mark.parametrize("row", MANIFESTS)
def test_a_bad_manifest_is_explained(row: str, configure, tree) -> None:
    """The error names package.json at the commit."""
    content, message = MANIFESTS[row]
    config = configure(LOCKSTEP + '[[package]]\nname = "a"\npath = "sub"\n')
    files = {} if content is None else {"sub/package.json": content}
    with pytest.raises(ConfigError, match=message) as caught:
        plan_of(config, tree(files))
    assert caught.value.problems[0].file == f"sub/package.json at {COMMIT[:12]}"


def test_every_bad_manifest_is_listed(configure, tree) -> None:
    """Two bad manifests are two problems; two packages with one name are a problem."""
    config = configure(LOCKSTEP + '[[package]]\n[[package]]\npath = "b"\n')
    with pytest.raises(ConfigError, match="does not exist") as caught:
        plan_of(config, tree({}))
    assert len(caught.value.problems) == 2
    same = {
        "package.json": {"name": "a", "version": "1.0.0"},
        "b/package.json": {"name": "a", "version": "1.0.0"},
    }
    with pytest.raises(ConfigError, match=r"package\[1\]\.name: 'a' is there twice"):
        plan_of(config, tree(same))


def test_a_manifest_with_a_byte_order_mark_is_read_as_npm_reads_it(configure, tree) -> None:
    """npm strips the mark; so the plan does not refuse it."""
    config = configure(LOCKSTEP + "[[package]]\n")
    plan = plan_of(
        config, tree({"package.json": b'\xef\xbb\xbf{"name": "a", "version": "1.0.0", "private": true}'})
    )
    assert plan.packages[0].private
