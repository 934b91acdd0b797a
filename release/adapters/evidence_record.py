"""One evidence record as bytes: canonical JSON (RFC 8785), named by its SHA-256, read without mercy.

Whatever is not exactly what ``encode`` writes is an error with its place: duplicate or unknown members, NaN,
other spellings of a time, another name than the bytes' own hash.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Annotated, Any, NoReturn

import msgspec
import rfc8785

from release.domain.digests import is_commit, parse_digest
from release.domain.errors import InputError
from release.domain.evidence import SCHEMA, Evidence, Kind

_FIX = "delete the file, or restore it from where it was made: a record is never edited"
_NEW = "make the evidence again with this version of the program"
_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class _Shape(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    schema: str
    kind: Kind
    release: _Text
    version: _Text
    commit: _Text
    tree: str
    subject: _Text
    digest: str | None
    size: Annotated[int, msgspec.Meta(ge=0)] | None
    policy: str
    verdict: _Text
    exit_code: int | None
    started_at: _Time
    ended_at: _Time
    platform: str
    isolation: str
    tools: dict[str, str]
    data: dict[str, Any]


def encode(record: Evidence) -> bytes:
    """Return the canonical bytes of ``record`` without its id; raise ``InputError`` where there are none."""
    members: dict[str, object] = {"schema": SCHEMA}
    for field in fields(record):
        if field.name != "id":
            members[field.name] = _plain(getattr(record, field.name))
    try:
        return rfc8785.dumps(members)  # type: ignore[arg-type]  # _plain made it JSON, or dumps refuses it
    except (rfc8785.CanonicalizationError, RecursionError, ValueError) as error:
        raise InputError(f"evidence cannot be written as canonical JSON: {error}") from error


def identify(content: bytes) -> str:
    """Return the id of a record with these bytes: ``sha256:HEX``."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def decode(content: bytes, *, name: str, file: str) -> Evidence:
    """Parse the bytes of a record that is called ``name`` (hex); raise ``InputError`` with file and place."""
    identity = identify(content)
    if identity != f"sha256:{name}":
        raise InputError("the bytes do not hash to the record's name", file=file, place=name, fix=_FIX)
    parsed = _json(content, file)
    if not isinstance(parsed, dict) or parsed.get("schema") != SCHEMA:
        raise InputError(f"not a record of schema {SCHEMA}", file=file, place="schema", fix=_NEW)
    try:
        shape = msgspec.convert(parsed, _Shape)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at ")
        raise InputError(text, file=file, place=place.strip("`") or "$", fix=_NEW) from error
    record = _record(shape, identity)
    _consistent(record, file)
    if _again(record) != content:
        raise InputError("the record is not canonical JSON (RFC 8785)", file=file, fix=_NEW)
    return record


def _again(record: Evidence) -> bytes | None:
    try:
        return encode(record)
    except InputError:
        return None


def _record(shape: _Shape, identity: str) -> Evidence:
    values = {name: getattr(shape, name) for name in shape.__struct_fields__ if name != "schema"}
    return Evidence(id=identity, **values)


def _consistent(record: Evidence, file: str) -> None:
    if not is_commit(record.commit):
        raise InputError("not a full commit id", file=file, place="$.commit", fix=_NEW)
    if record.tree and not is_commit(record.tree):
        raise InputError("not a full tree id", file=file, place="$.tree", fix=_NEW)
    if record.ended_at < record.started_at:
        raise InputError("ended before it started", file=file, place="$.ended_at", fix=_NEW)
    if record.digest is not None and str(_digest(record.digest, file)) != record.digest:
        raise InputError("a digest has lower-case hex", file=file, place="$.digest", fix=_NEW)


def _digest(text: str, file: str) -> object:
    try:
        return parse_digest(text)
    except InputError as error:
        raise InputError(error.problems[0].message, file=file, place="$.digest", fix=_NEW) from error


def _json(content: bytes, file: str) -> object:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) != len(pairs):
            twice = sorted({name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1})
            raise InputError("a member stands twice", file=file, place=", ".join(twice), fix=_NEW)
        return members

    def refuse(text: str) -> NoReturn:
        raise InputError(f"{text} is not JSON", file=file, fix=_NEW)

    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", file=file, place=f"byte {error.start}", fix=_NEW) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise InputError(f"not JSON: {error.msg}", file=file, place=place, fix=_NEW) from error
    except (RecursionError, ValueError) as error:
        raise InputError("not JSON that can be read: too deep or a number too long", file=file) from error


def _plain(value: object) -> object:
    """Return ``value`` as the JSON types that RFC 8785 knows; times in UTC with a final Z."""
    match value:
        case datetime():
            if value.tzinfo is None:
                raise InputError(f"a time without a time zone: {value.isoformat()}")
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Kind():
            return value.value
        case Mapping():
            return {name: _plain(item) for name, item in value.items()}
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return value
