"""npm while converge publishes: denied, answered wrongly, slow; in dependency order, and never twice."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from converge_kit import ANNOUNCED, ASSETS, Acting, published
from converge_registry import Answer, Registry, instead
from kit import CLI, CORE, TAG, VERSION, World

CORE_PATH, CLI_PATH = f"/{CORE}", f"/{CLI}"
V_CORE, V_CLI = f"npm-publish/{CORE}@{VERSION}", f"npm-publish/{CLI}@{VERSION}"
NOT_FOUND = Answer(status=404, body=b'{"error":"Not found"}')
FORBIDDEN = Answer(status=403, body=b'{"error":"You do not have permission to publish"}')
PUBLISHED_OVER = instead(403, "You cannot publish over the previously published versions: 1.2.3.")


@pytest.fixture
def acting(world: World) -> Acting:
    """Return a release of which everything is done but npm and the announcement."""
    made = Acting(world).draft(*ASSETS)
    world.tag(TAG, world.commit, annotated=True)
    return made


@pytest.fixture
def registry(acting: Acting) -> Iterator[Registry]:
    """Return the registry in front of the registry."""
    with acting.registry() as made:
        yield made


def test_the_answer_to_its_own_retry_is_not_believed(acting: Acting, registry: Registry) -> None:
    """G02: npm says E403 "cannot publish over" of a version that it has just published: done, go on."""
    registry.bend("PUT", CORE_PATH, PUBLISHED_OVER)
    acting.converge().require(0, *published(CORE, CLI), ANNOUNCED)
    assert (registry.count(CORE_PATH), registry.count(CLI_PATH)) == (1, 1)


@pytest.mark.parametrize("answer", [NOT_FOUND, FORBIDDEN], ids=["404", "403"])
def test_a_denied_publish_ends_the_run(answer: Answer, acting: Acting, registry: Registry) -> None:
    """G03: the second name may not be created: said so, what was published is listed, nothing follows."""
    registry.deny(CLI_PATH, answer)
    done = acting.converge().require(1, *published(CORE))
    assert done.open[V_CLI] == "npm.publish-denied"
    assert done.result.reason("npm-publish", f"{CORE}@{VERSION}") == "npm.identical"
    assert V_CORE not in done.open
    if answer is NOT_FOUND:
        assert "404" in done.result.message("npm-publish", f"{CLI}@{VERSION}")
    assert registry.count(CLI_PATH) == 1
    registry.allow(CLI_PATH)
    acting.converge().require(0, *published(CLI), ANNOUNCED)
    assert registry.count(CORE_PATH) == 1


def test_nothing_is_published_that_needs_what_was_denied(acting: Acting, registry: Registry) -> None:
    """G03: the dependency is denied: the package that needs it is not even tried, nothing is announced."""
    registry.deny(CORE_PATH, FORBIDDEN)
    done = acting.converge().require(1)
    assert done.open[V_CORE] == "npm.publish-denied"
    assert (registry.count(CORE_PATH), registry.count(CLI_PATH)) == (1, 0)


def hidden(answer: Answer) -> Answer:
    """A registry that has taken the version and does not show it yet."""
    return Answer(status=404, body=b'{"error":"no such package available"}')


def test_a_publish_that_is_not_visible_yet_is_waited_for(acting: Acting, registry: Registry) -> None:
    """G22: inside the window it is pending, nothing that needs it follows, and it is never sent again."""
    registry.bend("GET", CORE_PATH, hidden)
    for _ in range(2):
        done = acting.converge()
        assert (done.exit, done.open[V_CORE], ANNOUNCED in done.wrote) == (2, "npm.propagating", False)
        assert done.open[V_CLI] == "npm.absent"
    assert registry.count(CORE_PATH) == 1
    registry.straighten()
    acting.converge().require(0, *published(CLI), ANNOUNCED)
    assert registry.count(CORE_PATH) == 1


def test_a_publish_that_never_becomes_visible_is_a_failure(acting: Acting, registry: Registry) -> None:
    """G22: past the window it is npm.not-visible, exit 1; even then it is not published again."""
    acting.world.config["npm"] = {"propagation": "1s"}
    registry.bend("GET", CORE_PATH, hidden)
    first = acting.converge("--wait", "5s")
    assert (first.exit, first.open[V_CORE]) == (1, "npm.not-visible")
    assert acting.converge().require(1).open[V_CORE] == "npm.not-visible"
    assert registry.count(CORE_PATH) == 1


def test_waiting_is_part_of_converging(acting: Acting, registry: Registry) -> None:
    """G22: with `--wait` one run goes on as soon as the version is visible."""
    looks = 0

    def slowly(answer: Answer) -> Answer:
        nonlocal looks
        looks += answer.status == 200
        return answer if looks > 3 else hidden(answer)

    registry.bend("GET", CORE_PATH, slowly)
    acting.converge("--wait", "60s").require(0, *published(CORE, CLI), ANNOUNCED)
    assert registry.count(CORE_PATH) == 1


def test_a_dist_tag_that_got_lost_is_set_without_publishing(acting: Acting, registry: Registry) -> None:
    """G22: tag and version are separate subjects: the second dist-tag is denied, and set by the next run."""
    for table in acting.world.config["package"]:
        table["dist_tags"] = ["latest", "stable"]
    paths = {name: f"/-/package/{name}/dist-tags/stable" for name in (CORE, CLI)}
    registry.deny(paths[CORE], FORBIDDEN)
    done = acting.converge()
    assert (done.exit, done.open[f"npm-publish/{CORE}@stable"]) == (1, "npm.dist-tag-denied")
    registry.allow(paths[CORE])
    acting.converge()
    assert acting.status().require(0)
    assert (registry.count(CORE_PATH), registry.count(CLI_PATH)) == (1, 1)


def test_a_server_error_after_the_publish_is_looked_into(acting: Acting, registry: Registry) -> None:
    """Rule 5 of the cases: 500 after the effect: identical, so it is done and not sent again."""
    registry.bend("PUT", CLI_PATH, lambda answer: replace(answer, status=500))
    acting.converge().require(0, *published(CORE, CLI), ANNOUNCED)
    assert registry.count(CLI_PATH) == 1
