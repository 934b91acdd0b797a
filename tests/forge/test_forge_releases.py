"""Releases of the emulated GitHub behave as GitHub documents them and as users report them."""

from datetime import UTC, datetime, timedelta

import pytest
from forge import Forge, ReleaseHandle, RepoHandle, git
from forge_support import Client, Origin, upload

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_draft_is_listed_with_push_access_only_and_never_found_by_its_tag(
    repo: RepoHandle, client: Client, stranger: Client
) -> None:
    """Drafts are visible by list and id with push access, by tag never (C138)."""
    draft = repo.release("v2.0.0", draft=True)
    assert [one["id"] for one in client.call("GET", "/releases").json()] == [draft.id]
    assert client.call("GET", f"/releases/{draft.id}").json()["published_at"] is None
    assert client.call("GET", "/releases/tags/v2.0.0").status_code == 404
    assert stranger.call("GET", "/releases").json() == []
    assert stranger.call("GET", f"/releases/{draft.id}").status_code == 404
    assert stranger.call("GET", f"/releases/{draft.id}/assets").status_code == 404


def test_several_drafts_may_have_one_tag(repo: RepoHandle, client: Client) -> None:
    """Two creations of a draft for one tag make two drafts (C128)."""
    for _ in range(2):
        made = client.call("POST", "/releases", json={"tag_name": "v2.0.0", "draft": True})
        assert made.status_code == 201
    assert [one["tag_name"] for one in client.call("GET", "/releases").json()] == ["v2.0.0", "v2.0.0"]


def test_publishing_a_draft_creates_the_tag_at_its_target(
    forge: Forge, repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """An absent tag comes into being, lightweight, at target_commitish."""
    draft = repo.release("v2.0.0", draft=True, target=origin.first)
    answer = client.call("PATCH", f"/releases/{draft.id}", json={"draft": False})
    assert (answer.status_code, answer.json()["draft"]) == (200, False)
    assert git.ref(origin.path, "refs/tags/v2.0.0") == git.Ref(
        name="refs/tags/v2.0.0", sha=origin.first, type="commit"
    )
    assert [write.what for write in forge.writes] == ["ref.create", "release.publish"]


def test_publishing_leaves_an_existing_tag_where_it_is(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """target_commitish is unused where the tag exists already."""
    draft = repo.release("v1.0.0", draft=True, target=origin.head)
    assert client.call("PATCH", f"/releases/{draft.id}", json={"draft": False}).status_code == 200
    ref = git.ref(origin.path, "refs/tags/v1.0.0")
    assert ref is not None
    assert ref.sha == origin.first


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"tag_name": "v1.0.0"}, "already_exists", "tag_name"),
        ({"tag_name": "v9", "target_commitish": "no-such-branch"}, "invalid", "target_commitish"),
        ({}, "missing_field", "tag_name"),
    ],
)
def test_a_release_that_cannot_be_made_is_422_and_writes_nothing(
    forge: Forge, release: ReleaseHandle, client: Client, body: dict[str, str], code: str, field: str
) -> None:
    """A second release of a tag, an unknown target and a missing tag are refused."""
    answer = client.call("POST", "/releases", json=body)
    assert answer.status_code == 422
    error = answer.json()["errors"][0]
    assert (error["code"], error["field"]) == (code, field)
    assert forge.writes == ()


def test_a_tag_with_a_slash_must_be_percent_encoded(repo: RepoHandle, client: Client) -> None:
    """A raw slash in the tag's address is another address: 404 (C170)."""
    made = repo.release("@acme/widget@1.0.0")
    assert client.call("GET", "/releases/tags/%40acme%2Fwidget%401.0.0").json()["id"] == made.id
    assert client.call("GET", "/releases/tags/@acme/widget@1.0.0").status_code == 404


def test_latest_is_the_newest_full_release_unless_chosen_by_hand(repo: RepoHandle, client: Client) -> None:
    """Drafts and prereleases are never latest; an override wins."""
    repo.release("v1.0.0", created_at=DAY)
    repo.release("v1.1.0", created_at=DAY + timedelta(days=1))
    repo.release("v2.0.0-rc.1", prerelease=True, created_at=DAY + timedelta(days=2))
    repo.release("v3.0.0", draft=True, created_at=DAY + timedelta(days=3))
    assert client.call("GET", "/releases/latest").json()["tag_name"] == "v1.1.0"
    repo.latest_override("v1.0.0")
    assert client.call("GET", "/releases/latest").json()["tag_name"] == "v1.0.0"


def test_without_a_full_release_latest_is_404(repo: RepoHandle, client: Client) -> None:
    """No release, no latest."""
    repo.release("v2.0.0-rc.1", prerelease=True)
    assert client.call("GET", "/releases/latest").status_code == 404


def test_an_immutable_release_takes_no_asset_and_loses_none(
    forge: Forge, repo: RepoHandle, client: Client
) -> None:
    """Publishing in an immutable repository freezes the assets (C269)."""
    repo.set(immutable=True)
    assert client.call("GET", "/immutable-releases").json() == {"enabled": True, "enforced_by_owner": False}
    draft = repo.release("v2.0.0", draft=True)
    assert upload(client, forge, draft, "a.txt", b"a").status_code == 201
    shown = client.call("PATCH", f"/releases/{draft.id}", json={"draft": False}).json()
    assert shown["immutable"] is True
    refused = upload(client, forge, draft, "b.txt", b"b")
    assert refused.status_code == 422
    assert refused.json()["message"] == "Cannot upload assets to an immutable release."
    assert client.call("DELETE", f"/releases/assets/{shown['assets'][0]['id']}").status_code == 422
    assert [asset.value.name for asset in draft.assets] == ["a.txt"]


def test_the_tag_name_of_an_immutable_release_is_used_up_for_ever(
    repo: RepoHandle, client: Client, origin: Origin
) -> None:
    """Deleting the release does not free its tag name, neither for a release nor for a ref (C175, C176)."""
    repo.set(immutable=True)
    made = client.call("POST", "/releases", json={"tag_name": "v2.0.0"}).json()
    assert client.call("DELETE", f"/releases/{made['id']}").status_code == 204
    git.run(origin.path, "update-ref", "-d", "refs/tags/v2.0.0").check_returncode()
    again = client.call("POST", "/releases", json={"tag_name": "v2.0.0", "draft": True})
    assert again.json()["errors"][0]["message"] == "tag_name was used by an immutable release"
    ref = client.call("POST", "/git/refs", json={"ref": "refs/tags/v2.0.0", "sha": origin.head})
    assert ref.status_code == 422


def test_where_releases_are_mutable_the_immutable_endpoint_is_404(repo: RepoHandle, client: Client) -> None:
    """404 means: not enabled."""
    assert client.call("GET", "/immutable-releases").status_code == 404


@pytest.mark.parametrize(("count", "pages"), [(0, 1), (30, 1), (31, 2), (101, 4)])
def test_releases_come_in_pages_of_thirty_linked_by_id(
    repo: RepoHandle, client: Client, count: int, pages: int
) -> None:
    """The Link header leads through every release exactly once (C181)."""
    for number in range(count):
        repo.release(f"v1.0.{number}", created_at=DAY + timedelta(hours=number))
    url, seen, asked = "/releases", [], 0
    while url:
        answer = client.call("GET", url)
        seen += [one["tag_name"] for one in answer.json()]
        asked += 1
        url = answer.links.get("next", {}).get("url", "")
    assert asked == pages
    assert seen == [f"v1.0.{number}" for number in reversed(range(count))]


def test_at_most_a_hundred_items_come_at_once(release: ReleaseHandle, client: Client) -> None:
    """per_page above 100 is cut (C177, C179)."""
    for number in range(149):
        release.asset(f"a{number}", b"x")
    answer = client.call("GET", f"/releases/{release.id}/assets", params={"per_page": "1000"})
    assert len(answer.json()) == 100
    assert answer.links["last"]["url"].endswith("per_page=1000&page=2")
