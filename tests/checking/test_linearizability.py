"""The linearizability checker: known histories, and all small ones against trying every order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.checking.linearizability import Call, linearize, register, unexplained


def call(client: str, operation: str, argument: object, result: object, *times: float) -> Call:
    return Call(client, "x", operation, argument, result, *times)


def write(client: str, value: object, *times: float) -> Call:
    return call(client, "write", value, None, *times)


def read(client: str, value: object, *times: float) -> Call:
    return call(client, "read", None, value, *times)


def swap(client: str, expected: object, value: object, result: bool, *times: float) -> Call:
    return call(client, "swap", (expected, value), result, *times)


LINEARIZABLE = {
    "nothing": [],
    "one after the other": [write("a", 1, 0, 1), read("b", 1, 2, 3)],
    "the first value is None": [read("a", None, 0, 1), write("b", 1, 2, 3)],
    "a read beside a write sees the old value": [write("a", 1, 0, 10), read("b", None, 2, 3)],
    "a read beside a write sees the new value": [write("a", 1, 0, 10), read("b", 1, 2, 3)],
    "old, then new, beside one write": [
        write("a", 1, 0, 10),
        read("b", None, 1, 2),
        read("b", 1, 3, 4),
    ],
    "two writes at once, in the other order": [
        write("a", 1, 0, 5),
        write("b", 2, 0, 5),
        read("c", 1, 6, 7),
        read("c", 1, 8, 9),
    ],
    "one of two swaps at once": [swap("a", None, 1, True, 0, 5), swap("b", None, 2, False, 0, 5)],
    "an open write that happened much later": [write("a", 1, 0), read("b", None, 1, 2), read("b", 1, 8, 9)],
    "an open write that never happened": [write("a", 1, 0), read("b", None, 1, 2), read("b", None, 8, 9)],
    "an open swap that happened": [swap("a", None, 1, False, 0), read("b", 1, 3, 4)],
    "an open read says nothing": [write("a", 1, 0, 1), read("b", "whatever", 2)],
    "what touches may overlap": [write("a", 1, 0, 1), read("b", None, 1, 2)],
}

NOT_LINEARIZABLE = {
    "a value that nobody wrote": [write("a", 1, 0, 1), read("b", 2, 2, 3)],
    "a stale read": [write("a", 1, 0, 1), read("b", None, 2, 3)],
    "new, then old, beside one write": [
        write("a", 1, 0, 10),
        read("b", 1, 1, 2),
        read("b", None, 3, 4),
    ],
    "two readers disagree on the order of two writes": [
        write("a", 1, 0, 20),
        write("b", 2, 0, 20),
        read("c", 1, 1, 2),
        read("c", 2, 3, 4),
        read("d", 2, 5, 6),
        read("d", 1, 7, 8),
    ],
    "both of two swaps": [swap("a", None, 1, True, 0, 5), swap("b", None, 2, True, 0, 5)],
    "a write applied twice": [
        write("a", 1, 0, 1),
        write("b", 2, 2, 3),
        read("c", 2, 4, 5),
        read("c", 1, 6, 7),
    ],
    "an open write seen, then unseen": [
        write("a", 1, 0),
        read("b", 1, 1, 2),
        read("b", None, 3, 4),
    ],
    "an open write seen before its call": [read("b", 1, 0, 1), write("a", 1, 2)],
    "a swap that should have fitted": [write("a", 1, 0, 1), swap("b", 1, 2, False, 2, 3)],
}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_explains(name: str) -> None:
    assert unexplained(LINEARIZABLE[name]) is None


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_refuses(name: str) -> None:
    assert unexplained(NOT_LINEARIZABLE[name]) is not None


def test_the_order_it_finds_is_given() -> None:
    """The swap that failed comes after the one that did not."""
    first, second = LINEARIZABLE["one of two swaps at once"]

    assert linearize([second, first]) == [first, second]


def test_keys_are_judged_one_by_one() -> None:
    good = Call("a", "good", "write", 1, None, 0, 1)
    bad = Call("a", "bad", "read", None, 7, 2, 3)

    assert unexplained([good, bad]) == [bad]


def test_an_unknown_operation_is_refused() -> None:
    with pytest.raises(ValueError, match="a register can read, write and swap, not 'burn'"):
        unexplained([call("a", "burn", None, None, 0, 1)])


@pytest.mark.slow
def test_a_long_history_of_writers_at_once_is_judged_in_time() -> None:
    """Ten writers at once, a hundred times, each round followed by a read of one of them."""
    history: list[Call] = []
    for lap in range(100):
        history += [write(f"w{number}", (lap, number), lap, lap + 0.5) for number in range(10)]
        history.append(read("r", (lap, lap % 10), lap + 0.6, lap + 0.7))

    assert unexplained(history) is None
    assert unexplained([*history, read("r", (0, 1), 200, 201)]) is not None


values = st.sampled_from([None, 1, 2])


@st.composite
def histories(draw: st.DrawFn) -> list[Call]:
    """Up to five calls with times from 0 to 9, some of them open."""
    calls = []
    for client in range(draw(st.integers(0, 5))):
        operation = draw(st.sampled_from(["read", "write", "swap"]))
        called = draw(st.integers(0, 8))
        returned = draw(st.one_of(st.just(inf), st.integers(called, 9)))
        argument: object
        result: object
        if operation == "read":
            argument, result = None, draw(values)
        elif operation == "write":
            argument, result = draw(st.sampled_from([1, 2])), None
        else:
            argument, result = (draw(values), draw(values)), draw(st.booleans())
        calls.append(call(str(client), operation, argument, result, called, returned))
    return calls


def by_trying_every_order(calls: Sequence[Call]) -> bool:
    finished = [each for each in calls if not each.is_open]
    still_open = [each for each in calls if each.is_open]
    return any(
        is_an_explanation(order)
        for count in range(len(still_open) + 1)
        for happened in combinations(still_open, count)
        for order in permutations([*finished, *happened])
    )


def is_an_explanation(order: Sequence[Call]) -> bool:
    state: object = None
    for place, each in enumerate(order):
        if any(later.returned < each.called for later in order[place:]):
            return False
        fits, state = register(state, each)
        if not fits:
            return False
    return True


@settings(max_examples=400, deadline=None)
@given(histories())
def test_agrees_with_trying_every_order(calls: list[Call]) -> None:
    found = linearize(calls)

    assert (found is not None) == by_trying_every_order(calls)
    if found is not None:
        assert is_an_explanation(found)
        assert {id(each) for each in calls if not each.is_open} <= {id(each) for each in found}
