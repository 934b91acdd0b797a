"""How the emulated GitHub treats its clients: tokens, limits, ETags, faults, scripting from outside."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from forge import Fault, Forge, ReleaseHandle, RepoHandle, secondary_limit
from forge_support import ROOT, Client, Origin, upload

OCTETS = {"Accept": "application/octet-stream"}


def test_a_private_repository_does_not_exist_for_others(
    forge: Forge, repo: RepoHandle, client: Client, stranger: Client
) -> None:
    """404 without access, whatever the path; a token for another repository is no access."""
    repo.set(private=True)
    forge.token("elsewhere", push=True, repos=("acme/other",))
    assert client.call("GET", "").status_code == 200
    assert stranger.call("GET", "/releases").status_code == 404
    with Client(forge, "elsewhere") as other:
        assert other.call("GET", "").status_code == 404


def test_an_unknown_token_is_401_even_for_public_things(forge: Forge, repo: RepoHandle) -> None:
    """A bad token is worse than none."""
    with Client(forge, "wrong") as bad:
        answer = bad.call("GET", "")
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_writing_needs_push_access(forge: Forge, repo: RepoHandle, stranger: Client) -> None:
    """Anonymous is 401, a reading token 403, and neither changes anything."""
    forge.token("reader")
    body = {"tag_name": "v2.0.0"}
    assert stranger.call("POST", "/releases", json=body).status_code == 401
    with Client(forge, "reader") as reader:
        assert reader.call("POST", "/releases", json=body).status_code == 403
    assert forge.writes == ()


def test_a_confirmed_answer_costs_an_authenticated_client_nothing(
    repo: RepoHandle, client: Client, stranger: Client
) -> None:
    """304 leaves X-RateLimit-Remaining alone, except for the anonymous."""
    for who, cost in ((client, 0), (stranger, 1)):
        first = who.call("GET", "")
        etag = first.headers["ETag"]
        again = who.call("GET", "", headers={"If-None-Match": etag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
        spent = int(first.headers["X-RateLimit-Remaining"]) - int(again.headers["X-RateLimit-Remaining"])
        assert spent == cost
    assert "private, max-age=60" in first.headers["Cache-Control"]


def test_an_etag_changes_with_the_answer(release: ReleaseHandle, client: Client) -> None:
    """A change is never hidden behind a 304."""
    url = f"/releases/{release.id}"
    etag = client.call("GET", url).headers["ETag"]
    release.asset("more", b"more")
    assert client.call("GET", url, headers={"If-None-Match": etag}).status_code == 200


def test_an_exhausted_limit_is_403_with_nothing_remaining(
    forge: Forge, repo: RepoHandle, client: Client
) -> None:
    """The last request is answered, the next one refused; /rate_limit stays free."""
    forge.limits.set("tok", limit=5000, remaining=1, reset_in=60)
    assert client.call("GET", "").headers["X-RateLimit-Remaining"] == "0"
    refused = client.call("GET", "")
    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert int(refused.headers["X-RateLimit-Reset"]) > time.time()
    core = client.call("GET", f"{forge.api_url}/rate_limit").json()["resources"]["core"]
    assert core["remaining"] == 0


def test_a_secondary_limit_says_when_to_come_back(forge: Forge, repo: RepoHandle, client: Client) -> None:
    """403 or 429 with Retry-After, once."""
    forge.faults.add(secondary_limit(status=429, retry_after=7))
    refused = client.call("GET", "")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "7")
    assert client.call("GET", "").status_code == 200


def test_a_cut_before_the_effect_leaves_nothing_and_after_it_everything(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """Both look the same to the client: no answer."""
    for action, there in (("cut-before", False), ("cut-after", True)):
        forge.faults.add(Fault(method="POST", host="uploads", action=action))  # type: ignore[arg-type]
        with pytest.raises(requests.ConnectionError, match=r"closed|aborted|reset"):
            upload(client, forge, release, f"{action}.bin", b"bytes")
        names = [asset.value.name for asset in release.assets]
        assert (f"{action}.bin" in names) is there
    assert [one.status for one in forge.requests] == [None, None]


def test_a_failed_upload_can_leave_a_starter_behind(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """502, then an asset without bytes that blocks the name (C100)."""
    forge.faults.add(Fault(host="uploads", action="starter"))
    assert upload(client, forge, release, "late.bin", b"bytes").status_code == 502
    left = release.assets[-1].value
    assert (left.name, left.state, left.size, left.digest) == ("late.bin", "starter", 0, None)
    assert upload(client, forge, release, "late.bin", b"bytes").status_code == 422


def test_an_error_can_come_although_it_was_done(forge: Forge, repo: RepoHandle, client: Client) -> None:
    """status-after has the effect, status has none."""
    body = {"tag_name": "v2.0.0", "draft": True}
    forge.faults.add(Fault(method="POST", path=r"/releases$", action="status", status=500, times=2))
    forge.faults.add(Fault(method="POST", path=r"/releases$", action="status-after", status=503))
    assert [client.call("POST", "/releases", json=body).status_code for _ in range(3)] == [500, 500, 503]
    assert len(client.call("GET", "/releases").json()) == 1


def raw(forge: Forge, url: str) -> tuple[bytes, dict[str, str], str]:
    """Download without any decoding or length check; return bytes, headers and how it ended."""
    with requests.get(url, stream=True, timeout=10, headers={"Accept-Encoding": "identity"}) as answer:
        data, end = b"", "ended"
        try:
            while chunk := answer.raw.read(64, decode_content=False):
                data += chunk
        except Exception as error:  # noqa: BLE001 - whichever class the library has for a short body
            end = type(error).__name__
        return data, dict(answer.headers), end


def test_bodies_can_be_spoiled_on_their_way(forge: Forge, release: ReleaseHandle, client: Client) -> None:
    """Truncated, mislabelled, unlabelled, compressed, replaced and corrupted downloads (K21, K22)."""
    whole = b"bytes of acme"
    url = f"/releases/assets/{release.assets[0].id}"
    signed = client.call("GET", url, headers=OCTETS, allow_redirects=False).headers["Location"]

    def next_with(**rule: object) -> tuple[bytes, dict[str, str], str]:
        forge.faults.add(Fault(host="download", **rule))  # type: ignore[arg-type]
        return raw(forge, signed)

    data, headers, end = next_with(action="truncate", keep=5)
    assert (data, headers["Content-Length"], end) == (b"bytes"[: len(data)], "13", "ProtocolError")
    data, headers, end = next_with(action="wrong-length", delta=-3)
    assert (data, headers["Content-Length"], end) == (whole[:-3], "10", "ended")
    data, headers, end = next_with(action="no-length", keep=4)
    assert (data, "Content-Length" in headers, end) == (whole[:4], False, "ended")
    data, headers, _ = next_with(action="gzip")
    assert (data[:2], headers["Content-Encoding"]) == (b"\x1f\x8b", "gzip")
    data, headers, _ = next_with(action="html")
    assert headers["Content-Type"].startswith("text/html")
    data, _, _ = next_with(action="corrupt")
    assert (len(data), data[:-1], data == whole) == (13, whole[:-1], False)
    assert raw(forge, signed)[0] == whole


def test_delay_stall_and_latency_take_time(forge: Forge, release: ReleaseHandle, client: Client) -> None:
    """Each adds at least what it was told to."""

    def seconds() -> float:
        before = time.monotonic()
        client.call("GET", "")
        return time.monotonic() - before

    forge.faults.add(Fault(action="delay", seconds=0.05))
    assert seconds() >= 0.05
    forge.faults.add(Fault(action="stall", seconds=0.05))
    assert seconds() >= 0.05
    forge.settings.latency_ms = 50
    assert seconds() >= 0.05


def test_a_rule_can_wait_for_its_turn_and_a_senseless_one_is_refused(
    forge: Forge, repo: RepoHandle, client: Client
) -> None:
    """nth counts matching requests from 1."""
    forge.faults.add(Fault(action="status", status=500, nth=2, times=1))
    assert [client.call("GET", "").status_code for _ in range(3)] == [200, 500, 200]
    assert forge.faults.pending() == ()
    with pytest.raises(ValueError, match="unknown action 'explode'"):
        Fault(action="explode")  # type: ignore[arg-type]


def test_the_enterprise_prefix_serves_the_same_with_its_own_addresses(
    forge: Forge, release: ReleaseHandle, client: Client
) -> None:
    """Below /api/v3 every address stays below it, and uploads go below /api/uploads."""
    url = f"{forge.api_url}/api/v3/repos/acme/widget/releases/{release.id}"
    shown = client.call("GET", url).json()
    assert shown["url"] == url
    assert shown["upload_url"].startswith(f"{forge.api_url}/api/uploads/repos/acme/widget/releases/")
    address = shown["upload_url"].partition("{")[0]
    assert client.call("POST", address, params={"name": "x"}, data=b"x").status_code == 201


def test_a_mistake_of_the_forge_itself_is_never_taken_for_an_outage(origin: Origin) -> None:
    """Leaving the context raises where a handler crashed."""
    with pytest.raises(RuntimeError, match="the forge itself failed"), Forge() as forge:
        forge.repo("acme/widget", origin.path).set(created_at="no time")
        assert requests.get(f"{forge.api_url}/repos/acme/widget", timeout=10).status_code == 500


def test_a_forge_in_another_process_is_scripted_over_http(origin: Origin, tmp_path: Path) -> None:
    """It prints its addresses, takes a world and faults, tells its writes, and ends with its input."""
    command = [sys.executable, str(ROOT / "scripts" / "forge"), "--state-dir", str(tmp_path / "state")]
    command += ["--token", "tok", "--until-eof"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        urls = json.loads(process.stdout.readline())
        admin, repository = urls["admin_url"], f"{urls['api_url']}/repos/acme/widget"
        asset = {"name": "a.txt", "text": "a"}
        world = {
            "repos": [
                {
                    "full_name": "acme/widget",
                    "git_dir": str(origin.path),
                    "releases": [
                        {"tag": "v1.0.0", "created_at": "2026-03-01T00:00:00+00:00", "assets": [asset]}
                    ],
                    "latest": "v1.0.0",
                }
            ]
        }
        assert requests.post(f"{admin}/world", json=world, timeout=10).status_code == 200
        fault = {"action": "status", "status": 500}
        assert requests.post(f"{admin}/faults", json=fault, timeout=10).status_code == 200
        assert requests.get(repository, timeout=10).status_code == 500
        shown = requests.get(f"{repository}/releases/latest", timeout=10).json()
        assert (shown["created_at"], shown["assets"][0]["name"]) == ("2026-03-01T00:00:00Z", "a.txt")
        assert len(requests.get(f"{admin}/requests", timeout=10).json()) == 2
        assert requests.get(f"{admin}/writes", timeout=10).json() == []
        bad = requests.post(f"{admin}/faults", json={"action": "explode"}, timeout=10)
        assert (bad.status_code, "unknown action" in bad.json()["message"]) == (422, True)
        process.communicate("", timeout=10)
    assert process.returncode == 0
