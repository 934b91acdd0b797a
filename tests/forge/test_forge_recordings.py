"""The forge plays GitHub's part in the recorded scenarios of ``@octokit/fixtures``, read as data."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from forge import Forge
from forge_support import ROOT, Origin

NEWER = {"digest", "immutable", "updated_at"}
"""Members that GitHub has added since the recordings were made."""


def recording(scenario: str) -> list[dict[str, Any]]:
    """Return the recorded requests and answers of a scenario."""
    subprocess.run([str(ROOT / "scripts" / "node" / "install")], check=True)
    folder = ROOT / ".tools" / "npm" / "node_modules" / "@octokit" / "fixtures" / "scenarios"
    path = folder / "api.github.com" / scenario / "normalized-fixture.json"
    return list(json.loads(path.read_text(encoding="utf-8")))


def shape(value: object) -> object:
    """Return the value with its leaves replaced by the names of their types, without newer members."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items() if name not in NEWER}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return type(value).__name__


class Replay:
    """Sends recorded requests to the forge, with its ids in place of the recorded 1000."""

    def __init__(self, forge: Forge, release: int) -> None:
        self._forge = forge
        self._session = requests.Session()
        self._session.trust_env = False
        self.release, self.asset = release, 0

    def send(self, step: dict[str, Any]) -> requests.Response:
        """Send one recorded request."""
        host = self._forge.uploads_url if "uploads" in step["scope"] else self._forge.api_url
        path = step["path"].replace("releases/1000", f"releases/{self.release}")
        path = path.replace("releases/assets/1000", f"releases/assets/{self.asset}")
        headers = {name: str(text) for name, text in step["reqheaders"].items() if name != "host"}
        headers.pop("content-length", None)
        body = step["body"] if isinstance(step["body"], str) else json.dumps(step["body"])
        answer = self._session.request(
            step["method"].upper(), host + path, headers=headers, data=body or None, timeout=10
        )
        if answer.status_code == 201:
            self.asset = answer.json()["id"]
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


@pytest.fixture(params=["release-assets", "release-assets-conflict"])
def scenario(request: pytest.FixtureRequest) -> str:
    """Return the name of a scenario."""
    return str(request.param)


@pytest.fixture
def replay(scenario: str, forge: Forge, origin: Origin) -> Iterator[Replay]:
    """Return a replay against a repository as it was when the scenario was recorded."""
    token = recording(scenario)[0]["reqheaders"]["authorization"].split()[1]
    forge.token(token, push=True, login="octokit-fixture-user-a")
    release = forge.repo(f"octokit-fixture-org/{scenario}", origin.path).release("v1.0.0", body="Initial")
    made = Replay(forge, release.id)
    if scenario == "release-assets-conflict":
        made.asset = release.asset("test-upload.txt", b"Hello, world!\n", label="test").id
    yield made
    made.close()


def test_recorded_requests_get_answers_of_the_recorded_shape(scenario: str, replay: Replay) -> None:
    """Same status, same members, same types, in every step."""
    for step in recording(scenario):
        answer = replay.send(step)
        assert (step["path"], answer.status_code) == (step["path"], step["status"])
        if step["status"] == 204:
            assert answer.content == b""
            continue
        recorded, shown = step["response"], answer.json()
        if isinstance(recorded, dict) and recorded.get("assets") == []:
            shown = {**shown, "assets": []}
        assert shape(shown) == shape(recorded), step["path"]


@pytest.mark.parametrize("scenario", ["release-assets-conflict"])
def test_the_conflict_is_answered_word_for_word(scenario: str, replay: Replay) -> None:
    """The 422 body is the recorded one, except for the request's own id."""
    refused = [step for step in recording(scenario) if step["status"] == 422]
    assert len(refused) == 1
    answer = replay.send(refused[0])
    recorded = refused[0]["response"]
    assert answer.json() == {**recorded, "request_id": answer.headers["X-GitHub-Request-Id"]}
