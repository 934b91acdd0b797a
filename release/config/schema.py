"""The JSON Schema of release.toml, for editors: made from the model, published in docs/."""

import json
from collections.abc import Mapping

from release.config.model import Document

ID = "https://github.com/release-convergence/release-convergence/blob/main/docs/release.schema.json"


def config_schema() -> str:
    """Return the schema as JSON text (2020-12) with a final newline."""
    schema = _plain(Document.model_json_schema(by_alias=True))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ID, "title": "release.toml"}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


def _plain(node: Mapping[str, object]) -> dict[str, object]:
    """Drop what TOML cannot write (null) and the titles that only repeat a key."""
    found: dict[str, object] = {}
    for key, value in node.items():
        match key, value:
            case ("default", None | dict()) | ("title", str()):
                continue
            case "anyOf", list() as choices:
                found |= _without_null(choices)
            case _, dict() as inner:
                found[key] = _plain(inner)
            case _:
                found[key] = value
    return found


def _without_null(choices: list[dict[str, object]]) -> dict[str, object]:
    kept = [_plain(choice) for choice in choices if choice != {"type": "null"}]
    return kept[0] if len(kept) == 1 else {"anyOf": kept}
