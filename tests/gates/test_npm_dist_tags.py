"""npm-publish, the dist-tags: where each tag points after consecutive reads, and that ``latest`` is right."""

from dataclasses import replace

import pytest
from dist_tag_rows import ROWS
from worldkit import World, a_package, a_plan, look

from gates import npm_publish
from release.domain.errors import CannotTell
from release.domain.plan import PUBLIC_REGISTRY
from release.domain.state import State


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    """Each tag gives its reason, state, words and command (K05, G12, G13, G22, C045, C049, C050)."""
    row = ROWS[name]
    finding = row.look()
    assert (finding.reason, finding.state, finding.next) == (row.reason, row.state, row.next)
    assert row.says in finding.message
    assert finding.claims == ()


@pytest.mark.parametrize("question", ["packument", "dist_tag"])
def test_unreachable(question: str) -> None:
    """A tag that could not be read is cannot-tell, never missing (rule 2)."""
    row = ROWS["right"]
    world = row.world()
    world.npm.faults[question] = CannotTell("npm.rate-limited", "too many requests")
    finding = look(npm_publish, row.plan(), world)["acme@latest"]
    assert (finding.reason, finding.state) == ("npm.rate-limited", State.PENDING)


def test_the_public_registry_needs_no_flag() -> None:
    """The printed command is as short as it can be, and exact."""
    npm = replace(a_plan().npm, registry=PUBLIC_REGISTRY)
    assert ROWS["different"].look(npm=npm).next == "npm dist-tag add acme@1.2.3 latest"


def test_as_many_reads_as_the_plan_says() -> None:
    """``[npm] stable_reads`` decides how many equal reads are enough."""
    two = replace(a_plan().npm, stable_reads=2)
    assert ROWS["fewer reads than asked for"].look(npm=two).reason == "npm.dist-tag-agrees"
    one = replace(a_plan().npm, stable_reads=1)
    assert replace(ROWS["right"], reads=("1.2.3",)).look(npm=one).reason == "npm.dist-tag-agrees"
    zero = replace(a_plan().npm, stable_reads=0)
    assert ROWS["empty"].look(npm=zero).reason == "npm.dist-tag-unstable"


def test_nothing_is_read_before_the_version_is_there() -> None:
    """A tag cannot point at what is not published; no requests are spent on it."""
    row = ROWS["not published"]
    world = row.world()
    look(npm_publish, row.plan(), world)
    assert world.npm.asked("dist_tag") == 0


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        (("latest",), ["acme@1.2.3", "acme@latest"]),
        (("next",), ["acme@1.2.3", "acme@next", "acme@latest"]),
        (("latest", "next"), ["acme@1.2.3", "acme@latest", "acme@next"]),
        (("next", "next"), ["acme@1.2.3", "acme@next", "acme@latest"]),
        ((), ["acme@1.2.3", "acme@latest"]),
    ],
)
def test_subjects(planned: tuple[str, ...], expected: list[str]) -> None:
    """The version, each planned tag once, and ``latest`` on guard where it is not planned."""
    subjects = npm_publish.subjects(a_plan(packages=(a_package(dist_tags=planned),)))
    assert [subject.name for subject in subjects] == expected
    assert subjects[0].role == "version"
    by_name = {subject.name: (subject.role, subject.detail) for subject in subjects[1:]}
    for tag in planned:
        assert by_name[f"acme@{tag}"] == ("dist-tag", tag)
    if "latest" not in planned:
        assert by_name["acme@latest"] == ("guard", "latest")


def test_an_empty_registry_is_pending_throughout() -> None:
    """Nothing published: no subject, not even the guard, is complete, or the release would look partial."""
    found = look(npm_publish, ROWS["guard, elsewhere"].plan(), World())
    assert {finding.state for finding in found.values()} == {State.PENDING}
    assert len(found) == 3
