"""`release explain`: what a reason or a gate means."""

from typing import Annotated

import typer

from release.cli.output import emit
from release.report.explain import explain as explain_text
from release.report.visible import visible


def explain(
    word: Annotated[str, typer.Argument(metavar="REASON|GATE", help="Such as npm.absent or source-tag.")],
) -> None:
    """Print what a reason or a gate means, its usual cause and its remedy."""
    from release.wiring import gate_cards

    emit("".join(visible(line) + "\n" for line in explain_text(word, gate_cards()).splitlines()))
