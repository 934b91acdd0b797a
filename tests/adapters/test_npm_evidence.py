"""Packed tarballs as evidence: found by the next look, and only where commit, policy and bytes agree."""

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from npm_fixtures import package_tgz, require_npm, sri
from npm_project import NOW, POLICY, WIDGET, Project, git, made_project, package, paths

from release.adapters.evidence import BlobStore, EvidenceStore
from release.adapters.npm.shelf import Shelf
from release.domain.digests import Digest
from release.domain.errors import CannotTell
from release.domain.evidence import Evidence, Kind
from release.domain.facts.npm import NotPacked, Packed

pytestmark = pytest.mark.npm


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A committed workspace with one package, where npm is there to pack it."""
    require_npm()
    with made_project(tmp_path) as made:
        yield made


def test_the_second_look_packs_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first pack is evidence: a later look finds it, byte for byte, and makes no checkout."""
    first = project.pack()
    record = project.shelf.evidence.get(first.evidence)
    assert record is not None
    assert (record.kind, record.subject, record.commit) == (
        Kind.PACKAGE_BUILD,
        "@acme/widget",
        project.commit,
    )
    assert (record.policy, record.verdict, record.isolation) == (POLICY, "pass", "process")
    assert record.digest == str(first.tarball.integrity)
    assert record.tree == git(project.folder, "rev-parse", "HEAD^{tree}")
    assert set(record.tools) == {"npm", "node", "git"}
    with closing(project.packer()) as packer:
        assert packer.packed(package()) == first
        assert not list((project.tmp / "packing").rglob("package.json"))


def test_evidence_of_another_commit_or_policy_does_not_count(project: Project) -> None:
    """A change of the commit or of release.toml packs anew."""
    first = project.pack()
    with closing(project.packer(policy="8" * 64)) as packer:
        other = packer.packed(package())
    assert isinstance(other, Packed)
    assert other.evidence != first.evidence
    project.write({"packages/widget/index.js": "module.exports = 2\n"})
    assert project.pack().tarball.integrity != first.tarball.integrity


def test_a_pack_by_another_npm_is_made_again(project: Project) -> None:
    """Another npm may compress differently: its evidence is not taken for this npm's."""
    first = project.pack()
    shelf = project.shelf
    record = shelf.evidence.get(first.evidence)
    assert record is not None
    shutil.rmtree(project.tmp / "evidence" / "records")
    old = project.shelf.evidence.put(dataclasses.replace(record, tools={**record.tools, "npm": "6.0.0"}))
    assert project.pack().evidence != old.id


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_damaged_tarball_is_packed_again(project: Project, damage: str) -> None:
    """Evidence without its bytes proves nothing; packing again heals the store."""
    first = project.pack()
    blob = BlobStore(project.tmp / "evidence").path(first.tarball.sha256)
    if damage == "gone":
        blob.unlink()
    else:
        blob.chmod(0o644)
        blob.write_bytes(package_tgz({"package.json": b"{}"}))
    assert project.pack().tarball == first.tarball
    assert BlobStore(project.tmp / "evidence").open(first.tarball.sha256) is not None


def test_without_npm_a_package_cannot_be_looked_at(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing npm is cannot-tell with its own reason; evidence made elsewhere still counts."""
    tools = project.tmp / "only-git"
    tools.mkdir()
    found = shutil.which("git")
    assert found is not None
    (tools / "git").symlink_to(found)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tools))
        with closing(project.packer()) as packer, pytest.raises(CannotTell, match=r"^tool\.missing: npm "):
            packer.packed(package())
    first = project.pack()
    monkeypatch.setenv("PATH", str(tools))
    assert project.pack() == first


def built(project: Project, archive: bytes, **changes: object) -> Evidence:
    """Put a build's record, with its tarball, as `release build packages` elsewhere would."""
    blob = project.tmp / "built.tgz"
    blob.write_bytes(archive)
    with blob.open("rb") as stream:
        sha256 = BlobStore(project.tmp / "evidence").add(stream)
    record = Evidence(
        id="",
        kind=Kind.PACKAGE_BUILD,
        release="acme",
        version="1.0.0",
        commit=project.commit,
        tree="",
        subject="@acme/widget",
        digest=str(Digest("sha512", hashlib.sha512(archive).hexdigest())),
        size=len(archive),
        policy=POLICY,
        verdict="pass",
        exit_code=0,
        started_at=NOW,
        ended_at=NOW,
        platform="linux-x86_64",
        isolation="process",
        tools={"npm": "11.0.0"},
        data={"sha256": str(sha256), "differing": []},
    )
    return project.shelf.evidence.put(dataclasses.replace(record, **changes))  # type: ignore[arg-type]


BUILT = package(build=("npm", "run", "build"))
ARCHIVE = package_tgz({"package.json": json.dumps(WIDGET).encode(), "dist/index.js": b"built"})


def test_a_package_with_a_build_is_never_packed_here(project: Project) -> None:
    """Looking does not build: without evidence it is not packed, and no checkout is made."""
    with closing(project.packer()) as packer:
        assert packer.packed(BUILT) == NotPacked(other=False)
    assert not (project.tmp / "packing").exists()


def test_a_build_s_evidence_is_used(project: Project) -> None:
    """Evidence of a build of this commit, with its tarball, is what the package packs to."""
    record = built(project, ARCHIVE)
    with closing(project.packer()) as packer:
        packed = packer.packed(BUILT)
    assert isinstance(packed, Packed)
    assert (packed.evidence, packed.npm_version) == (record.id, "11.0.0")
    assert packed.tarball.integrity.sri == sri(ARCHIVE)
    assert paths(packed) == ["dist/index.js", "package.json"]


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": "b" * 40},
        {"policy": "8" * 64},
        {"digest": "sha512:" + "0" * 128},
        {"data": {"sha256": "sha256:" + "0" * 64, "differing": []}},
        {"data": {"sha256": "nonsense", "differing": []}},
        {"data": {}},
    ],
    ids=["commit", "policy", "other bytes", "no bytes", "malformed digest", "no data"],
)
def test_evidence_that_does_not_count_is_told_apart(project: Project, changes: dict[str, object]) -> None:
    """Evidence of another commit, policy or other bytes is no evidence, and is said to be there."""
    built(project, ARCHIVE, **changes)
    with closing(project.packer()) as packer:
        assert packer.packed(BUILT) == NotPacked(other=True)


def test_a_build_s_tarball_may_lie_in_another_store(project: Project) -> None:
    """Evidence directories of other machines bring their own tarballs."""
    built(project, ARCHIVE)
    elsewhere = project.tmp / "elsewhere"
    (project.tmp / "evidence").rename(elsewhere)
    own = project.tmp / "evidence"
    evidence = EvidenceStore(own, (elsewhere,))
    shelf = Shelf(evidence=evidence, blobs=BlobStore(own), others=(BlobStore(elsewhere),))
    with closing(project.packer(shelf=shelf)) as packer:
        assert isinstance(packer.packed(BUILT), Packed)


def test_packs_that_differ_are_told_and_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """An npm whose two packs differ: the paths are told, and the evidence does not say pass."""
    real, tools = shutil.which("npm"), project.tmp / "tools"
    tools.mkdir()
    wrapper = tools / "npm"
    wrapper.write_text(f'#!/bin/sh\n[ "$1" = pack ] && date +%N >stamp.js\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    packed = project.pack()
    assert packed.differing == ("stamp.js",)
    record = project.shelf.evidence.get(packed.evidence)
    assert record is not None
    assert record.verdict == "fail"
    assert project.pack() == packed
