"""github-release: ``latest`` points where the policy says, by version and never by date of creation."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from worldkit import EARLIER, UNREACHABLE, World, a_plan, a_release, a_spec, a_tag, look

from gates import github_release
from release.domain.facts.github import ReleaseFacts
from release.domain.finding import Finding
from release.domain.plan import Latest, Plan, ReleaseSpec, Tag


def version(number: int, name: str, **changes: object) -> ReleaseFacts:
    return replace(a_release(number, tag_name=f"v{name}"), **changes)  # type: ignore[arg-type]


OWN = version(1, "1.2.3")
OLDER = version(2, "1.2.2")
NEWER = version(3, "2.0.0")
ALPHA = version(4, "2.1.0-alpha.1")
FLAGGED = version(5, "2.2.0", prerelease=True)
NIGHTLY = replace(a_release(6), tag_name="nightly")
UNPUBLISHED = version(7, "3.0.0", draft=True, published_at=None)
PRE = a_spec(version="1.3.0-rc.1", tag="v1.3.0-rc.1", prerelease=True)
UNFLAGGED = version(8, "1.3.0-rc.1")
OWN_PRE = version(8, "1.3.0-rc.1", prerelease=True)


@dataclass(frozen=True, kw_only=True)
class LatestRow:
    name: str
    reason: str
    releases: tuple[ReleaseFacts, ...]
    latest: ReleaseFacts | None
    spec: ReleaseSpec = field(default_factory=a_spec)


YES, NO = a_spec(latest=Latest.YES), a_spec(latest=Latest.NO)
AGREES, DIFFERS, PENDING = "release.latest-agrees", "release.latest-differs", "release.latest-pending"
SUPERSEDED = "release.latest-superseded"

LATEST_ROWS = (
    LatestRow(name="right", releases=(OLDER, OWN), latest=OWN, reason=AGREES),
    LatestRow(name="right, build metadata", releases=(OWN, version(9, "1.2.3+b")), latest=OWN, reason=AGREES),
    LatestRow(name="right, drafts do not count", releases=(OWN, UNPUBLISHED), latest=OWN, reason=AGREES),
    LatestRow(
        name="right, prereleases do not count", releases=(OWN, ALPHA, FLAGGED), latest=OWN, reason=AGREES
    ),
    LatestRow(name="absent", releases=(OLDER,), latest=OLDER, reason=PENDING),
    LatestRow(name="absent, draft", releases=(replace(OWN, draft=True),), latest=None, reason=PENDING),
    LatestRow(name="empty", releases=(OWN,), latest=None, reason=DIFFERS),
    LatestRow(name="different", releases=(OLDER, OWN), latest=OLDER, reason=DIFFERS),
    LatestRow(name="superseded", releases=(OWN, NEWER), latest=NEWER, reason=SUPERSEDED),
    LatestRow(name="backport took it", releases=(OWN, NEWER), latest=OWN, reason=DIFFERS),
    LatestRow(
        name="an older one, not the highest", releases=(OLDER, OWN, NEWER), latest=OLDER, reason=DIFFERS
    ),
    LatestRow(name="alpha took it", releases=(OWN, ALPHA), latest=ALPHA, reason=DIFFERS),
    LatestRow(name="flagged prerelease took it", releases=(OWN, FLAGGED), latest=FLAGGED, reason=DIFFERS),
    LatestRow(
        name="own release flagged as prerelease",
        releases=(OLDER, replace(OWN, prerelease=True)),
        latest=OLDER,
        reason=DIFFERS,
    ),
    LatestRow(name="another family", releases=(OWN, NIGHTLY), latest=NIGHTLY, reason=DIFFERS),
    LatestRow(
        name="right, another prefix does not count",
        releases=(OWN, replace(NEWER, tag_name="w2.0.0")),
        latest=OWN,
        reason=AGREES,
    ),
    LatestRow(
        name="unflagged prerelease alone", releases=(UNFLAGGED,), latest=UNFLAGGED, spec=PRE, reason=DIFFERS
    ),
    LatestRow(name="prerelease planned", releases=(OWN, OWN_PRE), latest=OWN, spec=PRE, reason=AGREES),
    LatestRow(name="prerelease alone", releases=(OWN_PRE,), latest=None, spec=PRE, reason=AGREES),
    LatestRow(
        name="planned prerelease took it", releases=(OWN, OWN_PRE), latest=OWN_PRE, spec=PRE, reason=DIFFERS
    ),
    LatestRow(name="yes, held", releases=(OWN, NEWER), latest=OWN, spec=YES, reason=AGREES),
    LatestRow(name="yes, not held", releases=(OWN, NEWER), latest=NEWER, spec=YES, reason=DIFFERS),
    LatestRow(name="yes, nothing", releases=(OWN,), latest=None, spec=YES, reason=DIFFERS),
    LatestRow(name="no, held", releases=(OWN, NEWER), latest=OWN, spec=NO, reason=DIFFERS),
    LatestRow(name="no, not held", releases=(OWN, NEWER), latest=NEWER, spec=NO, reason=AGREES),
    LatestRow(name="no, not published", releases=(NEWER,), latest=NEWER, spec=NO, reason=PENDING),
)


def look_at_latest(world: World, row: LatestRow, plan: Plan | None = None) -> Finding:
    world.github.listed = list(row.releases)
    world.github.latest_release = row.latest
    return look(github_release, plan or a_plan(releases=(row.spec,)), world)["latest"]


@pytest.mark.parametrize("row", LATEST_ROWS, ids=lambda row: row.name)
def test_judges_latest(row: LatestRow, world: World) -> None:
    """Latest belongs to the highest stable version of the tag's family (G12, K32, C285, C287, C289)."""
    assert look_at_latest(world, row).reason == row.reason


@pytest.mark.parametrize(
    ("row", "text", "command"),
    [
        (LatestRow(name="", reason="", releases=(OWN,), latest=OWN), "latest is v1.2.3", ""),
        (
            LatestRow(name="", reason="", releases=(OWN,), latest=None),
            "latest is nothing, it must be v1.2.3",
            "gh release edit v1.2.3 --repo acme/acme --latest",
        ),
        (
            LatestRow(name="", reason="", releases=(UNFLAGGED,), latest=UNFLAGGED, spec=PRE),
            "latest is v1.3.0-rc.1, it must be no prerelease",
            "",
        ),
    ],
)
def test_says_what_latest_is_and_must_be(row: LatestRow, text: str, command: str, world: World) -> None:
    """Both sides of the comparison, and the command only where one release must get it."""
    finding = look_at_latest(world, row)
    assert (finding.message, finding.next) == (text, command)
    assert finding.evidence == ((row.latest.html_url,) if row.latest else ())


def test_a_suffix_belongs_to_the_family(world: World) -> None:
    """Text after the version tells families apart too."""
    own = replace(OWN, tag_name="v1.2.3-acme")
    other = replace(NEWER, tag_name="v2.0.0-tool")
    row = LatestRow(name="", reason="", releases=(own, other), latest=own, spec=a_spec(tag="v1.2.3-acme"))
    assert look_at_latest(world, row).reason == AGREES


def test_another_tag_per_package_changes_nothing(world: World) -> None:
    """Only where this release's own tag is a package's may another family hold latest."""
    tags = (Tag(name="v1.2.3", version="1.2.3"), Tag(name="b@1.2.3", version="1.2.3", package="b"))
    row = LatestRow(name="", reason="", releases=(OWN, NIGHTLY), latest=NIGHTLY)
    assert look_at_latest(world, row, a_plan(tags=tags)).reason == DIFFERS


def test_latest_prints_the_command(world: World) -> None:
    """The next command marks the right release, whichever that is."""
    row = LatestRow(name="", reason="", releases=(OWN, NEWER), latest=OWN)
    assert look_at_latest(world, row).next == "gh release edit v2.0.0 --repo acme/acme --latest"


def test_a_tag_is_quoted_for_the_shell(world: World) -> None:
    """A tag may hold what a shell would read as more than a word."""
    own = replace(OWN, tag_name="v1.2.3;x")
    row = LatestRow(name="", reason="", releases=(own,), latest=None, spec=a_spec(tag="v1.2.3;x"))
    assert look_at_latest(world, row).next == "gh release edit 'v1.2.3;x' --repo acme/acme --latest"


def test_without_a_repository_there_is_no_command(world: World) -> None:
    """Nothing to type where nobody says on which repository."""
    row = LatestRow(name="", reason="", releases=(OWN,), latest=None)
    assert look_at_latest(world, row, a_plan(github=None)).next == ""


def calendar(number: int, name: str, **changes: object) -> ReleaseFacts:
    return version(number, name, **changes)


@pytest.mark.parametrize(
    ("latest", "reason"),
    [
        ("2024.04.01", AGREES),
        ("2024.04.0a", DIFFERS),
        ("2024.04.02", SUPERSEDED),
        ("2024.03.31", DIFFERS),
        (None, DIFFERS),
    ],
)
def test_versions_without_an_order_go_by_time(latest: str | None, reason: str, world: World) -> None:
    """Calendar versions with zeros are not semantic: the time of publication is the only order."""
    days = {"2024.03.31": -1, "2024.04.01": 0, "2024.04.0a": 0, "2024.04.02": 1}
    published = {
        name: version(number, name, published_at=EARLIER + timedelta(days=day))
        for number, (name, day) in enumerate(days.items())
    }
    row = LatestRow(
        name="",
        reason="",
        releases=tuple(published.values()),
        latest=published[latest] if latest else None,
        spec=a_spec(tag="v2024.04.01", version="2024.04.01"),
    )
    assert look_at_latest(world, row).reason == reason


def test_latest_of_another_package_is_no_contradiction(world: World) -> None:
    """GitHub has one latest; with a tag per package it can only be one package's."""
    names = ("a@1.2.3", "b@1.2.3")
    plan = a_plan(
        releases=tuple(a_spec(tag=name) for name in names),
        tags=tuple(Tag(name=name, version="1.2.3", package=name[0]) for name in names),
    )
    world.github.listed = [a_release(number, tag_name=name) for number, name in enumerate(names, start=1)]
    world.github.latest_release = world.github.listed[0]
    world.git.tags = {name: a_tag(name) for name in names}
    assert {name: finding.reason for name, finding in look(github_release, plan, world).items()} == {
        "a@1.2.3": "release.published",
        "latest of a@1.2.3": AGREES,
        "b@1.2.3": "release.published",
        "latest of b@1.2.3": AGREES,
    }


def test_latest_unreachable_is_never_a_verdict(world: World) -> None:
    """Latest that cannot be asked for is pending."""
    world.github.faults["latest"] = UNREACHABLE
    row = LatestRow(name="", reason="", releases=(OWN,), latest=OWN)
    assert look_at_latest(world, row).reason == "github.unreachable"
