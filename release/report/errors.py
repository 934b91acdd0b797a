"""An error as text: every problem with its place and its remedy, nothing raw from outside."""

from release.domain.errors import Problem, ReleaseError
from release.report.visible import visible_ascii


def render_error(error: ReleaseError) -> str:
    """Return the error's problems, one block each, with a final newline."""
    return "".join(_block(problem) for problem in error.problems)


def _block(problem: Problem) -> str:
    lines = str(problem).splitlines() or [""]
    return "\n".join(visible_ascii(line) for line in ("error: " + lines[0], *lines[1:])) + "\n"
