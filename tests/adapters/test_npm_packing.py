"""What a commit packs to, with the real git and the real npm: its content, its failures, one checkout."""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from npm_fixtures import require_npm, sri
from npm_project import WIDGET, Project, git, made_project, package, paths

from release.domain.errors import CannotTell
from release.domain.facts.npm import Packed, PackFailed

pytestmark = pytest.mark.npm


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A committed workspace with one package, where npm is there to pack it."""
    require_npm()
    with made_project(tmp_path) as made:
        yield made


def test_a_package_is_packed_from_the_commit(project: Project) -> None:
    """Name, version, files and modes are the commit's; two packs agree; npm's version is told."""
    tool = {"packages/widget/bin/widget": "#!/usr/bin/env node\n"}
    project.write(tool, executable=("packages/widget/bin/widget",))
    packed = project.pack()
    assert packed.tarball.manifest["name"] == "@acme/widget"
    assert {entry.path: entry.mode for entry in packed.tarball.tree} == {
        "bin/widget": 0o755,
        "index.js": 0o644,
        "package.json": 0o644,
    }
    assert packed.differing == ()
    assert packed.npm_version.split(".")[0].isdigit()


def test_the_pack_is_what_npm_itself_makes_of_a_clone(project: Project) -> None:
    """The bytes are those of `npm pack` in a clean clone: what an honest publisher would publish."""
    clone = project.tmp / "clone"
    git(project.tmp, "clone", "-q", str(project.folder), str(clone))
    env = {"PATH": os.environ["PATH"], "HOME": str(project.tmp)}
    where = clone / "packages" / "widget"
    subprocess.run(["npm", "pack", "--silent"], cwd=where, env=env, check=True, stdout=subprocess.DEVNULL)
    assert project.pack().tarball.integrity.sri == sri((where / "acme-widget-1.0.0.tgz").read_bytes())


def test_a_dirty_working_tree_changes_nothing(project: Project) -> None:
    """G14: what is packed is the commit, not what happens to lie in the author's folder."""
    clean = project.pack()
    (project.folder / "packages/widget/dist").mkdir()
    (project.folder / "packages/widget/dist/old.js").write_text("old")
    (project.folder / "packages/widget/index.js").write_text("dirty")
    shutil.rmtree(project.tmp / "evidence")
    assert project.pack().tarball == clean.tarball


def test_ignore_files_of_the_workspace_root_count(project: Project) -> None:
    """npm leaves out what the workspace root ignores, also when it is committed; so does the pack."""
    project.write({".gitignore": "*.map\n", "packages/widget/index.js.map": "{}"})
    assert "index.js.map" not in paths(project.pack())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"name": "@acme/widget"}', "must have name and version"),
        ('{"name": "@acme/widget", }', "JSON"),
        ("", "package.json"),
    ],
)
def test_what_npm_refuses_is_a_failure_in_its_words(project: Project, text: str, words: str) -> None:
    """A malformed or missing manifest fails the package, with npm's own words and none of our paths."""
    project.write({"standalone/index.js": "", **({"standalone/package.json": text} if text else {})})
    with closing(project.packer()) as packer:
        failed = packer.packed(package("standalone"))
    assert isinstance(failed, PackFailed)
    assert words in failed.message
    assert str(project.tmp) not in failed.message
    assert len(failed.message) <= 1500


@pytest.mark.parametrize("value", [["left-pad"], True])
@pytest.mark.parametrize("key", ["bundledDependencies", "bundleDependencies"])
def test_bundled_dependencies_need_a_build(project: Project, key: str, value: object) -> None:
    """Bundled packages are not in a checkout: the package must declare its build."""
    with closing(project.packer()) as packer:
        failed = packer.packed(package(manifest={**WIDGET, key: value}))
    assert isinstance(failed, PackFailed)
    assert "release build packages" in failed.message


def test_pointers_to_content_elsewhere_need_a_build(project: Project) -> None:
    """A Git LFS pointer would be packed instead of the file; one that is not packed does no harm."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 5\n"
    project.write({"docs/image.png": pointer})
    assert "index.js" in paths(project.pack())
    project.write({"packages/widget/image.png": pointer})
    with closing(project.packer()) as packer:
        failed = packer.packed(package())
    assert isinstance(failed, PackFailed)
    assert "image.png" in failed.message


def test_submodules_need_a_build_where_they_would_be_packed(project: Project) -> None:
    """A submodule's folder is empty in a checkout: a package that ships it cannot be packed from there."""
    git(
        project.folder, "update-index", "--add", "--cacheinfo", f"160000,{project.commit},packages/widget/lib"
    )
    git(project.folder, "commit", "-qm", "submodule")
    project.commit = git(project.folder, "rev-parse", "HEAD")
    with closing(project.packer()) as packer:
        failed = packer.packed(package())
    assert isinstance(failed, PackFailed)
    assert "lib/" in failed.message
    git(project.folder, "checkout", "-q", "HEAD", "--", "packages")
    listed = json.dumps({**WIDGET, "files": ["index.js"]})
    (project.folder / "packages/widget/package.json").write_text(listed)
    git(project.folder, "commit", "-qam", "files")
    project.commit = git(project.folder, "rev-parse", "HEAD")
    assert paths(project.pack()) == ["index.js", "package.json"]


def test_packages_share_one_checkout_that_is_removed(project: Project) -> None:
    """Many packages asked for at once are packed from one checkout, each once; close removes everything."""
    names = [f"part-{number}" for number in range(4)]
    project.write(
        {f"packages/{name}/package.json": json.dumps({"name": name, "version": "1.0.0"}) for name in names}
    )
    packer = project.packer()
    results: dict[str, list[object]] = {name: [] for name in names}

    def ask(name: str) -> None:
        results[name].append(packer.packed(package(f"packages/{name}", name=name)))

    threads = [threading.Thread(target=ask, args=(name,)) for name in names for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for found in results.values():
        assert len(found) == 2
        assert found[0] is found[1]
        assert isinstance(found[0], Packed)
    checkouts = list((project.tmp / "packing").glob("*/checkout"))
    assert len(checkouts) == 1
    assert len(list(checkouts[0].parent.glob("packed/*"))) == 2 * len(names)
    packer.close()
    assert list((project.tmp / "packing").iterdir()) == []


def test_a_package_s_folder_stays_inside_the_checkout(project: Project) -> None:
    """A path that the commit does not have, or that leads out, is an error of its own."""
    with closing(project.packer()) as packer, pytest.raises(CannotTell, match="no folder packages/none"):
        packer.packed(package("packages/none"))
    with closing(project.packer()) as packer, pytest.raises(CannotTell, match=r"no folder \.\./\.\."):
        packer.packed(package("../.."))
