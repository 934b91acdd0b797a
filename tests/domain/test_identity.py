"""The identity rule: resume is by identity, never by existence."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.digests import Digest
from release.domain.evidence import Evidence, Kind
from release.domain.identity import (
    Baseline,
    Content,
    Identity,
    Present,
    choose,
    classify,
    contents,
    first_digest,
)

A, B = Digest("sha256", "a" * 64), Digest("sha256", "b" * 64)
LONG = Digest("sha512", "a" * 128)
COMMIT, POLICY = "c" * 40, "p"


def content(digest: Digest = A, size: int | None = 3) -> Content:
    return Content(digest=digest, size=size, source="test")


def there(digest: Digest | None = A, size: int = 3, whole: bool = True) -> Present:
    return Present(digest=digest, size=size, whole=whole)


EXPECTED = Baseline(expected=(content(),))
ROWS = (
    ("same", there(), EXPECTED, Identity.SAME),
    ("same, size not said", there(), Baseline(expected=(content(size=None),)), Identity.SAME),
    ("same, as first seen", there(), Baseline(expected=(content(),), first=A), Identity.SAME),
    ("same, in a sealed release", there(), Baseline(expected=(content(),), sealed=True), Identity.SAME),
    ("absent", None, EXPECTED, Identity.ABSENT),
    ("removed", None, Baseline(seen_before=True), Identity.REMOVED),
    ("sealed", None, Baseline(sealed=True), Identity.MISSING_IN_IMMUTABLE),
    ("sealed and seen", None, Baseline(sealed=True, seen_before=True), Identity.MISSING_IN_IMMUTABLE),
    ("interrupted", there(whole=False), EXPECTED, Identity.INTERRUPTED),
    ("interrupted and empty", there(size=0, whole=False), EXPECTED, Identity.INTERRUPTED),
    ("empty", there(size=0), EXPECTED, Identity.EMPTY),
    ("changed", there(), Baseline(expected=(content(),), first=B), Identity.CHANGED_SINCE),
    ("changed, digest unknown", there(None), Baseline(first=B), Identity.DIGEST_UNKNOWN),
    ("first seen by another algorithm", there(), Baseline(expected=(content(),), first=LONG), Identity.SAME),
    ("other size", there(size=4), EXPECTED, Identity.SIZE_DIFFERS),
    ("other size, digest unknown", there(None, size=4), EXPECTED, Identity.SIZE_DIFFERS),
    ("other digest", there(B), EXPECTED, Identity.DIGEST_DIFFERS),
    ("digest unknown", there(None), EXPECTED, Identity.DIGEST_UNKNOWN),
    ("nothing expected", there(), Baseline(), Identity.NOT_COMPARED),
    ("other algorithm", there(), Baseline(expected=(content(LONG),)), Identity.NOT_COMPARED),
    ("second of two builds", there(), Baseline(expected=(content(B), content())), Identity.SAME),
    ("neither of two builds", there(), Baseline(expected=(content(B), content(B))), Identity.DIGEST_DIFFERS),
)


@pytest.mark.parametrize(("name", "present", "baseline", "expected"), ROWS, ids=[name for name, *_ in ROWS])
def test_applies_the_rule(name: str, present: Present | None, baseline: Baseline, expected: Identity) -> None:
    """Every row of DESIGN §5's table has one answer."""
    assert classify(present, baseline) is expected


def test_every_answer_has_a_row() -> None:
    """The table above reaches every identity."""
    assert {row[3] for row in ROWS} == set(Identity)


digests = st.sampled_from([None, A, B, LONG])


@given(digests, st.integers(0, 4), st.booleans(), st.lists(digests, max_size=2), digests, st.booleans())
def test_same_needs_an_equal_digest(
    digest: Digest | None,
    size: int,
    whole: bool,
    wanted: list[Digest | None],
    first: Digest | None,
    sealed: bool,
) -> None:
    """Whatever else is known, only equal digests of whole, non-empty bytes are the same."""
    expected = tuple(content(one) for one in wanted if one is not None)
    found = classify(there(digest, size, whole), Baseline(expected=expected, first=first, sealed=sealed))
    if found is Identity.SAME:
        assert whole
        assert size == 3
        assert digest in [one.digest for one in expected]
    assert found not in (Identity.ABSENT, Identity.REMOVED, Identity.MISSING_IN_IMMUTABLE)


def test_chooses_the_equal_content_else_the_preferred() -> None:
    """The preferred one is named where none is equal."""
    assert choose((content(B), content()), A) == content()
    assert choose((content(B), content(LONG)), A) == content(B)
    assert choose((), A) is None


TIME = datetime(2026, 1, 1, tzinfo=UTC)


def record(number: int, **changes: object) -> Evidence:
    fields: dict[str, object] = {
        "id": f"sha256:{number}",
        "kind": Kind.BINARY_BUILD,
        "release": "acme",
        "version": "1.2.3",
        "commit": COMMIT,
        "tree": "t",
        "subject": "f",
        "digest": str(A),
        "size": 3,
        "policy": POLICY,
        "verdict": "pass",
        "exit_code": 0,
        "started_at": TIME,
        "ended_at": TIME,
        "platform": "",
        "isolation": "",
        "tools": {},
        "data": {},
    }
    return Evidence(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [{"commit": "d" * 40}, {"policy": "q"}, {"verdict": "fail"}, {"digest": None}, {"digest": "md5:1"}],
)
def test_only_counting_records_vouch(changes: dict[str, object]) -> None:
    """Another commit or policy, a failed run, or no digest vouches for nothing (R-CONV-10)."""
    records = (record(1), record(2, **changes))
    found = contents(records, commit=COMMIT, policy=POLICY, source="s")
    assert [one.evidence for one in found] == ["sha256:1"]


def test_newest_records_come_first() -> None:
    """Stores answer oldest first; the newest is preferred."""
    found = contents((record(1), record(2)), commit=COMMIT, policy=POLICY, source="s")
    assert [one.evidence for one in found] == ["sha256:2", "sha256:1"]
    assert found[0] == Content(digest=A, size=3, source="s", evidence="sha256:2")


def test_the_first_digest_is_the_oldest() -> None:
    """The baseline is what was seen first, of whatever commit; records without a digest are passed over."""
    records = (record(1, digest=None), record(2, digest=str(B), commit="d" * 40), record(3))
    assert first_digest(records) == B
    assert first_digest(()) is None


def test_the_table_has_no_duplicate_rows() -> None:
    """Each situation is told once."""
    names = [row[0] for row in ROWS]
    assert all(left != right for left, right in itertools.combinations(names, 2))
