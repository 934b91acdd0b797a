"""docs/config.md: prose, and a table of keys for every table of release.toml, made from its schema."""

import json
from collections.abc import Iterator, Mapping

from release.config.schema import config_schema

Node = Mapping[str, object]

_HEAD = """# release.toml

Generated from the model in `release/config/` by `scripts/generate-docs`.

`release.toml` stands at the root of the repository (every command takes `--config PATH` for another
one). It says what a release consists of; together with the manifests at the canonical commit it is the
plan. `release config check` checks it and prints the plan, `release config schema` prints a JSON Schema
for editors (also in `docs/release.schema.json`).

Unknown keys, empty lists, templates without their placeholders and two things with one name are errors:
one message each, with the file, the key path and what is allowed; exit code 4. Paths are relative to the
repository's root. Commands are lists of arguments: no shell is used. Credentials never stand here: they
come from `GITHUB_TOKEN` or `GH_TOKEN`, and `NODE_AUTH_TOKEN` or `NPM_TOKEN`.

```toml
[release]
name = "acme"
tag = "v{version}"

[github]
repository = "acme/acme"
required_checks = ["test"]

[[package]]
name = "acme"

[[binary]]
name = "acme"
targets = ["linux-x64", "darwin-arm64"]
archive = "acme-{version}-{target}.tar.gz"

[checksums]
file = "SHA256SUMS"

[manifest]
```

**Lockstep or independent.** A `tag` with `{package}` gives one tag and one GitHub release per package.
Then a release is about the packages whose version differs from the first parent's (and the one that you
name), or about all of them with `select = "all"`. Checksum file, manifest and extra assets belong to
each release that holds binaries, or to every release where no binary is declared.

**Asset names** must be the names that GitHub keeps: it rewrites special characters. A name that it would
rewrite is an error that shows the rewritten one.
"""


def config_page() -> str:
    """Return docs/config.md."""
    schema: Node = json.loads(config_schema())
    lines = [_HEAD.rstrip(), "", "## Top level", "", *_table(schema, schema)]
    for name, node, repeated in _tables(schema):
        heading = f"[[{name}]]" if repeated else f"[{name}]"
        lines += ["", f"## `{heading}`", "", str(node.get("description", "")), "", *_table(node, schema)]
    return "\n".join(lines) + "\n"


def _tables(schema: Node) -> Iterator[tuple[str, Node, bool]]:
    for name, value in _members(schema).items():
        target = _target(value, schema)
        if target is not None:
            yield name, target, value.get("type") == "array"
    budgets = _target({"$ref": "#/$defs/Budgets"}, schema)
    if budgets is not None:
        yield "suite.budgets", budgets, False


def _table(node: Node, schema: Node) -> Iterator[str]:
    yield "| key | type | default | |"
    yield "| --- | --- | --- | --- |"
    required = node.get("required")
    for name, value in _members(node).items():
        needed = isinstance(required, list) and name in required
        default = "required" if needed else _default(value)
        text = str(value.get("description", "")).replace("|", "\\|")
        yield f"| `{name}` | {_type(value, schema)} | {default} | {text} |"


def _members(node: Node) -> dict[str, Node]:
    members = node.get("properties")
    return members if isinstance(members, dict) else {}


def _default(value: Node) -> str:
    return f"`{json.dumps(value['default'])}`" if "default" in value else ""


def _target(value: Node, schema: Node) -> Node | None:
    items = value.get("items")
    reference = items.get("$ref") if isinstance(items, dict) else value.get("$ref")
    definitions = schema.get("$defs")
    if not isinstance(reference, str) or not isinstance(definitions, dict):
        return None
    node: Node = definitions[reference.rpartition("/")[2]]
    return node if "properties" in node else None


def _type(value: Node, schema: Node) -> str:
    match value:
        case {"enum": list() as choices}:
            return " or ".join(f"`{json.dumps(choice)}`" for choice in choices)
        case {"const": constant}:
            return f"`{json.dumps(constant)}`"
        case {"type": "array", "items": dict() as items}:
            return "tables" if _target(value, schema) else f"list of {_type(items, schema)}"
        case {"$ref": str()}:
            return "table" if _target(value, schema) else "text"
        case {"type": str() as name}:
            return {"string": "text", "boolean": "true or false", "integer": "number"}.get(name, name)
        case _:
            return ""
