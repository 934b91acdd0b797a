"""``[github]`` and ``[npm]`` with the environment's defaults filled in."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from release.config.model import GitHubTable, NpmTable
from release.config.rules import Refused, check_repository, check_url
from release.domain.errors import Problem
from release.domain.plan import PUBLIC_REGISTRY, GitHubPolicy, NpmPolicy

GITHUB_API = "https://api.github.com"

Problems = list[Problem]


def github_policy(
    table: GitHubTable | None, env: Mapping[str, str], file: str
) -> tuple[GitHubPolicy | None, Problems]:
    """Return the policy (None without the table), and what is wrong with the environment's part of it."""
    if table is None:
        return None, []
    problems: Problems = []
    repository = table.repository or _from_env(env, ("GITHUB_REPOSITORY",), check_repository, problems)
    if repository is None and not problems:
        missing = "is required: GITHUB_REPOSITORY is not set in the environment"
        fix = 'allowed: repository = "owner/name"'
        problems.append(Problem(file=file, place="github.repository", message=missing, fix=fix))
    api = table.api or _from_env(env, ("GITHUB_API_URL",), check_url, problems) or GITHUB_API
    if repository is None:
        return None, problems
    policy = GitHubPolicy(
        repository=repository,
        api=api,
        uploads=table.uploads or uploads_of(api),
        required_checks=table.required_checks or (),
    )
    return policy, problems


def npm_policy(table: NpmTable, env: Mapping[str, str]) -> tuple[NpmPolicy | None, Problems]:
    """Return the policy, and what is wrong with the environment's part of it."""
    problems: Problems = []
    names = ("npm_config_registry", "NPM_CONFIG_REGISTRY")
    registry = table.registry or _from_env(env, names, check_url, problems) or PUBLIC_REGISTRY
    if problems:
        return None, problems
    policy = NpmPolicy(registry=registry, propagation=table.propagation, stable_reads=table.stable_reads)
    return policy, problems


def uploads_of(api: str) -> str:
    """Return the upload host of an API address: github.com, ghe.com, or GitHub Enterprise Server."""
    parts = urlsplit(api)
    host = parts.hostname or ""
    if host == "api.github.com" or (host.startswith("api.") and host.endswith(".ghe.com")):
        return f"{parts.scheme}://uploads.{parts.netloc.removeprefix('api.')}"
    return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/v3').removesuffix('/api')}/api/uploads"


def _from_env(
    env: Mapping[str, str], names: tuple[str, ...], check: Callable[[str], str], problems: Problems
) -> str | None:
    for name in names:
        value = env.get(name)
        if value:
            try:
                return check(value)
            except Refused as refused:
                fix = f"allowed: {refused.allowed}"
                problems.append(Problem(file="environment", place=name, message=refused.message, fix=fix))
                return None
    return None
