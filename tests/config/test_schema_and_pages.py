"""The schema and the pages in docs/ are the program's own."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import tomli

from release.config import config_schema
from release.config.page import config_page

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_schema_is_the_models() -> None:
    """docs/release.schema.json is what `release config schema` prints."""
    assert (ROOT / "docs" / "release.schema.json").read_text(encoding="utf-8") == config_schema()


def test_the_committed_config_page_is_the_models() -> None:
    """docs/config.md is generated from the model."""
    assert (ROOT / "docs" / "config.md").read_text(encoding="utf-8") == config_page()


def test_every_key_has_a_description() -> None:
    """An editor can explain every key."""
    schema = json.loads(config_schema())
    nodes = [schema, *schema["$defs"].values()]
    silent = [
        key
        for node in nodes
        for key, value in node.get("properties", {}).items()
        if not (value.get("description") or schema["$defs"][value["$ref"].rpartition("/")[2]]["description"])
    ]
    assert silent == []
    assert sum(len(node.get("properties", {})) for node in nodes) > 60


def test_the_schema_judges_like_the_program() -> None:
    """A valid file passes the schema, and an unknown key does not."""
    schema = json.loads(config_schema())
    page = config_page()
    example = page.split("```toml\n")[1].split("```")[0]
    jsonschema.validate(tomli.loads(example), schema)
    with pytest.raises(jsonschema.ValidationError, match="realease"):
        jsonschema.validate({"release": {"name": "a"}, "realease": {}}, schema)


def test_the_example_on_the_page_loads(configure) -> None:
    """The documentation's own example is valid."""
    example = config_page().split("```toml\n")[1].split("```")[0]
    assert configure(example).document.release.name == "acme"


def test_all_generated_pages_are_in_step() -> None:
    """`scripts/generate-docs --check` finds nothing stale."""
    call = [sys.executable, str(ROOT / "scripts" / "generate-docs"), "--check"]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
