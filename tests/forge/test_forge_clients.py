"""Independent clients read the forge: PyGithub, and Debian's gh over TLS."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import github
import pytest
from forge import Forge, RepoHandle
from forge_support import Origin
from github.Repository import Repository


@pytest.fixture
def hub(forge: Forge, repo: RepoHandle) -> Iterator[Repository]:
    """Return acme/widget as PyGithub sees it, without a prefix in the address."""
    auth = github.Auth.Token("tok")
    client = github.Github(
        auth=auth,
        base_url=forge.api_url,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )
    yield client.get_repo("acme/widget")
    client.close()


def test_pygithub_reads_releases_and_all_pages_of_assets(hub: Repository, repo: RepoHandle) -> None:
    """31 releases and 101 assets come complete, with digest, state and immutability."""
    day = datetime(2026, 3, 1, tzinfo=UTC)
    for number in range(31):
        release = repo.release(f"v1.0.{number}", created_at=day + timedelta(days=number))
    for number in range(101):
        release.asset(f"a{number}", b"x")
    assert len(list(hub.get_releases())) == 31
    found = hub.get_release("v1.0.30")
    assert (found.id, found.draft, found.immutable) == (release.id, False, False)
    assets = list(found.get_assets())
    assert [one.name for one in assets] == [f"a{number}" for number in range(101)]
    assert (assets[0].state, assets[0].size, assets[0].digest) == (
        "uploaded",
        1,
        "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    )
    assert hub.get_latest_release().id == release.id


def test_pygithub_peels_tags_and_creates_refs_once(hub: Repository, origin: Origin) -> None:
    """A nested tag leads to the commit; the second creation is a 422."""
    pointer = hub.get_git_ref("tags/nested").object
    while pointer.type == "tag":
        pointer = hub.get_git_tag(pointer.sha).object
    assert pointer.sha == origin.head
    hub.create_git_ref("refs/tags/v2.0.0", origin.head)
    with pytest.raises(github.GithubException, match="Reference already exists"):
        hub.create_git_ref("refs/tags/v2.0.0", origin.first)


def test_pygithub_reads_checks_statuses_and_pulls(hub: Repository, repo: RepoHandle, origin: Origin) -> None:
    """What gates need of a commit and of the version pull request."""
    when = datetime(2026, 3, 1, tzinfo=UTC)
    repo.check_run("build", origin.head, started_at=when)
    repo.status("ci/a", origin.head, "success")
    repo.pull(7, "Version", head="changeset-release/main", merged_at=when, merge_commit_sha=origin.head)
    commit = hub.get_commit(origin.head)
    assert [(one.name, one.conclusion, one.started_at) for one in commit.get_check_runs()] == [
        ("build", "success", when)
    ]
    assert commit.get_combined_status().state == "success"
    assert [one.context for one in commit.get_statuses()] == ["ci/a"]
    (pull,) = hub.get_pulls(state="closed", head="acme:changeset-release/main")
    assert (pull.merged, pull.merged_at, pull.merge_commit_sha) == (True, when, origin.head)


def test_pygithub_revalidates_with_the_etag(hub: Repository, forge: Forge, repo: RepoHandle) -> None:
    """update() sends If-None-Match and is told that nothing changed."""
    repo.release("v1.0.0")
    found = hub.get_release("v1.0.0")
    assert found.update() is False
    assert (forge.requests[-1].status, forge.requests[-1].conditional) == (304, True)


@pytest.fixture
def secure(origin: Origin) -> Iterator[Forge]:
    """Return a forge that also listens over TLS, with a release, a draft and assets."""
    with Forge(secure=True) as running:
        running.token("tok", push=True)
        repo = running.repo("acme/widget", origin.path)
        release = repo.release("v1.0.0", name="Acme one")
        release.asset("acme.tar.gz", b"bytes of acme")
        release.asset("SHA256SUMS", b"sums")
        repo.release("v2.0.0", draft=True).asset("draft.bin", b"draft")
        yield running


@pytest.fixture
def gh(secure: Forge, tmp_path: Path) -> "Gh":
    """Return gh, or say that the test did not run."""
    program = shutil.which("gh")
    if program is None:
        pytest.skip("not run: gh is not installed")
    return Gh(program, secure, tmp_path)


class Gh:
    """Debian's gh, pointed at the forge."""

    def __init__(self, program: str, forge: Forge, folder: Path) -> None:
        self._program, self.folder = program, folder
        self._host = forge.tls_host
        # With GH_ENTERPRISE_TOKEN gh 2.23 sends the token to every host; from its file to this one only.
        (folder / "config").mkdir()
        (folder / "config" / "hosts.yml").write_text(
            f'"{self._host}":\n    oauth_token: tok\n    user: ada\n'
        )
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GH_CONFIG_DIR": str(folder / "config"),
            "GH_HOST": forge.tls_host,
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "SSL_CERT_FILE": str(forge.ca_file),
            "NO_COLOR": "1",
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``gh release …`` for acme/widget."""
        command = [self._program, "release", *arguments, "-R", f"{self._host}/acme/widget"]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )


@pytest.mark.gh
def test_gh_views_a_release_and_a_draft(gh: Gh) -> None:
    """A published release by its tag, a draft by the GraphQL question."""
    shown = gh.run("view", "v1.0.0")
    assert (shown.returncode, "Acme one" in shown.stdout or "acme.tar.gz" in shown.stdout) == (0, True)
    draft = gh.run("view", "v2.0.0", "--json", "isDraft,assets", "--jq", ".isDraft, .assets[].name")
    assert (draft.returncode, draft.stdout.split()) == (0, ["true", "draft.bin"]), draft.stderr
    assert gh.run("view", "v9.9.9").stderr.strip() == "release not found"


@pytest.mark.gh
def test_gh_downloads_without_taking_the_token_along(gh: Gh, secure: Forge) -> None:
    """The bytes arrive through the redirect, and the download host saw no credential."""
    done = gh.run("download", "v1.0.0", "--dir", "out")
    assert done.returncode == 0, done.stderr
    assert (gh.folder / "out" / "acme.tar.gz").read_bytes() == b"bytes of acme"
    downloads = [one for one in secure.requests if one.host == "download"]
    assert [one.authorized for one in downloads] == [False, False]


@pytest.mark.gh
def test_gh_uploads_and_is_told_of_a_conflict(gh: Gh, secure: Forge) -> None:
    """A new asset is kept; an existing name is refused."""
    (gh.folder / "new.bin").write_bytes(b"new")
    assert gh.run("upload", "v1.0.0", "new.bin").returncode == 0
    assert [one.name for one in secure.writes] == ["v1.0.0/new.bin"]
    again = gh.run("upload", "v1.0.0", "new.bin")
    assert again.returncode != 0
    secure.assert_never_overwritten()
