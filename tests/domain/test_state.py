"""The state algebra's laws, as properties over every state and every order of arrival."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.domain.state import NothingToJoin, State, join, join_all

ANY = st.sampled_from(State)
SOME = st.lists(ANY, min_size=1, max_size=12)

TABLE = {
    ("pending", "pending"): "pending",
    ("pending", "partial"): "partial",
    ("pending", "complete"): "partial",
    ("pending", "failed"): "failed",
    ("partial", "partial"): "partial",
    ("partial", "complete"): "partial",
    ("partial", "failed"): "failed",
    ("complete", "complete"): "complete",
    ("complete", "failed"): "failed",
    ("failed", "failed"): "failed",
}


@pytest.mark.parametrize(("pair", "expected"), TABLE.items())
def test_join_is_the_designs_table(pair: tuple[str, str], expected: str) -> None:
    """Each pair joins to what DESIGN §2 draws, in both orders."""
    left, right = map(State, pair)
    assert join(left, right) is join(right, left) is State(expected)


def test_the_table_names_every_pair() -> None:
    """No pair of states is left out of the table above."""
    pairs = {frozenset(pair) for pair in product(State, State)}
    assert {frozenset(map(State, pair)) for pair in TABLE} == pairs


@given(ANY, ANY, ANY)
def test_join_is_associative(one: State, two: State, three: State) -> None:
    """Grouping does not matter, so evidence may be merged in any tree."""
    assert join(join(one, two), three) is join(one, join(two, three))


@given(ANY, ANY)
def test_join_is_commutative_and_an_upper_bound(one: State, two: State) -> None:
    """Order does not matter, and joining a part again changes nothing."""
    both = join(one, two)
    assert both is join(two, one)
    assert join(both, one) is join(both, two) is both


@given(ANY)
def test_join_is_idempotent(one: State) -> None:
    """Saying the same thing twice says nothing new."""
    assert join(one, one) is one


@given(SOME, st.randoms())
def test_any_order_and_any_repetition_gives_the_same_state(states: list[State], random: object) -> None:
    """Findings from many machines merge in any order, some of them twice."""
    shuffled = [*states, *states]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert join_all(shuffled) is join_all(states)


@given(SOME)
def test_failed_absorbs(states: list[State]) -> None:
    """One failure fails the whole, whatever else there is."""
    assert join_all([*states, State.FAILED]) is State.FAILED


@given(SOME)
def test_complete_only_of_complete_parts(states: list[State]) -> None:
    """The whole is complete exactly when every part is."""
    assert (join_all(states) is State.COMPLETE) == all(state is State.COMPLETE for state in states)


@given(SOME, SOME)
def test_a_join_of_joins_is_the_join_of_all(left: list[State], right: list[State]) -> None:
    """Gates join to the release as subjects join to gates: one function does both."""
    assert join(join_all(left), join_all(right)) is join_all([*left, *right])


def test_joining_nothing_is_an_error() -> None:
    """No subjects never look complete (G21)."""
    with pytest.raises(NothingToJoin, match="no subjects has no state"):
        join_all([])
    with pytest.raises(NothingToJoin, match="no subjects"):
        join_all(iter(()))
