"""The gates, one module each, listed once and in order: the table of contents of the product."""

from gates import (
    source_tag,
)
from release.contract import Gate

GATES: tuple[Gate, ...] = (
    source_tag,  # irreversible: only after everything that can be proved without it
)
