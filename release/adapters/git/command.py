"""How git is started: no hooks, no user or system configuration, no prompts, no replaced or lazy objects.

Configuration reaches git by environment and never by argv, as credentials are part of it; what is set here
beats whatever a repository's own configuration says.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from release.adapters import process
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell

PROTOCOLS = "file:git:http:https:ssh"
_USER_CONFIG = Path(__file__).with_name("gitconfig")
_KEPT = ("SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY")
_SAID = 300

_CONFIG = {
    "core.askPass": "",
    "core.commitGraph": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "safe.directory": "*",
    "submodule.recurse": "false",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    "GIT_ASKPASS": "",
    "GIT_CONFIG_GLOBAL": str(_USER_CONFIG),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_EDITOR": ":",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=20"


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Where and how one git runs: its repository, directory, extra configuration and environment."""

    git_dir: Path | None = None
    cwd: Path | None = None
    config: Mapping[str, str] = field(default_factory=dict, repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 60.0

    def command(self, *arguments: str, stdin: bytes = b"") -> process.Command:
        """Return the call of ``git ARGUMENTS``, ready to run."""
        extra = {**_ENVIRONMENT, **_settings({**_CONFIG, **self.config})}
        if self.git_dir is not None:
            extra["GIT_DIR"] = str(self.git_dir)
        env = process.environment(_KEPT, extra)
        env.setdefault("GIT_SSH_COMMAND", _SSH)
        if "SSL_CERT_FILE" in env:
            # libcurl with GnuTLS does not look at SSL_CERT_FILE by itself.
            env.setdefault("GIT_SSL_CAINFO", env["SSL_CERT_FILE"])
        return process.Command(
            argv=("git", *arguments),
            env={**env, **self.env},
            cwd=self.cwd,
            stdin=stdin,
            timeout=self.timeout,
        )


def run(setup: Setup, *arguments: str, stdin: bytes = b"") -> process.Finished:
    """Run git to its end; the exit code is for the caller to judge."""
    return process.run(setup.command(*arguments, stdin=stdin))


def demand(setup: Setup, redactor: Redactor, *arguments: str, stdin: bytes = b"") -> process.Finished:
    """Run git; an exit code other than 0 is ``CannotTell`` (tool.failed) with git's own words."""
    finished = run(setup, *arguments, stdin=stdin)
    if finished.code != 0:
        name = f"git {arguments[0]}"
        raise CannotTell("tool.failed", f"{name} ended with {finished.code}: {words(finished, redactor)}")
    return finished


def words(finished: process.Finished, redactor: Redactor) -> str:
    """Return what git said last, on one line, without secrets and control characters."""
    lines = [line for line in redactor.clean(finished.errors).splitlines() if line.strip()]
    text = " / ".join(lines[-3:])[-_SAID:] or "it said nothing"
    return "".join(character for character in text if character.isprintable())


def _settings(config: Mapping[str, str]) -> dict[str, str]:
    found = {"GIT_CONFIG_COUNT": str(len(config))}
    for index, (key, value) in enumerate(config.items()):
        found[f"GIT_CONFIG_KEY_{index}"] = key
        found[f"GIT_CONFIG_VALUE_{index}"] = value
    return found
