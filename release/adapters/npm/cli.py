"""npm, the program: packs a folder, with nothing of the user's and nothing of the project's in its way.

Every setting that could run code or change what is packed stands on the command line or in the environment,
which npm ranks above any .npmrc; its user and global configuration, cache and home are ours and empty. No
lifecycle script runs, and no network is asked. A workspace root above the folder counts, as when publishing:
npm heeds the ignore files there, so whoever calls this takes the checkout's .npmrc files away first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from release.adapters.environment import environment
from release.adapters.process import Command, Finished, run
from release.adapters.redact import Redactor
from release.domain.errors import CannotTell
from release.domain.facts.npm import PackFailed

_TIMEOUT = 300.0
_WORDS = 1500
# npm's error codes for this machine's own trouble: they say nothing of the package.
_OURS = frozenset({"ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM", "EIO", "EROFS", "EACCES", "EPERM"})
_SETTINGS = {
    "ignore_scripts": "true",
    "offline": "true",
    "audit": "false",
    "fund": "false",
    "update_notifier": "false",
    "logs_max": "0",
    "loglevel": "error",
    "color": "false",
    "progress": "false",
    "global": "false",
    "location": "user",
    "dry_run": "false",
    "json": "true",
    "foreground_scripts": "false",
    "node_options": "",
    "unicode": "false",
}


class _Words(msgspec.Struct):
    code: str | None = None
    summary: str = ""
    detail: str = ""


class _Refusal(msgspec.Struct):
    error: _Words


@dataclass(frozen=True, kw_only=True)
class Npm:
    """npm as found on PATH; ``home`` is an empty directory of ours, used as its HOME, cache and settings."""

    home: Path

    def tools(self) -> Mapping[str, str]:
        """Return the versions of npm, node and git; ``CannotTell`` (tool.missing) where one is missing."""
        done, git = run(self._command("version")), run(Command(argv=("git", "--version")))
        try:
            found = msgspec.json.decode(done.stdout, type=dict[str, object])
            versions = {"npm": str(found["npm"]), "node": str(found["node"])}
            return {**versions, "git": git.text.strip().removeprefix("git version ")}
        except (msgspec.MsgspecError, KeyError) as error:
            raise CannotTell("tool.failed", f"npm version exited {done.code} without saying it") from error

    def pack(self, folder: Path, destination: Path) -> Path | PackFailed:
        """Pack ``folder`` into the empty directory ``destination``; return the tarball, or npm's refusal."""
        done = run(self._command("pack", f"--pack-destination={destination}", cwd=folder))
        if done.code != 0:
            return _refused(done, folder)
        made = sorted(destination.glob("*.tgz"))
        if len(made) != 1:
            raise CannotTell("tool.failed", f"npm pack exited 0 and made {len(made)} tarballs instead of one")
        return made[0]

    def _command(self, verb: str, *options: str, cwd: Path | None = None) -> Command:
        paths = {
            "userconfig": self.home / "userconfig",
            "globalconfig": self.home / "globalconfig",
            "cache": self.home / "cache",
            "prefix": self.home,
            "tmp": self.home,
            "script_shell": self.home / "no-shell",
            "git": self.home / "no-git",
        }
        settings = {**_SETTINGS, **{name: str(path) for name, path in paths.items()}}
        extra = {f"npm_config_{name}": value for name, value in settings.items()}
        argv = ("npm", verb, "--ignore-scripts", *options)
        env = environment(extra={**extra, "HOME": str(self.home), "USERPROFILE": str(self.home)})
        return Command(argv=argv, env=env, cwd=cwd or self.home, timeout=_TIMEOUT)


def _refused(done: Finished, folder: Path) -> PackFailed:
    words = _words(done)
    if done.code < 0 or words.code in _OURS:
        raise CannotTell("tool.failed", f"npm pack ended with {words.code or done.code}: {words.summary}")
    text = "\n".join(part.strip() for part in (words.summary, words.detail) if part.strip())
    shown = Redactor().clean(text.replace(str(folder), "."))
    return PackFailed(message=shown[-_WORDS:] or f"npm pack exited {done.code} without a word")


def _words(done: Finished) -> _Words:
    try:
        return msgspec.json.decode(done.stdout, type=_Refusal).error
    except msgspec.MsgspecError:
        return _Words(summary=done.errors[-_WORDS:])
