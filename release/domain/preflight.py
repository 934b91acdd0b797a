"""What must hold before the first write: every problem at once, found without writing (DESIGN §6).

Pure. ``Coming`` says what this run is about to create, ``Standing`` what the credentials may do, ``Local``
what is on this machine. What could not be learned (None, UNKNOWN) is no problem here: the write says so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from release.domain.asset_names import github_name
from release.domain.coming import Coming
from release.domain.errors import Problem
from release.domain.identity import Content
from release.domain.plan import Asset, GitHubPolicy, Package, Plan
from release.domain.wording import count, enumerate_names, quote

LARGEST_ASSET = 2**31
MOST_ASSETS = 1000
ROOM = 64 * 2**20
"""Bytes that one run may need beside the tarballs: answers, git objects, npm's own files."""

_REQUESTS, _PER_ASSET, _PER_PACKAGE = 20, 4, 2


class Login(StrEnum):
    """What the registry says of the npm token."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the credentials may do. ``github_token`` and ``npm_token``: one is set.

    ``may_push`` and ``immutable`` (releases become immutable) are None where GitHub does not say;
    ``remaining`` is the API budget. ``identity``: this is CI that can sign provenance.
    """

    github_token: bool
    npm_token: bool
    may_push: bool | None = None
    immutable: bool | None = None
    remaining: int | None = None
    npm_login: Login = Login.UNKNOWN
    identity: bool = False


@dataclass(frozen=True, kw_only=True)
class Local:
    """One file to upload: its size in bytes, and digest (``sha256:HEX``)."""

    size: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What is on this machine. ``files`` and ``built`` by ``Asset.ledger_name``.

    ``built`` is what evidence from elsewhere than ``dist`` says of a file; ``packed`` the tarballs' bytes by
    spec; ``free`` the bytes free where we write (None: unknown); ``dist`` names the folder ("": none).
    """

    files: Mapping[str, Local] = field(default_factory=dict)
    built: Mapping[str, tuple[Content, ...]] = field(default_factory=dict)
    packed: Mapping[str, int] = field(default_factory=dict)
    free: int | None = None
    dist: str = ""


def problems(plan: Plan, todo: Coming, standing: Standing, machine: Machine) -> tuple[Problem, ...]:
    """Return all that is wrong, in the order in which a person would mend it; empty: go on."""
    return (
        *_of_github(plan.github, todo, standing),
        *_of_immutability(todo, standing),
        *_of_npm(plan, todo, standing),
        *_of_provenance(plan, todo, standing),
        *(problem for asset in todo.uploads for problem in _of_file(asset, machine)),
        *_of_number(plan, todo),
        *_of_room(todo, machine),
    )


def notes(todo: Coming, standing: Standing) -> tuple[str, ...]:
    """Return what is right, and worth knowing before the first write."""
    if todo.releases and standing.immutable:
        return ("releases of this repository become immutable: after publishing nothing can be added",)
    return ()


def _of_github(policy: GitHubPolicy | None, todo: Coming, standing: Standing) -> Iterator[Problem]:
    if policy is None or not todo.github:
        return
    if not standing.github_token:
        yield Problem(
            message=f"no GitHub token is set, and {policy.repository} is to be written to",
            fix="set GITHUB_TOKEN or GH_TOKEN to one that may push",
        )
    elif standing.may_push is False:
        yield Problem(
            message=f"the GitHub token may not push to {policy.repository}",
            fix="use a token with write access (a workflow needs `permissions: contents: write`)",
        )
    planned = _REQUESTS + _PER_ASSET * len(todo.uploads) + _PER_PACKAGE * len(todo.packages)
    if standing.remaining is not None and standing.remaining < planned:
        yield Problem(
            message=f"{count(standing.remaining, 'API request')} remain, and about {planned} are needed",
            fix="wait until the limit is reset, or use another token",
        )


def _of_immutability(todo: Coming, standing: Standing) -> Iterator[Problem]:
    wanted = [spec.tag for spec in todo.releases if spec.immutable]
    if wanted and standing.immutable is False:
        yield Problem(
            message=f"{enumerate_names(wanted)} must be immutable, and the repository does not make it so",
            place="[release] immutable",
            fix="enable immutable releases in the repository's settings before publishing",
        )


def _of_npm(plan: Plan, todo: Coming, standing: Standing) -> Iterator[Problem]:
    if not todo.npm:
        return
    trusted = standing.identity and not todo.dist_tags
    if not standing.npm_token and not trusted:
        yield Problem(
            message=f"no npm token is set, and {plan.npm.registry} is to be written to",
            fix="set NODE_AUTH_TOKEN or NPM_TOKEN to one that may publish",
        )
    elif standing.npm_token and standing.npm_login is Login.REJECTED:
        yield Problem(
            message=f"{plan.npm.registry} does not accept the npm token",
            fix="renew NODE_AUTH_TOKEN or NPM_TOKEN",
        )
    for package in todo.packages:
        other = _publish_config(package).get("registry")
        if isinstance(other, str) and other.rstrip("/") != plan.npm.registry:
            yield Problem(
                message=f"publishConfig says {other}, the plan's registry is {plan.npm.registry}",
                file=f"{package.path}/package.json",
                place="publishConfig.registry",
                fix="let `[npm] registry` and publishConfig name the same one",
            )


def _of_provenance(plan: Plan, todo: Coming, standing: Standing) -> Iterator[Problem]:
    for package in todo.packages:
        file = f"{package.path}/package.json"
        if _publish_config(package).get("provenance") is True and not standing.identity:
            yield Problem(
                message=f"{package.name} must be published with provenance, which only CI can sign",
                file=file,
                place="publishConfig.provenance",
                fix="converge in a workflow with `permissions: id-token: write`",
            )
        if standing.identity and plan.github and not _names(package, plan.github.repository):
            yield Problem(
                message=f"provenance needs a repository that names {plan.github.repository}",
                file=file,
                place="repository",
                fix=f'set it to "github:{plan.github.repository}" before releasing',
            )


def _of_file(asset: Asset, machine: Machine) -> Iterator[Problem]:
    name, file = quote(asset.name), machine.files.get(asset.ledger_name)
    if github_name(asset.name) != asset.name:
        yield Problem(
            message=f"GitHub would store {name} as {quote(github_name(asset.name))}",
            fix="plan a name that GitHub keeps: letters, digits and @ + - _ .",
        )
    if file is None:
        where = f"is not in {machine.dist}" if machine.dist else "has no local file"
        fix = "put the built file there" if machine.dist else "name the folder of built files with --dist DIR"
        yield Problem(message=f"{name} is to be uploaded, and {where}", fix=fix)
        return
    if file.size == 0:
        yield Problem(message=f"{name} is empty, and GitHub takes no empty asset", fix="build it again")
    if file.size >= LARGEST_ASSET:
        text = f"{name} has {count(file.size, 'byte')}; an asset must have less than 2 GiB"
        yield Problem(message=text, fix="split it, or compress it further")
    known = machine.built.get(asset.ledger_name, ())
    if known and file.digest not in {str(content.digest) for content in known}:
        yield Problem(
            message=f"{name} here is {file.digest}, and {known[0].source} says {known[0].digest}",
            fix="use the files of the build that was accepted",
        )


def _of_number(plan: Plan, todo: Coming) -> Iterator[Problem]:
    tags = {asset.tag for asset in todo.uploads}
    for spec in plan.releases:
        if spec.tag in tags and len(spec.assets) > MOST_ASSETS:
            text = f"{spec.tag} plans {len(spec.assets)} assets; a release holds at most {MOST_ASSETS}"
            yield Problem(message=text, fix="put several files into one archive")


def _of_room(todo: Coming, machine: Machine) -> Iterator[Problem]:
    # npm reads a copy of each tarball, one at a time, and keeps another in its cache
    needed = ROOM + 2 * max((machine.packed.get(one.spec, 0) for one in todo.packages), default=0)
    if machine.free is not None and machine.free < needed:
        text = f"{count(machine.free, 'byte')} are free on the disk, and about {needed} are needed"
        yield Problem(message=text, fix="make room")


def _publish_config(package: Package) -> Mapping[str, object]:
    match package.manifest.get("publishConfig"):
        case Mapping() as config:
            return config
        case _:
            return {}


def _names(package: Package, repository: str) -> bool:
    """Say whether the manifest's ``repository``, in any of npm's spellings, is that GitHub repository."""
    match package.manifest.get("repository"):
        case {"url": str(text)} | str(text):
            path = text.removesuffix("/").removesuffix(".git").replace(":", "/").lower()
            return path == repository.lower() or path.endswith(f"/{repository.lower()}")
        case _:
            return False
