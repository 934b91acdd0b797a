"""The reader against the emulated GitHub: real repositories, pages, ETags, redirects and faults."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from forge import Fault, Forge, RepoHandle, secondary_limit
from github_fixtures import TOKEN, rig

from release.domain.errors import CannotTell

TIME = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class World:
    """A forge with one repository of one commit, and a token that may push."""

    forge: Forge
    repo: RepoHandle
    commit: str


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Yield a fresh world; afterwards no write may have been seen."""
    git_dir = tmp_path / "origin.git"
    commit = make_repository(git_dir)
    with Forge() as forge:
        forge.token(TOKEN, push=True)
        yield World(forge=forge, repo=forge.repo("acme/widget", git_dir), commit=commit)
        assert forge.writes == ()


def make_repository(git_dir: Path) -> str:
    """Make a bare repository with one commit on main; return the commit."""

    def git(*argv: str) -> str:
        person = {"NAME": "acme", "EMAIL": "acme@example.invalid"}
        named = {
            f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in person.items()
        }
        environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **named}
        done = subprocess.run(
            ["git", *argv],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout.strip()

    git("init", "--quiet", "--bare", "--initial-branch=main", str(git_dir))
    tree = git("-C", str(git_dir), "hash-object", "-t", "tree", "-w", "/dev/null")
    commit = git("-C", str(git_dir), "commit-tree", tree, "-m", "one")
    git("-C", str(git_dir), "update-ref", "refs/heads/main", commit)
    return commit


def test_a_whole_release_is_read(world: World) -> None:
    """Releases, drafts, assets, latest, checks, pulls and bytes, in one survey's requests."""
    release = world.repo.release("v1.2.3")
    release.asset("widget.tar.gz", b"archive" * 100)
    release.asset("SHA256SUMS", b"sums\n")
    world.repo.release("v1.2.4", draft=True)
    world.repo.check_run("build", world.commit, conclusion="failure", started_at=TIME)
    world.repo.check_run("build", world.commit, started_at=TIME + timedelta(hours=1))
    world.repo.status("ci/legacy", world.commit, "pending")
    world.repo.pull(
        7, "Version Packages", head="changeset-release/main", merged_at=TIME, merge_commit_sha=world.commit
    )
    with rig(world.forge.api_url) as made:
        reader = made.reader
        listing = reader.releases()
        assert listing.drafts_visible
        (found,) = listing.of_tag("v1.2.3")
        assert [draft.draft for draft in listing.of_tag("v1.2.4")] == [True]
        assert reader.latest() == found
        archive, sums = reader.assets(found)
        assert archive.digest is not None
        assert archive.digest.hex == hashlib.sha256(b"archive" * 100).hexdigest()
        assert reader.download(archive, ("sha256",)).digests == (archive.digest,)
        assert reader.content(sums, 100) == b"sums\n"
        checks = {(check.name, check.status, check.conclusion) for check in reader.checks(world.commit)}
        assert checks == {
            ("build", "completed", "failure"),
            ("build", "completed", "success"),
            ("ci/legacy", "in_progress", None),
        }
        (pull,) = reader.pulls("changeset-release/main")
        assert (pull.number, pull.merge_commit, pull.merged_at) == (7, world.commit, TIME)
        assert reader.budget()["requests"] == len(world.forge.requests)


def test_a_warm_survey_is_all_304(world: World, tmp_path: Path) -> None:
    """Every repeatable GET is confirmed by the server, and small contents need no request."""
    release = world.repo.release("v1.0.0")
    for number in range(130):
        release.asset(f"widget-{number}.tar.gz", b"x")
    cache = tmp_path / "cache"

    def survey() -> tuple[object, ...]:
        with rig(world.forge.api_url, cache=cache) as made:
            reader = made.reader
            (found,) = reader.releases().releases
            assets = reader.assets(found)
            seen = (
                assets,
                reader.latest(),
                reader.checks(world.commit),
                reader.pulls("main"),
                reader.content(assets[0], 10),
            )
            return (seen, reader.budget())

    cold, cold_budget = survey()
    warm, warm_budget = survey()
    assert warm == cold
    assert len(cold[0]) == 130
    assert cold_budget["not_modified"] == 0
    assert warm_budget["not_modified"] == warm_budget["requests"] == cold_budget["requests"] - 2


def test_a_change_between_two_surveys_is_seen(world: World, tmp_path: Path) -> None:
    """The store always revalidates: `max-age=60` does not hide an upload."""
    release = world.repo.release("v1.0.0")
    release.asset("a", b"1")
    for expected in (["a"], ["a", "b"]):
        with rig(world.forge.api_url, cache=tmp_path / "cache") as made:
            (found,) = made.reader.releases().releases
            assert [asset.name for asset in made.reader.assets(found)] == expected
        if expected == ["a"]:
            release.asset("b", b"2")


def test_drafts_are_hidden_from_who_may_only_pull(world: World) -> None:
    """C138: the draft is not missing, it is not visible, and the listing says so."""
    world.repo.release("v1.0.0", draft=True)
    world.forge.token("reader", push=False)
    for token in ("reader", None):
        with rig(world.forge.api_url, token=token) as made:
            listing = made.reader.releases()
            assert listing.releases == ()
            assert not listing.drafts_visible
            assert made.reader.latest() is None


def test_a_private_repository_is_not_visible_to_others(world: World) -> None:
    """GitHub answers 404 for what one may not see."""
    world.repo.set(private=True)
    with rig(world.forge.api_url, token=None) as made:
        with pytest.raises(CannotTell, match="acme/widget is not there, or is private") as caught:
            made.reader.releases()
        assert caught.value.reason == "github.repository-not-visible"


def test_a_commit_that_was_never_pushed_has_no_checks(world: World) -> None:
    """422 is GitHub's word for a commit that it does not have."""
    with rig(world.forge.api_url) as made:
        assert made.reader.checks("b" * 40) == ()


def test_members_that_an_older_server_lacks_are_none(world: World) -> None:
    """No digest, no `immutable`: unknown, not false."""
    release = world.repo.release("v1.0.0", omit=("immutable",))
    release.asset("a", b"1", omit=("digest",))
    release.asset("b", b"1", digest=None, state="starter", size=0)
    with rig(world.forge.api_url) as made:
        (found,) = made.reader.releases().releases
        assets = made.reader.assets(found)
    assert found.immutable is None
    assert [(asset.digest, asset.state) for asset in assets] == [(None, "uploaded"), (None, "starter")]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(action="status", status=401, times=None), "github.denied"),
        (Fault(action="status", status=403, times=None), "github.denied"),
        (Fault(action="status", status=500, times=None), "github.unreachable"),
        (Fault(action="cut-before", times=None), "github.unreachable"),
        (Fault(action="truncate", times=None), "github.unreachable"),
        (Fault(action="html", times=None), "github.bad-answer"),
        (secondary_limit(retry_after=600, times=9), "github.rate-limited"),
        (secondary_limit(status=429, retry_after=600, times=9), "github.rate-limited"),
    ],
    ids=["401", "403", "500", "cut", "truncate", "html", "secondary", "429"],
)
def test_a_fault_is_could_not_look(world: World, fault: Fault, reason: str) -> None:
    """Rule 2: unobservable is never missing and never failed."""
    world.forge.faults.add(fault)
    with rig(world.forge.api_url) as made, pytest.raises(CannotTell, match="/repos/acme/widget") as caught:
        made.reader.releases()
    assert caught.value.reason == reason


@pytest.mark.parametrize("action", ["cut-before", "status"])
def test_a_fault_that_passes_is_not_seen(world: World, action: str) -> None:
    """One bad answer is retried."""
    world.repo.release("v1.0.0")
    world.forge.faults.add(Fault(action=action, status=502, path="/releases"))
    with rig(world.forge.api_url) as made:
        assert len(made.reader.releases().releases) == 1
    assert world.forge.faults.pending() == ()


def test_an_exhausted_budget_is_told_with_its_end(world: World) -> None:
    """K20: nobody sleeps for half an hour."""
    world.forge.limits.set(TOKEN, remaining=0, reset_in=1800)
    with rig(world.forge.api_url) as made:
        with pytest.raises(CannotTell, match=r"rate limited until 2026-12-01T12:(29|30)") as caught:
            made.reader.releases()
        assert caught.value.reason == "github.rate-limited"
        assert made.time.slept == []
        assert made.reader.budget()["remaining"] == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(action="truncate", host="download", times=None), "download.truncated"),
        (Fault(action="no-length", keep=10, host="download", times=None), "download.truncated"),
        (Fault(action="html", host="download", times=None), "download.bad-answer"),
        (Fault(action="status", status=503, host="download", times=None), "download.unreachable"),
    ],
    ids=["truncate", "no-length", "html", "503"],
)
def test_a_download_that_goes_wrong_is_could_not_look(world: World, fault: Fault, reason: str) -> None:
    """K22: with 200 and the wrong body too."""
    world.repo.release("v1.0.0").asset("widget.tar.gz", b"archive" * 100)
    world.forge.faults.add(fault)
    with rig(world.forge.api_url) as made:
        (found,) = made.reader.releases().releases
        (asset,) = made.reader.assets(found)
        with pytest.raises(CannotTell, match=r"widget|/release-assets/") as caught:
            made.reader.download(asset, ("sha256",))
    assert caught.value.reason == reason


def test_corrupt_bytes_are_facts(world: World) -> None:
    """Right size, other bytes: the gates judge it."""
    world.repo.release("v1.0.0").asset("widget.tar.gz", b"archive" * 100)
    world.forge.faults.add(Fault(action="corrupt", host="download"))
    with rig(world.forge.api_url) as made:
        (found,) = made.reader.releases().releases
        (asset,) = made.reader.assets(found)
        got = made.reader.download(asset, ("sha256",))
    assert got.size == asset.size
    assert got.digests != (asset.digest,)


def test_a_survey_from_many_threads_asks_each_question_once(world: World) -> None:
    """Twenty-five subjects of one release cost the requests of one."""
    release = world.repo.release("v1.0.0")
    for number in range(25):
        release.asset(f"widget-{number}", b"x")
    with rig(world.forge.api_url) as made, ThreadPoolExecutor(8) as pool:

        def look(_: int) -> int:
            (found,) = made.reader.releases().releases
            return len(made.reader.assets(found))

        assert set(pool.map(look, range(25))) == {25}
    assert len(world.forge.requests) == 3


def test_no_request_of_a_reader_is_a_write(world: World) -> None:
    """Looking sends GETs only, and the token only to the API's host."""
    world.repo.release("v1.0.0").asset("a", b"1")
    with rig(world.forge.api_url) as made:
        (found,) = made.reader.releases().releases
        made.reader.download(made.reader.assets(found)[0], ("sha256",))
    assert {request.method for request in world.forge.requests} == {"GET"}
    assert {request.host for request in world.forge.requests if request.authorized} == {"api"}
    assert {request.host for request in world.forge.requests} == {"api", "download"}
