"""make_latest: whether publishing a release takes GitHub's ``latest``, by policy and by version."""

from datetime import UTC, datetime

import pytest

from release.domain.facts.github import ReleaseFacts
from release.domain.latest import make_latest
from release.domain.plan import Latest, ReleaseSpec

THEN = datetime(2026, 1, 1, tzinfo=UTC)


def spec(version: str, tag: str = "", latest: Latest = Latest.AUTO, prerelease: bool = False) -> ReleaseSpec:
    """The planned release."""
    return ReleaseSpec(
        tag=tag or f"v{version}",
        version=version,
        prerelease=prerelease,
        latest=latest,
        immutable=False,
        assets=(),
    )


def published(number: int, tag: str, prerelease: bool = False) -> ReleaseFacts:
    """A release that is there already."""
    return ReleaseFacts(
        id=number,
        tag_name=tag,
        name=None,
        draft=False,
        prerelease=prerelease,
        immutable=None,
        target_commitish="main",
        html_url="",
        upload_url="",
        created_at=THEN,
        published_at=THEN,
    )


AUTO: dict[str, tuple[ReleaseSpec, tuple[str, ...], bool]] = {
    "the first": (spec("1.2.3"), (), True),
    "newer": (spec("1.2.3"), ("v1.2.2",), True),
    "the same again": (spec("1.2.3"), ("v1.2.3",), True),
    "a backport (G12)": (spec("1.2.3"), ("v1.2.2", "v2.0.0"), False),
    "a backport, listed first": (spec("1.2.3"), ("v2.0.0", "v1.2.2"), False),
    "by number, not by letter": (spec("1.10.0"), ("v1.9.0",), True),
    "a higher prerelease does not count": (spec("1.2.3"), ("v2.0.0-rc.1",), True),
    "another family does not count": (spec("1.2.3"), ("nightly", "w9.0.0", "v9.0.0-tool", "v9.x"), True),
    "its own family does": (spec("1.2.3", "a@1.2.3"), ("a@2.0.0",), False),
    "another package does not": (spec("1.2.3", "a@1.2.3"), ("b@2.0.0",), True),
    "a suffix is part of the family": (spec("1.2.3", "v1.2.3-tool"), ("v9.0.0-tool",), False),
    "a prerelease by version": (spec("2.0.0-rc.1"), ("v1.0.0",), False),
    "a prerelease before any stable": (spec("2.0.0-rc.1"), (), False),
    "a prerelease by flag": (spec("2.0.0", prerelease=True), ("v1.0.0",), False),
    "a calendar version": (spec("2024.04.01"), ("v9999.0.0",), True),
    "a calendar version, flagged": (spec("2024.04.01", prerelease=True), (), False),
}


@pytest.mark.parametrize("name", AUTO)
def test_by_version(name: str) -> None:
    """The highest stable version of the family takes it; GitHub's own choice by date is not left to it."""
    planned, tags, expected = AUTO[name]
    listed = tuple(published(number, tag) for number, tag in enumerate(tags))
    assert make_latest(planned, listed) is expected


def test_a_flagged_prerelease_does_not_count() -> None:
    """A version that looks stable and is marked as a prerelease holds nothing."""
    assert make_latest(spec("1.2.3"), (published(1, "v2.0.0", prerelease=True),)) is True


@pytest.mark.parametrize("tags", [(), ("v1.0.0",), ("v9.0.0",)])
@pytest.mark.parametrize(("policy", "expected"), [(Latest.YES, True), (Latest.NO, False)])
def test_by_policy(policy: Latest, expected: bool, tags: tuple[str, ...]) -> None:
    """A plan that says yes or no is obeyed, whatever else is published."""
    listed = tuple(published(number, tag) for number, tag in enumerate(tags))
    assert make_latest(spec("1.2.3", latest=policy), listed) is expected
