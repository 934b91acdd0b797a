"""What a gate says about itself, as a value: for `release explain` and docs/gates.md."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GateCard:
    """``binding`` is the gate module's docstring: a title, and what ties an observation to the commit."""

    name: str
    claim: str
    binding: str
    needs: tuple[str, ...]
    stage: str
    effect: str
    recheck: str
