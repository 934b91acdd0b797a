"""pydantic's errors as ``Problem``s: file, key path, what is wrong, what is allowed, and a did-you-mean."""

import difflib
import re
from collections.abc import Mapping
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from release.config.model import Document
from release.domain.errors import Problem

Location = tuple[int | str, ...]

_BARE_KEY = re.compile(r"\A[A-Za-z0-9_-]+\Z")
_EXPECTED: Mapping[str, str] = {
    "string_type": "must be text in quotes",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "tuple_type": "must be a list",
    "model_type": "must be a table",
    "missing": "is required",
    "too_short": "must not be empty",
}


def problems_of(error: ValidationError, file: str) -> tuple[Problem, ...]:
    """Return one problem per error; a list that is empty only because its items are wrong is left out."""
    details = error.errors(include_url=False)
    return tuple(_problem(detail, file) for detail in details if not _follows(detail))


def key_path(location: Location) -> str:
    """Return ``package[1].dist_tags`` for ``("package", 1, "dist_tags")``; odd keys are quoted."""
    text = ""
    for part in location:
        match part:
            case int():
                text += f"[{part}]"
            case str():
                key = part if _BARE_KEY.match(part) else ascii(part)
                text += f".{key}" if text else key
    return text


def did_you_mean(word: str, known: tuple[str, ...]) -> str:
    """Return ``did you mean "x"? `` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"? ' if near else ""


def _follows(detail: ErrorDetails) -> bool:
    return detail["type"] == "too_short" and bool(detail["input"])


def _problem(detail: ErrorDetails, file: str) -> Problem:
    location = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return _unknown_key(location, file)
    context = detail.get("ctx", {})
    if detail["type"] == "refused":
        return Problem(
            file=file, place=key_path(location), message=context["text"], fix=f"allowed: {context['allowed']}"
        )
    return Problem(
        file=file, place=key_path(location), message=_message(detail), fix=_fix(detail["type"], location)
    )


def _unknown_key(location: Location, file: str) -> Problem:
    known = _keys(_table_at(location[:-1]))
    guess = did_you_mean(str(location[-1]), known)
    return Problem(
        file=file,
        place=key_path(location),
        message="unknown key",
        fix=f"{guess}allowed here: {', '.join(known)}",
    )


def _message(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "literal_error":
            return f"must be {context['expected'].replace(chr(39), chr(34))}"
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "greater_than":
            return f"must be more than {context['gt']}"
        case "less_than_equal":
            return f"must be at most {context['le']}"
        case kind:
            return _EXPECTED.get(kind, detail["msg"])


def _fix(kind: str, location: Location) -> str:
    field = _field_at(location)
    if field is None:
        return ""
    if _table(field) is not None and kind in ("tuple_type", "model_type", "missing"):
        repeated = kind == "tuple_type" or any(isinstance(part, int) for part in location)
        name = ".".join(part for part in location if isinstance(part, str))
        return f"write it as [[{name}]]" if repeated else f"write it as [{name}]"
    return f"allowed: {field.description}" if field.description else ""


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _keys(model: type[BaseModel] | None) -> tuple[str, ...]:
    return tuple(sorted(_fields(model))) if model else ()


def _field_at(location: Location) -> FieldInfo | None:
    keys = tuple(part for part in location if isinstance(part, str))
    model = _table_at(keys[:-1])
    return _fields(model).get(keys[-1]) if model and keys else None


def _table_at(location: Location) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Document
    for part in location:
        if isinstance(part, str):
            field = _fields(model).get(part) if model else None
            model = _table(field) if field else None
    return model


def _table(field: FieldInfo) -> type[BaseModel] | None:
    return _model_in(field.annotation)


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)
