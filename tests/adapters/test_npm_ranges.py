"""Dependencies: which versions satisfy a range, as npm itself would choose."""

import json
import subprocess
import time
from collections.abc import Iterator
from random import Random

import pytest
from npm_fixtures import (
    NAME,
    PATH,
    Loopback,
    as_json,
    packument_of,
    reading,
    require_npm,
    sri,
    version_of,
    widget,
)

from release.adapters.npm.reader import NpmReader
from release.adapters.npm.versions import is_satisfied, parse_wanted


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A scripted registry."""
    with Loopback() as loopback:
        yield loopback


@pytest.fixture
def reader(server: Loopback) -> Iterator[NpmReader]:
    """A reader of one survey over the scripted registry."""
    with reading(server.url) as opened:
        yield opened


SATISFIED = {
    "1.0.0": True,
    "=1.0.0": True,
    "^1.0.0": True,
    "~1.2.0": False,
    ">=0.9 <2 || ^5": True,
    "1.x": True,
    "1 - 2": True,
    "": True,
    " ": True,
    "*": True,
    "latest": True,
    "next": True,
    "gone": False,
    "beta": False,
    "^2.0.0": False,
    "^2.0.0-rc.1": True,
    "npm:@acme/widget@^1": True,
    "npm:@acme/widget": True,
    "npm:@acme/gadget@^1": False,
    "workspace:*": False,
    "file:../widget": False,
    "git+https://git.example.com/acme/widget.git": False,
    "https://example.com/widget.tgz": False,
    "acme/widget": False,
    "catalog:": False,
    "link:../widget": False,
}


@pytest.mark.parametrize(("wanted", "expected"), SATISFIED.items(), ids=SATISFIED.keys())
def test_ranges_are_satisfied_as_npm_would(
    server: Loopback, reader: NpmReader, wanted: str, expected: bool
) -> None:
    """Ranges, dist-tags and aliases are looked up; what no registry can answer is not satisfied."""
    candidate = version_of(NAME, "2.0.0-rc.1", server.url + "/rc.tgz", sri(b"rc"))
    tags = {"latest": "1.0.0", "next": "2.0.0-rc.1", "gone": "0.1.0"}
    server.route(PATH, as_json(packument_of(NAME, widget(server), candidate, **{"dist-tags": tags})))
    assert reader.satisfied(NAME, wanted) is expected


def test_a_star_takes_a_prerelease_only_as_latest(server: Loopback, reader: NpmReader) -> None:
    """npm installs `latest` for *, also a prerelease; without such a tag no prerelease matches."""
    only = version_of(NAME, "1.0.0-rc.1", server.url + "/rc.tgz", sri(b"rc"))
    other = version_of("plain", "1.0.0-rc.1", server.url + "/rc.tgz", sri(b"rc"))
    server.route(PATH, as_json(packument_of(NAME, only)))
    server.route("/plain", as_json(packument_of("plain", other, **{"dist-tags": {"next": "1.0.0-rc.1"}})))
    assert reader.satisfied(NAME, "*")
    assert not reader.satisfied("plain", "*")


def test_a_dependency_of_an_unknown_package_is_not_satisfied(reader: NpmReader) -> None:
    """C086: a dependency that was never published is satisfied by nothing."""
    assert not reader.satisfied("unknown", "*")


@pytest.mark.parametrize("wanted", ["1.0.0" + " " * 4000 + "-", "1 " * 2000, "||" * 2000, "^1.0.0 " * 5000])
def test_a_hostile_range_costs_no_time(wanted: str) -> None:
    """A range comes from a published manifest: none may keep the observer busy."""
    started = time.monotonic()
    asked = parse_wanted(NAME, wanted)
    if asked is not None:
        is_satisfied(asked.range, ("1.0.0", "2.0.0" + " " * 250), {})
    assert time.monotonic() - started < 5


@pytest.mark.npm
def test_ranges_agree_with_npm_s_own_choice() -> None:
    """For generated ranges, versions and tags the answer is that of the npm that is installed."""
    require_npm()
    random = Random(7)
    # Not *: to npm a union with it is * alone, which matters for prereleases only.
    atoms = [
        "1",
        "1.2",
        "1.x",
        "1.2.3",
        "0.1",
        "2.0.0-alpha",
        "1.0.0-beta.2",
        "v1.0.0",
        "01.2.3",
        "latest",
    ]
    versions = ["0.0.1", "0.1.2", "1.0.0-beta.10", "1.0.0", "1.2.3", "2.0.0-alpha", "2.0.0", "3.0.0+build.5"]
    operators = ["", "^", "~", ">=", "<", ">", "<=", "~>", "^ ", "="]
    cases = []
    for _ in range(1500):
        wanted = " || ".join(
            random.choice(operators) + random.choice(atoms) for _ in range(random.randint(1, 2))
        )
        there = random.sample(versions, random.randint(0, 5))
        cases.append((wanted, there, {"latest": random.choice(there)} if there else {}))
    expected = _npm_picks(cases)
    assert len({*expected}) == 2
    for (wanted, there, tags), picked in zip(cases, expected, strict=True):
        asked = parse_wanted("pkg", wanted)
        satisfied = asked is not None and is_satisfied(asked.range, tuple(there), tags)
        assert satisfied is picked, (wanted, there, tags)


def _npm_picks(cases: list[tuple[str, list[str], dict[str, str]]]) -> list[bool]:
    root = subprocess.check_output(["npm", "root", "--global"], text=True).strip()
    script = """
      const modules = process.argv[1] + '/npm/node_modules/'
      const pick = require(modules + 'npm-pick-manifest'), npa = require(modules + 'npm-package-arg')
      const answer = ([wanted, there, tags]) => {
        const versions = Object.fromEntries(there.map(v => [v, {name: 'pkg', version: v}]))
        try {
          const spec = npa.resolve('pkg', wanted)
          return spec.registry && !!pick({name: 'pkg', 'dist-tags': tags, versions}, spec.fetchSpec)
        } catch { return false }
      }
      console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(answer)))
    """
    done = subprocess.run(
        ["node", "-e", script, root], input=json.dumps(cases), text=True, capture_output=True, check=True
    )
    return [bool(picked) for picked in json.loads(done.stdout)]
