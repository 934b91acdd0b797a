"""Ancestors, changed paths and Changesets, from the history that the objects themselves hold."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from git_fixtures import Repo, package_of, plan_of

from release.adapters.git.reader import GitReader
from release.adapters.git.repository import Opening, Repository
from release.domain.errors import CannotTell
from release.domain.plan import Changesets

At = Callable[[str], GitReader]
SPEC = Changesets(branch="changeset-release/main", title="Version Packages", directory=".changeset")


def _manifest(version: str) -> str:
    return json.dumps({"name": "acme", "version": version})


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo.init(tmp_path / "up")


@pytest.fixture
def at(repo: Repo, tmp_path: Path) -> Iterator[At]:
    """Opens the reader for a commit; the plan has one package at the root and one in packages/core."""
    with Repository(Opening(state=tmp_path / "state", remote=str(repo.path), base=tmp_path)) as repository:
        packages = (package_of("acme", "."), package_of("@acme/core", "packages/core"))
        yield lambda commit: GitReader(repository, plan_of(commit, packages=packages))


def test_ancestors_are_the_commits_history(repo: Repo, at: At) -> None:
    """The commit itself, parents and merged branches are; later, foreign and unknown commits are not."""
    first = repo.commit({"a": "1"})
    repo("checkout", "-q", "-b", "side")
    side = repo.commit({"s": "1"})
    repo("checkout", "-q", "main")
    second = repo.commit({"a": "2"})
    repo("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo("rev-parse", "HEAD")
    later = repo.commit({"a": "3"})
    reader = at(merge)
    asked = {commit: reader.is_ancestor(commit) for commit in (first, side, second, merge, later, "e" * 40)}
    assert asked == {first: True, side: True, second: True, merge: True, later: False, "e" * 40: False}


@pytest.mark.parametrize("text", ["HEAD", "main", "abc123", "", "--help"])
def test_only_full_ids_are_compared(repo: Repo, at: At, text: str) -> None:
    """A name or a short id from an answer is not resolved by guessing."""
    reader = at(repo.commit({"a": "1"}))
    with pytest.raises(CannotTell, match="is not a full commit id"):
        reader.is_ancestor(text)
    with pytest.raises(CannotTell, match="is not a full commit id"):
        reader.changed_paths(text)


def test_changed_paths_are_those_of_the_first_parent(repo: Repo, at: At) -> None:
    """Added, modified, deleted, moved, other mode, file that became a folder; a root commit is everything."""
    root = repo.commit({"keep": "k", "mod": "1", "del": "x", "dir/old": "o", "both": "f", "mode": "m"})
    repo("mv", "dir/old", "dir/new")
    (repo.path / "del").unlink()
    (repo.path / "both").unlink()
    (repo.path / "mode").chmod(0o755)
    second = repo.commit({"mod": "2", "both/x": "x", "add é": "a"})
    reader = at(second)
    assert reader.changed_paths(root) == ("both", "del", "dir/old", "keep", "mod", "mode")
    assert reader.changed_paths(second) == (
        *("add é", "both", "both/x", "del", "dir/new", "dir/old", "mod", "mode"),
    )
    empty = repo.commit()
    with pytest.raises(CannotTell, match=r"git\.commit-missing"):
        reader.changed_paths("e" * 40)
    assert at(empty).changed_paths(empty) == ()


def test_a_merges_changed_paths_are_the_pull_requests(repo: Repo, at: At) -> None:
    """Against the first parent a merge shows all that the branch brought."""
    repo.commit({"a": "1"})
    repo("checkout", "-q", "-b", "side")
    repo.commit({"s": "1"})
    repo("checkout", "-q", "main")
    repo.commit({"m": "1"})
    repo("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo("rev-parse", "HEAD")
    assert at(merge).changed_paths(merge) == ("s",)


def test_unconsumed_changesets_are_listed(repo: Repo, at: At) -> None:
    """Every .md but README counts, one with an empty front matter too; other files and folders do not."""
    commit = repo.commit(
        {
            ".changeset/README.md": "r",
            ".changeset/config.json": "{}",
            ".changeset/brave-cat.md": '---\n"acme": minor\n---\n\nText\n',
            ".changeset/empty.md": "---\n---\n",
            ".changeset/.hidden.md": "h",
            ".changeset/sub/x.md": "x",
            "other/y.md": "y",
        }
    )
    facts = at(commit).changesets(SPEC)
    assert facts.unconsumed == (".changeset/brave-cat.md", ".changeset/empty.md")
    assert (facts.version_commit, facts.changed) == (None, ())


def test_no_folder_means_none_left(repo: Repo, at: At) -> None:
    """A commit without the folder has nothing unconsumed."""
    assert at(repo.commit({"a": "1"})).changesets(SPEC).unconsumed == ()


def test_in_pre_mode_used_changesets_are_consumed(repo: Repo, at: At) -> None:
    """Changesets keeps the files in pre mode and lists the used ones; after `pre exit` they are due again."""
    files: dict[str, str | bytes] = {
        ".changeset/pre.json": json.dumps({"mode": "pre", "tag": "beta", "changesets": ["used"]}),
        ".changeset/used.md": "x",
        ".changeset/new.md": "x",
    }
    assert at(repo.commit(files)).changesets(SPEC).unconsumed == (".changeset/new.md",)
    files[".changeset/pre.json"] = json.dumps({"mode": "exit", "tag": "beta", "changesets": ["used"]})
    both = (".changeset/new.md", ".changeset/used.md")
    assert at(repo.commit(files)).changesets(SPEC).unconsumed == both
    assert at(repo.commit({".changeset/pre.json": "not json"})).changesets(SPEC).unconsumed == both


def test_the_version_commit_is_the_one_that_consumed(repo: Repo, at: At) -> None:
    """The newest commit that deleted changesets, with its paths, however many commits follow."""
    repo.commit({".changeset/a.md": "a", "package.json": _manifest("1.0.0")})
    (repo.path / ".changeset" / "a.md").unlink()
    version = repo.commit({"package.json": _manifest("1.1.0"), "CHANGELOG.md": "1.1.0"})
    for index in range(5):
        last = repo.commit({"src/x": str(index), "package.json": _manifest("1.1.0") + " " * index})
    facts = at(last).changesets(SPEC)
    assert facts.version_commit == version
    assert facts.changed == (".changeset/a.md", "CHANGELOG.md", "package.json")


@pytest.mark.parametrize("path", ["package.json", "packages/core/package.json"])
def test_a_bump_without_changesets_is_found_too(repo: Repo, at: At, path: str) -> None:
    """A planned manifest's version changed: in an implementation commit, that is what must be seen."""
    repo.commit({path: _manifest("1.0.0"), "src": "1"})
    bump = repo.commit({path: _manifest("1.1.0"), "src": "2"})
    facts = at(repo.commit({"src": "3"})).changesets(SPEC)
    assert (facts.version_commit, facts.changed) == (bump, (path, "src"))


def test_a_manifest_outside_the_plan_does_not_count(repo: Repo, at: At) -> None:
    """An example's version is nobody's release; nor is a new package, nor a manifest that does not parse."""
    repo.commit({"examples/package.json": _manifest("1.0.0")})
    repo.commit({"examples/package.json": _manifest("1.1.0"), "package.json": "not json"})
    last = repo.commit({"package.json": _manifest("1.0.0")})
    assert at(last).changesets(SPEC).version_commit is None


def test_a_merged_version_pull_request_is_its_merge(repo: Repo, at: At) -> None:
    """First parents only: the merge stands for the pull request."""
    repo.commit({".changeset/a.md": "a"})
    repo("checkout", "-q", "-b", "changeset-release/main")
    (repo.path / ".changeset" / "a.md").unlink()
    repo.commit()
    repo("checkout", "-q", "main")
    repo.commit({"src": "1"})
    repo("merge", "-q", "--no-ff", "-m", "Version Packages", "changeset-release/main")
    merge = repo("rev-parse", "HEAD")
    facts = at(merge).changesets(SPEC)
    assert (facts.version_commit, facts.changed) == (merge, (".changeset/a.md",))


def test_the_way_back_is_bounded(repo: Repo, at: At) -> None:
    """A version commit 200 commits back is not searched for."""
    repo.commit({"package.json": _manifest("1.0.0")})
    bump = repo.commit({"package.json": _manifest("1.1.0")})
    tree = repo("rev-parse", "HEAD^{tree}")
    stream, parent = [], bump
    for index in range(200):
        stream.append(
            f"commit refs/heads/main\nmark :{index + 1}\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n"
        )
        stream.append(f"from {parent}\n" if index == 0 else "")
        parent = f":{index + 1}"
    repo("fast-import", "--quiet", "--force", stdin="".join(stream).encode())
    last = repo("rev-parse", "refs/heads/main")
    assert repo("rev-parse", f"{last}^{{tree}}") == tree
    assert at(last).changesets(SPEC).version_commit is None
    assert at(repo("rev-parse", f"{last}~1")).changesets(SPEC).version_commit == bump
