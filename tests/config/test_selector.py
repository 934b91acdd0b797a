"""TAG|VERSION is read by the tag template, and odd text names the template."""

import pytest

from release.config import Selection, locate, parse_selector
from release.domain.errors import ConfigError, UsageError

LOCKSTEP = '[release]\nname = "acme"\n[[package]]\nname = "acme"\n'
PLAIN = '[release]\nname = "acme"\n'
INDEPENDENT = (
    '[release]\nname = "acme"\ntag = "{package}@{version}"\n[[package]]\nname = "@acme/core"\n'
    '[[package]]\nname = "cli"\npath = "cli"\n'
)
ONE = '[release]\nname = "acme"\ntag = "{package}-v{version}"\n[[package]]\nname = "acme-v"\n'

RIGHT = {
    "tag": (LOCKSTEP, "v7.8.5", Selection(tags=("v7.8.5",), version="7.8.5")),
    "version": (LOCKSTEP, "7.8.5", Selection(tags=("v7.8.5",), version="7.8.5")),
    "prerelease": (LOCKSTEP, "v1.0.0-rc.1+b", Selection(tags=("v1.0.0-rc.1+b",), version="1.0.0-rc.1+b")),
    "nothing": (LOCKSTEP, None, Selection()),
    "empty": (LOCKSTEP, "", Selection()),
    "no packages": (PLAIN, "v2024.1", Selection(tags=("v2024.1",), version="2024.1")),
    "scoped package": (
        INDEPENDENT,
        "@acme/core@1.2.3",
        Selection(tags=("@acme/core@1.2.3",), version="1.2.3", package="@acme/core"),
    ),
    "package": (INDEPENDENT, "cli@1.2.3", Selection(tags=("cli@1.2.3",), version="1.2.3", package="cli")),
    "dashes": (ONE, "acme-v-v1.0.0", Selection(tags=("acme-v-v1.0.0",), version="1.0.0", package="acme-v")),
    "only package": (ONE, "1.0.0", Selection(tags=("acme-v-v1.0.0",), version="1.0.0", package="acme-v")),
}


@pytest.mark.parametrize("row", RIGHT)
def test_a_tag_or_version_is_read(row: str, configure) -> None:
    """Tag and version give the same selection."""
    text, selector, expected = RIGHT[row]
    assert parse_selector(configure(text), selector) == expected


WRONG = {
    "word": (LOCKSTEP, "latest"),
    "two numbers": (LOCKSTEP, "v1.0"),
    "leading zero": (LOCKSTEP, "01.0.0"),
    "other prefix": (LOCKSTEP, "release-1.0.0"),
    "ref": (LOCKSTEP, "refs/tags/v1.0.0"),
    "newline": (LOCKSTEP, "v1.0.0\n"),
    "escape": (LOCKSTEP, "v1.0.0\x1b[2J"),
    "option": (PLAIN, "--x"),
    "long": (LOCKSTEP, "1.0.0-" + "a" * 500),
    "version without package": (INDEPENDENT, "1.2.3"),
    "unknown package": (INDEPENDENT, "@acme/cor@1.2.3"),
    "odd package": (INDEPENDENT, "a b@1.2.3"),
}


@pytest.mark.parametrize("row", WRONG)
def test_odd_text_names_the_template(row: str, configure) -> None:
    """A UsageError shows the text escaped, the template and an example; exit code 4."""
    text, selector = WRONG[row]
    with pytest.raises(UsageError, match="is not a tag of this project") as caught:
        parse_selector(configure(text), selector)
    message = str(caught.value)
    assert "the tag template is" in message
    assert "\x1b" not in message
    assert caught.value.exit_code == 4


def test_release_toml_is_found_upward(tmp_path) -> None:
    """The nearest file above the working directory counts; --config is relative to it."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "release.toml").write_text("")
    assert locate(None, inner) == tmp_path / "release.toml"
    assert locate(tmp_path.relative_to("/") / "x.toml", inner) == inner / tmp_path.relative_to("/") / "x.toml"


def test_no_release_toml_anywhere_is_explained(tmp_path) -> None:
    """The error says where it looked and how to begin."""
    with pytest.raises(ConfigError, match=r"no release\.toml in .* or above\n  fix: .*--config"):
        locate(None, tmp_path)
