"""FIFO links: order of sending, per receiver."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kumi.protocols import Acknowledged, numbering
from kumi.protocols.fifo import InOrder
from kumi.protocols.numbering import Resequencer
from tests.protocols.groups import Fate, Group, Word


def links() -> tuple[Any, ...]:
    return (InOrder(), Acknowledged())


def test_a_message_waits_for_an_earlier_one() -> None:
    """The first takes 1.01 s, and its copy, sent at 0.5 s, 0.01 s; all are delivered at 0.51 s, in order."""
    group = Group(links, Fate(lambda flight: 1.0 if flight.number == 0 else 0.0))
    for text in "abc":
        group.send(0, text, to=1)
    group.run()

    assert group.heard == [(0.51, 1, text, 0) for text in "abc"]


def test_each_receiver_has_a_line_of_its_own() -> None:
    """What is late on the way to 1 does not hold back 2."""
    group = Group(links, Fate(lambda flight: 0.3 if flight.number == 0 else 0.0))
    group.send(0, "a", to=1)
    group.send(0, "b", to=2)
    group.send(0, "c", to=1)
    group.run()

    assert group.heard == [(0.01, 2, "b", 0), (0.31, 1, "a", 0), (0.31, 1, "c", 0)]


def test_a_line_that_has_stopped_does_not_grow(monkeypatch: Any) -> None:
    """Node 1 comes back and waits for number 0, which its last life has delivered."""
    monkeypatch.setattr(numbering, "MOST_EARLY", 5)
    group = Group(links)
    group.send(0, "before", to=1)
    group.at(1.0, group.nodes[1].restart)
    for number in range(8):
        group.send_at(2.0 + number, 0, str(number), to=1)
    group.run()

    assert group.words(1) == ["before"]
    assert group.network.dropped["too many messages wait for an earlier one"] == 3


def test_a_line_that_dropped_something_has_stopped_for_good(monkeypatch: Any) -> None:
    """Number 0 comes after all, but 4 was dropped: nothing that comes later waits for it in vain."""
    monkeypatch.setattr(numbering, "MOST_EARLY", 3)
    line, told = Resequencer(), list[str]()

    def take(number: int) -> bool:
        return line.take(number, Word(str(number)), 0, lambda message, _sender: told.append(repr(message)))

    assert [take(number) for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert [take(number) for number in (0, 4, 5)] == [False, False, False]
    assert (told, line.early) == ([], {})


@given(st.permutations(range(8)))
def test_a_line_gives_all_in_order_whatever_comes_first(order: list[int]) -> None:
    line, told = Resequencer(), list[str]()
    for number in order:
        line.take(number, Word(str(number)), 0, lambda message, _sender: told.append(repr(message)))
        assert told == [str(each) for each in range(len(told))]

    assert told == [str(each) for each in range(8)]
    assert line.early == {}


def test_a_number_that_has_been_told_is_not_told_again() -> None:
    line, told = Resequencer(), list[str]()
    for number in (0, 0, 1, 0, 1):
        line.take(number, Word(str(number)), 0, lambda message, _sender: told.append(repr(message)))

    assert told == ["0", "1"]
