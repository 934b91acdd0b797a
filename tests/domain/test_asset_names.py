"""GitHub's rewriting of asset names is predicted, and recognised more widely than predicted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.asset_names import explained, github_name, is_rewriting, rewritten

PREDICTED = (
    ("acme-1.2.3-linux-x64.tar.gz", "acme-1.2.3-linux-x64.tar.gz"),
    ("App Manager_1.0.AppImage", "App.Manager_1.0.AppImage"),
    ("acme_1.0~rc1_amd64.deb", "acme_1.0.rc1_amd64.deb"),
    ("acme (1).zip", "acme.1.zip"),
    ("a&&b.zip", "a.b.zip"),
    ("@acme+cli@1.0.tgz", "@acme+cli@1.0.tgz"),
    ("café.zip", "cafe.zip"),
    ("łódź.zip", "lodz.zip"),
    ("straße.zip", "strasse.zip"),
    ("x©y.zip", "x.y.zip"),
    ("trailing.", "trailing"),
    (".dotfile", "default.dotfile"),
    ("日本.dmg", "default.dmg"),
    ("...", "default"),
)


@pytest.mark.parametrize(("name", "stored"), PREDICTED)
def test_predicts_the_stored_name(name: str, stored: str) -> None:
    """As observed: one period for a run of other characters, accents dropped (G06, C129, C131, C136)."""
    assert github_name(name) == stored
    assert is_rewriting(name, stored) is (name != stored)


@pytest.mark.parametrize(
    ("planned", "stored", "expected"),
    [
        ("a+b.zip", "a.b.zip", True),
        ("@acme.zip", "acme.zip", True),
        ("a b.zip", "a-b.zip", False),
        ("a.zip", "b.zip", False),
        ("a.zip", "A.zip", False),
        ("a.zip", "a.zip", False),
    ],
)
def test_recognises_more_than_it_predicts(planned: str, stored: str, expected: bool) -> None:
    """A wrong guess about + and @ still shows both names (C134); equal names are no rewriting."""
    assert is_rewriting(planned, stored) is expected


def test_prefers_the_predicted_name() -> None:
    """Of several candidates the predicted one is named."""
    assert rewritten("a b+c", ("a.b.c", "a.b+c")) == "a.b+c"
    assert rewritten("a b+c", ("a.b.c",)) == "a.b.c"
    assert rewritten("a b", ("x",)) is None
    assert rewritten("a", ("a",)) is None


def test_explains_stored_names() -> None:
    """Stored names that are rewritings of planned ones are not strangers."""
    assert explained(("a.b", "x", "default.dmg"), ("a b", "日本.dmg")) == {"a.b", "default.dmg"}


@given(st.text(max_size=30))
def test_the_prediction_is_stable(name: str) -> None:
    """A stored name would be stored again as itself, and has only plain characters."""
    stored = github_name(name)
    assert github_name(stored) == stored
    assert stored
    assert stored.isascii()
