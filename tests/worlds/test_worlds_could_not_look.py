"""What could not be seen is neither failed nor complete: pending, who = cannot-tell, exit 4 (K20, K24)."""

import pytest
import worlds_outages as change
from kit import SUMS, TAG, Row, World, look
from worlds_channel import (
    BUILD_CHECK,
    LATEST,
    LINUX,
    ON_GITHUB,
    ON_RELEASE,
    RELEASE,
    every,
    sum_of,
    up,
)
from worlds_names import SOURCE_TAG, T_CLI, T_CORE, V_CLI, V_CORE

ASSETS_GATES = tuple(key for key in ON_GITHUB if key not in (BUILD_CHECK, RELEASE, LATEST))
NPM = (V_CORE, V_CLI, T_CORE, T_CLI)


def blind(name: str, cases: str, made: change.Change, reason: str, where: tuple[str, ...] = ON_GITHUB) -> Row:
    """Return a row: everything in ``where`` could not be seen for this reason; the rest is complete."""
    return Row(id=name, cases=cases, change=made, open=every(where, reason), exit=4)


RELEASES = (*ON_RELEASE, RELEASE, LATEST)
DENIED, LIMITED, DOWN, BAD = (
    f"github.{kind}" for kind in ("denied", "rate-limited", "unreachable", "bad-answer")
)
UNSEEN = [
    blind("401", "K20", change.wrong_token, DENIED),
    blind("a token with a line end", "K20", change.spoiled_token, DENIED),
    blind("403", "K20 C186", change.answers(403), DENIED),
    blind("451", "K20", change.answers(451), DENIED),
    blind("404, private", "K21 C194 K20", change.hidden, "github.repository-not-visible"),
    blind("404, private and no token", "K21 C194", change.hidden_from_all, "github.repository-not-visible"),
    blind("404, no such repository", "K24", change.not_there, "github.repository-not-visible"),
    blind("429 for hours", "K20 C182", change.limited(status=429), LIMITED),
    blind("secondary limit for hours", "K20 C182", change.limited(), LIMITED),
    blind("hour exhausted", "K20 C186", change.exhausted(), LIMITED),
    blind("hour exhausted, as 429", "K20 C186", change.exhausted(429), LIMITED),
    blind("500 past retries", "K20 K12", change.answers(500), DOWN),
    blind("503 past retries", "K20", change.answers(503), DOWN),
    blind("cut past retries", "K22", change.fault(action="cut-before"), DOWN),
    blind("cut after the effect", "K22", change.fault(action="cut-after"), DOWN),
    blind("a page with 200", "K22 K24", change.fault(action="html"), BAD),
    blind("empty 200", "K22", change.says(""), BAD),
    blind("an object of another kind", "K22", change.says('{"ok": true}'), BAD),
    blind("a list of nothing known", "K22", change.says('[{"id": "x"}]'), BAD),
    blind("half an answer", "K22", change.fault(action="truncate"), DOWN),
    blind("nobody listens", "K24", change.api_down, DOWN),
    blind("no API at the address", "K24 C214", change.not_an_api, "github.repository-not-visible"),
    blind("checks alone denied", "K20 K37", change.answers(403, path=change.CHECKS), DENIED, (BUILD_CHECK,)),
    blind("checks hidden", "K20 K37", change.answers(404, path=change.CHECKS), DENIED, (BUILD_CHECK,)),
    blind("statuses down", "K20 K37", change.answers(500, path=change.STATUSES), DOWN, (BUILD_CHECK,)),
    blind("latest alone down", "K20 K32", change.answers(500, path=change.LATEST), DOWN, (LATEST,)),
    blind("releases alone down", "K20", change.answers(502, path=change.LISTING), DOWN, RELEASES),
    blind("assets alone down", "K20", change.answers(502, path=change.ASSETS), DOWN, ON_RELEASE),
    blind("assets gone meanwhile", "K16 C148", change.answers(404, path=change.ASSETS), BAD, ON_RELEASE),
    blind("no page 2 of checks", "K19 K20", change.second_page("checks"), DOWN, (BUILD_CHECK,)),
    blind("no page 2 of releases", "K19 K20", change.second_page("releases"), DOWN, RELEASES),
    blind("redirected to another host", "K21 K24 C190", change.moved_away, BAD, RELEASES),
    blind("git remote gone", "K24 C212", change.remote_gone, "git.unreachable", (SOURCE_TAG, RELEASE)),
    blind("git remote refuses", "K24 C212", change.remote_refuses, "git.unreachable", (SOURCE_TAG, RELEASE)),
    Row(
        id="proxy refuses",
        cases="K24 C210 C212",
        change=change.proxied,
        open={**every(ON_GITHUB, DOWN), **every(NPM, "npm.unreachable")},
        exit=4,
    ),
    Row(
        id="and something failed",
        cases="K20",
        change=change.and_failed(change.answers(403, path=change.CHECKS)),
        open={
            BUILD_CHECK: DENIED,
            up(LINUX): "asset.size-differs",
            sum_of(LINUX): "checksums.size-differs",
        },
        exit=1,
    ),
]
SEEN = [
    Row(id="429 with Retry-After", cases="K20", change=change.limited(status=429, retry_after=1, times=1)),
    Row(id="secondary limit, short", cases="K20 C184", change=change.limited(retry_after=1, times=2)),
    Row(id="502 once", cases="K20 K12", change=change.answers(502, times=1)),
    Row(id="500 now and then", cases="K20", change=change.answers(500, times=3)),
    Row(id="cut once", cases="K22", change=change.fault(action="cut-before", times=1)),
    Row(id="cut half-way once", cases="K22", change=change.fault(action="truncate", times=1)),
    Row(id="slow", cases="K20", change=change.fault(action="delay", seconds=0.05)),
    Row(id="renamed repository", cases="K24 C217", change=change.moved),
    Row(id="GitHub's clock ahead", cases="K39 C342", change=change.clock_ahead),
    Row(id="GitHub's clock behind", cases="K39 C344", change=change.clock_behind),
]


@pytest.mark.parametrize("row", UNSEEN, ids=lambda row: row.id)
def test_could_not_look(row: Row, world: World) -> None:
    """Each row: who does not answer; nothing of it is failed or complete, the rest is judged (K20, K24)."""
    result = look(row, world)
    for key, reason in row.open.items():
        if reason.partition(".")[0] in ("github", "git", "npm"):
            found = result.finding(*key.split("/", 1))
            assert (found["state"], found["who"]) == ("pending", "cannot-tell"), key


@pytest.mark.parametrize("row", SEEN, ids=lambda row: row.id)
def test_could_look_at_last(row: Row, world: World) -> None:
    """Each row: a difficulty that another attempt mends, or that is none (K12, K20, K22, K39)."""
    look(row, world)


def test_a_list_without_its_second_page_is_no_list(world: World) -> None:
    """Page 2 of 135 assets can't be had: nothing is said of any, not even of those seen (K19, K20)."""
    change.second_page("assets")(world)
    result = world.status()
    assert set(result.open.values()) == {DOWN}
    assert len(result.open) == len(ON_RELEASE) + 2 * 130
    assert result.exit == 4


def test_what_was_seen_before_the_limit_counts(world: World) -> None:
    """The hour ends in the middle of a look: what was not seen is pending, nothing is failed (K20, C182)."""
    change.nearly_exhausted(world)
    result = world.status()
    assert set(result.open.values()) == {LIMITED}
    assert set(result.gates.values()) <= {"pending", "partial", "complete"}
    assert result.exit == 4
    assert result.report["budget"]["remaining"] == 0


def test_nobody_asks_on_while_the_limit_lasts(world: World) -> None:
    """One refusal is enough: the other subjects do not ask the limited server again (K20)."""
    change.exhausted()(world)
    world.status()
    assert len([one for one in world.forge.requests if one.status == 403]) <= 8


def test_without_tag_and_remote_there_is_no_report(world: World) -> None:
    """The commit itself comes from the remote: one clear error, exit 4, no verdict (K24)."""
    world.config["release"]["remote"] = f"http://127.0.0.1:{change.closed_port()}/acme/widget.git"
    result = world.status()
    assert (result.exit, result.stdout) == (4, "")
    assert "git.unreachable" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_upload_that_starts_in_the_future_is_in_progress(world: World) -> None:
    """A clock that is ahead makes no upload old (K39)."""
    change.upload_ahead(world)
    assert world.status().reason(*up(SUMS).split("/")) == "asset.processing"


def test_anonymous_readers_are_told_that_drafts_are_invisible(world: World) -> None:
    """Without push access an absent release may be a draft: cannot tell, never absent (K16, C138, C152)."""
    world.release.set(draft=True, published_at=None)
    world.env["GITHUB_TOKEN"] = world.forge.token("reader", push=False)
    result = world.status()
    assert result.reason("github-release", TAG) == "release.drafts-not-visible"
    assert result.exit == 4
