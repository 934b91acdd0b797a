"""What must never be printed, in every form in which a tool may echo it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.adapters.redact import Redactor

CANARY = "ghp_Canary/Value+1="


@pytest.mark.parametrize(
    "text",
    [
        f"fatal: {CANARY} is not valid",
        "path%20ghp_Canary%2FValue%2B1%3D",
        "path%20ghp_Canary%2fValue%2b1%3d",
        f"Authorization: Basic {base64.b64encode(f'x-access-token:{CANARY}'.encode()).decode()}",
        f"Authorization: Basic {base64.b64encode(f':{CANARY}'.encode()).decode().rstrip('=')}",
        base64.b64encode(CANARY.encode()).decode(),
    ],
)
def test_a_known_secret_goes_in_every_form(text: str) -> None:
    """Plain, percent-encoded in either case, and base64 of a Basic header are all replaced."""
    clean = Redactor([CANARY]).clean(text)
    assert "***" in clean
    for form in (CANARY, "ghp_", "Canary", base64.b64encode(b"x-access-token:ghp").decode()[:12]):
        assert form not in clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://bob:pw@host/x.git", "https://***@host/x.git"),
        ("at https://tok@host:8443/x and ssh://git@h/y", "at https://***@host:8443/x and ssh://***@h/y"),
        ("https://a:b@c@host/", "https://***@host/"),
        ("https://host/@scope/name?a=b@c", "https://host/@scope/name?a=b@c"),
        ("git@host:acme/widget.git", "git@host:acme/widget.git"),
        ("mail acme@example.test", "mail acme@example.test"),
    ],
)
def test_userinfo_of_any_url_goes_and_nothing_else(text: str, clean: str) -> None:
    """Userinfo is removed whether known or not; paths with @ and plain addresses stay."""
    assert Redactor().clean(text) == clean


def test_values_too_short_to_be_secret_are_ignored() -> None:
    """An empty or three-letter value would tear every message to pieces."""
    assert Redactor(["", "abc"]).clean("abc abcd") == "abc abcd"


def test_a_secret_inside_a_longer_one_does_not_leave_a_rest() -> None:
    """The longest form is replaced first."""
    assert Redactor(["token", "token-long"]).clean("token-long") == "***"


def test_it_never_shows_its_own_secrets() -> None:
    """``repr`` of a redactor holds no value; ``also`` knows the old and the new ones."""
    both = Redactor([CANARY]).also(["other-secret"])
    assert "Canary" not in repr(both)
    assert both.clean(f"{CANARY} other-secret") == "*** ***"


@given(st.text(min_size=4, max_size=30).filter(lambda text: "*" not in text), st.text(max_size=20))
def test_cleaned_text_never_holds_the_secret(secret: str, around: str) -> None:
    """Whatever stands around a secret, it is not in the result."""
    assert secret not in Redactor([secret]).clean(f"{around} {secret} {around}")
