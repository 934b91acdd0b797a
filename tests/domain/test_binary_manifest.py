"""binary-manifest.json is read strictly: a wrong member is named by its path, never passed over."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.binary_manifest import MalformedManifest, Manifest, parse_manifest
from release.domain.digests import Digest

ROW = {"name": "a.tar.gz", "platform": "linux", "arch": "x64", "sha256": "a" * 64, "size": 3}
RIGHT: dict[str, Any] = {"version": "1.2.3", "commit": "c" * 40, "assets": [ROW]}


def encode(document: object) -> bytes:
    return json.dumps(document).encode()


def problems(body: bytes) -> tuple[str, ...]:
    match parse_manifest(body):
        case MalformedManifest(problems=found):
            return found
        case Manifest():
            return ()


@pytest.mark.parametrize(
    "extra",
    [{}, {"generatedAt": "2026-01-01T00:00:00Z"}, {"schemaVersion": 1}, {"schemaVersion": "1"}, {"own": 1}],
)
def test_reads_a_right_manifest(extra: dict[str, object]) -> None:
    """Version, commit and every archive with digest and size (R-BIN-04)."""
    match parse_manifest(encode({**RIGHT, **extra})):
        case Manifest() as manifest:
            assert (manifest.version, manifest.commit) == ("1.2.3", "c" * 40)
            row = manifest.asset("a.tar.gz")
            assert row is not None
            assert (row.digest, row.size, row.target, row.commit) == (
                Digest("sha256", "a" * 64),
                3,
                None,
                None,
            )
            assert manifest.asset("a.tar") is None
        case MalformedManifest(problems=found):
            pytest.fail(str(found))


def test_target_stands_for_platform_and_arch() -> None:
    """A row may name its target in one word, and its own commit."""
    row = {"name": "a", "target": "linux-x64", "sha256": "A" * 64, "size": 0, "commit": "d" * 40}
    match parse_manifest(encode({**RIGHT, "assets": [row]})):
        case Manifest(assets=(asset,)):
            assert (asset.target, asset.commit, asset.digest.hex) == ("linux-x64", "d" * 40, "a" * 64)
        case other:
            pytest.fail(str(other))


WRONG: tuple[tuple[str, object, str], ...] = (
    ("version", 1, "version must be"),
    ("version", " ", "version must be"),
    ("commit", "main", "commit must be"),
    ("commit", "c" * 39, "commit must be"),
    ("commit", None, "commit must be"),
    ("assets", {}, "assets must be"),
    ("assets", [], "assets must be"),
    ("assets", [3], "assets[0] must be an object"),
    ("assets", [ROW, ROW], "assets names 'a.tar.gz' twice"),
    ("schemaVersion", 2, "schemaVersion must be"),
    ("schemaVersion", True, "schemaVersion must be"),
    ("schemaVersion", [1], "schemaVersion must be"),
    ("generatedAt", 1, "generatedAt must be"),
)


@pytest.mark.parametrize(("member", "value", "what"), WRONG)
def test_names_a_wrong_member(member: str, value: object, what: str) -> None:
    """A wrong type, an unknown schema, a duplicate name: malformed, with the member (HJ7, HJ8)."""
    assert any(what in problem for problem in problems(encode({**RIGHT, member: value})))


@pytest.mark.parametrize("member", ["version", "commit", "assets"])
def test_a_missing_member_is_malformed(member: str) -> None:
    """Absence is a mismatch, never a skip (R-CONV-10, HJ8)."""
    document = {key: value for key, value in RIGHT.items() if key != member}
    assert any(problem.startswith(member) for problem in problems(encode(document)))


ROW_WRONG: tuple[tuple[str, object], ...] = (
    ("name", ""),
    ("name", 1),
    ("platform", None),
    ("arch", ""),
    ("sha256", "a" * 63),
    ("sha256", "g" * 64),
    ("sha256", f"sha256:{'a' * 64}"),
    ("size", "3"),
    ("size", -1),
    ("size", True),
    ("size", 3.0),
    ("target", 1),
    ("commit", "main"),
)


@pytest.mark.parametrize(("member", "value"), ROW_WRONG)
def test_names_a_wrong_member_of_a_row(member: str, value: object) -> None:
    """The path has the row's index."""
    document = copy.deepcopy(RIGHT)
    document["assets"].append({**ROW, "name": "b", member: value})
    assert any(problem.startswith(f"assets[1].{member} ") for problem in problems(encode(document)))


@pytest.mark.parametrize("member", ["name", "platform", "arch", "sha256", "size"])
def test_a_missing_member_of_a_row_is_malformed(member: str) -> None:
    """Every member of a row is required."""
    row = {key: value for key, value in ROW.items() if key != member}
    assert any(f"assets[0].{member} " in problem for problem in problems(encode({**RIGHT, "assets": [row]})))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "is not JSON"),
        (b"<html>", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"1" * 5_000, "is not JSON"),
        (b"\xff", "is not UTF-8"),
        (b"[]", "the document must be an object"),
        (b'{"version": NaN}', "NaN"),
        (b'{"version": "1", "version": "1"}', "'version' twice"),
        (b'{"assets": [{"size": 1, "size": 1}]}', "'size' twice"),
    ],
)
def test_refuses_what_is_not_a_manifest(body: bytes, what: str) -> None:
    """An error page, other JSON, or a duplicate key is malformed, and says so."""
    assert any(what in problem for problem in problems(body))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*RIGHT, *ROW, "schemaVersion", "target"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_never_raises(document: object) -> None:
    """Any JSON has an answer; a malformed one has at least one problem."""
    match parse_manifest(encode(document)):
        case MalformedManifest(problems=found):
            assert found
        case Manifest(assets=assets):
            assert assets
