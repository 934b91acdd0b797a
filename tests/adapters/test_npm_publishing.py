"""Publishing with the real npm: to a real registry (Verdaccio), and to a server that answers by script."""

import hashlib
import io
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from npm_fixtures import load_registry_script, package_tgz, reading, require_npm

from release.adapters.evidence import BlobStore
from release.adapters.npm.publishing import NpmWriter
from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.facts.npm import Packed, Tarball
from release.domain.plan import Package
from release.write_ports import Refused

pytestmark = pytest.mark.npm
SPY = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
exec "{npm}" "$@"
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Verdaccio for this module's tests; each uses package names of its own."""
    require_npm()
    with load_registry_script().Registry(tmp_path_factory.mktemp("registry")) as running:
        yield running


@pytest.fixture
def spied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an npm on PATH that writes down its arguments; return where."""
    require_npm()
    log, folder = tmp_path / "argv", tmp_path / "spy"
    folder.mkdir()
    log.touch()
    (folder / "npm").write_text(SPY.format(log=log, npm=shutil.which("npm")))
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


@dataclass
class Desk:
    """A writer for one package, and what it noted."""

    writer: NpmWriter
    package: Package
    packed: Packed
    noted: list[str]

    def publish(self, dist_tag: str = "latest") -> None:
        """Publish the package."""
        self.writer.publish(self.package, self.packed, dist_tag)


def desk(folder: Path, url: str, token: str | None, name: str, *visible: bool, **manifest: object) -> Desk:
    """Return a writer to ``url``; whether the registry has the version is as ``visible`` says, in turn."""
    inside = {"name": name, "version": "1.0.0", **manifest}
    body = package_tgz({"package.json": json.dumps(inside).encode(), "index.js": b"1\n"})
    blobs, noted = BlobStore(folder / "evidence"), []
    sha256 = blobs.add(io.BytesIO(body))
    tarball = Tarball(
        integrity=Digest("sha512", hashlib.sha512(body).hexdigest()),
        sha256=sha256,
        size=len(body),
        manifest=inside,
        tree=(),
    )
    package = Package(
        name=name,
        version="1.0.0",
        expected_version="1.0.0",
        path=".",
        manifest=inside,
        dist_tags=("latest",),
        build=None,
        tag="v1.0.0",
    )
    answers = list(visible)
    writer = NpmWriter(
        registry=url,
        token=token,
        blobs=blobs,
        is_published=lambda _: answers.pop(0) if answers else False,
        published=lambda one, _: noted.append(one.spec),
    )
    packed = Packed(tarball=tarball, npm_version="11", differing=(), evidence="")
    return Desk(writer=writer, package=package, packed=packed, noted=noted)


class Scripted:
    """A registry that answers every PUT with ``status``; None cuts the connection."""

    def __init__(self, status: int | None, body: object) -> None:
        self.seen: list[tuple[str, str]] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._say(404, {"error": "not found"})

            def do_PUT(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if status is None:
                    scripted.seen.append((self.command, self.path))
                    self.close_connection = True
                    return
                self._say(status, body)

            def _say(self, code: int, value: object) -> None:
                scripted.seen.append((self.command, self.path))
                text = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@contextmanager
def answering(status: int | None, body: object = None) -> Iterator[Scripted]:
    """Run a scripted registry."""
    require_npm()
    scripted = Scripted(status, body or {"error": "no", "success": False})
    thread = threading.Thread(target=scripted.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield scripted
    finally:
        scripted.server.shutdown()
        thread.join()
        scripted.server.server_close()


def integrity_of(registry: Any, name: str) -> str | None:
    """Return what the registry states, or None where it does not have 1.0.0."""
    with reading(registry.url) as reader:
        found = reader.packument(name, "1.0.0")
    return str(found.published.integrity) if found and found.published else None


def test_exactly_the_packed_bytes_are_published(registry: Any, tmp_path: Path, spied: Path) -> None:
    """The registry's integrity is the evidence's, the publish is noted, and the token is in no argv."""
    one = desk(tmp_path, registry.url, registry.token, "@acme/exact")
    one.publish("next")
    assert integrity_of(registry, "@acme/exact") == str(one.packed.tarball.integrity)
    assert one.noted == ["@acme/exact@1.0.0"]
    said = spied.read_text()
    assert "publish" in said
    assert "--tag=next" in said
    assert registry.token not in said
    assert registry.token not in repr(one.writer)


def test_a_version_that_exists_is_never_sent(registry: Any, tmp_path: Path, spied: Path) -> None:
    """Where the registry has the version npm is not even started: republishing is impossible from here."""
    one = desk(tmp_path, registry.url, registry.token, "@acme/there", True)
    one.publish()
    assert spied.read_text() == ""
    assert one.noted == []


@pytest.mark.parametrize("token", [None, "wrong-token"])
def test_a_missing_or_wrong_token_is_refused(registry: Any, tmp_path: Path, token: str | None) -> None:
    """Denied to act is failed with the catalogue's reason, and never "not there yet" (DESIGN §2)."""
    one = desk(tmp_path, registry.url, token, "@acme/denied")
    with pytest.raises(Refused, match=r"publishing @acme/denied@1\.0\.0") as caught:
        one.publish()
    assert caught.value.reason == "npm.publish-denied"
    assert one.noted == []
    assert integrity_of(registry, "@acme/denied") is None


def test_a_404_to_a_publish_is_a_refusal(tmp_path: Path) -> None:
    """npm answers 404 to a PUT that the credential may not make: it does not mean "absent" (G03)."""
    with answering(404) as server:
        one = desk(tmp_path, server.url, "some-token", "@acme/other-scope")
        with pytest.raises(Refused, match="credential may not make") as caught:
            one.publish()
    assert caught.value.reason == "npm.publish-denied"
    assert "some-token" not in caught.value.message


def test_a_403_for_a_version_that_is_there_is_no_refusal(tmp_path: Path) -> None:
    """E403 is npm's "you cannot publish over it", too: where the version is visible, look again (G02)."""
    with answering(403) as server:
        one = desk(tmp_path, server.url, "some-token", "@acme/twice", False, True)
        with pytest.raises(CannotTell, match="looking at the registry"):
            one.publish()
        other = desk(tmp_path, server.url, "some-token", "@acme/policy", False, False)
        with pytest.raises(Refused, match="permission or policy"):
            other.publish()
    assert (one.noted, other.noted) == ([], [])


@pytest.mark.parametrize("status", [409, 500, 503, None])
def test_everything_else_leaves_the_outcome_open(tmp_path: Path, status: int | None) -> None:
    """A conflict, a server error and a cut connection are "cannot tell", sent once, and not noted (G01)."""
    with answering(status) as server:
        one = desk(tmp_path, server.url, "some-token", "@acme/open")
        with pytest.raises(CannotTell, match="looking at the registry"):
            one.publish()
        assert [verb for verb, _ in server.seen].count("PUT") == 1
    assert one.noted == []


def test_no_manifest_leads_to_another_registry(registry: Any, tmp_path: Path) -> None:
    """``publishConfig`` inside the package can't send it, or the token, to another registry."""
    with answering(201) as elsewhere:
        config = {"registry": elsewhere.url, "@acme:registry": elsewhere.url, "tag": "stolen"}
        one = desk(tmp_path, registry.url, registry.token, "@acme/astray", publishConfig=config)
        one.publish()
        assert elsewhere.seen == []
    assert integrity_of(registry, "@acme/astray") == str(one.packed.tarball.integrity)


def test_no_lifecycle_script_runs(registry: Any, tmp_path: Path) -> None:
    """Publishing runs none of the package's own code."""
    mark = tmp_path / "ran"
    scripts = dict.fromkeys(("prepublishOnly", "prepare", "publish", "postpublish"), f"touch {mark}")
    desk(tmp_path, registry.url, registry.token, "@acme/scripts", scripts=scripts).publish()
    assert integrity_of(registry, "@acme/scripts") is not None
    assert not mark.exists()


def test_a_dist_tag_is_pointed(registry: Any, tmp_path: Path, spied: Path) -> None:
    """A missing dist-tag is set at exactly the version; without a credential that is refused by name."""
    one = desk(tmp_path, registry.url, registry.token, "@acme/tagged")
    one.publish()
    one.writer.add_dist_tag(one.package, "stable")
    with reading(registry.url) as reader:
        assert reader.dist_tag("@acme/tagged", "stable", 2).reads == ("1.0.0", "1.0.0")
    assert registry.token not in spied.read_text()
    nobody = desk(tmp_path, registry.url, None, "@acme/tagged")
    with pytest.raises(Refused, match=r"pointing other at @acme/tagged@1\.0\.0") as caught:
        nobody.writer.add_dist_tag(nobody.package, "other")
    assert caught.value.reason == "npm.dist-tag-denied"


def test_a_tarball_that_is_gone_is_not_published(registry: Any, tmp_path: Path) -> None:
    """Where the packed bytes are not kept any more nothing is packed anew in their place."""
    one = desk(tmp_path, registry.url, registry.token, "@acme/gone")
    shutil.rmtree(tmp_path / "evidence")
    with pytest.raises(CannotTell, match="not here any more"):
        one.publish()
    assert integrity_of(registry, "@acme/gone") is None
