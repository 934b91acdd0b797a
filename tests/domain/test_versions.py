"""Version precedence, against the ``semver`` library as an oracle that shares no code with ours."""

import pytest
import semver
from hypothesis import given
from hypothesis import strategies as st

from release.domain.versions import highest_stable, is_prerelease, precedence

NUMBER = st.one_of(st.integers(0, 3), st.integers(0, 10**12)).map(str)
LETTERS = "abcXYZ-"
WORD = st.tuples(
    st.text("019", max_size=2), st.sampled_from(LETTERS), st.text(LETTERS + "019", max_size=3)
).map("".join)
DOTTED = st.lists(st.one_of(NUMBER, WORD), min_size=1, max_size=4).map(".".join)


@st.composite
def versions(draw: st.DrawFn) -> str:
    """A semantic version, often close to others."""
    text = ".".join(draw(st.lists(NUMBER, min_size=3, max_size=3)))
    if draw(st.booleans()):
        text += "-" + draw(DOTTED)
    if draw(st.booleans()):
        text += "+" + draw(DOTTED)
    return text


@given(versions(), versions())
def test_order_agrees_with_the_oracle(one: str, two: str) -> None:
    """Less, equal and greater are what semver says for any pair."""
    left, right = precedence(one), precedence(two)
    assert left is not None
    assert right is not None
    assert (left > right) - (left < right) == semver.Version.parse(one).compare(two)


@given(versions(), DOTTED, DOTTED)
def test_order_of_prereleases_agrees_with_the_oracle(core: str, one: str, two: str) -> None:
    """Prereleases of one core, where identifiers alone decide."""
    base = core.split("-")[0].split("+")[0]
    left, right = precedence(f"{base}-{one}"), precedence(f"{base}-{two}")
    assert left is not None
    assert right is not None
    expected = semver.Version.parse(f"{base}-{one}").compare(f"{base}-{two}")
    assert (left > right) - (left < right) == expected


@given(st.one_of(versions(), st.text(max_size=12), st.text("v0123.-+a\n", max_size=12)))
def test_what_is_a_version_agrees_with_the_oracle(text: str) -> None:
    """Exactly the strings that semver accepts have a precedence (the oracle alone takes a final newline)."""
    assert (precedence(text) is not None) == (semver.Version.is_valid(text) and not text.endswith("\n"))


@given(versions())
def test_prerelease_agrees_with_the_oracle(text: str) -> None:
    """A prerelease part, and not build metadata, makes a prerelease."""
    assert is_prerelease(text) == (semver.Version.parse(text).prerelease is not None)


@given(st.lists(versions(), max_size=8), st.lists(st.text(max_size=5), max_size=2))
def test_highest_stable_agrees_with_the_oracle(some: list[str], odd: list[str]) -> None:
    """The highest version without a prerelease part; what is no version does not count."""
    parsed = [semver.Version.parse(text) for text in some]
    stable = [one for one in parsed if one.prerelease is None]
    odd = [text for text in odd if not semver.Version.is_valid(text)]
    found = highest_stable((*odd, *some))
    if not stable:
        assert found is None
    else:
        assert found is not None
        assert semver.Version.parse(found).compare(max(stable)) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.2",
        "v1.2.3",
        "1.2.3.4",
        "01.2.3",
        "1.2.3-01",
        "1.2.3-",
        "1.2.3+",
        "1.2.3\n",
        "١.2.3",
        "1١.2.3",
        "1.2.3-1١",
    ],
)
def test_not_a_version(text: str) -> None:
    """What the specification does not allow has no precedence and is no prerelease."""
    assert precedence(text) is None
    assert not is_prerelease(text)
    assert highest_stable((text,)) is None


def test_the_specifications_own_example() -> None:
    """SemVer 2.0.0 §11.4.4, in its order."""
    before = ("alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1")
    ordered = (*(f"1.0.0-{identifiers}" for identifiers in before), "1.0.0", "1.0.1", "1.1.0", "2.0.0")
    keys = [key for text in ordered if (key := precedence(text)) is not None]
    assert len(keys) == len(ordered)
    assert sorted(keys) == keys
    assert len(set(keys)) == len(keys)
