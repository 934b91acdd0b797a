"""Open one call: find and read release.toml, the repository, the canonical commit, and build the plan.

It knows adapters and configuration, and no gate. Credentials go from the environment to exactly the
origin they belong to.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import release.config as configuration
from release.adapters.git.checkout import Checkout
from release.adapters.git.location import github_credential
from release.adapters.git.repository import Opening, Repository
from release.adapters.http import Credential
from release.adapters.redact import Redactor
from release.adapters.scratch import Scratch
from release.canonical import Canonical, Wanted, resolve_commit
from release.config import Config
from release.domain.errors import CannotTell, ReleaseError, UsageError
from release.domain.plan import Plan
from release.options import Options
from release.origins import refuse_plain_http

STATE = ".release"
GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
NPM_TOKENS = ("NODE_AUTH_TOKEN", "NPM_TOKEN")

Clock = Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class Session:
    """One call, opened. ``state`` is a folder of ours beside release.toml, ignored by git.

    ``scratch`` is this call's own folder for what is temporary; it goes with the call.
    """

    options: Options
    config: Config
    state: Path
    scratch: Path
    repository: Repository
    checkout: Checkout | None
    canonical: Canonical
    plan: Plan
    redactor: Redactor
    git_credentials: tuple[Credential, ...] = field(default=(), repr=False)

    @property
    def github_token(self) -> str | None:
        """The token for GitHub's API, from the environment."""
        return first(self.options.env, GITHUB_TOKENS)

    @property
    def npm_credential(self) -> Credential | None:
        """The token for the registry, from the environment, bound to the registry's origin."""
        token = self.npm_token
        return Credential(self.plan.npm.registry, f"Bearer {token}") if token else None

    @property
    def npm_token(self) -> str | None:
        """The token for the registry, from the environment."""
        return first(self.options.env, NPM_TOKENS)

    @property
    def evidence_directories(self) -> tuple[Path, ...]:
        """The ``--evidence`` directories, absolute."""
        return tuple(self.options.cwd / directory for directory in self.options.evidence)


@contextmanager
def opened(options: Options, known_gates: tuple[str, ...]) -> Iterator[Session]:
    """Open one call; every failure on the way is a ``ReleaseError``."""
    _refuse_unknown(options.gates, known_gates)
    path = configuration.locate(options.config, options.cwd)
    config = configuration.load(path, options.env)
    refuse_plain_http(
        config.github if first(options.env, GITHUB_TOKENS) else None,
        config.npm if first(options.env, NPM_TOKENS) else None,
    )
    base = path.resolve().parent
    secrets = [options.env[name] for name in (*GITHUB_TOKENS, *NPM_TOKENS) if options.env.get(name)]
    redactor = Redactor(secrets)
    checkout = Checkout.find(base, redactor)
    state = _state_folder(base)
    credentials = _git_credentials(config, options.env)
    with Scratch(state) as scratch:
        opening = Opening(
            state=state,
            remote=config.document.release.remote,
            base=base,
            checkout=checkout,
            credentials=credentials,
            redactor=redactor,
            scratch=scratch.path,
        )
        with Repository(opening) as repository:
            try:
                canonical, plan = _planned(options, config, repository, checkout, known_gates)
            except CannotTell as fault:
                # before there is a plan, there is no subject that could carry the reason
                raise ReleaseError(f"{fault.message} ({fault.reason})") from fault
            yield Session(
                options=options,
                config=config,
                state=state,
                scratch=scratch.path,
                repository=repository,
                checkout=checkout,
                canonical=canonical,
                plan=plan,
                redactor=redactor,
                git_credentials=credentials,
            )


def first(env: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    """Return the first variable of ``names`` that is set and not empty."""
    return next((env[name] for name in names if env.get(name)), None)


def _planned(
    options: Options,
    config: Config,
    repository: Repository,
    checkout: Checkout | None,
    known_gates: tuple[str, ...],
) -> tuple[Canonical, Plan]:
    selection = configuration.parse_selector(config, options.selector)
    canonical = resolve_commit(Wanted(commit=options.commit, tags=selection.tags), repository, checkout)
    plan = configuration.build_plan(
        config,
        commit=canonical.commit,
        selector=options.selector,
        version=selection.version,
        tree=repository.source(canonical.commit),
        deep=options.deep,
        known_gates=known_gates,
    )
    return canonical, replace(plan, selector=_typed(options), remote=repository.location.shown)


def _typed(options: Options) -> str:
    """What to type again to mean the same release: printed commands must work as they stand."""
    words = [options.selector] if options.selector else []
    words += ["--config", str(options.config)] if options.config else []
    words += ["--commit", options.commit] if options.commit else []
    return shlex.join(words)


def _refuse_unknown(gates: tuple[str, ...], known: tuple[str, ...]) -> None:
    unknown = sorted(set(gates) - set(known))
    if unknown:
        raise UsageError(f"no gate is called {', '.join(unknown)}", fix=f"the gates are {', '.join(known)}")


def _git_credentials(config: Config, env: Mapping[str, str]) -> tuple[Credential, ...]:
    token = first(env, GITHUB_TOKENS)
    if config.github is None or token is None:
        return ()
    return (github_credential(_web_address(config.github.api), token),)


def _web_address(api: str) -> str:
    """GitHub's git server for an API address: api.github.com → github.com; HOST/api/v3 → HOST."""
    return api.removesuffix("/api/v3").replace("://api.", "://", 1)


def _state_folder(base: Path) -> Path:
    """Make our folder, with a .gitignore that hides it: a checkout stays clean."""
    folder = base / STATE
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        fix = "make the folder writable, or put release.toml into one that is, with --config"
        raise ReleaseError(f"cannot be created: {error.strerror}", file=str(folder), fix=fix) from error
    return folder
