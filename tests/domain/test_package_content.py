"""Entry points and dependencies of a packed package: what users would miss is found, and nothing else."""

from typing import Any

import pytest

from release.domain.facts.npm import TreeEntry
from release.domain.package_content import (
    MISSING,
    UNRESOLVED,
    ContentProblem,
    content_problems,
    family_dependencies,
    internal_dependencies,
    listed,
    pinned_elsewhere,
    protocol_problems,
)

PATHS = (
    "package.json",
    "dist/index.js",
    "dist/index.mjs",
    "dist/index.cjs",
    "dist/index.d.ts",
    "dist/esm.d.mts",
    "dist/features/a.js",
    "dist/features/deep/b.js",
    "dist/pairs/x/x.js",
    "dist/pairs/y/z.js",
    "dist/pairs/x/x1.js",
    "lib/index.js",
    "lib/index.d.ts",
    "data.json",
    "addon.node",
    "bin/acme",
    "cli.js",
    "main.d.ts",
    "esm.mjs",
)
TREE = tuple(TreeEntry(path=path, mode=0o644, size=1, sha256="a" * 64) for path in PATHS)


def problems(**manifest: Any) -> list[str]:
    found = content_problems(manifest, TREE)
    assert {problem.code for problem in found} <= {MISSING}
    return [problem.message for problem in found]


RIGHT: dict[str, dict[str, Any]] = {
    "nothing declared": {},
    "empty strings declare nothing": {"main": "", "types": "", "bin": "", "module": ""},
    "other types declare nothing": {"main": False, "types": ["x"], "bin": 3, "browser": {"./x": False}},
    "main exact": {"main": "dist/index.js"},
    "main with ./": {"main": "./dist/index.js"},
    "main without extension": {"main": "./dist/index"},
    "main is json": {"main": "data"},
    "main is an addon": {"main": "addon"},
    "main is a folder": {"main": "lib"},
    "main is a folder with /": {"main": "./lib/"},
    "main goes around": {"main": "dist/../lib"},
    "module": {"module": "dist/index.mjs"},
    "module without extension": {"module": "dist/index"},
    "module as bundlers guess it": {"module": "esm", "browser": "esm"},
    "browser string": {"browser": "./dist/index.js"},
    "types exact": {"types": "dist/index.d.ts"},
    "typings": {"typings": "./dist/index.d.ts"},
    "types without extension": {"types": "main"},
    "types half an extension": {"types": "./dist/index.d"},
    "types of a folder": {"types": "lib"},
    "types beside js": {"types": "main.js"},
    "types beside mjs": {"types": "dist/esm.mjs"},
    "types by typesVersions": {"types": "index.d.ts", "typesVersions": {">=4.2": {"*": ["dist/*"]}}},
    "types by an exact typesVersions": {"types": "x.d.ts", "typesVersions": {"*": {"x.d.ts": ["main.d.ts"]}}},
    "bin string": {"bin": "cli.js"},
    "bin object": {"bin": {"acme": "./bin/acme", "acme-cli": "cli.js"}},
    "bin as npm normalises it": {
        "bin": {"a": "/cli.js", "b": "../cli.js", "c": "bin\\acme", "d": "bin//acme"}
    },
    "exports string": {"exports": "./dist/index.js"},
    "exports null": {"exports": None},
    "exports of nothing": {"exports": {}},
    "exports subpaths": {"exports": {".": "./dist/index.js", "./package.json": "./package.json"}},
    "exports conditions": {
        "exports": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs", "default": "./dist/index.js"}
    },
    "exports nested": {
        "exports": {".": {"node": {"import": "./dist/index.mjs", "require": {"default": "./dist/index.cjs"}}}}
    },
    "exports closes a subpath": {"exports": {".": "./cli.js", "./internal/*": None}},
    "exports array, the second is there": {"exports": {".": ["./gone.js", "./cli.js"]}},
    "exports array, mixed": {"exports": [None, {"import": "./gone.js"}, "./cli.js"]},
    "exports array of nothing": {"exports": {".": [None], "./b": []}},
    "exports pattern": {"exports": {"./features/*": "./dist/features/*.js"}},
    "exports pattern over folders": {"exports": {"./*": "./dist/features/deep/*"}},
    "exports pattern with a suffix": {"exports": {"./features/*.js": "./dist/features/*.js"}},
    "exports pattern, star twice": {"exports": {"./*": "./dist/pairs/*/*.js"}},
    "exports pattern, star before a digit": {"exports": {"./*": "./dist/pairs/*/*1.js"}},
    "exports pattern to one file": {"exports": {"./any/*": "./cli.js"}},
    "exports folder of old": {"exports": {"./lib/": "./lib/", "./": "./"}},
    "exports double slash": {"exports": "./dist//index.js"},
}

WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "main missing": ({"main": "dist/main.js"}, ["main: dist/main.js"]),
    "main of the empty folder": ({"main": "."}, ["main: ."]),
    "main is a folder without index": ({"main": "dist/features"}, ["main: dist/features"]),
    "main's extension is not guessed as module's": ({"main": "esm"}, ["main: esm"]),
    "main other case": ({"main": "Dist/index.js"}, ["main: Dist/index.js"]),
    "main half a name": ({"main": "dist/ind"}, ["main: dist/ind"]),
    "module missing": ({"module": "dist/esm.js"}, ["module: dist/esm.js"]),
    "browser missing": ({"browser": "web.js"}, ["browser: web.js"]),
    "types missing": ({"types": "index.d.ts"}, ["types: index.d.ts"]),
    "typings missing": ({"typings": "x"}, ["typings: x"]),
    "types is not code": ({"types": "cli"}, ["types: cli"]),
    "types of a js without any": ({"types": "gone.js"}, ["types: gone.js"]),
    "typesVersions leads nowhere": (
        {
            "types": "x.d.ts",
            "typesVersions": {"*": {"x*": ["gone/*"], "y": ["main.d.ts"]}, "<5": "main.d.ts"},
        },
        ["types: x.d.ts"],
    ),
    "typesVersions is for other paths": (
        {"types": "x.d.ts", "typesVersions": {"*": {"lib/*": ["main.d.ts"], "x*.js": ["main.d.ts"]}}},
        ["types: x.d.ts"],
    ),
    "bin missing": ({"bin": "bin/gone"}, ["bin: bin/gone"]),
    "bin's extension is not guessed": ({"bin": {"acme": "cli"}}, ["bin acme: cli"]),
    "one of two bins": ({"bin": {"a": "cli.js", "b": "gone.js"}}, ["bin b: gone.js"]),
    "exports missing": ({"exports": "./gone.js"}, ["exports .: ./gone.js"]),
    "exports without ./": ({"exports": "cli.js"}, ["exports .: cli.js does not start with ./"]),
    "exports' extension is not guessed": ({"exports": "./cli"}, ["exports .: ./cli"]),
    "exports of a folder": ({"exports": "./lib"}, ["exports .: ./lib"]),
    "exports one of two subpaths": (
        {"exports": {".": "./cli.js", "./b": "./b.js"}},
        ["exports ./b: ./b.js"],
    ),
    "exports each condition counts": (
        {"exports": {".": {"types": "./t.d.ts", "import": "./i.mjs", "default": "./cli.js"}}},
        ["exports .: ./t.d.ts", "exports .: ./i.mjs"],
    ),
    "exports array of missing": ({"exports": {".": ["./a.js", "./b.js", None]}}, ["exports .: ./a.js"]),
    "exports pattern matches nothing": (
        {"exports": {"./*": "./src/*.js"}},
        ["exports ./*: ./src/*.js matches no file"],
    ),
    "exports pattern, the stars differ": (
        {"exports": {"./*": "./dist/*/deep/*.js"}},
        ["exports ./*: ./dist/*/deep/*.js matches no file"],
    ),
    "exports pattern, dots are literal": (
        {"exports": {"./*": "./dist/features/*xjs"}},
        ["exports ./*: ./dist/features/*xjs matches no file"],
    ),
    "exports pattern, the star is not empty": (
        {"exports": {"./*": "./cli.js*"}},
        ["exports ./*: ./cli.js* matches no file"],
    ),
    "exports star without a pattern": (
        {"exports": {"./a": "./dist/features/*.js"}},
        ["exports ./a: ./dist/features/*.js"],
    ),
    "exports folder missing": ({"exports": {"./lib/": "./src/"}}, ["exports ./lib/: ./src/"]),
    "exports folder without the slash": ({"exports": {"./lib": "./lib/"}}, ["exports ./lib: ./lib/"]),
    "exports leaves the package": (
        {"exports": "./dist/../cli.js"},
        ["exports .: ./dist/../cli.js has a segment that Node refuses"],
    ),
    "exports into node_modules": (
        {"exports": {".": "./node_modules/x.js"}},
        ["exports .: ./node_modules/x.js has a segment that Node refuses"],
    ),
    "exports mixed": (
        {"exports": {".": "./cli.js", "import": "./cli.js"}},
        ["exports mixes subpaths and conditions, which Node refuses"],
    ),
    "exports of another type": ({"exports": {".": True}}, ["exports .: True is not a target"]),
    "everything (C076)": (
        {"main": "a.js", "types": "a.d.ts", "bin": {"a": "a"}, "exports": {"./a": "./a.js"}},
        ["main: a.js", "types: a.d.ts", "bin a: a", "exports ./a: ./a.js"],
    ),
}

LOCAL = (
    *(
        "workspace:*",
        "workspace:^1.0.0",
        "file:../b",
        "link:../b",
        "portal:../b",
        "catalog:",
        "catalog:react18",
    ),
    *("../b", "./b", "/srv/b", "~/b", " FILE:../b"),
)
INSTALLABLE = (
    *("^1.0.0", "~1.2", "*", "", "latest", ">=1 <2 || 3.x", "filed", "workspace", "npm:@acme/c@^1"),
    *("git+https://git.example/b.git", "acme/b#v1", "https://example.com/b.tgz"),
)


@pytest.mark.parametrize("row", RIGHT)
def test_what_resolves_is_no_problem(row: str) -> None:
    """What Node, TypeScript and npm find is not reported: real packages are written like this."""
    assert problems(**RIGHT[row]) == []


@pytest.mark.parametrize("row", WRONG)
def test_what_does_not_resolve_is_named(row: str) -> None:
    """Each missing target is named with the member that points at it (G14, C071, C073, C076)."""
    manifest, expected = WRONG[row]
    assert problems(**manifest) == expected


def test_an_empty_package_misses_everything() -> None:
    """A tarball of package.json alone has none of its targets (C071)."""
    found = content_problems({"main": "lib", "exports": {"./*": "./*"}}, ())
    assert [problem.message for problem in found] == ["main: lib", "exports ./*: ./* matches no file"]


@pytest.mark.parametrize("section", ["dependencies", "optionalDependencies", "peerDependencies"])
@pytest.mark.parametrize("wanted", LOCAL)
def test_what_nobody_can_install_is_named(section: str, wanted: str) -> None:
    """Protocols of the publisher's machine are found in every section that npm installs (G15, C085)."""
    manifest = {"name": "acme", section: {"@acme/b": wanted, "other": "^1.0.0"}}
    expected = (ContentProblem(code=UNRESOLVED, message=f"{section} @acme/b: {wanted}"),)
    assert content_problems(manifest, TREE) == protocol_problems(manifest) == expected


@pytest.mark.parametrize("wanted", INSTALLABLE)
def test_what_can_be_installed_is_no_problem(wanted: str) -> None:
    """Ranges, tags, aliases, git and URLs are things that a user's npm can fetch."""
    assert protocol_problems({"dependencies": {"@acme/b": wanted}}) == ()


def test_development_dependencies_do_not_matter_to_users() -> None:
    """npm never installs them for a user, and sections that are no objects hold nothing."""
    manifest = {"devDependencies": {"b": "workspace:*"}, "dependencies": ["b"], "peerDependencies": {"c": 1}}
    assert protocol_problems(manifest) == ()


def test_missing_targets_come_before_dependencies() -> None:
    """The first problem names the reason: without its files a package is broken for everyone."""
    found = content_problems({"main": "gone", "dependencies": {"b": "workspace:*"}}, TREE)
    assert [problem.code for problem in found] == [MISSING, UNRESOLVED]
    assert (MISSING, UNRESOLVED) == ("missing-target", "unresolved-protocol")


def test_internal_dependencies_are_those_on_the_given_names() -> None:
    """Each section that npm installs counts, aliases are followed, and each pair comes once."""
    manifest = {
        "dependencies": {"@acme/b": "^1.0.0", "other": "^1", "old": "npm:@acme/c@1.x", "plain": "npm:acme@2"},
        "optionalDependencies": {"@acme/c": " 1.2.3 ", "bare": "npm:@acme/b"},
        "peerDependencies": {"@acme/b": "^1.0.0", "acme": ""},
        "devDependencies": {"@acme/c": "0.0.0"},
    }
    assert internal_dependencies(manifest, {"@acme/b", "@acme/c", "acme"}) == (
        ("@acme/b", "^1.0.0"),
        ("@acme/c", "1.x"),
        ("acme", "2"),
        ("@acme/c", "1.2.3"),
        ("@acme/b", "*"),
        ("acme", "*"),
    )
    assert internal_dependencies(manifest, ()) == ()


@pytest.mark.parametrize("wanted", ["git+https://x.example/b.git", "acme/b", "workspace:*", "file:b"])
def test_what_is_not_looked_up_in_a_registry_is_left_out(wanted: str) -> None:
    """A registry cannot answer for git, URLs and paths."""
    assert internal_dependencies({"dependencies": {"@acme/b": wanted}}, ["@acme/b"]) == ()


def test_family_dependencies_are_platform_packages() -> None:
    """Optional dependencies beside the release's packages count, planned or not (C008, C010)."""
    optional = {
        "@acme/cli-linux-x64": "1.2.3",
        "@acme/other": "1.2.3",
        "acme-linux-x64": "1.2.3",
        "@widget/linux-x64": "1.2.3",
        "widget-win32": "1.2.3",
        "acmeish": "1",
        "@acmeish/x": "1",
        "fsevents": "2",
    }
    manifest = {"optionalDependencies": optional, "dependencies": {"@acme/needed": "1"}}

    def names(*packages: str) -> list[str]:
        return [name for name, _ in family_dependencies(manifest, packages)]

    assert names("@acme/cli") == ["@acme/cli-linux-x64", "@acme/other"]
    assert names("acme") == ["@acme/cli-linux-x64", "@acme/other", "acme-linux-x64"]
    assert names("@acme/cli", "widget") == [
        "@acme/cli-linux-x64",
        "@acme/other",
        "@widget/linux-x64",
        "widget-win32",
    ]
    assert names("nothing") == []


@pytest.mark.parametrize(
    "wanted", ["1.2.3", "=1.2.3", "v1.2.3", "1.2.3+build", "^1.2.3", "~1.0", "*", "1.x", "next"]
)
def test_a_pin_of_the_released_version_and_every_range_is_right(wanted: str) -> None:
    """Only an exact other version is a pin elsewhere; ranges and tags are not judged (C011)."""
    assert pinned_elsewhere({"dependencies": {"a": wanted}}, {"a": "1.2.3"}) == ()


@pytest.mark.parametrize("wanted", ["1.2.2", "=1.2.2", "v1.2.2", "1.2.4", "1.2.3-beta.1", "npm:a@1.2.2"])
def test_a_pin_of_another_version_is_found(wanted: str) -> None:
    """A package of the same release at exactly another version, in whatever spelling, is named (C011)."""
    found = pinned_elsewhere({"optionalDependencies": {"a": wanted, "b": "0.0.1"}}, {"a": "1.2.3"})
    assert [name for name, _ in found] == ["a"]


def test_a_list_of_problems_is_bounded_and_counts_the_rest() -> None:
    """A message stays short, hides nothing and lets no control character through."""
    found = tuple(ContentProblem(code=MISSING, message=f"main: {name}") for name in ("a", "b\x1b", "c"))
    assert listed(found, 3) == listed(found, 9) == r"main: a; 'main: b\x1b'; main: c"
    assert listed(found, 1) == "main: a; and 2 more"
    assert listed((), 3) == ""
