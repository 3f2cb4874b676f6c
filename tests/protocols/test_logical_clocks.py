"""Lamport and vector clocks, on histories of events at three nodes that send each other messages."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.protocols.logical_clocks import LamportClock, VectorClock, is_before

SIZE = 3


@dataclass
class Happened:
    """An event, the events that happened before it, and what the clocks say."""

    node: int
    past: set[int]
    lamport: int
    vector: tuple[int, ...]


@dataclass
class History:
    """Events as they happen; happened-before is kept as plain sets, apart from the clocks."""

    events: list[Happened] = field(default_factory=list)
    lamport: list[LamportClock] = field(default_factory=lambda: [LamportClock() for _ in range(SIZE)])
    vector: list[VectorClock] = field(default_factory=lambda: [VectorClock(at, SIZE) for at in range(SIZE)])
    known: list[set[int]] = field(default_factory=lambda: [set() for _ in range(SIZE)])

    def add(self, node: int, received: int | None) -> None:
        past = self.known[node]
        if received is None:
            lamport, vector = self.lamport[node].tick(), self.vector[node].tick()
        else:
            sending = self.events[received]
            past |= sending.past | {received}
            lamport = self.lamport[node].witness(sending.lamport)
            vector = self.vector[node].witness(sending.vector)
        self.events.append(Happened(node, set(past), lamport, vector))
        past.add(len(self.events) - 1)


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Each event is one of its own, or receives the message that some event before it has sent."""
    history = History()
    for _ in range(draw(st.integers(2, 20))):
        sent = draw(st.none() | st.integers(0, len(history.events) - 1)) if history.events else None
        history.add(draw(st.integers(0, SIZE - 1)), sent)
    return history


@given(histories())
def test_if_a_happens_before_b_lamports_time_of_a_is_less(history: History) -> None:
    for b in history.events:
        assert all(history.events[a].lamport < b.lamport for a in b.past)


@given(histories())
def test_a_happens_before_b_if_and_only_if_its_vector_time_is_before(history: History) -> None:
    for b in history.events:
        befores = {number for number, a in enumerate(history.events) if is_before(a.vector, b.vector)}
        assert befores == b.past


def test_clocks_of_a_message_and_its_answer() -> None:
    """Node 0 sends at 1; node 1 has counted 5, receives at 6, answers at 7; node 0 receives at 8."""
    zero, one = LamportClock(), LamportClock()
    for _ in range(5):
        one.tick()

    assert one.witness(zero.tick()) == 6
    assert zero.witness(one.tick()) == 8


def test_concurrent_events_are_not_before_each_other() -> None:
    one, two = VectorClock(0, 2), VectorClock(1, 2)
    a, b = one.tick(), two.tick()

    assert (a, b) == ((1, 0), (0, 1))
    assert not is_before(a, b)
    assert not is_before(b, a)
    assert not is_before(a, a)
    assert two.witness(a) == two.time == (1, 2)
    assert is_before(a, two.time)


def test_a_place_outside_the_group_is_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 2, not 3"):
        VectorClock(3, 3)
