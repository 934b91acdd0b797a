"""The binaries of every world: archives, checksum file and manifest, the same bytes each time."""

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping

VERSION = "1.2.3"
TARGETS = {"linux-x64": "tar.gz", "darwin-arm64": "tar.gz", "windows-x64": "zip"}
SUMS, MANIFEST = "SHA256SUMS", "binary-manifest.json"
ARCHIVES = tuple(f"acme-{VERSION}-{target}.{end}" for target, end in TARGETS.items())


def archive(name: str) -> bytes:
    """Return the bytes of one binary's archive."""
    program = f"program {name}\n".encode() * 50
    raw = io.BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(raw, "w") as packed:
            packed.writestr(zipfile.ZipInfo("acme-windows.exe"), program)
        return raw.getvalue()
    with tarfile.open(fileobj=raw, mode="w") as packed_tar:
        info = tarfile.TarInfo("acme")
        info.size, info.mode = len(program), 0o755
        packed_tar.addfile(info, io.BytesIO(program))
    return gzip.compress(raw.getvalue(), mtime=0)


def sums(assets: Mapping[str, bytes]) -> bytes:
    """Return SHA256SUMS of the assets."""
    lines = (f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in assets.items())
    return "".join(lines).encode()


def binary_manifest(commit: str, assets: Mapping[str, bytes], version: str = VERSION) -> bytes:
    """Return binary-manifest.json for archives that were built from ``commit``."""
    rows = [
        {"name": name, "target": target, "sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
        for (name, body), target in zip(assets.items(), TARGETS, strict=True)
    ]
    document = {"schemaVersion": 1, "version": version, "commit": commit, "assets": rows}
    return (json.dumps(document, indent=2) + "\n").encode()
