"""Remotes of every kind: where they are, what can't be looked at, and credentials that never show."""

import base64
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from git_fixtures import Repo, git, plan_of, snapshot
from git_http_server import GitServer, git_server

from release.adapters import process
from release.adapters.git.checkout import Checkout
from release.adapters.git.location import github_credential, locate
from release.adapters.git.reader import GitReader
from release.adapters.git.repository import Opening, Repository
from release.adapters.git.settings import parse_settings
from release.adapters.http.model import Credential
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell, UsageError

CANARY = "ghp_canaryCANARY0123456789"
BASIC = "Basic " + base64.b64encode(f"x-access-token:{CANARY}".encode()).decode()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One commit with an annotated tag."""
    repo = Repo.init(tmp_path / "up")
    repo.commit({"a": "1"})
    repo("tag", "-a", "v1", "-m", "x")
    return repo


@pytest.fixture
def server(repo: Repo, tmp_path: Path) -> Iterator[GitServer]:
    """Serves the repository as /acme/widget.git."""
    repo.bare(tmp_path / "root" / "acme" / "widget.git")
    with git_server(tmp_path / "root") as running:
        yield running


def _open(
    tmp_path: Path, remote: str, *credentials: Credential, checkout: Checkout | None = None
) -> Repository:
    return Repository(
        Opening(
            state=tmp_path / "state",
            remote=remote,
            base=tmp_path,
            checkout=checkout,
            credentials=credentials,
            redactor=Redactor([CANARY]),
        )
    )


def _commit(repository: Repository, tag: str = "v1") -> str:
    with repository:
        facts = repository.tag(tag)
        assert facts is not None
        assert facts.commit is not None
        assert repository.source(facts.commit).read("a") == b"1"
        return facts.commit


def test_smart_http_works_without_a_credential(repo: Repo, server: GitServer, tmp_path: Path) -> None:
    """A public repository needs no token, and none is made up."""
    assert _commit(_open(tmp_path, f"{server.url}/acme/widget.git")) == repo("rev-parse", "HEAD")
    assert set(server.authorizations) == {None}


def test_the_token_goes_to_its_own_origin_by_header(repo: Repo, server: GitServer, tmp_path: Path) -> None:
    """The header is right, and no process's argv holds it while git talks."""
    server.wanted, server.canary = BASIC, BASIC.split()[1]
    opened = _open(tmp_path, f"{server.url}/acme/widget.git", github_credential(server.url, CANARY))
    assert _commit(opened) == repo("rev-parse", "HEAD")
    assert set(server.authorizations) == {BASIC}
    assert server.leaks == []


def test_userinfo_of_the_url_becomes_a_header(repo: Repo, server: GitServer, tmp_path: Path) -> None:
    """A remote with credentials in its URL works; neither argv, cache nor what is shown holds them."""
    server.wanted, server.canary = BASIC, CANARY
    remote = server.url.replace("http://", f"http://x-access-token:{CANARY}@") + "/acme/widget.git"
    opened = _open(tmp_path, remote)
    assert opened.location.shown == f"{server.url}/acme/widget.git"
    assert CANARY not in repr(opened.location)
    assert _commit(opened) == repo("rev-parse", "HEAD")
    assert server.leaks == []
    stored = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert CANARY.encode() not in stored
    assert BASIC.split()[1].encode() not in stored


def test_the_token_never_goes_to_another_origin(server: GitServer, tmp_path: Path) -> None:
    """Another host, port or scheme gets nothing: not even a host that starts alike."""
    port = server.server_address[1]
    others = ("https://github.com", f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1.test:{port}")
    credentials = [github_credential(url, CANARY) for url in (*others, f"https://127.0.0.1:{port}")]
    _commit(_open(tmp_path, f"{server.url}/acme/widget.git", *credentials))
    assert set(server.authorizations) == {None}


@pytest.mark.parametrize("same_host", [True, False])
def test_the_token_follows_no_redirect(server: GitServer, tmp_path: Path, same_host: bool) -> None:
    """A redirect with a credential is an answer that names the fix; the other server is never asked."""
    with git_server(server.root) as other:
        target = server.url if same_host else other.url
        server.answer = (301, f"{target}/acme/moved.git/info/refs?service=git-upload-pack")
        with (
            _open(tmp_path, f"{server.url}/acme/widget.git", github_credential(server.url, CANARY)) as opened,
            pytest.raises(CannotTell, match=r"git\.bad-answer: .* answered 301; correct the remote's URL"),
        ):
            opened.tag("v1")
        assert other.authorizations == []
    assert len(server.authorizations) == 1


def test_without_a_credential_a_redirect_is_followed(repo: Repo, server: GitServer, tmp_path: Path) -> None:
    """A renamed public repository is found where it is now."""
    with git_server(tmp_path / "none") as old:
        old.answer = (301, f"{server.url}/acme/widget.git/info/refs?service=git-upload-pack")
        assert _commit(_open(tmp_path, f"{old.url}/acme/widget.git")) == repo("rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("status", "reason", "asked"),
    [
        (401, "git.denied", 1),
        (403, "git.denied", 1),
        (404, "git.denied", 1),
        (429, "git.rate-limited", 1),
        (500, "git.unreachable", 2),
        (503, "git.unreachable", 2),
        (200, "git.bad-answer", 2),
    ],
)
def test_what_a_server_answers_is_told_apart(
    server: GitServer, tmp_path: Path, status: int, reason: str, asked: int
) -> None:
    """FACTS rule 2: each is "could not look", by status, not text; only server errors are retried."""
    server.answer = (status, "")
    with (
        _open(tmp_path, f"{server.url}/acme/widget.git", github_credential(server.url, CANARY)) as opened,
        pytest.raises(CannotTell, match=f"widget.git answered {status}") as caught,
    ):
        opened.tag("v1")
    assert caught.value.reason == reason
    assert CANARY not in caught.value.message
    assert len(server.authorizations) == asked


def test_a_page_before_a_404_is_still_no_answer(server: GitServer, tmp_path: Path) -> None:
    """A page where git's listing should be decides, whatever git tries next: never "no tags"."""
    server.page = "info/refs"
    with (
        _open(tmp_path, f"{server.url}/acme/none.git") as opened,
        pytest.raises(CannotTell, match=r"git\.bad-answer: .* answered 200 with something that is not git's"),
    ):
        opened.tag("v1")


def test_a_server_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    """A refused connection, with userinfo in the URL that must not show."""
    with (
        _open(tmp_path, f"http://bob:{CANARY}@127.0.0.1:1/acme/widget.git") as opened,
        pytest.raises(CannotTell, match=r"git\.unreachable: http://127\.0\.0\.1:1/acme/widget.git") as caught,
    ):
        opened.tag("v1")
    assert CANARY not in str(caught.value)
    assert "bob" not in str(caught.value)


def test_a_missing_local_remote_is_unreachable(tmp_path: Path) -> None:
    """A path that is not there is "could not look": never "the tag is absent"."""
    with (
        _open(tmp_path, "not/there.git") as opened,
        pytest.raises(CannotTell, match=r"git\.unreachable: not/there\.git does not exist"),
    ):
        opened.tag("v1")


def test_a_folder_that_is_no_repository_is_a_bad_answer(tmp_path: Path) -> None:
    """A wrong path is told apart from a missing one."""
    (tmp_path / "plain").mkdir()
    with (
        _open(tmp_path, str(tmp_path / "plain")) as opened,
        pytest.raises(CannotTell, match=r"git\.bad-answer: .*plain is not a git repository"),
    ):
        opened.tag("v1")


@contextmanager
def _another_user() -> Iterator[None]:
    """Stop being root, where we are, for the duration of the block."""
    if os.geteuid() != 0:
        yield
        return
    os.setresgid(65534, 65534, 0)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_an_unreadable_local_remote_is_denied(repo: Repo) -> None:
    """Law 8: as root permissions prove nothing, so another user looks."""
    place = Path(tempfile.mkdtemp(prefix="acme-"))
    try:
        place.chmod(0o777)
        bare = repo.bare(place / "widget.git")
        bare.chmod(0o000)
        with (
            _another_user(),
            _open(place, str(bare)) as opened,
            pytest.raises(CannotTell, match=r"git\.denied: .*widget\.git may not be read"),
        ):
            opened.tag("v1")
        bare.chmod(0o755)
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root to make another owner")
def test_a_repository_of_another_owner_is_looked_at(repo: Repo, tmp_path: Path) -> None:
    """A container's checkout often has another owner; looking at it runs nothing of it."""
    bare = repo.bare(tmp_path / "widget.git")
    for path in (repo.path, bare):
        for item in (path, *path.rglob("*")):
            os.lchown(item, 65534, 65534)
    head = _commit(_open(tmp_path, str(bare)))
    checkout = Checkout.find(repo.path)
    assert checkout is not None
    assert (checkout.head, checkout.is_clean) == (head, True)


@pytest.mark.parametrize("remote", ["ext::sh -c touch% {proof}", "fd::7", "odd://host/x"])
def test_other_transports_are_never_used(tmp_path: Path, remote: str) -> None:
    """`ext::` runs a command: it is no way to a remote, not even from the checkout's own configuration."""
    proof = tmp_path / "proof"
    source = Repo.init(tmp_path / "clone")
    source.commit({"a": "1"})
    source("config", "remote.origin.url", remote.format(proof=proof))
    source("config", "protocol.allow", "always")
    checkout = Checkout.find(source.path)
    with (
        _open(tmp_path, "origin", checkout=checkout) as opened,
        pytest.raises(CannotTell, match=r"git\."),
    ):
        opened.tag("v1")
    assert not proof.exists()


@pytest.mark.parametrize(
    ("remote", "url", "shown"),
    [
        (
            "https://github.com/acme/widget",
            "https://github.com/acme/widget",
            "https://github.com/acme/widget",
        ),
        ("https://u:p%40s@h:8443/x.git", "https://h:8443/x.git", "https://h:8443/x.git"),
        ("https://tok@h/x.git", "https://h/x.git", "https://h/x.git"),
        ("ssh://git:pw@h/x.git", "ssh://git@h/x.git", "ssh://git@h/x.git"),
        (
            "git@github.com:acme/widget.git",
            "git@github.com:acme/widget.git",
            "git@github.com:acme/widget.git",
        ),
        ("github.com:acme/widget.git", "github.com:acme/widget.git", "github.com:acme/widget.git"),
    ],
)
def test_urls_lose_their_userinfo(tmp_path: Path, remote: str, url: str, shown: str) -> None:
    """Neither git's argv nor a person sees a password; ssh keeps its user, which is no secret."""
    location = locate(remote, tmp_path, None)
    assert (location.url, location.shown, location.path) == (url, shown, None)
    assert not {"p@s", "tok", "pw"} & set(repr(location).replace("'", " ").split())


def test_a_name_is_the_checkouts_remote(tmp_path: Path) -> None:
    """`origin` is resolved by the checkout's configuration, `insteadOf` applied, userinfo dropped."""
    listing = (
        b"remote.origin.url\nacme:widget.git\0remote.origin.url\nsecond\0"
        b"remote.other.url\nhttps://tok@h/o.git\0url.https://git.test/acme/.insteadof\nacme:\0"
        b"url.https://wrong.test/.insteadof\nac\0core.bare\0"
    )
    settings = parse_settings(listing)
    assert locate("origin", tmp_path, settings).url == "https://git.test/acme/widget.git"
    assert locate("other", tmp_path, settings).url == "https://h/o.git"
    assert settings.get("core.bare") == "true"
    assert settings.remotes() == ("origin", "other")


def test_an_unknown_name_is_a_usage_error(repo: Repo, tmp_path: Path) -> None:
    """The error lists the remotes that there are, and says what else is allowed."""
    clone = repo.clone(tmp_path / "clone")
    checkout = Checkout.find(clone.path)
    assert checkout is not None
    with pytest.raises(UsageError, match=r"no remote 'upstream' \(it has: origin\)"):
        locate("upstream", tmp_path, checkout.settings)
    with pytest.raises(UsageError, match="no git checkout is here, so the remote 'origin' has no URL"):
        locate("origin", tmp_path, None)


def test_a_malformed_url_is_a_usage_error(tmp_path: Path) -> None:
    """It is not printed: it may hold a password."""
    with pytest.raises(UsageError, match="the remote's URL is malformed") as caught:
        locate(f"https://u:{CANARY}@[::1/x", tmp_path, None)
    assert CANARY not in str(caught.value)


def test_a_commit_that_only_the_checkout_has_needs_no_remote(tmp_path: Path, repo: Repo) -> None:
    """Before anything is pushed, HEAD's files are read without a word to the remote."""
    clone = repo.clone(tmp_path / "clone")
    local = clone.commit({"new": "n"})
    clone("remote", "set-url", "origin", "http://127.0.0.1:1/gone.git")
    with _open(tmp_path, "origin", checkout=Checkout.find(clone.path)) as opened:
        assert opened.source(local).read("new") == b"n"


def test_a_shallow_checkout_is_completed_from_the_remote(tmp_path: Path, repo: Repo) -> None:
    """A clone of depth 1 has no history: the ancestors come from the remote, and it stays as it is."""
    first = repo("rev-parse", "HEAD")
    head = repo.commit({"b": "2"})
    shallow = Repo(tmp_path / "shallow")
    git(tmp_path, "clone", "-q", "--depth", "1", repo.path.as_uri(), str(shallow.path))
    before = snapshot(shallow.path)
    checkout = Checkout.find(shallow.path)
    assert checkout is not None
    assert checkout.is_shallow
    with _open(tmp_path, "origin", checkout=checkout) as opened:
        reader = GitReader(opened, plan_of(head))
        assert reader.is_ancestor(first)
        assert reader.changed_paths(head) == ("b",)
        assert opened.source(head).read_parent("a") == b"1"
    assert snapshot(shallow.path) == before


def test_a_partial_clone_is_completed_without_lazy_fetches(tmp_path: Path, repo: Repo) -> None:
    """A clone without blobs is not borrowed from, and git fetches nothing into it behind our back."""
    repo("config", "uploadpack.allowFilter", "true")
    head = repo("rev-parse", "HEAD")
    partial = Repo(tmp_path / "partial")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", repo.path.as_uri(), str(partial.path))
    before = snapshot(partial.path)
    with _open(tmp_path, "origin", checkout=Checkout.find(partial.path)) as opened:
        assert opened.source(head).read("a") == b"1"
    assert snapshot(partial.path) == before


def test_a_second_run_fetches_nothing(tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache serves what it has: one look at the refs is all that a warm run spends."""
    calls: list[str] = []
    real = process.run
    monkeypatch.setattr(process, "run", lambda command: calls.append(command.argv[1]) or real(command))  # type: ignore[func-returns-value]
    _commit(_open(tmp_path, str(repo.path)))
    assert calls == ["ls-remote", "init", "fetch"]
    calls.clear()
    _commit(_open(tmp_path, str(repo.path)))
    assert calls == ["ls-remote"]


def test_a_pruned_checkout_does_not_break_the_cache(tmp_path: Path, repo: Repo) -> None:
    """Objects that were borrowed and then pruned by the user's own gc are fetched anew."""
    clone = repo.clone(tmp_path / "clone")
    extra = clone.commit({"a": "1", "only-here": "1"})
    clone("push", "-q", "origin", "HEAD:refs/heads/side")
    newer = repo
    newer("checkout", "-q", "side")
    tip = newer.commit({"a": "1", "c": "3"})
    newer("tag", "v2")
    with _open(tmp_path, "origin", checkout=Checkout.find(clone.path)) as opened:
        assert opened.source(tip).read("a") == b"1"
    clone("reset", "-q", "--hard", "HEAD~1")
    clone("update-ref", "-d", "refs/remotes/origin/side")
    clone("reflog", "expire", "--expire=now", "--all")
    clone("gc", "-q", "--prune=now")
    last = newer.commit({"a": "1", "d": "4"})
    with _open(tmp_path, "origin", checkout=Checkout.find(clone.path)) as opened:
        reader = GitReader(opened, plan_of(last))
        assert opened.source(last).read("only-here") == b"1"
        assert reader.is_ancestor(extra)


def test_a_damaged_cache_is_made_anew_only_by_a_fetch(tmp_path: Path, repo: Repo) -> None:
    """Leftovers of a killed run (a half-made repository) are not taken for the cache."""
    with _open(tmp_path, str(repo.path)) as opened:
        git_dir = opened.store.git_dir
    git_dir.mkdir(parents=True)
    (git_dir.parent / ".new-leftover").mkdir()
    assert _commit(_open(tmp_path, str(repo.path))) == repo("rev-parse", "HEAD")


def test_the_borrowed_path_may_be_odd(tmp_path: Path, repo: Repo) -> None:
    """Quotes, spaces, newlines and a leading # in the checkout's path are only characters."""
    clone = repo.clone(tmp_path / '#odd "path"\\x\ny')
    local = clone.commit({"n": "1"})
    checkout = Checkout(toplevel=clone.path, objects=clone.path / ".git" / "objects", is_shallow=False)
    with _open(tmp_path, str(repo.path), checkout=checkout) as opened:
        assert opened.source(local).read("n") == b"1"


def test_the_cache_is_for_its_owner_only(tmp_path: Path, repo: Repo) -> None:
    """Private source is not left readable to others by an open umask alone."""
    _commit(_open(tmp_path, str(repo.path)))
    mode = stat.S_IMODE((tmp_path / "state" / "git").stat().st_mode)
    assert mode == 0o700
