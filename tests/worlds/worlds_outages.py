"""Outages: what GitHub, the network, a proxy and the git remote answer when they do not answer."""

import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from forge import Fault, secondary_limit
from kit import SUMS, TOKEN, World
from worlds_channel import LINUX, add_extras

import release.assembly

Change = Callable[[World], object]

CHECKS = r"/commits/[0-9a-f]+/check-runs"
STATUSES = r"/commits/[0-9a-f]+/statuses"
LISTING = r"/releases\?"
ASSETS = r"/releases/\d+/assets"
LATEST = r"/releases/latest$"


def hasten(w: World) -> None:
    """Let nobody wait: between attempts, and for a limit to lift."""
    quick = SimpleNamespace(sleep=lambda seconds: None, monotonic=time.monotonic)
    w.monkeypatch.setattr(release.assembly, "time", quick)


def fault(**members: Any) -> Change:
    """Return a change: the API misbehaves so (by default on every request, for ever)."""

    def change(w: World) -> None:
        hasten(w)
        w.forge.faults.add(Fault(**{"host": "api", "times": None, **members}))

    return change


def answers(status: int, **members: Any) -> Change:
    """Return a change: the API answers with the status and does nothing."""
    return fault(action="status", status=status, **members)


def says(body: str, **members: Any) -> Change:
    """Return a change: the API answers 200 with this body."""
    return answers(200, body=body, **members)


def limited(*, status: int = 403, retry_after: int = 7200, path: str = "", times: int = 10**6) -> Change:
    """Return a change: a secondary limit."""

    def change(w: World) -> None:
        hasten(w)
        w.forge.faults.add(secondary_limit(status=status, retry_after=retry_after, path=path, times=times))

    return change


def exhausted(status: int = 403) -> Change:
    """Return a change: nothing is left of the token's hour."""

    def change(w: World) -> None:
        w.forge.limits.exhausted_status = status
        w.forge.limits.set(TOKEN, remaining=0, reset_in=3000)

    return change


def nearly_exhausted(w: World) -> None:
    """The hour's last three requests are left."""
    w.forge.limits.set(TOKEN, remaining=3, reset_in=3000)


def hidden(w: World) -> None:
    """The repository is private, and the token may not see it."""
    w.repo.set(private=True)
    w.env["GITHUB_TOKEN"] = w.forge.token("weak-token", pull=False)


def hidden_from_all(w: World) -> None:
    """The repository is private, and no token is set."""
    w.repo.set(private=True)
    w.env["GITHUB_TOKEN"] = ""


def wrong_token(w: World) -> None:
    """The token is not one that GitHub knows."""
    w.env["GITHUB_TOKEN"] = "expired-token"


def spoiled_token(w: World) -> None:
    """The secret was pasted with a line end."""
    w.env["GITHUB_TOKEN"] = f"{TOKEN}\n"


def not_there(w: World) -> None:
    """release.toml names a repository that does not exist."""
    w.config["github"]["repository"] = "acme/gadget"


def second_page(kind: str) -> Change:
    """Return a change: of 130 ``checks``, ``releases`` or ``assets`` the second page can't be had."""
    path = {"checks": CHECKS, "releases": r"/releases", "assets": ASSETS}[kind]

    def change(w: World) -> None:
        if kind == "assets":
            add_extras(w, tuple(f"note-{number}.txt" for number in range(130)))
        for number in range(130):
            if kind == "checks":
                w.repo.check_run(f"other {number}", w.commit)
            if kind == "releases":
                at = datetime(2026, 1, 1, tzinfo=UTC)
                w.repo.release(f"v0.{number}.0", created_at=at, prerelease=True)
        answers(502, path=rf"{path}\?.*\bpage=2")(w)

    return change


def moved(w: World) -> None:
    """The repository was renamed: the API answers 301 to its lists, with the address by number."""
    for tail in ("releases", f"commits/{w.commit}/statuses"):
        to = f"{w.forge.api_url}/repositories/{w.repo.id}/{tail}?per_page=100"
        answers(301, path=rf"/repos/acme/widget/{tail}\?", headers={"Location": to})(w)


def moved_away(w: World) -> None:
    """The API's lists answer 302 to another host: the token must not follow."""
    answers(302, path=LISTING, headers={"Location": f"{w.forge.download_url}/repos/acme/widget/releases"})(w)


def closed_port() -> int:
    """Return a port of loopback on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def proxied(w: World) -> None:
    """The proxy for HTTP refuses; git's remote is a path, and needs none."""
    hasten(w)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        w.env[name] = f"http://127.0.0.1:{closed_port()}"
    for name in ("no_proxy", "NO_PROXY"):
        w.env[name] = ""


def api_down(w: World) -> None:
    """Nobody listens where the API should be."""
    hasten(w)
    w.env["GITHUB_API_URL"] = f"http://127.0.0.1:{closed_port()}"


def not_an_api(w: World) -> None:
    """The configured address is a web server of another kind."""
    hasten(w)
    w.env["GITHUB_API_URL"] = w.forge.download_url


def remote_gone(w: World) -> None:
    """The remote is not there any more; the commit is in the checkout, and named."""
    w.arguments = (*w.arguments, "--commit", w.commit)
    w.remote.rename(w.remote.with_name("moved.git"))
    w.repo.set(git_dir=w.remote.with_name("moved.git"))


def remote_refuses(w: World) -> None:
    """Nobody listens at the remote's address; the commit is named."""
    w.arguments = (*w.arguments, "--commit", w.commit)
    w.config["release"]["remote"] = f"http://127.0.0.1:{closed_port()}/acme/widget.git"


def and_failed(change: Change) -> Change:
    """Return a change: the checksum file's upload was cut, too, and that could be seen."""
    return lambda w: [w.asset(LINUX).set(size=1, digest=f"sha256:{'0' * 64}"), change(w)]


def clock_ahead(w: World) -> None:
    """GitHub's clock is an hour ahead of ours: everything there happens in the future."""
    ahead = datetime.now(UTC) + timedelta(hours=1)
    w.release.set(created_at=ahead, published_at=ahead)
    for asset in w.release.assets:
        asset.set(created_at=ahead, updated_at=ahead)


def clock_behind(w: World) -> None:
    """GitHub's clock is a day behind ours."""
    behind = datetime.now(UTC) - timedelta(days=1)
    w.release.set(created_at=behind, published_at=behind)
    for asset in w.release.assets:
        asset.set(created_at=behind, updated_at=behind)


def upload_ahead(w: World) -> None:
    """An upload that began an hour from now, by GitHub's clock, is in progress."""
    clock_ahead(w)
    w.asset(SUMS).set(state="open")
