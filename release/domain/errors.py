"""One root for every error that a user can meet, and the one for "could not look".

``ReleaseError`` means that the call, the configuration or an input is wrong: exit code 4, with the
file, the place inside it and the fix. ``CannotTell`` means that the world could not be observed:
it becomes a pending finding with ``who = cannot-tell`` and is never a verdict.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong with an input: which file, where in it, what, and how to mend it."""

    message: str
    file: str = ""
    place: str = ""
    fix: str = ""

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.file, self.place) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}\n  fix: {self.fix}" if self.fix else text


class ReleaseError(Exception):
    """The root of all errors that reach a user; carries one or more ``Problem``s; exit code 4."""

    exit_code = 4

    def __init__(self, message: str, *, file: str = "", place: str = "", fix: str = "") -> None:
        self.problems: tuple[Problem, ...] = (Problem(message=message, file=file, place=place, fix=fix),)
        super().__init__(str(self.problems[0]))

    @classmethod
    def of(cls, problems: tuple[Problem, ...]) -> "ReleaseError":
        """Build one error that lists every problem, not only the first."""
        if not problems:
            raise ValueError("an error needs at least one problem")
        error = cls(problems[0].message)
        error.problems = problems
        error.args = ("\n".join(str(problem) for problem in problems),)
        return error


class ConfigError(ReleaseError):
    """``release.toml`` or a manifest at the commit is not valid."""


class UsageError(ReleaseError):
    """The command line asks for something that cannot be done."""


class InputError(ReleaseError):
    """A file or answer from outside (checksum file, archive, manifest, evidence) is malformed."""


class CannotTell(Exception):
    """The world could not be observed. ``reason`` is a catalogue code whose ``who`` is cannot-tell."""

    def __init__(self, reason: str, message: str, *, evidence: tuple[str, ...] = ()) -> None:
        self.reason = reason
        self.message = message
        self.evidence = evidence
        super().__init__(f"{reason}: {message}")
