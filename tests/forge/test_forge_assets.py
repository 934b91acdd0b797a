"""Assets of the emulated GitHub: uploads, names, digests, redirects and downloads."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from forge import Forge, ReleaseHandle, RepoHandle, stored_name
from forge_support import Client, upload

OCTETS = {"Accept": "application/octet-stream"}


def test_an_upload_is_kept_with_its_size_and_digest(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """What the API states of an upload is computed from its bytes, and the write is recorded."""
    data = bytes(range(256)) * 9000
    answer = upload(client, forge, release, "big.bin", data)
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    shown = answer.json()
    assert answer.status_code == 201
    assert (shown["size"], shown["digest"], shown["state"]) == (len(data), digest, "uploaded")
    assert client.call("GET", shown["url"], headers=OCTETS, allow_redirects=True).content == data
    assert [(one.what, one.name, one.after) for one in forge.writes] == [
        ("asset.create", "v1.0.0/big.bin", digest)
    ]


def test_a_taken_name_is_refused_and_the_old_bytes_stay(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """There is no way to overwrite an asset."""
    answer = upload(client, forge, release, "acme.tar.gz", b"others")
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"resource": "ReleaseAsset", "code": "already_exists", "field": "name"}
    ]
    assert forge.writes == ()
    forge.assert_never_overwritten()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("acme-1.0.0.tar.gz", "acme-1.0.0.tar.gz"),
        ("acme widget.zip", "acme.widget.zip"),
        ("acme_1.0.0~rc1_amd64.deb", "acme_1.0.0.rc1_amd64.deb"),
        ("a+b@c.txt", "a+b@c.txt"),
        ("..odd (1)..txt.", "odd.1.txt"),
        ("crème.txt", "creme.txt"),
        ("日本.txt", "default.txt"),
    ],
)
def test_names_are_rewritten_as_users_report_it(
    forge: Forge, release: ReleaseHandle, client: Client, given: str, kept: str
) -> None:
    """Special characters become periods; a name in its final form stays (C129, C131, C136)."""
    assert upload(client, forge, release, given, b"x").json()["name"] == kept
    assert stored_name(kept) == kept


def test_the_api_redirects_to_the_download_host_which_refuses_a_token(
    forge: Forge, release: ReleaseHandle, client: Client, stranger: Client
) -> None:
    """The signed address is on another origin and answers 400 to an Authorization header (C190)."""
    url = f"/releases/assets/{release.assets[0].id}"
    redirect = client.call("GET", url, headers=OCTETS, allow_redirects=False)
    assert redirect.status_code == 302
    signed = redirect.headers["Location"]
    assert signed.startswith(f"{forge.download_url}/")
    assert stranger.call("GET", signed).content == b"bytes of acme"
    assert client.call("GET", signed).status_code == 400
    assert stranger.call("GET", signed.replace("sig=", "sig=0")).status_code == 403


def test_a_client_that_follows_properly_leaves_the_token_behind(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """requests drops the credential at the other origin, and the journal can tell."""
    answer = client.call("GET", f"/releases/assets/{release.assets[0].id}", headers=OCTETS)
    assert answer.content == b"bytes of acme"
    assert [(one.host, one.authorized) for one in forge.requests] == [("api", True), ("download", False)]


def test_the_api_can_also_send_the_bytes_itself(forge: Forge, release: ReleaseHandle, client: Client) -> None:
    """Clients have to handle both 200 and 302."""
    forge.settings.direct_downloads = True
    answer = client.call("GET", f"/releases/assets/{release.assets[0].id}", headers=OCTETS)
    assert (answer.content, answer.history) == (b"bytes of acme", [])


def test_the_browser_address_works_for_public_releases_only(
    repo: RepoHandle, release: ReleaseHandle, client: Client, stranger: Client
) -> None:
    """browser_download_url needs no token, and is 404 for drafts and private repositories (C194)."""
    url = client.call("GET", f"/releases/{release.id}").json()["assets"][0]["browser_download_url"]
    assert stranger.call("GET", url).content == b"bytes of acme"
    draft = repo.release("v2.0.0", draft=True)
    draft.asset("a", b"a")
    hidden = client.call("GET", f"/releases/{draft.id}").json()["assets"][0]["browser_download_url"]
    assert stranger.call("GET", hidden).status_code == 404
    repo.set(private=True)
    assert stranger.call("GET", url).status_code == 404


def test_a_download_is_revalidated_by_its_etag(release: ReleaseHandle, stranger: Client) -> None:
    """The download host knows If-None-Match."""
    url = f"/releases/assets/{release.assets[0].id}"
    first = stranger.call("GET", url, headers=OCTETS)
    again = stranger.call("GET", first.url, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_builders_state_what_they_are_told(release: ReleaseHandle, client: Client, tmp_path: Path) -> None:
    """Null and absent digests, other sizes and states, and bytes in a file can be put in place."""
    release.asset("null", b"x", digest=None)
    release.asset("absent", b"x", omit=("digest",))
    release.asset("odd", b"x", digest="sha256:00", size=7, state="open")
    (tmp_path / "big").write_bytes(b"from a file")
    release.asset("file", tmp_path / "big")
    shown = {one["name"]: one for one in client.call("GET", f"/releases/{release.id}/assets").json()}
    assert shown["null"]["digest"] is None
    assert "digest" not in shown["absent"]
    assert (shown["odd"]["digest"], shown["odd"]["size"], shown["odd"]["state"]) == ("sha256:00", 7, "open")
    assert client.call("GET", shown["file"]["url"], headers=OCTETS).content == b"from a file"
    assert client.call("GET", shown["odd"]["url"], headers=OCTETS).status_code == 404


def test_an_empty_upload_and_one_without_a_length_are_refused(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """GitHub wants a Content-Length above 0."""
    assert upload(client, forge, release, "empty", b"").status_code == 400
    url = f"{forge.uploads_url}/repos/acme/widget/releases/{release.id}/assets?name=x"
    assert client.call("POST", url, data=iter([b"chunk"])).status_code == 411
    assert forge.writes == ()


def test_a_release_holds_a_thousand_assets_and_no_more(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """One asset over the limit is refused; a thousand are cheap to put in place."""
    for number in range(999):
        release.asset(f"a{number}", b"x")
    answer = upload(client, forge, release, "one-too-many", b"x")
    assert answer.status_code == 422
    assert len(client.call("GET", f"/releases/{release.id}").json()["assets"]) == 1000


def test_of_many_uploads_under_one_name_exactly_one_is_kept(forge: Forge, release: ReleaseHandle) -> None:
    """Concurrent uploads are decided once; the losers leave nothing behind."""

    def attempt(number: int) -> tuple[int, bytes]:
        data = f"bytes of {number}".encode()
        with Client(forge) as one:
            return upload(one, forge, release, "raced.bin", data).status_code, data

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(attempt, range(8)))
    won = [data for status, data in results if status == 201]
    assert sorted(status for status, _ in results) == [201] + [422] * 7
    assert release.assets[-1].value.blob.read() == won[0]
    assert len(list(forge.folder.glob("upload-*"))) == 1
    forge.assert_never_overwritten()


def test_throwing_bytes_away_and_uploading_others_is_noticed(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """Delete and upload again under the name is the overwriting that must never happen (C117)."""
    assert client.call("DELETE", f"/releases/assets/{release.assets[0].id}").status_code == 204
    assert upload(client, forge, release, "acme.tar.gz", b"others").status_code == 201
    with pytest.raises(AssertionError, match=r"acme\.tar\.gz with sha256:\w+ was deleted"):
        forge.assert_never_overwritten()
    with pytest.raises(AssertionError, match=r"acme\.tar\.gz was sha256:\w+ and became sha256:\w+"):
        forge.assert_never_overwritten()


def test_deleting_an_interrupted_upload_loses_nothing(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """An asset in state starter has no bytes; it may go and be uploaded anew."""
    starter = release.asset("late.bin", b"", state="starter", digest=None)
    assert client.call("DELETE", f"/releases/assets/{starter.id}").status_code == 204
    assert upload(client, forge, release, "late.bin", b"now").status_code == 201
    forge.assert_never_overwritten()
