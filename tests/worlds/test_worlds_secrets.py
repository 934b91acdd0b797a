"""Secrets: no token and no userinfo in any output, any file that we keep, or any child's arguments."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import worlds_assets
import worlds_outages as outages
from kit import CLI, TAG, World
from kit_npm import LONG_AGO
from kit_result import Result
from worlds_channel import LINUX

CANARY = "canary-7f3b"
FORMATS = (("--format", "table"), ("--format", "markdown"), ("--json",))
SPY = """#!/bin/sh
printf '%s\\n' "$0 $*" >> {log}
exec {real} "$@"
"""


def spied(w: World, *tools: str) -> Path:
    """Put wrappers of the tools on PATH that write down how they were called; return the log."""
    folder, log = w.folder / "spies", w.folder / "calls.log"
    folder.mkdir()
    log.touch()
    for tool in tools:
        wrapper = folder / tool
        wrapper.write_text(SPY.format(log=log, real=shutil.which(tool)))
        wrapper.chmod(0o755)
    w.env["PATH"] = f"{folder}:{os.environ['PATH']}" if "npm" in tools else str(folder)
    return log


def planted(w: World, *, npm: str = "") -> None:
    """Set every token to a canary; GitHub knows its own, the registry knows ``npm``."""
    w.env |= {
        "GITHUB_TOKEN": w.forge.token(f"ghs_{CANARY}", push=True),
        "GH_TOKEN": f"gho_{CANARY}",
        "NODE_AUTH_TOKEN": npm or f"npm_{CANARY}",
        "NPM_TOKEN": f"npm_{CANARY}_2",
        "RELEASE_DEBUG": "1",
    }


def kept(w: World) -> dict[str, bytes]:
    """Return every file of the state folder, and of what was left beside it."""
    folder = w.checkout / ".release"
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_silent(w: World, said: Result, log: Path, *secrets: str) -> None:
    """See that none of the secrets is anywhere."""
    for secret in secrets:
        assert secret not in said.stdout
        assert secret not in said.stderr
        assert secret not in log.read_text()
        for path, content in kept(w).items():
            assert secret.encode() not in content, path


def complete(w: World) -> None:
    """Everything agrees."""


def unauthorized(w: World) -> None:
    """GitHub does not know the token."""
    w.forge.world.tokens.pop(f"ghs_{CANARY}")


def unreachable(w: World) -> None:
    """The remote is an address with a user and a password, at which nobody listens."""
    port = outages.closed_port()
    w.arguments = (TAG, "--commit", w.commit)
    w.git("remote", "set-url", "origin", f"http://ada:{CANARY}@127.0.0.1:{port}/acme/widget.git")


def without_a_report(w: World) -> None:
    """The same, and there is nothing else to find the commit by."""
    unreachable(w)
    w.arguments = (TAG,)


def echoing(w: World) -> None:
    """GitHub's error and its rate limit's headers hold the token."""
    words = f'{{"message": "Bad credentials: ghs_{CANARY}"}}'
    outages.answers(403, body=words, headers={"X-Echo": f"ghs_{CANARY}"})(w)


WORLDS: list[tuple[str, Any, int]] = [
    ("complete", complete, 0),
    ("partial", lambda w: w.npm.forget(CLI), 2),
    ("failed", worlds_assets.other_bytes, 1),
    ("unauthorized", unauthorized, 4),
    ("echoing", echoing, 4),
    ("remote with a password", unreachable, 4),
    ("no report", without_a_report, 4),
    ("proxy", outages.proxied, 4),
]


@pytest.mark.parametrize(("name", "change", "code"), WORLDS, ids=[name for name, *_ in WORLDS])
def test_no_secret_in_any_output_file_or_argument(name: str, change: Any, code: int, world: World) -> None:
    """In each world, in each format, with debugging on: no canary anywhere (secrets are never shown)."""
    registry = world.npm.registry.token
    planted(world, npm=registry)
    change(world)
    log = spied(world, "git")
    for format_ in FORMATS:
        said = world.call("status", *world.arguments, *format_)
        assert said.exit == code, said.stderr
        assert_silent(world, said, log, CANARY, registry)
    assert "git" in log.read_text()


def test_no_secret_where_the_registry_refuses_the_token(world: World) -> None:
    """A registry that does not know the token: cannot tell, and the token is not shown."""
    planted(world)
    log = spied(world, "git")
    said = world.status()
    assert set(said.open.values()) <= {"npm.denied"}
    assert_silent(world, said, log, CANARY)


def test_no_secret_reaches_npm(world: World) -> None:
    """Packing runs the real npm: neither its arguments nor its files hold a token."""
    planted(world, npm=world.npm.registry.token)
    world.npm.date(CLI, "1.2.3", LONG_AGO)
    world.packs.clear()
    log = spied(world, "git", "npm", "node")
    said = world.status()
    assert said.exit == 0, said.open
    assert "npm" in log.read_text()
    assert_silent(world, said, log, CANARY, world.npm.registry.token)


def test_a_proxy_with_a_password_is_not_shown(world: World) -> None:
    """The proxy's userinfo is a secret, too."""
    outages.proxied(world)
    planted(world)
    for variable in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        world.env[variable] = world.env[variable].replace("://", f"://ada:{CANARY}@")
    log = spied(world, "git")
    said = world.status()
    assert said.exit == 4
    assert_silent(world, said, log, CANARY)


def test_a_canary_would_be_found(world: World) -> None:
    """The search itself works: a name that holds the canary is in the output and in the kept answers."""
    world.asset(LINUX).set(name=f"{CANARY}.tar.gz")
    said = world.status()
    assert CANARY in said.stdout
    assert any(CANARY.encode() in content for content in kept(world).values())
