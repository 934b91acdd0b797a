"""Nothing is written where something needed is missing: real worlds, the real command line."""

from typing import Any

import pytest
from kit_project import CORE, TAG
from stateful_fresh import Fresh


def untouched(fresh: Fresh) -> bool:
    """Say whether no channel was written to, our own refs included."""
    no_refs = not fresh.refs() and not fresh.refs("refs/tags")
    return fresh.world.forge.writes == () and no_refs and not any(fresh.versions().values())


def test_everything_that_is_wrong_is_said_and_nothing_is_written(fresh: Fresh) -> None:
    """No npm token, and a missing file: one list, exit 4, no write, no lease (issue 3, Build 3)."""
    fresh.world.env["NODE_AUTH_TOKEN"] = ""
    (fresh.dist / "SHA256SUMS").unlink()
    result = fresh.converge()
    assert result.exit == 4
    assert "no npm token is set" in result.stderr
    assert "SHA256SUMS is to be uploaded, and is not in" in result.stderr
    assert untouched(fresh)


def test_a_rejected_npm_token_is_found_before_the_tag(fresh: Fresh) -> None:
    """The registry knows nobody by this token: said at once, not after the tag was pushed."""
    fresh.world.env["NODE_AUTH_TOKEN"] = "no-such-token"
    result = fresh.converge()
    assert (result.exit, untouched(fresh)) == (4, True)
    assert "does not accept the npm token" in result.stderr


def test_a_token_that_may_not_push_writes_nothing(fresh: Fresh) -> None:
    """A token without push access can't see drafts: nothing is assumed to be absent (cases rule 2)."""
    fresh.world.forge.token("reader", push=False)
    fresh.world.env["GITHUB_TOKEN"] = "reader"
    result = fresh.converge()
    assert (result.exit, untouched(fresh)) == (4, True)
    assert "release.drafts-not-visible" in result.stdout


def test_a_planned_immutability_that_is_off_is_found_first(fresh: Fresh) -> None:
    """An administrator's token sees that the setting is off; any other token can't, and goes on."""
    fresh.reconfigure("release", immutable=True)
    result = fresh.converge()
    assert "must be immutable" in result.stderr
    assert (result.exit, untouched(fresh)) == (4, True)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_without_yes_nothing_is_written(fresh: Fresh, options: Any) -> None:
    """The plan of actions is printed, and the exit code is the release's state."""
    result = fresh.plan(*options)
    assert (result.exit, untouched(fresh)) == (2, True)
    assert f"create the draft release for {TAG}" in result.stdout
    assert f"publish {CORE}@1.2.3" in result.stdout
