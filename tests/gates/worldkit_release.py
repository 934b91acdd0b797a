"""A whole published release of acme 1.2.3 for the gates that look at assets: files, sums and manifest."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from worldkit import ARCHIVES, COMMIT, MANIFEST, SUMS, World, a_record, a_release, a_tag, sha256, stored

from release.domain.evidence import Kind
from release.domain.facts.github import AssetFacts, ReleaseFacts

BODIES = {asset.name: f"bytes of {asset.name}".encode() for asset in ARCHIVES}
LINUX, DARWIN = BODIES


def sums_of(files: Mapping[str, bytes], algorithm: str = "sha256") -> bytes:
    """Return a checksum file as coreutils writes it."""
    lines = (f"{hashlib.new(algorithm, body).hexdigest()}  {name}\n" for name, body in files.items())
    return "".join(lines).encode()


def manifest_of(files: Mapping[str, bytes], commit: str = COMMIT, version: str = "1.2.3") -> bytes:
    """Return a manifest that lists the files."""
    rows = [
        {"name": name, "platform": "any", "arch": "any", "sha256": sha256(body).hex, "size": len(body)}
        for name, body in files.items()
    ]
    return json.dumps({"version": version, "commit": commit, "assets": rows}).encode()


def right_files() -> dict[str, bytes]:
    """Return the whole set: archives, manifest, and sums of both."""
    files = {**BODIES, MANIFEST.name: manifest_of(BODIES)}
    return {**files, SUMS.name: sums_of(files)}


def publish(world: World, files: Mapping[str, bytes], release: ReleaseFacts | None = None) -> ReleaseFacts:
    """Put a release with these files on the forge, and its tag on the remote."""
    there = release or a_release()
    world.github.listed.append(there)
    world.git.tags[there.tag_name] = a_tag(there.tag_name)
    for name, body in files.items():
        put(world, there, name, body)
    return there


def put(
    world: World, release: ReleaseFacts, name: str, body: bytes, served: bytes | None = None, **changes: Any
) -> AssetFacts:
    """Put one asset (replacing one of the same name); ``served`` is what a download really gives."""
    held = world.github.held.setdefault(release.id, [])
    number = next((one.id for one in held if one.name == name), release.id * 10_000 + len(held))
    held[:] = [one for one in held if one.name != name]
    asset = stored(number, name, body, **changes)
    held.append(asset)
    world.github.bodies[asset.id] = body if served is None else served
    return asset


def remove(world: World, release: ReleaseFacts, name: str) -> None:
    """Take one asset away."""
    held = world.github.held[release.id]
    held[:] = [one for one in held if one.name != name]


def build_evidence(world: World, **changes: Any) -> None:
    """Remember a build of every archive."""
    world.remember(a_record(Kind.BINARY_BUILD, name, body, **changes) for name, body in BODIES.items())
