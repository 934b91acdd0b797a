"""A packument's shape: read strictly where a verdict rests on it, and not at all elsewhere.

Packuments are megabytes, so only the asked-for version's manifest is decoded. An answer that is not this
package's document (an error page, an empty body, another package) is ``InputError``: a status code alone
is never presence.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from release.domain.digests import Digest, parse_integrity
from release.domain.errors import InputError
from release.domain.facts.npm import Packument, Published

_Manifest = dict[str, object]
_Shape = TypeVar("_Shape")


class Document(msgspec.Struct, frozen=True):
    """The parts of a packument that are read; every version's manifest stays undecoded."""

    name: str
    time: dict[str, object] | None = None
    dist_tags: dict[str, str] | None = msgspec.field(name="dist-tags", default=None)
    versions: dict[str, msgspec.Raw] | None = None

    def tags(self) -> Mapping[str, str]:
        """Return dist-tag → version; empty for a package that was unpublished as a whole."""
        return self.dist_tags or {}

    def known(self) -> tuple[str, ...]:
        """Return every published version, in the registry's order."""
        return tuple(self.versions or ())


class _Dist(msgspec.Struct):
    tarball: str
    integrity: str | None = None
    shasum: str | None = None


class _Version(msgspec.Struct):
    name: str
    version: str
    dist: _Dist
    git_head: object = msgspec.field(name="gitHead", default=None)


def parse_document(body: bytes, name: str) -> Document:
    """Parse a packument and require that it is the one of ``name``; raise ``InputError``."""
    document = _decode(body, Document, f"the document of {name}")
    if document.name != name:
        raise InputError(f"asked for {name}, and got the document of {document.name!r}")
    if document.versions is None and _withdrawal(document) is None:
        raise InputError(f"the document of {name} has no versions")
    if document.dist_tags is None and document.versions:
        raise InputError(f"the document of {name} has no dist-tags")
    return document


def packument_of(document: Document, version: str) -> Packument:
    """Look up ``version`` in the document; raise ``InputError`` where its manifest is another's."""
    raw = (document.versions or {}).get(version)
    return Packument(
        name=document.name,
        versions=document.known(),
        times=_times(document),
        dist_tags=document.tags(),
        published=None if raw is None else _published(document.name, version, raw),
        unpublished=raw is None and _remembers(document, version),
    )


def _published(name: str, version: str, raw: msgspec.Raw) -> Published:
    spec = f"{name}@{version}"
    shape = _decode(raw, _Version, f"the manifest of {spec}")
    if (shape.name, shape.version) != (name, version):
        raise InputError(f"under {spec} the document has the manifest of {shape.name}@{shape.version}")
    return Published(
        name=name,
        version=version,
        integrity=_integrity(shape.dist, spec),
        tarball_url=shape.dist.tarball,
        git_head=shape.git_head if isinstance(shape.git_head, str) else None,
        manifest=_decode(raw, _Manifest, f"the manifest of {spec}"),
    )


def _integrity(dist: _Dist, spec: str) -> Digest:
    """Return ``dist.integrity``; versions from before 2017 have only the SHA-1 ``dist.shasum``."""
    if dist.integrity:
        return parse_integrity(dist.integrity)
    if dist.shasum:
        return Digest("sha1", dist.shasum.lower())
    raise InputError(f"the manifest of {spec} has neither dist.integrity nor dist.shasum")


def _times(document: Document) -> dict[str, datetime]:
    """Return version → publish time; a time that is missing or odd is left out, not guessed."""
    skipped = {"created", "modified", "unpublished"}
    parsed = {key: _time(value) for key, value in (document.time or {}).items() if key not in skipped}
    return {key: value for key, value in parsed.items() if value is not None}


def _time(value: object) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if parsed is None:
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def _withdrawal(document: Document) -> dict[str, object] | None:
    """Return ``time.unpublished``, which the registry leaves behind for a whole unpublished package."""
    match (document.time or {}).get("unpublished"):
        case dict() as entry:
            return entry
        case _:
            return None


def _remembers(document: Document, version: str) -> bool:
    if version in (document.time or {}):
        return True
    match (_withdrawal(document) or {}).get("versions"):
        case list() as versions:
            return version in versions
        case _:
            return False


def _decode(body: bytes | msgspec.Raw, shape: type[_Shape], what: str) -> _Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{what} cannot be read: {error}") from error
