"""Every kind of bad release.toml gets clear messages with file, key path and what is allowed."""

import os
from pathlib import Path

import pytest

from release.config import load
from release.domain.errors import ConfigError

GOOD = '[release]\nname = "acme"\n'
GITHUB = '[github]\nrepository = "acme/acme"\n'
PACKAGE = '[[package]]\nname = "acme"\n'
BINARY = '[[binary]]\nname = "acme"\ntargets = ["linux-x64", "darwin-arm64"]\n'
ARCHIVE = 'archive = "acme-{version}-{target}.tar.gz"\n'
PER_PACKAGE = '[release]\nname = "acme"\ntag = "{package}@{version}"\n'


def release(line: str) -> str:
    """A release.toml with one more line in [release]."""
    return GOOD + line + "\n"


def github(line: str) -> str:
    """A release.toml with one more line in [github]."""
    return GOOD + GITHUB + line + "\n"


def package(line: str) -> str:
    """A release.toml with one package that has one more line."""
    return GOOD + "[[package]]\n" + line + "\n"


def binary(lines: str) -> str:
    """A release.toml with a GitHub repository and one binary."""
    return GOOD + GITHUB + '[[binary]]\nname = "acme"\n' + lines + "\n"


def accept(lines: str) -> str:
    """A release.toml with a package and one acceptance."""
    return GOOD + PACKAGE + '[[acceptance]]\nname = "real"\n' + lines + "\n"


SOURCE = 'artifacts = ["source"]\ntargets = ["linux-x64"]\n'

# row name: (text, key path, part of the message, part of the fix)
ROWS: dict[str, tuple[str, str, str, str]] = {
    "not toml": ("release = [1,\n 2", "2:3", "is not TOML: Unclosed array", "https://toml.io"),
    "key twice": (GOOD + 'name = "b"\n', "3:", "is not TOML", "https://toml.io"),
    "table twice": (GOOD + "[release]\n", "3:", "is not TOML", "https://toml.io"),
    "nested too deeply": ("a = " + "[" * 100_000, "", "is not TOML", ""),
    "number too long": ("a = " + "1" * 5000, "", "is not TOML", ""),
    "empty file": ("", "release", "is required", "write it as [release]"),
    "unknown top table": (GOOD + "[realease]\n", "realease", "unknown key", 'did you mean "release"?'),
    "unknown key": (release('tagg = "v{version}"'), "release.tagg", "unknown key", 'did you mean "tag"?'),
    "unknown key in a package": (
        GOOD + PACKAGE + '[[package]]\nname = "b"\npath = "b"\ndisttags = ["x"]\n',
        "package[1].disttags",
        "unknown key",
        'did you mean "dist_tags"? allowed here: build, dist_tags, name, path',
    ),
    "odd unknown key": (GOOD + '[release."\\u0007"]\n', "release.'\\x07'", "unknown key", "allowed here"),
    "name missing": ('[release]\ntag = "v{version}"\n', "release.name", "is required", "The release's name"),
    "name not text": ("[release]\nname = 3\n", "release.name", "must be text", "allowed:"),
    "name empty": ('[release]\nname = " "\n', "release.name", "is empty", "some text"),
    "name with control": ('[release]\nname = "a\\u0007"\n', "release.name", "control", "visible text"),
    "name with bidi": ('[release]\nname = "a\\u202eb"\n', "release.name", "invisible", "visible text"),
    "name too long": (f'[release]\nname = "{"a" * 201}"\n', "release.name", "201 characters", "at most 200"),
    "name with spaces": ('[release]\nname = "a b"\n', "release.name", "is not a name", "letters, digits"),
    "table as value": ('release = "acme"\n', "release", "must be a table", "write it as [release]"),
    "single package table": (
        GOOD + '[package]\nname = "acme"\n',
        "package",
        "must be a list",
        "write it as [[package]]",
    ),
    "package not a table": ("package = [1]\n" + GOOD, "package[0]", "must be a table", "[[package]]"),
    "double npm table": (GOOD + "[[npm]]\n", "npm", "must be a table", "write it as [npm]"),
    "no packages": ("package = []\n" + GOOD, "package", "must not be empty", "one table each"),
    "schema 2": ("schema = 2\n" + GOOD, "schema", "is not a schema", "1, as a number"),
    "schema true": ("schema = true\n" + GOOD, "schema", "is not a schema", "1, as a number"),
    "schema text": ('schema = "1"\n' + GOOD, "schema", "is not a schema", "1, as a number"),
    "tag without version": (release('tag = "v1"'), "release.tag", "lacks {version}", '"v{version}" or'),
    "tag with unknown placeholder": (
        release('tag = "{pkg}@{version}"'),
        "release.tag",
        "unknown placeholder {pkg}",
        "the placeholders {version}, {package}",
    ),
    "tag with stray brace": (release('tag = "v{version"'), "release.tag", "stray brace", "placeholders"),
    "tag with conversion": (
        release('tag = "v{version!r}"'),
        "release.tag",
        "more than plain placeholders",
        "placeholders",
    ),
    "tag with attribute": (
        release('tag = "v{version.__class__}"'),
        "release.tag",
        "unknown placeholder",
        "placeholders",
    ),
    "tag with space": (release('tag = "v {version}"'), "release.tag", "not a git reference", "no space"),
    "tag with dots": (release('tag = "v..{version}"'), "release.tag", "not a git reference", "no .."),
    "tag with colon": (release('tag = "v:{version}"'), "release.tag", "not a git reference", "~ ^ :"),
    "tag ends in lock": (release('tag = "{version}.lock"'), "release.tag", "not a git reference", ".lock"),
    "tag with dash first": (release('tag = "-{version}"'), "release.tag", "not a git reference", "no - or /"),
    "tag with hidden part": (release('tag = "a/.{version}"'), "release.tag", "not a git reference", "begins"),
    "branches empty": (
        release("branches = []"),
        "release.branches",
        "must not be empty",
        "Branches of which",
    ),
    "branch twice": (release('branches = ["a", "a"]'), "release.branches[1]", "is there twice", "keep one"),
    "branch not a ref": (
        release('branches = ["a b"]'),
        "release.branches[0]",
        "not a git reference",
        "no sp",
    ),
    "branches as text": (release('branches = "main"'), "release.branches", "must be a list", "Branches"),
    "latest a word": (release('latest = "yes"'), "release.latest", "three settings", '"auto", true or false'),
    "latest a number": (release("latest = 1"), "release.latest", "three settings", '"auto", true or false'),
    "prerelease a word": (release('prerelease = "no"'), "release.prerelease", "three settings", '"auto"'),
    "immutable a word": (
        release('immutable = "yes"'),
        "release.immutable",
        "must be true or false",
        "allowed",
    ),
    "select unknown": (
        PER_PACKAGE + 'select = "some"\n' + PACKAGE,
        "release.select",
        'must be "changed" or "all"',
        "allowed",
    ),
    "select in lockstep": (release('select = "all"'), "release.select", "no meaning", "one tag per package"),
    "remote with password": (
        release('remote = "https://u:canary@example.com/a.git"'),
        "release.remote",
        "holds a credential",
        "without credentials",
    ),
    "remote with token": (
        release('remote = "https://canary@example.com/a.git"'),
        "release.remote",
        "holds a credential",
        "without credentials",
    ),
    "remote an option": (
        release('remote = "--upload-pack=x"'),
        "release.remote",
        "is an option",
        "a remote's",
    ),
    "remote a helper": (release('remote = "ext::sh -c x"'), "release.remote", "remote helper", "a remote's"),
    "remote scheme": (release('remote = "ftp://example.com/a"'), "release.remote", "uses ftp://", "https"),
    "extra assets empty": (
        GOOD + "extra_assets = []\n" + GITHUB,
        "release.extra_assets",
        "must not be empty",
        "Further expected assets",
    ),
    "extra asset with a slash": (
        GOOD + 'extra_assets = ["a/b"]\n' + GITHUB,
        "release.extra_assets[0]",
        "holds a slash",
        "without folders",
    ),
    "extra asset rewritten (G06)": (
        GOOD + 'extra_assets = ["App Manager.txt"]\n' + GITHUB,
        "release.extra_assets[0]",
        "would store the asset 'App Manager.txt' as 'App.Manager.txt'",
        "plan the name that GitHub keeps",
    ),
    "extra assets collide in case": (
        GOOD + 'extra_assets = ["a.txt", "A.txt"]\n' + GITHUB,
        "release.extra_assets[1]",
        "collides with 'a.txt'",
        "its own name",
    ),
    "extra assets without github": (
        release('extra_assets = ["a.txt"]'),
        "release.extra_assets",
        "needs a GitHub repository",
        "add [github]",
    ),
    "repository missing": (GOOD + "[github]\n", "github.repository", "is required", "owner/name"),
    "repository a url": (
        GOOD + '[github]\nrepository = "https://github.com/a/b"\n',
        "github.repository",
        "is not a repository",
        '"owner/name"',
    ),
    "repository with .git": (
        GOOD + '[github]\nrepository = "a/b.git"\n',
        "github.repository",
        "is not a repository",
        'without ".git"',
    ),
    "api not a url": (github('api = "github"'), "github.api", "is not an http or https address", "https://"),
    "api with credential": (github('api = "https://canary@h/"'), "github.api", "user name", "GITHUB_TOKEN"),
    "api with query": (github('api = "https://h/?a=1"'), "github.api", "query", "address such as"),
    "api with bad port": (github('api = "https://h:99999"'), "github.api", "is not an address", "address"),
    "checks empty": (github("required_checks = []"), "github.required_checks", "not be empty", "Check runs"),
    "check twice": (github('required_checks = ["a", "A"]'), "github.required_checks[1]", "twice", "keep one"),
    "registry ftp": (GOOD + '[npm]\nregistry = "ftp://r"\n', "npm.registry", "http or https", "an address"),
    "registry with password": (
        GOOD + '[npm]\nregistry = "https://u:canary@r"\n',
        "npm.registry",
        "user name or password",
        "NPM_TOKEN",
    ),
    "propagation a number": (GOOD + "[npm]\npropagation = 600\n", "npm.propagation", "must be text", '"10m"'),
    "propagation a word": (
        GOOD + '[npm]\npropagation = "soon"\n',
        "npm.propagation",
        "not a duration",
        '"10m"',
    ),
    "propagation zero": (GOOD + '[npm]\npropagation = "0s"\n', "npm.propagation", "not a duration", '"10m"'),
    "propagation a month": (GOOD + '[npm]\npropagation = "999h"\n', "npm.propagation", "a week", '"168h"'),
    "stable reads text": (GOOD + '[npm]\nstable_reads = "2"\n', "npm.stable_reads", "whole number", "reads"),
    "stable reads zero": (GOOD + "[npm]\nstable_reads = 0\n", "npm.stable_reads", "at least 1", "reads"),
    "stable reads true": (GOOD + "[npm]\nstable_reads = true\n", "npm.stable_reads", "whole number", "reads"),
    "stable reads many": (GOOD + "[npm]\nstable_reads = 99\n", "npm.stable_reads", "at most 10", "reads"),
    "stable reads 1.5": (GOOD + "[npm]\nstable_reads = 1.5\n", "npm.stable_reads", "whole number", "reads"),
    "package name": (
        package('name = "@acme"'),
        "package[0].name",
        "not an npm package name",
        '"@scope/name"',
    ),
    "package name hidden": (
        package('name = ".acme"'),
        "package[0].name",
        "not an npm package name",
        "not beg",
    ),
    "package name reserved": (
        package('name = "node_modules"'),
        "package[0].name",
        "not an npm",
        "at most 214",
    ),
    "package name long": (package(f'name = "{"a" * 200}b/c"'), "package[0].name", "characters", "at most"),
    "package twice": (
        GOOD + PACKAGE + '[[package]]\nname = "Acme"\npath = "b"\n',
        "package[1].name",
        "is there twice, first as package[0].name",
        "keep one",
    ),
    "path twice": (
        GOOD + '[[package]]\npath = "a"\n[[package]]\npath = "./a/"\n',
        "package[1].path",
        "is there twice",
        "keep one",
    ),
    "path absolute": (package('path = "/etc"'), "package[0].path", "is an absolute path", "a relative path"),
    "path windows": (package('path = "C:/a"'), "package[0].path", "is an absolute path", "a relative path"),
    "path home": (package('path = "~/a"'), "package[0].path", "is an absolute path", "a relative path"),
    "path backslash": (package("path = 'a\\b'"), "package[0].path", "holds a backslash", "a relative path"),
    "path up": (package('path = "a/../../b"'), "package[0].path", "leaves the repository", "a relative path"),
    "path .git": (package('path = ".GIT/hooks"'), "package[0].path", "inside .git", "a relative path"),
    "dist-tags empty": (package("dist_tags = []"), "package[0].dist_tags", "must not be empty", "Dist-tags"),
    "dist-tag a range": (
        package('dist_tags = ["1.x"]'),
        "package[0].dist_tags[0]",
        "not a dist-tag",
        "range",
    ),
    "dist-tag a v range": (
        package('dist_tags = ["v2"]'),
        "package[0].dist_tags[0]",
        "not a dist-tag",
        "range",
    ),
    "dist-tag twice": (package('dist_tags = ["a", "a"]'), "package[0].dist_tags[1]", "twice", "keep one"),
    "build a string": (
        package('build = "npm run build"'),
        "package[0].build",
        "must be a list of arguments, not one string",
        '["npm", "run", "build"]',
    ),
    "build an open quote": (package('build = "a \'b"'), "package[0].build", "not one string", "["),
    "build empty": (package("build = []"), "package[0].build", "must not be empty", "a list of arguments"),
    "build empty argument": (package('build = [""]'), "package[0].build[0]", "empty argument", "arguments"),
    "build numbers": (package("build = [1]"), "package[0].build[0]", "must be text", "a list of arguments"),
    "binary without targets": (binary(ARCHIVE), "binary[0].targets", "is required", "Targets, such as"),
    "binary targets empty": (
        binary("targets = []\n" + ARCHIVE),
        "binary[0].targets",
        "not be empty",
        "Targets",
    ),
    "binary without archive": (
        binary('targets = ["a"]'),
        "binary[0].archive",
        "is required",
        "such as `acme",
    ),
    "binary target twice": (
        binary('targets = ["a", "A"]\n' + ARCHIVE),
        "binary[0].targets[1]",
        "is there twice",
        "keep one",
    ),
    "binary target with slash": (
        binary('targets = ["a/b"]\n' + ARCHIVE),
        "binary[0].targets[0]",
        "is not one word",
        "letters, digits",
    ),
    "archive without target": (
        GOOD + GITHUB + BINARY + 'archive = "acme-{version}.tar.gz"\n',
        "binary[0].archive",
        "lacks {target}",
        "acme-{version}-{target}.tar.gz",
    ),
    "archive unknown placeholder": (
        binary('targets = ["a"]\narchive = "acme-{os}.zip"'),
        "binary[0].archive",
        "unknown placeholder {os}",
        "{name}, {version}, {target}, {tag}",
    ),
    "archive with folder": (
        binary('targets = ["a"]\narchive = "dist/{target}.zip"'),
        "binary[0].archive",
        "holds a slash",
        "without folders",
    ),
    "archive rewritten": (
        binary('targets = ["a"]\narchive = "acme ({version}).zip"'),
        "binary[0].archive",
        "GitHub would store the asset",
        "plan the name",
    ),
    "archive collides with checksums": (
        binary('targets = ["a"]\narchive = "sha256sums"') + "[checksums]\n",
        "checksums.file",
        "collides with 'sha256sums' of binary[0].archive",
        "its own name",
    ),
    "archives of two binaries collide (G18)": (
        binary('targets = ["a"]\narchive = "x-{target}.zip"')
        + '[[binary]]\nname = "other"\ntargets = ["a"]\narchive = "x-{target}.zip"\n',
        "binary[1].archive",
        "collides with 'x-a.zip' of binary[0].archive",
        "its own name",
    ),
    "binary twice": (
        binary('targets = ["a"]\narchive = "x-{target}.zip"')
        + '[[binary]]\nname = "acme"\ntargets = ["a"]\narchive = "y-{target}.zip"\n',
        "binary[1].name",
        "is there twice",
        "keep one",
    ),
    "executable outside": (
        binary('targets = ["a"]\nexecutable = "../acme"\n' + ARCHIVE),
        "binary[0].executable",
        "leaves the repository",
        "a relative path",
    ),
    "binary without github": (GOOD + BINARY + ARCHIVE, "binary", "needs a GitHub repository", "add [github]"),
    "too many assets": (
        GOOD + "extra_assets = [" + ", ".join(f'"a{i}"' for i in range(1001)) + "]\n" + GITHUB,
        "",
        "would hold 1001 assets",
        "at most 1000",
    ),
    "checksums without github": (GOOD + "[checksums]\n", "checksums", "needs a GitHub", "add [github]"),
    "checksums md5": (
        github("") + '[checksums]\nalgorithm = "md5"\n',
        "checksums.algorithm",
        'must be "sha256" or "sha512"',
        "digest algorithm",
    ),
    "checksums placeholder": (
        github("") + '[checksums]\nfile = "{target}.sums"\n',
        "checksums.file",
        "unknown placeholder {target}",
        "{version}, {tag}",
    ),
    "manifest without github": (GOOD + "[manifest]\n", "manifest", "needs a GitHub", "add [github]"),
    "changesets branch": (
        github("") + '[changesets]\nbranch = "a..b"\n',
        "changesets.branch",
        "not a git reference",
        "no ..",
    ),
    "independent without packages": (PER_PACKAGE, "release.tag", "no package is declared", "[[package]]"),
    "binary without package": (
        PER_PACKAGE
        + GITHUB
        + PACKAGE
        + '[[package]]\nname = "b"\npath = "b"\n[[binary]]\nname = "x"\ntargets = ["a"]\n'
        + ARCHIVE,
        "binary[0].package",
        "is required where each package has its own release",
        "one of acme, b",
    ),
    "binary of unknown package": (
        PER_PACKAGE + GITHUB + PACKAGE + BINARY + ARCHIVE + 'package = "acne"\n',
        "binary[0].package",
        "'acne' is not a package here",
        'did you mean "acme"?',
    ),
    "binary package in lockstep": (
        GOOD + GITHUB + PACKAGE + BINARY + ARCHIVE + 'package = "acme"\n',
        "binary[0].package",
        "no meaning",
        "one tag per package",
    ),
    "suite unknown key": (
        GOOD + '[[suite]]\nname = "s"\nrepeat = 3\n',
        "suite[0].repeat",
        "unknown key",
        "repetitions",
    ),
    "suite twice": (
        GOOD + '[[suite]]\nname = "s"\n[[suite]]\nname = "s"\n',
        "suite[1].name",
        "is there twice",
        "keep one",
    ),
    "suite budget": (
        GOOD + '[[suite]]\nname = "s"\nbudgets = {wall = "x"}\n',
        "suite[0].budgets.wall",
        "not a duration",
        '"10m"',
    ),
    "acceptance artifact": (
        accept('artifacts = ["npm"]\ntargets = ["linux-x64"]'),
        "acceptance[0].artifacts[0]",
        "is not an artifact",
        '"packedNpm"',
    ),
    "acceptance without targets": (
        accept('artifacts = ["source"]'),
        "acceptance[0].targets",
        "is required",
        "Platforms",
    ),
    "acceptance without launcher": (
        accept(SOURCE + 'command = ["node", "x.js"]'),
        "acceptance[0].command",
        "does not run the artifact",
        "{launcher}",
    ),
    "acceptance of npm without package": (
        GOOD + '[[acceptance]]\nname = "r"\nartifacts = ["packedNpm"]\ntargets = ["linux-x64"]\n',
        "acceptance[0].artifacts",
        "names an npm artifact",
        "[[package]]",
    ),
    "acceptance of binary without binary": (
        accept('artifacts = ["builtBinary"]\ntargets = ["linux-x64"]'),
        "acceptance[0].artifacts",
        "names a binary artifact",
        "[[binary]]",
    ),
    "acceptance of unbuilt target": (
        GOOD
        + GITHUB
        + BINARY
        + ARCHIVE
        + '[[acceptance]]\nname = "r"\nartifacts = ["builtBinary"]\ntargets = ["linux-x46"]\n',
        "acceptance[0].targets",
        "no binary is built for 'linux-x46'",
        'did you mean "linux-x64"?',
    ),
    "smoke exit code": (
        GOOD
        + '[[smoke]]\nname = "s"\nartifacts = ["source"]\ncommand = ["{launcher}"]\nexit_codes = [256]\n',
        "smoke[0].exit_codes[0]",
        "at most 255",
        "Exit codes",
    ),
    "smoke without launcher": (
        GOOD + '[[smoke]]\nname = "s"\nartifacts = ["source"]\ncommand = ["true"]\n',
        "smoke[0].command",
        "does not run the artifact",
        "{launcher}",
    ),
    "required gates empty": (
        GOOD + "[gates]\nrequired = []\n",
        "gates.required",
        "not be empty",
        "Gates that",
    ),
    "required gate twice": (
        GOOD + '[gates]\nrequired = ["source-tag", "source-tag"]\n',
        "gates.required[1]",
        "is there twice",
        "keep one",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_bad_release_toml_is_explained(row: str, tmp_path: Path) -> None:
    """One problem, with the file, the key path, what is wrong and what is allowed; exit code 4."""
    text, place, message, fix = ROWS[row]
    path = tmp_path / "release.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r".") as caught:
        load(path, {})
    problem = caught.value.problems[0]
    assert len(caught.value.problems) == 1, [str(each) for each in caught.value.problems]
    assert caught.value.exit_code == 4
    assert problem.file == str(path)
    assert problem.place.startswith(place) if place.endswith(":") else problem.place == place
    assert message in problem.message
    assert fix in problem.fix
    assert "canary" not in str(caught.value)


def test_all_mistakes_of_one_file_are_listed(tmp_path: Path) -> None:
    """Three mistakes in three tables are three problems."""
    path = tmp_path / "release.toml"
    path.write_text('[release]\ntag = "v"\n[npm]\nstable_reads = 0\n[[package]]\npath = "/"\n')
    with pytest.raises(ConfigError, match=r"release\.name") as caught:
        load(path, {})
    places = {problem.place for problem in caught.value.problems}
    assert places == {"release.name", "release.tag", "npm.stable_reads", "package[0].path"}


def test_all_cross_rules_of_one_file_are_listed(tmp_path: Path) -> None:
    """Rules across keys do not hide each other."""
    path = tmp_path / "release.toml"
    path.write_text(GOOD + 'select = "all"\n[checksums]\n[manifest]\n')
    with pytest.raises(ConfigError, match=r"checksums") as caught:
        load(path, {})
    places = {problem.place for problem in caught.value.problems}
    assert places == {"release.select", "checksums", "manifest"}


FILES: dict[str, tuple[bytes, str]] = {
    "byte order mark": (b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark"),
    "UTF-16": (GOOD.encode("utf-16"), "byte order mark"),
    "Latin-1": (GOOD.encode() + b"# \xe9\n", "is not UTF-8"),
    "NUL": (GOOD.encode() + b"\0\n", "is not TOML"),
    "huge": (b"#" * (1024 * 1024 + 1), "larger than 1 MiB"),
}


@pytest.mark.parametrize("row", FILES)
def test_bytes_that_are_no_text_are_explained(row: str, tmp_path: Path) -> None:
    """Bytes that are not UTF-8 TOML name the file and the remedy."""
    raw, message = FILES[row]
    path = tmp_path / "release.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError, match=message) as caught:
        load(path, {})
    assert caught.value.problems[0].file == str(path)


def test_the_place_of_a_byte_that_is_not_utf8_is_line_and_column(tmp_path: Path) -> None:
    """The third line's third byte is 3:3."""
    path = tmp_path / "release.toml"
    path.write_bytes(GOOD.encode() + b"# \xe9\n")
    with pytest.raises(ConfigError, match="3:3"):
        load(path, {})


def test_things_that_are_no_file_are_explained(tmp_path: Path) -> None:
    """A folder, a pipe, a missing file, a path through a file and a path with NUL: each has its words."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("")
    rows = {
        tmp_path: "is a folder|is not a file",
        tmp_path / "pipe": "is not a file",
        tmp_path / "nowhere.toml": "does not exist",
        tmp_path / "file" / "release.toml": "does not exist",
        tmp_path / "a\0b": "cannot be read",
    }
    for path, message in rows.items():
        with pytest.raises(ConfigError, match=message) as caught:
            load(path, {})
        assert caught.value.problems[0].fix


def test_a_file_that_may_not_be_read_is_explained(tmp_path: Path) -> None:
    """No permission names the reason; shown in a process that is not root."""
    path = tmp_path / "release.toml"
    path.write_text(GOOD)
    path.chmod(0)
    if os.geteuid() == 0:
        code = _as_nobody(path)
    else:
        code = _loads(path)
    assert code == 0


def _loads(path: Path) -> int:
    try:
        load(path, {})
    except ConfigError as error:
        return 0 if "cannot be read: Permission denied" in str(error) else 2
    return 1


def _as_nobody(path: Path) -> int:
    for folder in (path.parent, *path.parent.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        os._exit(_loads(path))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


ENVIRONMENT: dict[str, tuple[dict[str, str], str]] = {
    "repository": (
        {"GITHUB_REPOSITORY": "nonsense"},
        "environment: GITHUB_REPOSITORY: 'nonsense' is not a rep",
    ),
    "api": (
        {"GITHUB_REPOSITORY": "a/b", "GITHUB_API_URL": "https://u:canary@h"},
        "environment: GITHUB_API_URL: holds a user name or password",
    ),
    "registry": (
        {"GITHUB_REPOSITORY": "a/b", "npm_config_registry": "canary"},
        "environment: npm_config_registry: is not an http or https address",
    ),
}


@pytest.mark.parametrize("row", ENVIRONMENT)
def test_a_bad_environment_is_explained(row: str, tmp_path: Path) -> None:
    """A value from the environment is named as such, and never shown where it may be secret."""
    env, message = ENVIRONMENT[row]
    path = tmp_path / "release.toml"
    path.write_text(GOOD + "[github]\n")
    with pytest.raises(ConfigError, match=message.replace("[", r"\[")) as caught:
        load(path, env)
    assert "canary" not in str(caught.value)
