"""The decision: states join, exits follow, nothing that was not seen is green."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.decision import EXIT_CODES, Circumstances, decide
from release.domain.errors import ConfigError
from release.domain.finding import Claim, Finding
from release.domain.plan import GitHubPolicy, NpmPolicy, Plan, Tag
from release.domain.reasons import CATALOGUE, Who
from release.domain.report import Budget, CommitRow, NextStep, Report
from release.domain.state import NothingToJoin, State, join_all

NOW = datetime(2025, 1, 2, tzinfo=UTC)
COMMIT = "a" * 40
OTHER = "b" * 40


def plan(required: tuple[str, ...] = (), github: bool = True) -> Plan:
    """A plan with one tag."""
    policy = GitHubPolicy(repository="acme/acme", api="https://a", uploads="https://u", required_checks=())
    return Plan(
        name="acme",
        version="1.0.0",
        commit=COMMIT,
        selector="v1.0.0",
        policy="0" * 64,
        remote="origin",
        branches=(),
        tags=(Tag(name="v1.0.0", version="1.0.0"),),
        packages=(),
        binaries=(),
        releases=(),
        github=policy if github else None,
        npm=NpmPolicy(registry="https://r", propagation=timedelta(minutes=10), stable_reads=2),
        checksum_algorithm="sha256",
        changesets=None,
        suites=(),
        acceptances=(),
        required=required,
    )


def finding(gate: str, reason: str, subject: str = "s", **more: object) -> Finding:
    """One finding."""
    return Finding(gate=gate, subject=subject, reason=reason, message="m", observed_at=NOW, **more)


def decided(
    findings: Mapping[str, tuple[Finding, ...]],
    required: tuple[str, ...] = (),
    selected: tuple[str, ...] = (),
) -> Report:
    """Decide on the findings."""
    budget = Budget(requests=1, not_modified=0, remaining=None)
    how = Circumstances(
        claims={"source-tag": "Claim."}, budget=budget, now=NOW, commit_source="x", selected=selected
    )
    return decide(plan(required), findings, how)


ROWS: dict[str, tuple[dict[str, tuple[str, ...]], tuple[str, ...], State, int]] = {
    "complete": ({"source-tag": ("tag.agrees",)}, (), State.COMPLETE, 0),
    "pending": ({"source-tag": ("tag.absent",)}, (), State.PENDING, 3),
    "partial in a gate": ({"npm-publish": ("npm.absent", "npm.identical")}, (), State.PARTIAL, 2),
    "partial over gates": (
        {"source-tag": ("tag.agrees",), "npm-publish": ("npm.absent",)},
        (),
        State.PARTIAL,
        2,
    ),
    "failed": (
        {"source-tag": ("tag.commit-differs",), "npm-publish": ("npm.identical",)},
        (),
        State.FAILED,
        1,
    ),
    "blind": ({"source-tag": ("git.unreachable",)}, (), State.PENDING, 4),
    "blind and partial": ({"source-tag": ("git.unreachable", "tag.agrees")}, (), State.PARTIAL, 4),
    "blind and failed": ({"source-tag": ("git.unreachable", "tag.commit-differs")}, (), State.FAILED, 1),
    "optional gate fails": (
        {"source-tag": ("tag.agrees",), "npm-publish": ("npm.integrity-differs",)},
        ("source-tag",),
        State.COMPLETE,
        0,
    ),
    "optional gate is blind": (
        {"source-tag": ("tag.agrees",), "npm-publish": ("npm.unreachable",)},
        ("source-tag",),
        State.COMPLETE,
        0,
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_state_and_exit(row: str) -> None:
    """Only required gates count; failed wins; "could not look" never exits 0."""
    codes, required, state, exit_code = ROWS[row]
    findings = {gate: tuple(finding(gate, code) for code in of_gate) for gate, of_gate in codes.items()}
    report = decided(findings, required)
    assert (report.state, report.exit) == (state, exit_code)


@given(st.lists(st.sampled_from(sorted(CATALOGUE)), min_size=1, max_size=6), st.permutations(range(6)))
def test_the_exit_is_zero_only_where_everything_was_seen_complete(codes: list[str], order: list[int]) -> None:
    """For any findings in any order: 0 means all complete, and order changes nothing (R-VERDICT-04)."""
    found = tuple(finding("g", code, str(index)) for index, code in enumerate(codes))
    shuffled = tuple(found[index] for index in order if index < len(found))
    report, again = decided({"g": found}), decided({"g": shuffled})
    assert (report.state, report.exit) == (again.state, again.exit)
    assert report.state is join_all(each.state for each in found)
    assert (report.exit == 0) == all(each.state is State.COMPLETE for each in found)
    assert (report.exit == 1) == any(each.state is State.FAILED for each in found)
    if report.exit == 4:
        assert any(each.who is Who.CANNOT_TELL for each in found)


def test_every_state_has_its_own_exit_code() -> None:
    """Four states, four codes, and none of them is 4."""
    assert set(EXIT_CODES) == set(State)
    assert sorted(EXIT_CODES.values()) == [0, 1, 2, 3]


def test_nothing_to_judge_is_an_error() -> None:
    """No gates, or a gate without findings, is never complete (G21)."""
    with pytest.raises(NothingToJoin, match="no subjects"):
        decided({})
    with pytest.raises(ConfigError, match="has no subject"):
        decided({"source-tag": ()})


def test_an_unrequired_gate_without_findings_is_an_error_too() -> None:
    """Joining nothing is refused wherever it happens."""
    with pytest.raises(NothingToJoin, match="no subjects"):
        decided({"source-tag": (finding("source-tag", "tag.agrees"),), "npm-publish": ()}, ("source-tag",))


def test_a_required_or_selected_gate_without_subjects_is_an_error() -> None:
    """It could never be complete; the error says where it was asked for and what there is."""
    found = {"source-tag": (finding("source-tag", "tag.agrees"),)}
    with pytest.raises(ConfigError, match=r"gates\.required: the gate 'npm-publish'.*\n.*source-tag"):
        decided(found, ("source-tag", "npm-publish"))
    with pytest.raises(ConfigError, match=r"--gate: the gate 'checksums'"):
        decided(found, (), ("checksums",))


def test_selected_gates_alone_are_counted() -> None:
    """--gate decides by the named gates, whether required or not, and the report says so."""
    found = {
        "source-tag": (finding("source-tag", "tag.agrees"),),
        "npm-publish": (finding("npm-publish", "npm.absent"),),
    }
    report = decided(found, ("source-tag",), ("npm-publish",))
    assert (report.exit, report.selected) == (3, ("npm-publish",))
    assert [gate.required for gate in report.gates] == [False, True]


def test_commit_rows_keep_order_and_drop_repeats() -> None:
    """Each claim once; other is disagreement; silence is neither."""
    claims = (Claim(channel="tag", commit=COMMIT), Claim(channel="npm", commit=OTHER))
    found = {
        "source-tag": (finding("source-tag", "tag.agrees", claims=claims),),
        "npm-publish": (
            finding("npm-publish", "npm.identical", claims=(*claims, Claim(channel="gitHead", commit=None))),
        ),
    }
    assert decided(found).commits == (
        CommitRow(channel="tag", commit=COMMIT, agrees=True),
        CommitRow(channel="npm", commit=OTHER, agrees=False),
        CommitRow(channel="gitHead", commit=None, agrees=None),
    )


def test_next_steps_are_distinct_in_gate_order_with_a_count() -> None:
    """One line a command and gate; complete findings ask for nothing."""
    found = {
        "source-tag": (finding("source-tag", "tag.agrees", next="never"),),
        "npm-publish": (
            finding("npm-publish", "npm.absent", "a", next="release converge"),
            finding("npm-publish", "npm.absent", "b", next="release converge"),
            finding("npm-publish", "npm.dist-tag-stale", "c", next="npm dist-tag add"),
            finding("npm-publish", "npm.propagating", "d"),
        ),
        "asset-upload": (finding("asset-upload", "asset.absent", next="release converge"),),
    }
    assert decided(found).next == (
        NextStep(gate="npm-publish", command="release converge", why="2 subjects, the first is a: m"),
        NextStep(gate="npm-publish", command="npm dist-tag add", why="m"),
        NextStep(gate="asset-upload", command="release converge", why="m"),
    )


def test_the_report_names_the_plan() -> None:
    """Name, version, tags, commit and where it comes from, repository, claims, time and budget."""
    report = decided({"source-tag": (finding("source-tag", "tag.agrees"),)})
    assert (report.name, report.version, report.tags) == ("acme", "1.0.0", ("v1.0.0",))
    assert (report.commit, report.commit_source, report.repository) == (COMMIT, "x", "acme/acme")
    assert (report.gates[0].claim, report.generated_at, report.budget.requests) == ("Claim.", NOW, 1)


def test_the_report_says_what_it_lacks() -> None:
    """No forge, a gate without a claim, a shallow look: said as such, and never made up."""
    how = Circumstances(claims={}, budget=Budget(requests=0, not_modified=0, remaining=None), now=NOW)
    found = {"source-tag": (finding("source-tag", "tag.agrees"),)}
    report = decide(replace(plan(github=False), deep=False), found, how)
    assert (report.repository, report.gates[0].claim, report.deep) == (None, "", False)
    assert decided(found).deep is True


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        ({}, "name one of: none"),
        ({"npm-publish": ()}, "name one of: none"),
        (
            {
                "source-tag": (finding("source-tag", "tag.agrees"),),
                "npm-publish": (),
                "checksums": (finding("checksums", "checksums.verified"),),
            },
            "name one of: source-tag, checksums$",
        ),
    ],
)
def test_the_error_names_the_gates_that_there_are(found: dict[str, tuple[Finding, ...]], fix: str) -> None:
    """Only gates with something to check are offered."""
    with pytest.raises(ConfigError, match=fix):
        decided(found, ("npm-publish",))
