"""The reader against a real registry (Verdaccio) that the real npm published to."""

import base64
import dataclasses
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from npm_fixtures import ROOT, load_registry_script, package_tgz, reading, require_npm, sri

from release.adapters.http import Credential, Meter
from release.domain.errors import CannotTell
from release.domain.facts.npm import Packument, Published, Tarball

pytestmark = pytest.mark.npm
ROUNDS = 6


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Verdaccio for this module's tests; each uses package names of its own."""
    require_npm()
    with load_registry_script().Registry(tmp_path_factory.mktemp("registry")) as running:
        yield running


def write_package(folder: Path, name: str, version: str = "1.0.0", **more: object) -> Path:
    """Write a small package."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"name": name, "version": version, **more}))
    (folder / "index.js").write_text("module.exports = 1\n")
    return folder


def look(registry: Any, name: str, version: str = "1.0.0") -> Packument:
    """Look up a version in a survey of its own."""
    with reading(registry.url) as reader:
        found = reader.packument(name, version)
    assert found is not None
    return found


def fetch(registry: Any, name: str, version: str = "1.0.0") -> tuple[Published, Tarball]:
    """Return a published version and its tarball."""
    with reading(registry.url) as reader:
        found = reader.packument(name, version)
        assert found is not None
        assert found.published is not None
        tarball = reader.tarball(found.published)
    assert tarball is not None
    return found.published, tarball


def test_what_npm_published_is_read_back(registry: Any, tmp_path: Path) -> None:
    """A scoped package: its integrity is that of the bytes served, and its tree is what was published."""
    registry.publish(write_package(tmp_path / "widget", "@acme/widget", main="index.js"))
    published, tarball = fetch(registry, "@acme/widget")
    assert published.integrity == tarball.integrity
    assert published.manifest["main"] == "index.js"
    assert [entry.path for entry in tarball.tree] == ["index.js", "package.json"]
    assert look(registry, "@acme/widget").times.keys() == {"1.0.0"}


def test_git_head_of_a_folder_and_of_a_tarball(registry: Any, tmp_path: Path) -> None:
    """C061: npm notes gitHead when it publishes a folder, and not when it publishes a tarball."""
    folder = write_package(tmp_path / "headed", "headed")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@e.test")
    for args in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "one")):
        subprocess.run(["git", *args], cwd=folder, env=env, check=True)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=folder, env=env, text=True).strip()
    registry.publish(folder)
    archive = tmp_path / "headless.tgz"
    archive.write_bytes(package_tgz({"package.json": b'{"name": "headless", "version": "1.0.0"}'}))
    registry.publish(archive)
    assert fetch(registry, "headed")[0].git_head == head
    assert fetch(registry, "headless")[0].git_head is None


def test_absent_packages_and_versions(registry: Any, tmp_path: Path) -> None:
    """An unknown name is None; an unknown version of a known name is not published, and not withdrawn."""
    registry.publish(write_package(tmp_path / "known", "known"))
    with reading(registry.url) as reader:
        assert reader.packument("@acme/unknown", "1.0.0") is None
        assert reader.packument("unknown", "1.0.0") is None
    found = look(registry, "known", "2.0.0")
    assert (found.published, found.unpublished) == (None, False)


def test_dist_tags_follow_npm(registry: Any, tmp_path: Path) -> None:
    """A prerelease under `next` and a moved `latest` are read as npm set them, past the ETag cache."""
    registry.publish(write_package(tmp_path / "one", "tagged", "1.0.0"))
    registry.publish(write_package(tmp_path / "two", "tagged", "2.0.0-rc.1"), "--tag", "next")
    meter, cache = Meter(), tmp_path / "cache"
    with reading(registry.url, cache=cache, meter=meter) as reader:
        assert reader.dist_tag("tagged", "latest", 2).reads == ("1.0.0", "1.0.0")
        assert reader.dist_tag("tagged", "next", 2).reads == ("2.0.0-rc.1", "2.0.0-rc.1")
    assert (meter.requests, meter.not_modified) == (2, 1)
    registry.npm("dist-tag", "add", "tagged@2.0.0-rc.1", "latest")
    with reading(registry.url, cache=cache) as reader:
        assert reader.dist_tag("tagged", "latest", 2).reads == ("2.0.0-rc.1", "2.0.0-rc.1")
        assert reader.satisfied("tagged", "latest")
        assert not reader.satisfied("tagged", "^2.0.0")


def test_a_tarball_that_the_registry_lost(registry: Any, tmp_path: Path) -> None:
    """This registry answers 500 for a file that it lost: unreachable, and no statement about the tarball."""
    registry.publish(write_package(tmp_path / "lost", "lost"))
    published = fetch(registry, "lost")[0]
    registry.tarball("lost", "1.0.0").unlink()
    with reading(registry.url) as reader, pytest.raises(CannotTell, match=r"^npm\.unreachable: .* 500"):
        reader.tarball(published)
    never = dataclasses.replace(published, tarball_url=published.tarball_url.replace("1.0.0", "9.9.9"))
    with reading(registry.url) as reader:
        assert reader.tarball(never) is None


def test_a_tampered_tarball_shows(registry: Any, tmp_path: Path) -> None:
    """K11: bytes that are not the integrity's are read whole, with their own digest."""
    registry.publish(write_package(tmp_path / "swapped", "@acme/swapped"))
    other = package_tgz({"package.json": b'{"name": "@acme/swapped", "version": "1.0.0"}', "evil.js": b"!"})
    registry.tarball("@acme/swapped", "1.0.0").write_bytes(other)
    published, tarball = fetch(registry, "@acme/swapped")
    assert published.integrity != tarball.integrity
    assert tarball.integrity.sri == sri(other)


def test_a_version_that_was_unpublished(registry: Any, tmp_path: Path) -> None:
    """npm unpublish removes the version; where the registry keeps its time, it is remembered."""
    for version in ("1.0.0", "1.1.0"):
        registry.publish(write_package(tmp_path / version, "withdrawn", version))
    registry.npm("unpublish", "withdrawn@1.1.0", "--force")
    found = look(registry, "withdrawn", "1.1.0")
    assert found.published is None
    stored = registry.packument("withdrawn")
    document = json.loads(stored.read_text())
    assert ("1.1.0" in document["time"]) == found.unpublished
    document["time"]["1.1.0"] = "2026-11-30T12:00:00.000Z"
    stored.write_text(json.dumps(document))
    assert look(registry, "withdrawn", "1.1.0").unpublished


def test_three_publishes_of_one_version_at_once(registry: Any) -> None:
    """A real race: one publish wins, and whichever bytes are stored then, they are seen as they are."""
    corrupt = 0
    for number in range(ROUNDS):
        version = f"1.0.{number}"
        bodies = [
            package_tgz({"package.json": _manifest("raced", version), "who.js": os.urandom(200_000)})
            for _ in range(3)
        ]
        put = partial(_put, registry, "raced", version, threading.Barrier(3))
        with ThreadPoolExecutor(3) as pool:
            statuses = list(pool.map(put, bodies))
        assert statuses.count(201) == 1, statuses
        published, tarball = fetch(registry, "raced", version)
        stored = registry.tarball("raced", version).read_bytes()
        assert tarball.integrity.sri == sri(stored)
        assert published.integrity.sri in {sri(body) for body in bodies}
        corrupt += published.integrity != tarball.integrity
    if not corrupt:
        # The race did not happen on this machine: make the state that it leaves by hand.
        loser = next(body for body in bodies if sri(body) != published.integrity.sri)
        registry.tarball("raced", version).write_bytes(loser)
        published, tarball = fetch(registry, "raced", version)
        corrupt += published.integrity != tarball.integrity
    assert corrupt


def _manifest(name: str, version: str) -> bytes:
    return json.dumps({"name": name, "version": version}).encode()


def _put(registry: Any, name: str, version: str, start: threading.Barrier, body: bytes) -> int:
    file = f"{name}-{version}.tgz"
    dist = {"integrity": sri(body), "tarball": f"{registry.url}/{name}/-/{file}"}
    document = {
        "_id": name,
        "name": name,
        "dist-tags": {"latest": version},
        "versions": {version: {"name": name, "version": version, "dist": dist}},
        "_attachments": {
            file: {
                "content_type": "application/octet-stream",
                "data": base64.b64encode(body).decode(),
                "length": len(body),
            }
        },
    }
    start.wait(30)
    status, _ = registry.put(f"/{name}", document, token=registry.token)
    return int(status)


def test_the_token_lets_npm_publish_and_nothing_else_does(registry: Any, tmp_path: Path) -> None:
    """The script's registry wants a token for a publish, and a reader's wrong token is only refused."""
    error = load_registry_script().RegistryError
    with pytest.raises(error, match="npm publish exited 1"):
        registry.publish(write_package(tmp_path / "denied", "denied"), token="")
    with reading(registry.url, credential=Credential(registry.url, f"Bearer {registry.token}")) as reader:
        assert reader.packument("denied", "1.0.0") is None


def test_the_script_runs_until_it_is_ended(tmp_path: Path) -> None:
    """scripts/registry.py prints its address as JSON, serves, and leaves nothing behind when killed."""
    require_npm()
    script = [sys.executable, str(ROOT / "scripts" / "registry.py"), "--state-dir", str(tmp_path)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        facts = json.loads(running.stdout.readline())
        with urllib.request.urlopen(f"{facts['url']}/-/ping", timeout=10) as answer:
            assert answer.status == 200
        assert facts["url"] in Path(facts["npmrc"]).read_text()
        running.kill()
    for _ in range(100):
        try:
            urllib.request.urlopen(f"{facts['url']}/-/ping", timeout=10).close()
        except OSError:
            return
        threading.Event().wait(0.1)
    raise AssertionError("the registry outlived the script that started it")
