"""GitHub's own OpenAPI description (npm ``@octokit/openapi``) as JSON Schemas of the answers.

The description is OpenAPI 3.0: ``nullable`` becomes a null type; nothing else differs from JSON Schema here.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema

_CHECKS = jsonschema.FormatChecker(formats=())


@_CHECKS.checks("date-time", raises=ValueError)
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@_CHECKS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(urlsplit(value).scheme and urlsplit(value).netloc)


class Description:
    """The description, read once; schemas are converted when they are first needed."""

    def __init__(self, path: Path) -> None:
        self._document = json.loads(path.read_text(encoding="utf-8"))
        self._validators: dict[tuple[str, str, int], jsonschema.Draft7Validator] = {}

    def complaints(self, operation: tuple[str, str, int], value: object) -> list[str]:
        """Return what is wrong with ``value`` as an answer of (method, path template, status)."""
        if operation not in self._validators:
            self._validators[operation] = self._validator(*operation)
        errors = self._validators[operation].iter_errors(value)
        return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in errors]

    def _validator(self, method: str, path: str, status: int) -> jsonschema.Draft7Validator:
        answer = self._document["paths"][path][method.lower()]["responses"][str(status)]
        if "$ref" in answer:
            answer = self._at(answer["$ref"])
        schema = answer["content"]["application/json"]["schema"]
        needed: dict[str, Any] = {}
        self._collect(schema, needed)
        whole = {"allOf": [_converted(schema)], "components": {"schemas": needed}}
        return jsonschema.Draft7Validator(whole, format_checker=_CHECKS)

    def _collect(self, schema: object, needed: dict[str, Any]) -> None:
        if isinstance(schema, list):
            for one in schema:
                self._collect(one, needed)
        if not isinstance(schema, dict):
            return
        reference = schema.get("$ref")
        if isinstance(reference, str) and (name := reference.rpartition("/")[2]) not in needed:
            target = self._at(reference)
            needed[name] = _converted(target)
            self._collect(target, needed)
        for one in schema.values():
            self._collect(one, needed)

    def _at(self, reference: str) -> Mapping[str, Any]:
        found = self._document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return dict(found)


def _converted(schema: Any) -> Any:
    """Return the schema with ``nullable`` expressed as JSON Schema does; examples are dropped."""
    if isinstance(schema, list):
        return [_converted(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _converted(one) for name, one in schema.items() if name not in ("example", "examples")}
    if kept.pop("nullable", False) is not True:
        return kept
    return {"anyOf": [kept, {"type": "null"}]}
