"""A source tree in memory, and a configuration from text."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from release.config import Config, load

Tree = Mapping[str, str | bytes | Mapping[str, object]]


class MemoryTree:
    """Implements ``SourceTree`` over two dictionaries."""

    def __init__(self, files: Tree, parent: Tree | None = None) -> None:
        self._files = {path: _raw(content) for path, content in files.items()}
        self._parent = {path: _raw(content) for path, content in (parent or {}).items()}

    def read(self, path: str) -> bytes | None:
        """Return the file at the commit."""
        return self._files.get(path)

    def read_parent(self, path: str) -> bytes | None:
        """Return the file at the first parent."""
        return self._parent.get(path)


def _raw(content: str | bytes | Mapping[str, object]) -> bytes:
    match content:
        case bytes():
            return content
        case str():
            return content.encode()
        case _:
            return json.dumps(content).encode()


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., Config]:
    """Return a function from TOML text (and an environment) to a loaded configuration."""

    def make(text: str, env: Mapping[str, str] | None = None) -> Config:
        path = tmp_path / "release.toml"
        path.write_text(text, encoding="utf-8")
        return load(path, env or {})

    return make


@pytest.fixture
def tree() -> Callable[..., MemoryTree]:
    """Return the class of source trees in memory."""
    return MemoryTree
