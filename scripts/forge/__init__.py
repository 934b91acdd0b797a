"""forge: an emulated GitHub on loopback for tests, demo and bench. Standard library and the git command only.

It answers what ``release`` asks, over real bare repositories, goes wrong on request and records every write.
Start with ``Forge``. Not GitHub's, but ours: asset names are rewritten by report, not by rule (``names``);
``download_count`` stays 0; ``latest`` ignores semantic versions; nothing is eventually consistent unless a
fault says so; no state survives the process.
"""

from forge.builder import RepoHandle
from forge.faults import Fault, secondary_limit
from forge.handles import AssetHandle, ReleaseHandle
from forge.journal import Asked, Write
from forge.names import stored_name
from forge.service import Forge

__all__ = [
    "Asked",
    "AssetHandle",
    "Fault",
    "Forge",
    "ReleaseHandle",
    "RepoHandle",
    "Write",
    "secondary_limit",
    "stored_name",
]
