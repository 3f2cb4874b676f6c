"""Byzantine senders say what a function makes of their messages; the others are honest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract.messages import Message
from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.network import Constant
from kumi.network.byzantine import Byzantine, Garbling, alter_flight, garbled
from kumi.network.errors import NotAMessage
from kumi.network.flights import Flight
from tests.network.stations import Net, Say


@dataclass(frozen=True)
class Order(Message):
    goal: tuple[float, float]
    name: str
    is_urgent: bool
    data: bytes
    inner: Say


ORDER = Order((1.0, 2.0), "go", True, b"abc", Say(5))


def run(alter: object) -> Net:
    net = Net(Constant(1.0), Byzantine([1], alter))  # type: ignore[arg-type]
    net.broadcast_at(0.0, 0, Say(10))
    net.broadcast_at(0.0, 1, Say(20))
    net.run()
    net.check_conservation()
    return net


def said(net: Net) -> list[tuple[int, int, int]]:
    """Return who heard what from whom."""
    return sorted((to, sender, message.n) for _, to, sender, message in net.log)  # type: ignore[attr-defined]


HONEST = [(1, 0, 10), (2, 0, 10), (3, 0, 10)]


def test_two_may_be_told_different_things() -> None:
    def split(flight: Flight, chance: Chance) -> list[Flight]:
        return [alter_flight(flight, Say(flight.to))]

    assert said(run(split)) == sorted([*HONEST, (0, 1, 0), (2, 1, 2), (3, 1, 3)])


def test_a_message_may_come_in_anothers_name() -> None:
    def forge(flight: Flight, chance: Chance) -> list[Flight]:
        return [flight, alter_flight(flight, Say(66), sender=0)] if flight.to == 3 else [flight]

    assert said(run(forge)) == sorted([*HONEST, (0, 1, 20), (2, 1, 20), (3, 0, 66), (3, 1, 20)])


def test_a_message_may_be_withheld() -> None:
    net = run(lambda flight, _: [flight] if flight.to == 0 else [])

    assert said(net) == sorted([*HONEST, (0, 1, 20)])
    assert net.network.dropped == {"withheld": 2}
    effect = net.network.effects[1]
    assert isinstance(effect, Byzantine)
    assert effect.altered == 2


def test_what_is_said_instead_is_a_message() -> None:
    def nonsense(flight: Flight, chance: Chance) -> Iterable[Flight]:
        return [alter_flight(flight, "x")]  # type: ignore[arg-type]

    with pytest.raises(NotAMessage):
        run(nonsense)


@given(st.integers(0, 1000))
def test_a_garbled_message_differs_in_one_place_and_keeps_its_kinds(seed: int) -> None:
    lie = garbled(ORDER, stream(seed, "liar"))

    names = ("goal", "name", "is_urgent", "data", "inner")
    assert sum(getattr(lie, name) != getattr(ORDER, name) for name in names) == 1
    assert all(type(getattr(lie, name)) is type(getattr(ORDER, name)) for name in names)
    assert len(lie.goal) == 2
    assert len(lie.name) == 2


def test_garbling_alters_a_share_of_the_messages_of_liars_only() -> None:
    net = Net(Byzantine([1], Garbling(0.5)))
    for _ in range(1000):
        net.network.send(1, 0, Say(20))
        net.network.send(2, 0, Say(20))
    net.run()

    lies = [sender for _, _, sender, message in net.log if message != Say(20)]
    assert set(lies) == {1}
    assert 420 < len(lies) < 580


@pytest.mark.parametrize("number", [(1 << 64) - 1, -(1 << 63)])
def test_a_garbled_number_has_64_bits_like_any_other(number: int) -> None:
    net = Net(Byzantine([1], Garbling()))
    for _ in range(10):
        net.network.send(1, 0, Say(number))
    net.run()

    assert len(net.numbers) == 10
    assert number not in net.numbers


def test_nothing_to_change_stays() -> None:
    assert garbled("", stream(0, "liar")) == ""
    assert garbled(None, stream(0, "liar")) is None


def test_what_alters_is_a_function() -> None:
    with pytest.raises(TypeError, match="is a function of a flight and chance, not 5"):
        Byzantine([0], 5)  # type: ignore[arg-type]
