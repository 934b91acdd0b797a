"""Every address that the forge serves answers as GitHub's own OpenAPI description demands."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from forge import Forge, RepoHandle, git, routes
from forge_support import ROOT, Client, Origin
from openapi_schemas import Description

REPO = "/repos/{owner}/{repo}"


@pytest.fixture(scope="session")
def description() -> Description:
    """Return GitHub's description, installed from the locked npm package where it is not there yet."""
    subprocess.run([str(ROOT / "scripts" / "node" / "install")], check=True)
    folder = ROOT / ".tools" / "npm" / "node_modules" / "@octokit" / "openapi"
    return Description(folder / "generated" / "api.github.com.json")


@dataclass(frozen=True)
class Case:
    """One request; ``template`` is the description's path below the repository."""

    method: str
    path: str
    template: str
    status: int = 200
    options: dict[str, Any] = field(default_factory=dict)
    uploads: bool = False


def populate(repo: RepoHandle, origin: Origin) -> dict[str, str]:
    """Put one of everything into the repository; return the names for the paths."""
    repo.set(immutable=True)
    when = datetime(2026, 3, 1, tzinfo=UTC)
    release = repo.release("v1.0.0", immutable=False)
    asset = release.asset("a.txt", b"a", label="A")
    release.asset("b.txt", b"", digest=None, state="open")
    repo.release("v2.0.0", draft=True)
    doomed = repo.release("v3.0.0", draft=True)
    repo.check_run("build", origin.head)
    repo.check_run("lint", origin.head, status="in_progress")
    repo.check_run("docs", origin.head, conclusion="skipped")
    repo.status("ci/a", origin.head, "success")
    repo.pull(7, "Version", head="changeset-release/main", merged_at=when, merge_commit_sha=origin.head)
    repo.pull(8, "Open", head="changeset-release/main")
    repo.pull(9, "Closed", head="gone", state="closed")
    annotated = git.ref(origin.path, "refs/tags/v1.1.0")
    assert annotated is not None
    return {
        "head": origin.head,
        "release": str(release.id),
        "asset": str(asset.id),
        "doomed": str(doomed.id),
        "annotated": annotated.sha,
    }


CASES = (
    Case("GET", "", ""),
    Case("GET", "/git/ref/tags/v1.0.0", "/git/ref/{ref}"),
    Case("GET", "/git/ref/tags/none", "/git/ref/{ref}", 404),
    Case("GET", "/git/matching-refs/tags/v", "/git/matching-refs/{ref}"),
    Case("POST", "/git/refs", "/git/refs", 201, {"json": {"ref": "refs/tags/v9", "sha": "HEAD"}}),
    Case("POST", "/git/refs", "/git/refs", 422, {"json": {"ref": "refs/tags/v1.0.0", "sha": "HEAD"}}),
    Case("GET", "/git/tags/{annotated}", "/git/tags/{tag_sha}"),
    Case(
        "POST",
        "/git/tags",
        "/git/tags",
        201,
        {"json": {"tag": "v9", "message": "nine", "object": "HEAD", "type": "commit"}},
    ),
    Case("GET", "/commits/main", "/commits/{ref}"),
    Case("GET", "/commits/none", "/commits/{ref}", 422),
    Case("GET", "/commits/{head}/check-runs?filter=all", "/commits/{ref}/check-runs"),
    Case("GET", "/commits/{head}/statuses", "/commits/{ref}/statuses"),
    Case("GET", "/commits/{head}/status", "/commits/{ref}/status"),
    Case("GET", "/commits/{head}/pulls", "/commits/{commit_sha}/pulls"),
    Case("GET", "/pulls?state=all", "/pulls"),
    Case("GET", "/pulls/7", "/pulls/{pull_number}"),
    Case("GET", "/pulls/8", "/pulls/{pull_number}"),
    Case("GET", "/releases", "/releases"),
    Case("POST", "/releases", "/releases", 201, {"json": {"tag_name": "v9", "name": None, "draft": True}}),
    Case("POST", "/releases", "/releases", 422, {"json": {"tag_name": "v1.0.0"}}),
    Case("GET", "/releases/latest", "/releases/latest"),
    Case("GET", "/releases/tags/v1.0.0", "/releases/tags/{tag}"),
    Case("GET", "/releases/{release}", "/releases/{release_id}"),
    Case("PATCH", "/releases/{doomed}", "/releases/{release_id}", 200, {"json": {"draft": False}}),
    Case("DELETE", "/releases/{doomed}", "/releases/{release_id}", 204),
    Case("GET", "/releases/{release}/assets", "/releases/{release_id}/assets"),
    Case(
        "POST",
        "/releases/{release}/assets?name=new.txt&label=New",
        "/releases/{release_id}/assets",
        201,
        {"data": b"new"},
        uploads=True,
    ),
    Case("GET", "/releases/assets/{asset}", "/releases/assets/{asset_id}"),
    Case("PATCH", "/releases/assets/{asset}", "/releases/assets/{asset_id}", 200, {"json": {"label": "B"}}),
    Case("DELETE", "/releases/assets/{asset}", "/releases/assets/{asset_id}", 204),
    Case("GET", "/immutable-releases", "/immutable-releases"),
    Case("PUT", "/immutable-releases", "/immutable-releases", 204),
    Case("DELETE", "/immutable-releases", "/immutable-releases", 204),
)


def filled(value: Any, names: dict[str, str], head: str) -> Any:
    """Return the options with HEAD replaced by the commit."""
    if isinstance(value, dict):
        return {name: filled(one, names, head) for name, one in value.items()}
    return head if value == "HEAD" else value


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.method} {case.template} {case.status}")
def test_an_answer_satisfies_the_description(
    case: Case, forge: Forge, repo: RepoHandle, origin: Origin, client: Client, description: Description
) -> None:
    """Status, required members, types, enums and formats are GitHub's."""
    names = populate(repo, origin)
    base = f"{forge.uploads_url}/repos/acme/widget" if case.uploads else ""
    options = filled(case.options, names, origin.head)
    answer = client.call(case.method, base + case.path.format(**names), **options)
    assert answer.status_code == case.status
    if case.status != 204:
        operation = (case.method, REPO + case.template, case.status)
        assert description.complaints(operation, answer.json()) == []


@pytest.mark.parametrize("path", ["/user", "/rate_limit"])
def test_an_answer_outside_of_a_repository_satisfies_it_too(
    path: str, forge: Forge, client: Client, description: Description
) -> None:
    """The user and the limits."""
    answer = client.call("GET", f"{forge.api_url}{path}")
    assert description.complaints(("GET", path, 200), answer.json()) == []


def test_no_served_address_goes_unvalidated() -> None:
    """Each route has a case above that it would answer."""

    def is_covered(route: routes.Route) -> bool:
        paths = [
            re.sub(r"\{annotated\}|\{head\}", "0" * 40, case.path.split("?")[0])
            for case in CASES
            if case.method == route.method
        ]
        return any(re.fullmatch(route.pattern, re.sub(r"\{\w+\}", "1", path)) for path in paths)

    older = {r"/statuses/(?P<ref>.+)"}  # an alias of /commits/…/statuses that the description lacks
    served = [one for one in (*routes.IN_REPOSITORY, *routes.UPLOADS) if one.pattern not in older]
    assert [(one.method, one.pattern) for one in served if not is_covered(one)] == []


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda release: release.pop("tag_name"), "'tag_name' is a required property"),
        (lambda release: release.update(draft="no"), "'no' is not of type 'boolean'"),
        (lambda release: release.update(created_at="yesterday"), "is not a 'date-time'"),
        (lambda release: release["assets"][0].update(digest=7), "7 is not valid under any"),
        (lambda release: release["assets"][0].update(state="lost"), "'lost' is not one of"),
    ],
)
def test_the_description_can_complain(
    spoil: Callable[[dict[str, Any]], object],
    complaint: str,
    repo: RepoHandle,
    origin: Origin,
    client: Client,
    description: Description,
) -> None:
    """A missing member, a wrong type, a bad time and an unknown state are seen: the check is not empty."""
    names = populate(repo, origin)
    shown = client.call("GET", f"/releases/{names['release']}").json()
    spoil(shown)
    told = description.complaints(("GET", f"{REPO}/releases/{{release_id}}", 200), shown)
    assert any(complaint in one for one in told), told
