"""A release of any size as files: npm packages, archives, their checksum file and manifest."""

import base64
import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VERSION, TAG = "1.2.3", "v1.2.3"
REPOSITORY = "acme/widget"
SUMS, MANIFEST = "SHA256SUMS", "binary-manifest.json"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How large a release is. ``assets`` counts the checksum file and the manifest too; 0: no GitHub release.

    ``built`` packages declare a build, so that looking never packs them.
    """

    packages: int
    assets: int
    built: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The packages' names."""
        return tuple(f"@acme/p{number:03}" for number in range(self.packages))

    @property
    def archives(self) -> tuple[str, ...]:
        """The archives' names."""
        return tuple(f"acme-{VERSION}-{target}.tar.gz" for target in self.targets)

    @property
    def targets(self) -> tuple[str, ...]:
        """One target for each archive."""
        return tuple(f"linux-t{number:04}" for number in range(max(self.assets - 2, 0)))


def path_of(package: str) -> str:
    """Return the package's folder in the repository."""
    return f"packages/{package.rpartition('/')[2]}"


def project_files(shape: Shape) -> dict[str, str]:
    """Return the repository's files by path."""
    files = {"release.toml": _config(shape)}
    if shape.packages:
        root = {"name": "widget", "version": "0.0.0", "private": True, "workspaces": ["packages/*"]}
        files["package.json"] = _json(root)
    for name in shape.names:
        files[f"{path_of(name)}/package.json"] = _json(manifest_of(name))
        files[f"{path_of(name)}/index.js"] = _source(name)
    return files


def manifest_of(package: str) -> dict[str, object]:
    """Return one package's package.json."""
    return {"name": package, "version": VERSION, "license": "MIT", "main": "index.js"}


def publish_document(package: str, commit: str, registry: str) -> dict[str, object]:
    """Return what npm would PUT: for packages that are too many to be published by npm itself."""
    tarball = _tarball(package)
    file = f"{package.rpartition('/')[2]}-{VERSION}.tgz"
    dist = {
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode(),
        "shasum": hashlib.sha1(tarball).hexdigest(),
        "tarball": f"{registry}/{package}/-/{file}",
    }
    version = {**manifest_of(package), "_id": f"{package}@{VERSION}", "gitHead": commit, "dist": dist}
    data = base64.b64encode(tarball).decode()
    content = {"content_type": "application/octet-stream", "data": data, "length": len(tarball)}
    return {
        "_id": package,
        "name": package,
        "dist-tags": {"latest": VERSION},
        "versions": {VERSION: version},
        "access": "public",
        "_attachments": {f"{package}-{VERSION}.tgz": content},
    }


def small_archives(shape: Shape) -> dict[str, bytes]:
    """Return archives of about a kilobyte each."""
    return {name: f"{name}\n".encode() * 40 for name in shape.archives}


def digest_of(content: bytes | Path) -> tuple[str, int]:
    """Return SHA-256 in hex, and the size in bytes."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest(), len(content)
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), content.stat().st_size


def listings(shape: Shape, archives: Mapping[str, bytes | Path], commit: str) -> dict[str, bytes]:
    """Return the manifest and the checksum file of the archives."""
    known = {name: digest_of(content) for name, content in archives.items()}
    rows = [
        {"name": name, "target": target, "sha256": known[name][0], "size": known[name][1]}
        for name, target in zip(shape.archives, shape.targets, strict=True)
    ]
    manifest = _json({"schemaVersion": 1, "version": VERSION, "commit": commit, "assets": rows}).encode()
    lines = {**{name: digest for name, (digest, _) in known.items()}, MANIFEST: digest_of(manifest)[0]}
    sums = "".join(f"{digest}  {name}\n" for name, digest in lines.items())
    return {MANIFEST: manifest, SUMS: sums.encode()}


def _config(shape: Shape) -> str:
    lines = ["schema = 1", "[release]", 'name = "acme"', 'tag = "v{version}"']
    lines += ["[npm]", "stable_reads = 2"]
    for name in shape.names:
        lines += ["[[package]]", f'path = "{path_of(name)}"']
        lines += ['build = ["npm", "run", "build"]'] if shape.built else []
    if shape.assets:
        lines += ["[github]", f'repository = "{REPOSITORY}"', 'required_checks = ["test"]']
        lines += ["[[binary]]", 'name = "acme"', f"targets = {json.dumps(shape.targets)}"]
        lines += ['archive = "acme-{version}-{target}.tar.gz"', "[checksums]", "[manifest]"]
    return "\n".join(lines) + "\n"


def _tarball(package: str) -> bytes:
    raw = io.BytesIO()
    contents = {"package.json": _json(manifest_of(package)), "index.js": _source(package)}
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, text in contents.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)


def _source(package: str) -> str:
    return f"module.exports = {json.dumps(package)};\n"


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
