"""Why a remote did not show itself, from what can be read by a program: HTTP status lines in git's own
trace, and the file system. Error texts are passed on to people and never interpreted."""

import re
from pathlib import Path

from release.adapters.git.location import Location
from release.domain.errors import CannotTell

_STATUS = re.compile(r"<= [Rr]ecv header:\s+HTTP/[\d.]+ (\d{3})")
_SMART = re.compile(r"<= recv header:\s+content-type:\s*application/x-git-upload-pack-", re.IGNORECASE)


def fault(location: Location, trace: Path, said: str) -> CannotTell:
    """Return the error for a git that failed; ``said`` is its last words, already without secrets."""
    if location.path is not None:
        reason, why = _local(location.path)
    elif location.is_http:
        reason, why = _http(_last_status(trace))
    else:
        reason, why = "git.unreachable", "could not be read"
    return CannotTell(reason, f"{location.shown} {why}: {said}")


def _local(path: Path) -> tuple[str, str]:
    try:
        path.stat()
    except PermissionError:
        return "git.denied", "may not be read"
    except OSError:
        return "git.unreachable", "does not exist"
    try:
        git_dir = path / ".git" if (path / ".git").is_dir() else path
        git_dir.joinpath("HEAD").read_bytes()
        for folder in (git_dir / "objects", git_dir / "refs"):
            tuple(folder.iterdir())
    except PermissionError:
        return "git.denied", "may not be read"
    except OSError:
        return "git.bad-answer", "is not a git repository"
    return "git.unreachable", "could not be read"


def _http(status: str | None) -> tuple[str, str]:
    match status:
        case None:
            return "git.unreachable", "could not be reached"
        case "401" | "403" | "404":
            advice = "is not there or refuses this credential (set GITHUB_TOKEN)"
            return "git.denied", f"answered {status}; it {advice}"
        case "429":
            return "git.rate-limited", "answered 429"
        case _ if status.startswith("5") or status in ("407", "408"):
            return "git.unreachable", f"answered {status}"
        case _ if status.startswith("3"):
            advice = "correct the remote's URL, as a credential follows no redirect"
            return "git.bad-answer", f"answered {status}; {advice}"
        case _:
            return "git.bad-answer", f"answered {status} with something that is not git's"


def _last_status(trace: Path) -> str | None:
    try:
        found = _STATUS.findall(trace.read_text(encoding="utf-8", errors="replace"))
        if "200" in found and not is_smart(trace):
            # What git asks for after a page that is not git's says nothing.
            return "200"
    except OSError:
        return None
    return str(found[-1]) if found else None


def refuses(trace: Path) -> bool:
    """Say whether the last HTTP answer was that this credential may not do it, or may not see it."""
    try:
        found = _STATUS.findall(trace.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    return bool(found) and found[-1] in ("401", "403", "404")


def is_smart(trace: Path) -> bool:
    """Say whether a git server answered: git takes a web page without a newline for "no refs at all"."""
    return _SMART.search(trace.read_text(encoding="utf-8", errors="replace")) is not None
