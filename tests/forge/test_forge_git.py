"""Refs, commits, checks and pull requests of the emulated GitHub, over a real bare repository."""

from datetime import UTC, datetime

import pytest
from forge import Forge, RepoHandle, git
from forge_support import Client, Origin


def peel(client: Client, tag: str) -> list[str]:
    """Follow a tag to its commit; return the object types on the way and the commit."""
    pointer = client.call("GET", f"/git/ref/tags/{tag}").json()["object"]
    seen = [pointer["type"]]
    while pointer["type"] == "tag":
        pointer = client.call("GET", f"/git/tags/{pointer['sha']}").json()["object"]
        seen.append(pointer["type"])
    return [*seen, pointer["sha"]]


def test_tags_of_every_kind_can_be_peeled(repo: RepoHandle, client: Client, origin: Origin) -> None:
    """Lightweight, annotated and nested tags, and names with slashes in either spelling."""
    assert peel(client, "v1.0.0") == ["commit", origin.first]
    assert peel(client, "v1.1.0") == ["tag", "commit", origin.head]
    assert peel(client, "nested") == ["tag", "tag", "commit", origin.head]
    assert peel(client, "@acme/widget@1.0.0") == ["commit", origin.first]
    assert peel(client, "%40acme%2Fwidget%401.0.0") == ["commit", origin.first]


def test_a_ref_is_found_by_its_whole_name_only(repo: RepoHandle, client: Client) -> None:
    """``v1`` is not ``v1.0.0``; matching-refs is the prefix search."""
    assert client.call("GET", "/git/ref/tags/v1").status_code == 404
    found = client.call("GET", "/git/matching-refs/tags/v1").json()
    assert [one["ref"] for one in found] == ["refs/tags/v1.0.0", "refs/tags/v1.1.0"]


def test_a_ref_is_created_once_and_never_moved(
    forge: Forge, repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """The second creation is 422 and the ref stays."""
    body = {"ref": "refs/tags/v2.0.0", "sha": origin.first}
    assert client.call("POST", "/git/refs", json=body).status_code == 201
    again = client.call("POST", "/git/refs", json={**body, "sha": origin.head})
    assert (again.status_code, again.json()["message"]) == (422, "Reference already exists")
    assert peel(client, "v2.0.0") == ["commit", origin.first]
    assert [(one.what, one.name, one.after) for one in forge.writes] == [
        ("ref.create", "refs/tags/v2.0.0", origin.first)
    ]


def test_git_itself_refuses_to_move_a_ref_that_another_writer_made_first(origin: Origin) -> None:
    """Between the look and the write the ref may have come into being: it still stays."""
    assert git.create_ref(origin.path, "refs/tags/raced", origin.first)
    assert not git.create_ref(origin.path, "refs/tags/raced", origin.head)
    assert git.commit_sha(origin.path, "tags/raced") == origin.first


@pytest.mark.parametrize(
    ("ref", "sha", "status"),
    [("v2", "HEAD", 422), ("refs/tags/v2", "0" * 40, 422), ("refs/tags/a..b", "HEAD", 422)],
)
def test_a_senseless_ref_is_refused(
    repo: RepoHandle, client: Client, origin: Origin, ref: str, sha: str, status: int
) -> None:
    """Short names, unknown objects and names that git refuses."""
    wanted = origin.head if sha == "HEAD" else sha
    assert client.call("POST", "/git/refs", json={"ref": ref, "sha": wanted}).status_code == status


def test_an_empty_repository_takes_no_ref(forge: Forge, client: Client) -> None:
    """GitHub can't create refs where there is no commit."""
    forge.repo("acme/widget")
    body = {"ref": "refs/tags/v1", "sha": "1" * 40}
    assert client.call("POST", "/git/refs", json=body).status_code == 409


def test_an_annotated_tag_is_an_object_first_and_a_ref_later(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """What the API wrote is what git reads."""
    body = {"tag": "v2.0.0", "message": "two\n", "object": origin.head, "type": "commit"}
    made = client.call("POST", "/git/tags", json=body)
    assert made.status_code == 201
    assert client.call("GET", "/git/ref/tags/v2.0.0").status_code == 404
    ref = {"ref": "refs/tags/v2.0.0", "sha": made.json()["sha"]}
    assert client.call("POST", "/git/refs", json=ref).json()["object"]["type"] == "tag"
    assert git.commit_sha(origin.path, "tags/v2.0.0") == origin.head
    git.run(origin.path, "fsck", "--strict").check_returncode()


def test_commits_are_found_by_id_branch_and_tag(repo: RepoHandle, client: Client, origin: Origin) -> None:
    """The answer names the tree and the parents; an unknown revision is 422."""
    for revision in (origin.head, "main", "v1.1.0", "tags/nested", "changeset-release/main"):
        shown = client.call("GET", f"/commits/{revision}").json()
        assert shown["sha"] == origin.head
        assert [parent["sha"] for parent in shown["parents"]] == [origin.first]
    assert client.call("GET", f"/commits/{'0' * 40}").status_code == 422


def test_the_latest_attempt_hides_earlier_ones_unless_all_are_wanted(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """A check that was run again green has two runs, of which filter=latest shows one."""
    repo.check_run("build", origin.head, conclusion="failure")
    repo.check_run("build", origin.head, conclusion="success")
    repo.check_run("lint", origin.head, status="in_progress")
    url = f"/commits/{origin.head}/check-runs"
    latest = client.call("GET", url).json()
    assert latest["total_count"] == 2
    assert {one["name"]: one["conclusion"] for one in latest["check_runs"]} == {
        "build": "success",
        "lint": None,
    }
    everything = client.call("GET", f"{url}?filter=all&check_name=build").json()["check_runs"]
    assert [one["conclusion"] for one in everything] == ["success", "failure"]


def test_the_combined_status_counts_the_newest_of_each_context(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """Statuses of one context supersede one another; none at all is pending."""
    url = f"/commits/{origin.head}"
    assert client.call("GET", f"{url}/status").json()["state"] == "pending"
    repo.status("ci/a", origin.head, "failure")
    repo.status("ci/a", origin.head, "success")
    combined = client.call("GET", f"{url}/status").json()
    assert (combined["state"], combined["total_count"]) == ("success", 1)
    assert [one["state"] for one in client.call("GET", f"{url}/statuses").json()] == ["success", "failure"]


def test_pull_requests_are_found_by_branch_state_and_commit(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """The default is open ones; head is ``owner:branch``."""
    when = datetime(2026, 3, 1, tzinfo=UTC)
    branch = "changeset-release/main"
    repo.pull(7, "Version Packages", head=branch, merged_at=when, merge_commit_sha=origin.head)
    repo.pull(8, "Version Packages", head=branch)
    repo.pull(9, "Other", head="topic", head_owner="someone")
    head = f"acme:{branch}"

    def numbers(path: str, **query: str) -> list[int]:
        return [one["number"] for one in client.call("GET", path, params=query).json()]

    assert numbers("/pulls", head=head) == [8]
    assert numbers("/pulls", head=head, state="all") == [8, 7]
    assert numbers("/pulls", head="acme:topic", state="all") == []
    assert numbers("/pulls", state="closed") == [7]
    assert numbers(f"/commits/{origin.head}/pulls") == [8, 7]
    assert client.call("GET", "/pulls/7").json()["merged"] is True
