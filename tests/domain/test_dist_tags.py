"""Where a dist-tag stands to a version, as properties over any registry."""

from hypothesis import given
from hypothesis import strategies as st

from release.domain.dist_tags import LATEST, Position, position

VERSION = st.sampled_from(("1.0.0", "1.0.1", "1.1.0-rc.1", "1.1.0", "2.0.0-rc.1", "2.0.0", "odd"))


@given(st.sampled_from(("latest", "next")), VERSION, VERSION, st.lists(VERSION).map(tuple))
def test_position_is_total_and_only_latest_is_special(
    tag: str, pointed: str, version: str, versions: tuple[str, ...]
) -> None:
    """Faults are of ``latest`` alone, and what points elsewhere is never "here"."""
    stand = position(tag, pointed, version, versions)
    if stand in (Position.PRERELEASE_ON_LATEST, Position.LATEST_ON_OLDER):
        assert tag == LATEST
    if stand is Position.HERE:
        assert pointed == version
    if pointed == version:
        assert stand not in (Position.NEWER, Position.BEHIND)
    assert position("next", version, version, versions) is Position.HERE
