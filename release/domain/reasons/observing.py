"""Reasons for "could not look". Each is pending with who = cannot-tell: never failed, never complete."""

from release.domain.reasons.model import Reason, unknown

_CHANNELS = {
    "git": "the git remote",
    "npm": "the npm registry",
    "github": "GitHub's API",
    "download": "the download host",
}


def _for(channel: str, name: str) -> tuple[Reason, ...]:
    return (
        unknown(
            f"{channel}.unreachable",
            f"{name[0].upper()}{name[1:]} could not be reached, or kept answering with a server error.",
            "The network, a proxy, a certificate or the server.",
            "Look again; check the proxy and certificate settings if it stays.",
        ),
        unknown(
            f"{channel}.denied",
            f"{name[0].upper()}{name[1:]} refused to let us look.",
            "The credential is missing, expired, or lacks a scope.",
            "Set or renew the credential; the message names the variable.",
        ),
        unknown(
            f"{channel}.rate-limited",
            f"{name[0].upper()}{name[1:]} limits the number of requests, and the limit is reached.",
            "Too many requests in this window, perhaps by others with the same credential or address.",
            "Wait until the time in the message, or use another credential.",
        ),
        unknown(
            f"{channel}.bad-answer",
            f"{name[0].upper()}{name[1:]} answered with something that cannot be understood.",
            "A proxy's error page, a truncated body, or a server that is not the expected kind.",
            "Open the URL in the message; check the configured address.",
        ),
    )


REASONS = (
    *(reason for channel, name in _CHANNELS.items() for reason in _for(channel, name)),
    unknown(
        "github.repository-not-visible",
        "The repository is not there, or this token may not see it.",
        "GitHub answers 404 for a private repository without access.",
        "Check `[github] repository`, and set GITHUB_TOKEN to a token that may read it.",
    ),
    unknown(
        "download.truncated",
        "The download ended before the announced size.",
        "The connection was cut, or a proxy gave up.",
        "Look again.",
    ),
    unknown(
        "git.commit-missing",
        "The commit is not in the repository, nor on the remote.",
        "It was never pushed, or the clone is shallow.",
        "Fetch the commit, or push it.",
    ),
    unknown(
        "tool.missing",
        "A program that the observation needs is not installed.",
        "git or npm is not on PATH.",
        "Install the program that the message names.",
    ),
    unknown(
        "tool.failed",
        "A program that the observation needs failed for a reason of its own.",
        "Disk full, no permission, or an internal error.",
        "The message has the program's own words.",
    ),
    unknown(
        "observation.internal-error",
        "The observation itself failed unexpectedly.",
        "A defect in this tool.",
        "Please report it with the message.",
    ),
)
