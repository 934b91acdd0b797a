"""The preflight: every problem before the first write, at once; and where a token may go at all."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "gates"))

from worldkit import (
    ARCHIVES,
    MANIFEST,
    NOW,
    SUMS,
    a_package,
    a_plan,
    a_spec,
    an_asset,
    sha256,
)

import gates
from release.contract import found
from release.converge import steps_of
from release.domain.coming import Coming, coming
from release.domain.errors import Problem, UsageError
from release.domain.identity import Content
from release.domain.plan import GitHubPolicy, Plan
from release.domain.preflight import (
    LARGEST_ASSET,
    Local,
    Login,
    Machine,
    Standing,
    notes,
    problems,
)
from release.origins import refuse_plain_http
from release.survey import subjects_of

SPEC = a_spec()
ALL = Coming(uploads=SPEC.assets, releases=(SPEC,), packages=(a_package(),), dist_tags=1)
GOOD = Standing(github_token=True, npm_token=True, may_push=True, remaining=5000, npm_login=Login.ACCEPTED)


def digest_of(name: str) -> str:
    return str(sha256(name.encode()))


def machine(**changes: Any) -> Machine:
    files = {asset.ledger_name: Local(size=7, digest=digest_of(asset.name)) for asset in SPEC.assets}
    return replace(Machine(files=files, free=2**40, dist="dist"), **changes)


def messages(
    todo: Coming = ALL,
    standing: Standing = GOOD,
    here: Machine | None = None,
    plan: Plan | None = None,
) -> list[str]:
    found: tuple[Problem, ...] = problems(plan or a_plan(), todo, standing, here or machine())
    return [problem.message for problem in found]


def test_nothing_is_wrong_where_nothing_is_wrong() -> None:
    """Right credentials, files and room are no problem (the other tests change one thing each)."""
    assert messages() == []


def test_all_problems_are_named_at_once() -> None:
    """Without tokens, files or room there is one list with all of it, each with a remedy."""
    bare = Machine(free=0)
    found = problems(a_plan(), ALL, Standing(github_token=False, npm_token=False), bare)
    text = "\n".join(str(problem) for problem in found)
    assert len(found) == 2 + len(SPEC.assets) + 1
    assert all(problem.fix for problem in found)
    for words in ("GITHUB_TOKEN", "NODE_AUTH_TOKEN", "--dist DIR", SUMS.name, "0 bytes are free"):
        assert words in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"github_token": False}, "no GitHub token is set"),
        ({"may_push": False}, "may not push to acme/acme"),
        ({"remaining": 3}, "3 API requests remain"),
        ({"npm_token": False}, "no npm token is set"),
        ({"npm_login": Login.REJECTED}, "does not accept the npm token"),
    ],
)
def test_each_credential_is_judged(change: dict[str, Any], words: str) -> None:
    """A missing, rejected or unprivileged credential, and a used-up budget, is one problem each."""
    (said,) = messages(standing=replace(GOOD, **change))
    assert words in said


@pytest.mark.parametrize("unknown", [{"may_push": None}, {"remaining": None}, {"npm_login": Login.UNKNOWN}])
def test_what_is_not_said_is_no_problem(unknown: dict[str, Any]) -> None:
    """A server that does not say what a token may do stops nothing: the write itself will tell."""
    assert messages(standing=replace(GOOD, **unknown)) == []


def test_only_the_planned_channels_are_asked_for() -> None:
    """A run that only publishes to npm needs no GitHub token, and the other way round."""
    none = Standing(github_token=False, npm_token=False)
    assert all("npm token" in said for said in messages(Coming(packages=(a_package(),)), none))
    assert all("GitHub token" in said for said in messages(Coming(releases=(SPEC,)), none))


def test_trusted_publishing_needs_no_token_but_dist_tags_do() -> None:
    """CI that can identify itself publishes without a token; it can't set dist-tags so (APIS.md §3)."""
    trusted = replace(GOOD, npm_token=False, identity=True)
    package = a_package(manifest={"name": "acme", "version": "1.2.3", "repository": "github:acme/acme"})
    assert messages(Coming(packages=(package,)), trusted) == []
    assert messages(Coming(packages=(package,), dist_tags=1), trusted) == [
        "no npm token is set, and https://npm.example is to be written to"
    ]


def test_immutability_must_be_on_where_it_is_planned() -> None:
    """Planned and not enabled is a problem, enabled is only noted, unknown is neither (R-CONV)."""
    wanted = Coming(releases=(a_spec(immutable=True),))
    assert "must be immutable" in messages(wanted, replace(GOOD, immutable=False))[0]
    assert messages(wanted, replace(GOOD, immutable=None)) == []
    assert messages(wanted, replace(GOOD, immutable=True)) == []
    assert messages(Coming(releases=(SPEC,)), replace(GOOD, immutable=False)) == []
    assert "nothing can be added" in notes(wanted, replace(GOOD, immutable=True))[0]
    assert notes(Coming(), replace(GOOD, immutable=True)) == ()


@pytest.mark.parametrize(
    ("local", "words"),
    [
        (None, "is not in dist"),
        (Local(size=0, digest=digest_of(SUMS.name)), "is empty"),
        (Local(size=LARGEST_ASSET, digest=digest_of(SUMS.name)), "less than 2 GiB"),
    ],
)
def test_each_file_must_be_fit_for_upload(local: Local | None, words: str) -> None:
    """A missing, an empty and a too large file is a problem each (cases rule 6)."""
    files = {**machine().files}
    files.pop(SUMS.ledger_name)
    (said,) = messages(here=machine(files={**files, **({SUMS.ledger_name: local} if local else {})}))
    assert words in said


def test_a_file_must_have_the_digest_of_its_evidence() -> None:
    """Bytes that no evidence of this commit vouches for are not uploaded; one of several is enough."""
    right = Content(digest=sha256(b"other"), size=None, source="the build's evidence")
    own = Content(digest=sha256(SUMS.name.encode()), size=None, source="the build's evidence")
    (said,) = messages(here=machine(built={SUMS.ledger_name: (right,)}))
    assert "the build's evidence says" in said
    assert messages(here=machine(built={SUMS.ledger_name: (right, own)})) == []


def test_a_name_that_github_rewrites_is_refused() -> None:
    """A planned name with a space would be stored under another one (G08)."""
    odd = an_asset("acme 1.2.3.zip")
    here = Machine(files={odd.ledger_name: Local(size=1, digest=digest_of("x"))}, free=2**40)
    (said,) = messages(Coming(uploads=(odd,)), here=here)
    assert "would store 'acme 1.2.3.zip' as acme.1.2.3.zip" in said


def test_more_than_a_thousand_assets_are_refused() -> None:
    """GitHub takes 1,000 assets a release (cases rule 6); 1,000 are fine."""
    many = tuple(an_asset(f"file-{number}") for number in range(1001))
    files = {asset.ledger_name: Local(size=1, digest=digest_of("x")) for asset in many}
    plan = a_plan(releases=(a_spec(assets=many),))
    (said,) = messages(Coming(uploads=many), here=Machine(files=files), plan=plan)
    assert "at most 1000" in said
    plan = a_plan(releases=(a_spec(assets=many[:1000]),))
    assert messages(Coming(uploads=many[:1000]), here=Machine(files=files), plan=plan) == []


def test_another_registry_in_the_manifest_is_refused() -> None:
    """``publishConfig.registry`` would send the package somewhere else than the plan says."""
    package = a_package(manifest={"publishConfig": {"registry": "https://other.example/"}})
    (said,) = messages(Coming(packages=(package,)))
    assert "publishConfig says https://other.example/" in said
    same = a_package(manifest={"publishConfig": {"registry": "https://npm.example/"}})
    assert messages(Coming(packages=(same,))) == []


@pytest.mark.parametrize(
    "repository",
    [
        "github:acme/acme",
        "acme/acme",
        {"type": "git", "url": "git+https://github.com/Acme/acme.git"},
        {"url": "git@github.com:acme/acme.git"},
    ],
)
def test_provenance_needs_a_repository_that_is_this_one(repository: object) -> None:
    """In CI with an identity the manifest must name the repository; each spelling of npm counts."""
    signing = replace(GOOD, identity=True)
    named = a_package(manifest={"repository": repository})
    assert messages(Coming(packages=(named,)), signing) == []
    for wrong in ({}, {"repository": "acme/other"}, {"repository": {"url": "https://x.example/acme"}}):
        (said,) = messages(Coming(packages=(a_package(manifest=wrong),)), signing)
        assert "provenance needs a repository that names acme/acme" in said


def test_provenance_that_is_demanded_needs_ci() -> None:
    """``publishConfig.provenance`` can't be fulfilled on a laptop: said before, not after, half is done."""
    package = a_package(manifest={"publishConfig": {"provenance": True}, "repository": "acme/acme"})
    (said,) = messages(Coming(packages=(package,)))
    assert "only CI can sign" in said
    assert messages(Coming(packages=(package,)), replace(GOOD, identity=True)) == []


def test_room_for_the_largest_tarball_is_needed() -> None:
    """npm copies the tarball that it publishes: the disk must have room for it."""
    package = a_package()
    here = Machine(packed={package.spec: 2**30}, free=2**30)
    (said,) = messages(Coming(packages=(package,)), here=here)
    assert "about 2214592512 are needed" in said
    assert messages(Coming(packages=(package,)), here=replace(here, free=2**32)) == []


def steps(plan: Plan, reasons: dict[str, str]) -> tuple[Any, ...]:
    """Return the steps where every subject is complete but those of the gates in ``reasons``."""
    done = {
        "version-pr": "version-pr.merged",
        "commit-checks": "check.success",
        "package-build": "package.packed",
        "binary-build": "binary.built",
        "asset-upload": "asset.uploaded",
        "checksums": "checksums.verified",
        "source-tag": "tag.agrees",
        "npm-publish": "npm.identical",
        "github-release": "release.published",
        **reasons,
    }
    findings = {
        name: tuple(found(subject, done[name], "", NOW) for subject in subjects)
        for name, subjects in subjects_of(plan, gates.GATES).items()
    }
    return steps_of(plan, gates.GATES, gates.ACTING, findings)


def test_what_comes_is_read_from_the_steps() -> None:
    """A fresh release comes with its draft, all files, tag, packages and dist-tags."""
    plan = a_plan()
    fresh = {
        "asset-upload": "asset.no-release",
        "checksums": "checksums.no-release",
        "source-tag": "tag.absent",
        "npm-publish": "npm.absent",
        "github-release": "release.absent",
    }
    todo = coming(steps(plan, fresh), uploads=True)
    assert todo.uploads == (*ARCHIVES, SUMS, MANIFEST)
    assert [spec.tag for spec in todo.releases][:1] == ["v1.2.3"]
    assert todo.tags == plan.tags
    assert todo.packages == plan.packages
    assert todo.github
    assert todo.npm


def test_files_are_asked_for_only_where_they_are_uploaded_next() -> None:
    """A draft that still waits, or a call whose gates upload nothing, needs no files yet."""
    fresh = {"asset-upload": "asset.no-release", "github-release": "release.absent"}
    waiting = {**fresh, "binary-build": "binary.not-built"}
    assert coming(steps(a_plan(), fresh), uploads=False).uploads == ()
    assert coming(steps(a_plan(), waiting), uploads=True).uploads == ()
    assert coming(steps(a_plan(), fresh), uploads=True).uploads != ()


def policy(api: str, uploads: str) -> GitHubPolicy:
    return GitHubPolicy(repository="acme/acme", api=api, uploads=uploads, required_checks=())


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "127.1.2.3", "localhost:4873", "forge.localhost", "[::1]:80"]
)
def test_a_token_may_go_to_this_machine_over_http(host: str) -> None:
    """Loopback addresses need no https."""
    refuse_plain_http(
        policy(f"http://{host}", f"http://{host}"), replace(a_plan().npm, registry=f"http://{host}")
    )


@pytest.mark.parametrize("host", ["10.0.0.1", "forge.example", "localhost.example", "127.0.0.1.example"])
def test_a_token_never_travels_unencrypted(host: str) -> None:
    """A token for a plain http address elsewhere is refused, naming address and remedy; all at once."""
    url = f"http://{host}"
    with pytest.raises(UsageError, match=re.escape(f"sent to {url} unencrypted")) as caught:
        refuse_plain_http(policy(url, url), replace(a_plan().npm, registry=url))
    assert [problem.place for problem in caught.value.problems] == [
        "[github] api",
        "[github] uploads",
        "[npm] registry",
    ]
    refuse_plain_http(None, None)
