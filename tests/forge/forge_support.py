"""What the tests of the emulated GitHub share: git, a client, and the folder layout."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from forge import Forge, ReleaseHandle

ROOT = Path(__file__).resolve().parents[2]
GIT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": text
        for who in ("AUTHOR", "COMMITTER")
        for what, text in {
            "NAME": "Ada",
            "EMAIL": "ada@example.invalid",
            "DATE": "2026-01-02T03:04:05Z",
        }.items()
    },
}


def run_git(folder: Path, *arguments: str) -> str:
    """Run git in ``folder`` and return what it printed."""
    command = ["git", "-c", "tag.gpgsign=false", *arguments]
    done = subprocess.run(command, cwd=folder, env=GIT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@dataclass(frozen=True)
class Origin:
    """A bare repository with v1.0.0 (lightweight), v1.1.0 (annotated), nested and @acme/widget@1.0.0."""

    path: Path
    first: str
    head: str


class Client(requests.Session):
    """A client of acme/widget: paths are relative to the repository, tokens are optional."""

    def __init__(self, forge: Forge, token: str | None = "tok") -> None:
        super().__init__()
        self.trust_env = False
        self.base = f"{forge.api_url}/repos/acme/widget"
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request to a path of the repository, or to a whole address."""
        url = path if path.startswith("http") else f"{self.base}{path}"
        return self.request(method, url, timeout=10, **options)


def upload(client: Client, forge: Forge, release: ReleaseHandle, name: str, data: bytes) -> requests.Response:
    """Upload an asset."""
    url = f"{forge.uploads_url}/repos/acme/widget/releases/{release.id}/assets"
    return client.call("POST", url, params={"name": name}, data=data, headers={"Content-Type": "text/plain"})
