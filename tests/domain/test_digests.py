"""Digests and commit ids: what parses is exact, and what does not parse is refused."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.digests import Digest, is_commit, parse_digest, parse_integrity
from release.domain.errors import InputError

SRI = st.sampled_from(("sha256", "sha384", "sha512"))
ALGORITHMS = st.sampled_from(("sha1", "sha256", "sha384", "sha512"))


def digest(algorithm: str, body: bytes) -> Digest:
    return Digest(algorithm, hashlib.new(algorithm, body).hexdigest())


@given(ALGORITHMS, st.binary())
def test_text_form_round_trips(algorithm: str, body: bytes) -> None:
    """``str`` and ``parse_digest`` are inverse, and upper-case hex is the same digest."""
    one = digest(algorithm, body)
    assert parse_digest(str(one)) == one
    assert parse_digest(f"{algorithm}:{one.hex.upper()}") == one


@given(SRI, st.binary())
def test_integrity_round_trips(algorithm: str, body: bytes) -> None:
    """``sri`` and ``parse_integrity`` are inverse, and equal what hashlib and base64 say."""
    one = digest(algorithm, body)
    expected = base64.b64encode(hashlib.new(algorithm, body).digest()).decode()
    assert one.sri == f"{algorithm}-{expected}"
    assert parse_integrity(one.sri) == one


@given(SRI, st.binary(), st.binary())
def test_digests_are_equal_only_for_equal_bytes(algorithm: str, one: bytes, two: bytes) -> None:
    """Equality is of the whole hex, not of a prefix."""
    assert (digest(algorithm, one) == digest(algorithm, two)) == (one == two)


@given(st.binary(), st.permutations(["sha256", "sha384", "sha512", "sha1"]))
def test_of_several_integrity_entries_the_strongest_counts(body: bytes, order: list[str]) -> None:
    """The order in the string does not matter, and unknown or weak entries are skipped."""
    text = " ".join(f"{digest(name, body).sri}?opt" for name in order)
    assert parse_integrity(text) == digest("sha512", body)


@pytest.mark.parametrize("pair", [("sha256", "sha384"), ("sha256", "sha512"), ("sha384", "sha512")])
def test_strength_is_ordered(pair: tuple[str, str]) -> None:
    """SHA-512 before SHA-384 before SHA-256."""
    weak, strong = (digest(name, b"acme") for name in pair)
    assert (
        parse_integrity(f"{weak.sri} {strong.sri}") == parse_integrity(f"{strong.sri} {weak.sri}") == strong
    )


def test_short_form_is_twelve_digits() -> None:
    """Messages show the algorithm and the first twelve digits."""
    assert Digest("sha256", "ab" * 32).short == "sha256:abababababab"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "has no sha256, sha384 or sha512"),
        ("sha1-" + base64.b64encode(b"x" * 20).decode(), "has no sha256"),
        ("sha512-not base64!", "not base64"),
        ("sha512-%%%%", "not base64"),
        ("sha512-" + base64.b64encode(b"x" * 63).decode(), "must be 128 lower-case hex digits"),
        ("sha256-", "must be 64 lower-case hex digits"),
        ("SHA512-" + base64.b64encode(b"x" * 64).decode(), "has no sha256"),
    ],
)
def test_malformed_integrity_is_refused(text: str, match: str) -> None:
    """A broken integrity is an error, never an equal or an absent one."""
    with pytest.raises(InputError, match=match):
        parse_integrity(text)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ab" * 32, "ALGORITHM:HEX"),
        ("md5:" + "ab" * 16, "unknown digest algorithm 'md5'"),
        ("sha256:" + "ab" * 31, "must be 64 lower-case hex digits"),
        ("sha256:" + "ab" * 32 + "\n", "must be 64 lower-case hex digits"),
        ("sha256:" + "xy" * 32, "must be 64 lower-case hex digits"),
        ("sha512:" + "ab" * 32, "must be 128 lower-case hex digits"),
        ("sha1:" + "ab" * 32, "must be 40 lower-case hex digits"),
    ],
)
def test_malformed_digests_are_refused(text: str, match: str) -> None:
    """A digest of another length, alphabet or algorithm is refused with what is expected."""
    with pytest.raises(InputError, match=match):
        parse_digest(text)


def test_a_digest_is_built_from_lower_case_only() -> None:
    """The constructor takes the canonical form alone, so equal digests compare equal."""
    with pytest.raises(InputError, match="lower-case"):
        Digest("sha256", "AB" * 32)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c" * 40, True),
        ("0123456789abcdef" * 4, True),
        ("c" * 39, False),
        ("c" * 41, False),
        ("c" * 63, False),
        ("c" * 65, False),
        ("C" * 40, False),
        ("g" * 40, False),
        ("c" * 40 + "\n", False),
        ("", False),
        ("HEAD", False),
    ],
)
def test_a_commit_is_one_full_id(text: str, expected: bool) -> None:
    """Abbreviations, names and upper case are no commit ids."""
    assert is_commit(text) is expected
