"""Comparing unpacked packages: by path, permission bits and bytes, and by nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.facts.npm import TreeEntry
from release.domain.trees import TreeDiff, compare, printable

ENTRY = st.builds(
    TreeEntry,
    path=st.sampled_from(("index.js", "bin/acme", "lib/a.js", "README.md")),
    mode=st.sampled_from((0o644, 0o755)),
    size=st.just(1),
    sha256=st.sampled_from(("a" * 64, "b" * 64)),
)
TREE = st.lists(ENTRY, max_size=5, unique_by=lambda entry: entry.path).map(tuple)


def entry(path: str, **changes: object) -> TreeEntry:
    return replace(TreeEntry(path=path, mode=0o644, size=1, sha256="a" * 64), **changes)  # type: ignore[arg-type]


HERE = (entry("a.js"), entry("b.js"), entry("bin/acme", mode=0o755))
NOTHING: dict[str, tuple[str, ...]] = {"only_there": (), "only_here": (), "other_bytes": (), "other_mode": ()}


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        pytest.param(HERE, {}, id="equal"),
        pytest.param(HERE[::-1], {}, id="other order"),
        pytest.param(
            (*HERE, entry("c.js"), entry("B.js")), {"only_there": ("B.js", "c.js")}, id="more there"
        ),
        pytest.param(HERE[1:2], {"only_here": ("a.js", "bin/acme")}, id="less there"),
        pytest.param((), {"only_here": ("a.js", "b.js", "bin/acme")}, id="empty"),
        pytest.param((entry("a.js", sha256="b" * 64), *HERE[1:]), {"other_bytes": ("a.js",)}, id="bytes"),
        pytest.param((*HERE[:2], entry("bin/acme")), {"other_mode": ("bin/acme",)}, id="executable bit"),
        pytest.param((entry("a.js", mode=0o664), *HERE[1:]), {"other_mode": ("a.js",)}, id="any bit"),
        pytest.param(
            (*HERE[:2], entry("bin/acme", sha256="b" * 64)),
            {"other_bytes": ("bin/acme",), "other_mode": ("bin/acme",)},
            id="bytes and mode",
        ),
        pytest.param(
            (*HERE[:1], entry("B.js"), HERE[2]),
            {"only_there": ("B.js",), "only_here": ("b.js",)},
            id="other case of a name",
        ),
        pytest.param((entry("a.js", size=2), *HERE[1:]), {}, id="size follows from the bytes"),
        pytest.param((entry("a.js", sha256="b" * 64), *HERE), {}, id="the last entry of a name counts"),
    ],
)
def test_what_differs_is_listed(there: tuple[TreeEntry, ...], expected: dict[str, tuple[str, ...]]) -> None:
    """Each kind of difference is listed by path, sorted, and nothing else is."""
    difference = compare(there, HERE)
    assert difference == TreeDiff(**{**NOTHING, **expected})
    assert difference.equal is (expected == {})


@given(TREE, TREE)
def test_comparison_is_symmetric(one: tuple[TreeEntry, ...], two: tuple[TreeEntry, ...]) -> None:
    """Swapping the sides swaps "only there" and "only here" and changes nothing else."""
    left, right = compare(one, two), compare(two, one)
    assert left.only_there == right.only_here
    assert (left.other_bytes, left.other_mode) == (right.other_bytes, right.other_mode)
    assert left.equal == right.equal == (sorted(one, key=str) == sorted(two, key=str))


@given(TREE, TREE, st.integers(0, 12))
def test_summary_names_or_counts_every_difference(
    one: tuple[TreeEntry, ...], two: tuple[TreeEntry, ...], limit: int
) -> None:
    """What is not named is counted, so a bounded summary hides nothing."""
    diff = compare(one, two)
    total = sum(map(len, (diff.only_there, diff.only_here, diff.other_bytes, diff.other_mode)))
    text = diff.summary(limit)
    named = sum(len(part.split(", ")) for part in text.split("; ") if ": " in part)
    assert named == min(limit, total)
    assert text.endswith(f"and {total - limit} more") == (total > limit)
    assert bool(text) == (total > 0)


def test_summary_reads_as_text() -> None:
    """Kinds come in a fixed order, each with its paths."""
    diff = TreeDiff(only_there=("a", "b"), only_here=("c",), other_bytes=("d",), other_mode=("e", "f"))
    everything = "only there: a, b; only here: c; other bytes: d; other mode: e, f"
    assert diff.summary(6) == diff.summary(99) == everything
    assert diff.summary(4) == "only there: a, b; only here: c; other bytes: d; and 2 more"
    assert diff.summary(1) == "only there: a; and 5 more"
    assert diff.summary(0) == "and 6 more"


def test_control_characters_in_names_are_escaped() -> None:
    """A file name in an archive cannot move the cursor of the terminal that shows it."""
    assert printable("dist/índex.js") == "dist/índex.js"
    assert printable("a\x1b[2Jb") == r"'a\x1b[2Jb'"
    assert r"\x1b" in compare((entry("\x1b]0;x\x07"),), ()).summary(5)
