"""Files at a commit and a clean checkout of it, from verified objects and nothing else."""

import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from git_fixtures import Repo, snapshot

from release.adapters.git.checkout import Checkout
from release.adapters.git.export import Export
from release.adapters.git.objects import parse_commit, parse_tag, parse_tree
from release.adapters.git.repository import Opening, Repository
from release.adapters.git.source import Source
from release.domain.errors import CannotTell, InputError

At = Callable[[str], Source]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo.init(tmp_path / "up stream")


@pytest.fixture
def at(repo: Repo, tmp_path: Path) -> Iterator[At]:
    """Opens the source at a commit, with the repository as remote and no checkout."""
    with Repository(Opening(state=tmp_path / "state", remote=str(repo.path), base=tmp_path)) as repository:
        yield repository.source


def _tree(repo: Repo, *entries: tuple[str, bytes, bytes]) -> str:
    """Write a commit whose root tree has these entries (mode, name, content), however forbidden."""
    raw = b""
    for mode, name, content in entries:
        kind = "tree" if mode == "40000" else "blob"
        oid = repo("hash-object", "-w", "-t", kind, "--literally", "--stdin", stdin=content)
        raw += f"{mode} ".encode() + name + b"\0" + bytes.fromhex(oid)
    tree = repo("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    commit = repo("commit-tree", tree, "-m", "odd")
    repo("update-ref", "refs/heads/odd", commit)
    return commit


def _subtree(*entries: tuple[str, bytes, str]) -> bytes:
    return b"".join(f"{mode} ".encode() + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)


def test_files_are_read_at_the_commit(repo: Repo, at: At) -> None:
    """Bytes as committed, in any folder and name; absent files, folders and paths outside are None."""
    files: dict[str, str | bytes] = {
        "a.txt": b"a\r\nb\0\xff",
        "dir/with space/é@x.json": "{}",
        "empty": "",
        "new\nline": "n",
        "-dash": "d",
    }
    source = at(repo.commit(files))
    repo.commit({"a.txt": "later"})
    expected = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    assert {name: source.read(name) for name in files} == expected
    assert source.read("./dir/../a.txt") == expected["a.txt"]
    assert [source.read(path) for path in ("absent", "dir", "dir/absent", "a.txt/x", "..", "../x", ".")] == [
        None
    ] * 7


@pytest.mark.parametrize("path", ["/etc/passwd", "a\0b"])
def test_what_is_no_relative_path_is_an_error(repo: Repo, at: At, path: str) -> None:
    """An absolute path is not "absent"."""
    with pytest.raises(InputError, match="is not a relative path"):
        at(repo.commit({"a": "1"})).read(path)


def test_links_are_followed_inside_the_tree_only(repo: Repo, at: At) -> None:
    """A manifest may be a link, as it is in a checkout; a link out of the repository leads to nothing."""
    repo.write({"real/package.json": "{}"})
    links = {
        "package.json": "real/package.json",
        "folder": "real",
        "twice": "folder/package.json",
        "real/up": "../real/package.json",
        "loop": "loop",
        "away": "../outside",
        "root": "/etc/passwd",
    }
    for name, target in links.items():
        (repo.path / name).symlink_to(target)
    source = at(repo.commit())
    for path in ("package.json", "folder/package.json", "twice", "real/up"):
        assert source.read(path) == b"{}"
    assert [source.read(path) for path in ("loop", "away", "root", "folder")] == [None] * 4


def test_the_parents_file_is_the_first_parents(repo: Repo, at: At) -> None:
    """A merge's first parent counts; a root commit has none."""
    root = repo.commit({"a": "1"})
    repo("checkout", "-q", "-b", "side")
    repo.commit({"a": "side"})
    repo("checkout", "-q", "main")
    repo.commit({"b": "2"})
    repo("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = at(repo("rev-parse", "HEAD"))
    assert (merge.read("a"), merge.read_parent("a"), merge.read_parent("absent")) == (b"side", b"1", None)
    assert at(root).read_parent("a") is None


def test_tree_and_date_are_the_commits(repo: Repo, at: At) -> None:
    """The date is the committer's, in seconds UTC whatever the zone."""
    repo.write({"a": "1"})("add", "-A")
    dates = {"GIT_COMMITTER_DATE": "1700000000 +0530", "GIT_AUTHOR_DATE": "1600000000 -0800"}
    repo("commit", "-q", "-m", "x\n\ncommitter x <y> 1 +0000", env=dates)
    source = at(repo("rev-parse", "HEAD"))
    assert source.commit_date == 1700000000
    assert source.tree_id == repo("rev-parse", "HEAD^{tree}")


def test_an_unknown_commit_is_cannot_tell(repo: Repo, at: At) -> None:
    """A commit that is neither here nor on the remote is missing, not empty."""
    repo.commit({"a": "1"})
    with pytest.raises(CannotTell, match=r"git\.commit-missing: d{40} is neither here nor on .*up stream"):
        at("d" * 40).read("a")


def test_an_id_of_something_else_is_not_a_commit(repo: Repo, at: At) -> None:
    """A tree's id names no release."""
    commit = repo.commit({"a": "1"})
    tree = repo("rev-parse", "HEAD^{tree}")
    assert at(commit).read("a") == b"1"
    with pytest.raises(CannotTell, match="is a tree, where a commit was expected"):
        at(tree).read("a")


def _corrupt(repo: Repo, oid: str, kind: str, content: bytes) -> None:
    path = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def test_bytes_that_are_not_what_the_id_names_are_refused(repo: Repo, tmp_path: Path) -> None:
    """R-INT-16: a planted object in the borrowed checkout is caught by its hash, in reading and exporting."""
    commit = repo.commit({"a": "good"})
    _corrupt(repo, repo("rev-parse", "HEAD:a"), "blob", b"evil")
    opening = Opening(
        state=tmp_path / "state", remote=str(repo.path), base=tmp_path, checkout=Checkout.find(repo.path)
    )
    with Repository(opening) as repository:
        source = repository.source(commit)
        for _ in range(2):
            with pytest.raises(CannotTell, match=r"git\.bad-answer: blob .* does not have the content"):
                source.read("a")
        with pytest.raises(CannotTell, match="does not have the content that its id names"):
            source.export(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name or "export" in path.name] == []


def test_export_is_a_clean_checkout(repo: Repo, at: At, tmp_path: Path) -> None:
    """Bytes, executable bits and links are the commit's; dates are the commit's; nothing else is there."""
    files: dict[str, str | bytes] = {"a.txt": b"\r\n\0", "bin/run": "#!/bin/sh\n", "deep/er/x y": "x"}
    repo.write(files)
    (repo.path / "bin" / "run").chmod(0o755)
    (repo.path / "link").symlink_to("deep/er/x y")
    (repo.path / "dangling").symlink_to("absent")
    repo.write({".gitignore": "dist/\n"})
    commit = repo.commit()
    repo.write({"dist/x": "untracked", "a.txt": "modified"})
    source = at(commit)
    destination = tmp_path / "new folder" / "out"
    old = os.umask(0o077)
    try:
        made = source.export(destination)
    finally:
        os.umask(old)
    assert made == Export(path=destination, tree=source.tree_id, submodules=(), lfs_pointers=())
    assert sorted(snapshot(destination)) == [
        *(".gitignore", "a.txt", "bin", "bin/run", "dangling", "deep", "deep/er", "deep/er/x y", "link")
    ]
    assert (destination / "a.txt").read_bytes() == b"\r\n\0"
    assert (destination / "link").readlink() == Path("deep/er/x y")
    modes = {name: stat.S_IMODE((destination / name).stat().st_mode) for name in ("a.txt", "bin/run", ".")}
    assert modes == {"a.txt": 0o644, "bin/run": 0o755, ".": 0o755}
    assert (destination / "a.txt").stat().st_mtime == source.commit_date
    assert [path.name for path in destination.parent.iterdir()] == ["out"]


def test_export_runs_no_hook_filter_or_attribute(repo: Repo, at: At, tmp_path: Path) -> None:
    """HK10, R-INT-16: post-checkout, smudge filters, eol, ident and export-ignore have no effect."""
    proof = tmp_path / "proof"
    rules = "* text eol=crlf ident filter=evil\na export-ignore\n"
    commit = repo.commit({".gitattributes": rules, "a": "x\n$Id$\n"})
    repo("config", "filter.evil.smudge", f"touch '{proof}'; cat")
    hook = repo.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{proof}'\n")
    hook.chmod(0o755)
    made = at(commit).export(tmp_path / "out")
    assert (made.path / "a").read_bytes() == b"x\n$Id$\n"
    assert not proof.exists()
    repo("clone", "-q", "-c", f"filter.evil.smudge=touch '{proof}'; cat", ".", str(tmp_path / "control"))
    assert proof.exists(), "the filter never works: the test shows nothing"


def test_replaced_and_grafted_objects_are_not_exported(repo: Repo, tmp_path: Path) -> None:
    """R-INT-16: refs/replace of commit, tree and blob in the borrowed checkout changes nothing."""
    commit = repo.commit({"a": "good"})
    good = {name: repo("rev-parse", name) for name in ("HEAD", "HEAD^{tree}", "HEAD:a")}
    repo.commit({"a": "evil", "b": "evil"})
    for name, oid in good.items():
        repo("replace", oid, repo("rev-parse", name))
    assert repo("show", f"{commit}:a") == "evil"
    opening = Opening(
        state=tmp_path / "state", remote=str(repo.path), base=tmp_path, checkout=Checkout.find(repo.path)
    )
    with Repository(opening) as repository:
        made = repository.source(commit).export(tmp_path / "out")
    assert {path.name: path.read_text() for path in made.path.iterdir()} == {"a": "good"}
    assert made.tree == good["HEAD^{tree}"]


def test_submodules_and_lfs_pointers_are_reported(repo: Repo, at: At, tmp_path: Path) -> None:
    """What is not in the objects is named: an empty folder or a pointer is not the content."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1\n"
    repo.commit({"big.bin": pointer, "about.md": f"see {pointer}", "long": pointer + "x" * 2000})
    repo("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    repo("commit", "-q", "-m", "submodule")
    made = at(repo("rev-parse", "HEAD")).export(tmp_path / "out")
    assert (made.submodules, made.lfs_pointers) == (("vendor/lib",), ("big.bin",))
    assert list((made.path / "vendor" / "lib").iterdir()) == []


@pytest.mark.parametrize(
    "links",
    [
        {"x": "/etc/passwd"},
        {"x": "../outside"},
        {"d/x": "../../outside"},
        {"d/x": "../.."},
        {"a/b/l": "../..", "m": "a/b/l/../x"},
        {"a/b/l": "../../..", "ok": "a"},
    ],
)
def test_a_link_that_leaves_is_an_error(repo: Repo, at: At, tmp_path: Path, links: dict[str, str]) -> None:
    """Also where one link leads out only through another; nothing is left behind."""
    for name, target in links.items():
        (repo.path / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.path / name).symlink_to(target)
    commit = repo.commit({"file": "1"})
    with pytest.raises(InputError, match="the link points outside the repository"):
        at(commit).export(tmp_path / "place" / "out")
    assert list((tmp_path / "place").iterdir()) == []


def test_a_link_that_leads_nowhere_but_inside_is_made(repo: Repo, at: At, tmp_path: Path) -> None:
    """A link to the root, a loop and a dangling link stay inside."""
    for name, target in {"d/root": "..", "loop": "loop", "gone": "d/none"}.items():
        (repo.path / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.path / name).symlink_to(target)
    made = at(repo.commit()).export(tmp_path / "out")
    assert {path.name for path in made.path.iterdir()} == {"d", "loop", "gone"}


@pytest.mark.parametrize(
    "name", [b"..", b".", b".git", b".GIT", b".git ", b"git~1", ".g\u200cit".encode(), b".git:x"]
)
def test_a_name_that_no_checkout_may_have_is_an_error(
    repo: Repo, at: At, tmp_path: Path, name: bytes
) -> None:
    """A tree made by hand can't write outside, nor into a .git folder, on any file system."""
    inner = _subtree(("100644", b"config", repo("hash-object", "-w", "--stdin", stdin=b"x")))
    commit = _tree(repo, ("40000", name, inner))
    with pytest.raises((InputError, CannotTell), match=r"a name that no checkout may have|could not be read"):
        at(commit).export(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_one_name_twice_is_an_error(repo: Repo, at: At, tmp_path: Path) -> None:
    """A link and a folder of one name would write through the link."""
    inner = _subtree(("100644", b"f", repo("hash-object", "-w", "--stdin", stdin=b"x")))
    commit = _tree(repo, ("120000", b"a", b"/tmp"), ("40000", b"a", inner))
    with pytest.raises(CannotTell, match="two entries with one name"):
        at(commit).export(tmp_path / "out")


def test_an_unknown_mode_is_an_error(repo: Repo, at: At, tmp_path: Path) -> None:
    """An entry that is neither file, link, folder nor submodule is not skipped."""
    commit = _tree(repo, ("100600", b"a", b"x"))
    with pytest.raises(InputError, match="unknown mode 100600"):
        at(commit).export(tmp_path / "out")


def test_an_existing_destination_is_never_touched(repo: Repo, at: At, tmp_path: Path) -> None:
    """Neither a folder nor a dangling link is written over."""
    source = at(repo.commit({"a": "1"}))
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("there", "link"):
        with pytest.raises(InputError, match="the destination exists already"):
            source.export(tmp_path / name)


def test_a_place_that_can_not_be_written_is_cannot_tell(repo: Repo, at: At, tmp_path: Path) -> None:
    """A file where a folder is needed is no traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotTell, match=r"tool\.failed: .* cannot be written"):
        at(repo.commit({"a": "1"})).export(tmp_path / "file" / "out")


@pytest.mark.parametrize(
    ("parse", "data"),
    [
        (parse_tree, b"100644 name-without-end"),
        (parse_tree, b"100644 a\0short"),
        (parse_tree, b"nospace"),
        (parse_commit, b"parent x\n\nno tree"),
        (parse_commit, b"tree a\ncommitter x <y> soon +0000\n\nm"),
        (parse_commit, b"tree a\ntree b\ncommitter x <y> 1 +0000\n\nm"),
        (parse_tag, b"object zz\ntype commit\n\n"),
        (parse_tag, b"type commit\nobject " + b"a" * 40 + b"\n\n"),
    ],
)
def test_malformed_objects_are_cannot_tell(parse: Callable[[str, bytes], object], data: bytes) -> None:
    """An object that does not parse is never read as an empty one."""
    with pytest.raises(CannotTell, match=r"git\.bad-answer: .* is malformed"):
        parse("a" * 40, data)
