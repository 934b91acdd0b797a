"""Changes to what the release on GitHub holds, and names of the findings that then are open.

``put`` replaces what is served and what the API states of it; ``publish`` then makes the checksum file anew,
so that the release agrees with itself.
"""

import hashlib
from collections.abc import Mapping

from forge import AssetHandle
from forge.blobs import Blob
from kit import ARCHIVES, MANIFEST, SUMS, TAG, World
from kit_project import sums
from worlds_names import ASSETS, LATEST, NOT_BUILT, RELEASE

LINUX, DARWIN, WINDOWS = ARCHIVES
BUILD_CHECK = "commit-checks/build"
UNEXPECTED = "asset-upload/(unexpected)"
UPLOADS = tuple(f"asset-upload/{name}" for name in ASSETS)
CHECKED = tuple(f"checksums/{name}" for name in ASSETS)
ON_RELEASE = (*NOT_BUILT, *UPLOADS, UNEXPECTED, *CHECKED)
ON_GITHUB = (BUILD_CHECK, *ON_RELEASE, RELEASE, LATEST)


def up(name: str) -> str:
    """Return the finding of the asset's upload."""
    return f"asset-upload/{name}"


def sum_of(name: str) -> str:
    """Return the finding of the asset's checksum."""
    return f"checksums/{name}"


def every(names: tuple[str, ...], reason: str) -> dict[str, str]:
    """Return the same reason for each of the findings."""
    return dict.fromkeys(names, reason)


def sha256(body: bytes) -> str:
    """Return ``sha256:HEX`` of ``body``."""
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def body_of(w: World, name: str) -> bytes:
    """Return the bytes that the release serves under the name."""
    return w.asset(name).value.blob.read()


def put(w: World, name: str, body: bytes) -> AssetHandle:
    """Replace an asset's bytes, with size and digest as the API would state them; or add it."""
    if all(one.value.name != name for one in w.release.assets):
        return w.release.asset(name, body)
    return w.asset(name).set(blob=Blob(body), size=len(body), digest=sha256(body))


def listed(w: World) -> bytes:
    """Return a right checksum file for what is there now."""
    names = [one.value.name for one in w.release.assets if one.value.name != SUMS]
    return sums({name: body_of(w, name) for name in names})


def publish(w: World, files: Mapping[str, bytes]) -> None:
    """Replace or add assets, and let the checksum file agree."""
    for name, body in files.items():
        put(w, name, body)
    put(w, SUMS, listed(w))


def add_extras(w: World, names: tuple[str, ...]) -> None:
    """Plan further assets, each with bytes of its own, and publish them."""
    w.config["release"]["extra_assets"] = list(names)
    publish(w, {name: f"bytes of {name}\n".encode() for name in names})


__all__ = [
    "ARCHIVES",
    "ASSETS",
    "BUILD_CHECK",
    "CHECKED",
    "DARWIN",
    "LATEST",
    "LINUX",
    "MANIFEST",
    "NOT_BUILT",
    "ON_GITHUB",
    "ON_RELEASE",
    "RELEASE",
    "SUMS",
    "TAG",
    "UNEXPECTED",
    "UPLOADS",
    "WINDOWS",
    "add_extras",
    "body_of",
    "every",
    "listed",
    "publish",
    "put",
    "sha256",
    "sum_of",
    "up",
]
