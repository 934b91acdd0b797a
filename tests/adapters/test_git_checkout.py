"""The user's working copy: what it shows, that nothing runs, and that not one byte of it changes."""

import contextlib
import os
import subprocess
from pathlib import Path

import pytest
from git_fixtures import Repo, git, plan_of, snapshot

from release.adapters.git.checkout import Checkout
from release.adapters.git.reader import GitReader
from release.adapters.git.repository import Opening, Repository
from release.domain.errors import CannotTell, UsageError
from release.domain.plan import Changesets


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One commit in a folder with a space."""
    repo = Repo.init(tmp_path / "my repo")
    repo.commit({"a.txt": "a\n", ".gitignore": "ignored/\n"})
    return repo


def _found(path: Path) -> Checkout:
    checkout = Checkout.find(path)
    assert checkout is not None
    return checkout


def test_no_checkout_is_none(tmp_path: Path) -> None:
    """Outside any repository there is none: that is an answer."""
    assert Checkout.find(tmp_path) is None


def test_it_is_found_from_a_folder_below(repo: Repo) -> None:
    """The top folder, HEAD, the branch and cleanness are told."""
    repo.commit({"deep/er/b.txt": "b"})
    checkout = _found(repo.path / "deep" / "er")
    assert checkout.toplevel == repo.path
    assert checkout.objects == repo.path / ".git" / "objects"
    assert checkout.head == repo("rev-parse", "HEAD")
    assert checkout.branch == "main"
    assert checkout.is_clean


def test_a_detached_head_has_no_branch(repo: Repo) -> None:
    """CI checks out commits, not branches."""
    repo("checkout", "-q", "--detach")
    checkout = _found(repo.path)
    assert (checkout.head, checkout.branch) == (repo("rev-parse", "HEAD"), None)


def test_before_the_first_commit_there_is_no_head(tmp_path: Path) -> None:
    """An unborn branch is not an error."""
    Repo.init(tmp_path / "new")
    assert _found(tmp_path / "new").head is None


def test_a_branch_may_be_called_detached(repo: Repo) -> None:
    """The word in git's output does not decide."""
    repo("checkout", "-q", "-b", "detached")
    assert _found(repo.path).branch == "detached"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda repo: repo.write({"a.txt": "b\n"}), "a.txt"),
        (lambda repo: (repo.path / "a.txt").unlink(), "a.txt"),
        (lambda repo: (repo.path / "a.txt").chmod(0o755), "a.txt"),
        (lambda repo: repo.write({"new é file": "x"}), "new é file"),
        (lambda repo: repo.write({"new\nline": "x"}), "new\nline"),
        (lambda repo: (repo.write({"s": "x"}), repo("add", "s")), "s"),
        (lambda repo: repo("mv", "a.txt", "b.txt"), "a.txt"),
        (lambda repo: repo.write({"dir/x": "x"}), "dir/x"),
    ],
    ids=["modified", "deleted", "mode", "untracked", "newline", "staged", "renamed", "in a new folder"],
)
def test_what_is_not_committed_is_dirty(repo: Repo, change: object, path: str) -> None:
    """Each kind of change makes the checkout dirty and names the path."""
    change(repo)  # type: ignore[operator]
    assert path in _found(repo.path).dirty


def test_a_conflict_is_dirty(repo: Repo) -> None:
    """Unmerged paths are listed too."""
    repo("checkout", "-q", "-b", "other")
    repo.commit({"a.txt": "other\n"})
    repo("checkout", "-q", "main")
    repo.commit({"a.txt": "main\n"})
    with pytest.raises(Exception, match="merge"):
        repo("merge", "other")
    assert _found(repo.path).dirty == ("a.txt",)


def test_ignored_files_are_not_dirty(repo: Repo) -> None:
    """.gitignore counts, as does the user's own ignore file; hiding files by configuration does not."""
    repo.write({"ignored/x": "x", "junk.swp": "x"})
    mine = repo.path.parent / "my-ignores"
    mine.write_text("*.swp\n")
    repo("config", "core.excludesFile", str(mine))
    assert _found(repo.path).is_clean
    repo("config", "status.showUntrackedFiles", "no")
    repo.write({"new": "x"})
    assert _found(repo.path).dirty == ("new",)


def test_the_users_own_ignore_file_counts(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """~/.gitconfig says what clean means to the user, and nothing more of it is used."""
    home = repo.path.parent / "home"
    home.mkdir()
    (home / "ignores").write_text(".DS_Store\n")
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home / 'ignores'}\n\tfsmonitor = false\n")
    monkeypatch.setenv("HOME", str(home))
    repo.write({".DS_Store": "x"})
    assert _found(repo.path).is_clean


def test_a_broken_checkout_is_cannot_tell(tmp_path: Path) -> None:
    """A .git that git can't read is neither "no checkout" nor clean."""
    (tmp_path / ".git").mkdir()
    with pytest.raises(CannotTell, match=r"tool\.failed: git can't read the checkout"):
        Checkout.find(tmp_path)


def test_a_linked_worktree_has_the_common_objects(repo: Repo, tmp_path: Path) -> None:
    """`git worktree add` makes a checkout whose objects are elsewhere."""
    repo("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    checkout = _found(tmp_path / "linked")
    assert checkout.objects == repo.path / ".git" / "objects"
    assert checkout.branch == "side"


def test_a_revision_becomes_a_full_id(repo: Repo) -> None:
    """Short ids, branches, tags (annotated too) and ancestors resolve."""
    first = repo("rev-parse", "HEAD")
    second = repo.commit({"b": "2"})
    repo("tag", "-a", "v1", "-m", "x", first)
    checkout = _found(repo.path)
    wanted = {second: ("HEAD", "main", second[:10]), first: ("v1", "HEAD~1", "refs/tags/v1")}
    assert {commit: {checkout.resolve(name) for name in names} for commit, names in wanted.items()} == {
        first: {first},
        second: {second},
    }


@pytest.mark.parametrize("revision", ["nope", "--all", "-v", "HEAD:a.txt", "HEAD^{tree}", "", "main..HEAD"])
def test_what_is_no_commit_is_a_usage_error(repo: Repo, revision: str) -> None:
    """Unknown names, options, files, trees and ranges are refused with a fix."""
    with pytest.raises(UsageError, match="pass the full commit id"):
        _found(repo.path).resolve(revision)


def test_a_branch_and_a_tag_of_one_name_are_ambiguous(repo: Repo) -> None:
    """FACTS: rev-parse only warns; we refuse, unless both are the same commit."""
    repo("tag", "v1")
    repo("branch", "v1")
    checkout = _found(repo.path)
    assert checkout.resolve("v1") == repo("rev-parse", "HEAD")
    repo.commit({"b": "2"})
    repo("branch", "-f", "v1", "HEAD")
    with pytest.raises(UsageError, match=r"ambiguous: refs/heads/v1 and refs/tags/v1"):
        checkout.resolve("v1")
    assert checkout.resolve("refs/heads/v1") == repo("rev-parse", "HEAD")


def test_grafts_and_replacements_do_not_move_a_revision(repo: Repo) -> None:
    """R-INT-16: HEAD~1 is the parent that the commit itself names."""
    first = repo("rev-parse", "HEAD")
    second = repo.commit({"b": "2"})
    third = repo.commit({"c": "3"})
    (repo.path / ".git" / "info" / "grafts").write_text(f"{third} {first}\n")
    repo("replace", second, first)
    assert _found(repo.path).resolve("HEAD~1") == second


def _hostile(repo: Repo, proof: Path) -> None:
    """Give the checkout every setting we know of that could run a program."""
    spy = repo.path.parent / "spy"
    spy.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{proof}'\ncat\n")
    spy.chmod(0o755)
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    names = (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
    )
    for name in names:
        (hooks / name).write_text(spy.read_text())
        (hooks / name).chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.askPass",
        "core.pager",
        "core.editor",
        "core.alternateRefsCommand",
        "core.gitProxy",
        "diff.external",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "gpg.program",
        "interactive.diffFilter",
    ):
        repo("config", key, str(spy))
    repo("config", "credential.helper", f"!{spy}")
    repo("config", "filter.evil.required", "true")
    repo("config", "log.showSignature", "true")
    (repo.path / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")


def test_looking_runs_nothing_and_changes_nothing(tmp_path: Path) -> None:
    """R-INT-15, R-INT-16, HK10: hostile hooks and settings never run; checkout and index stay as they are."""
    source = Repo.init(tmp_path / "up")
    first = source.commit({"package.json": '{"version": "1.0.0"}', ".changeset/x.md": "x"})
    clone = source.clone(tmp_path / "clone")
    second = source.commit({"package.json": '{"version": "1.1.0"}'})
    source("tag", "-a", "v1", "-m", "x")
    proof = tmp_path / "proof"
    _hostile(clone, proof)
    _hostile(source, proof)
    # an index entry that only its content can tell to be clean
    os.utime(clone.path / "package.json", (1, 1))
    before = snapshot(clone.path), snapshot(source.path)
    checkout = _found(clone.path)
    opening = Opening(state=tmp_path / "state", remote="origin", base=clone.path, checkout=checkout)
    with Repository(opening) as repository:
        assert checkout.is_clean
        assert checkout.head == checkout.resolve("HEAD") == first
        reader = GitReader(repository, plan_of(second, ("main",)))
        facts = reader.tag("v1")
        assert facts is not None
        assert (facts.commit, facts.branches) == (second, ("main",))
        assert reader.is_ancestor(first)
        reader.changesets(Changesets(branch="b", title="t", directory=".changeset"))
        repository.source(second).export(tmp_path / "out")
    assert not proof.exists(), proof.read_text()
    assert (snapshot(clone.path), snapshot(source.path)) == before


def test_a_program_setting_does_run_in_plain_git(tmp_path: Path) -> None:
    """The negative control of the test above: git itself does run what the settings name."""
    repo = Repo.init(tmp_path / "repo")
    repo.commit({"a": "1"})
    proof = tmp_path / "proof"
    _hostile(repo, proof)
    os.utime(repo.path / "a", (1, 1))
    with contextlib.suppress(subprocess.CalledProcessError):
        git(repo.path, "status")
    assert proof.exists()


def test_settings_of_our_own_environment_do_not_count(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR, GIT_INDEX_FILE and the like in our environment lead nowhere."""
    other = Repo.init(tmp_path / "other")
    other.commit({"other": "1"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    checkout = _found(repo.path)
    assert checkout.toplevel == repo.path
    assert checkout.is_clean
    assert checkout.head != other("rev-parse", "HEAD", env={"GIT_DIR": str(other.path / ".git")})
