"""The HTTP client: GETs only, bounded in time and size, honest about what could not be learned.

Importing this package or ``model`` does not import requests; touching ``Http`` does.
"""

from typing import TYPE_CHECKING

from release.adapters.http.etags import EtagStore, Stored, cache_key
from release.adapters.http.model import (
    Answer,
    Credential,
    FaultKind,
    HttpFault,
    Meter,
    Streamed,
    fault_to_cannot_tell,
    origin,
    show,
)

if TYPE_CHECKING:
    from release.adapters.http.client import Http

__all__ = [
    "Answer",
    "Credential",
    "EtagStore",
    "FaultKind",
    "Http",
    "HttpFault",
    "Meter",
    "Stored",
    "Streamed",
    "cache_key",
    "fault_to_cannot_tell",
    "origin",
    "show",
]


def __getattr__(name: str) -> object:
    """Import ``Http`` on first use: requests costs a tenth of a second at start-up."""
    if name == "Http":
        from release.adapters.http.client import Http

        return Http
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
