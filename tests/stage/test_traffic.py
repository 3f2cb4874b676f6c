"""Messages in words: the same words in every run, whatever their fields hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kumi.contract import Message
from kumi.geometry import Point
from kumi.network import MessageReceived, MessageSent
from kumi.network.wire import content
from kumi.stage.seen import RealTraffic
from kumi.world import World


@dataclass(frozen=True)
class Inner(Message):
    """Something inside."""

    number: int


@dataclass(frozen=True)
class Everything(Message):
    """Fields of every kind."""

    place: Point
    way: float
    words: frozenset[str]
    table: Mapping[str, Inner]
    pair: tuple[Inner, str]


MESSAGE = Everything(Point(1.0, 2.0), 0.5, frozenset({"b", "c", "a"}), {"x": Inner(1)}, (Inner(2), "z"))


def test_the_fields_of_a_message_are_written_in_order_and_sets_sorted() -> None:
    assert content(MESSAGE) == "[1.000, 2.000], 0.500, {a, b, c}, {x: Inner[1]}, (Inner[2], z)"


def test_a_message_with_a_mapping_can_be_written_down_in_a_real_run() -> None:
    world = World()
    world.keep_journal(True)
    traffic = RealTraffic(world)
    traffic.write(MessageSent(0.0, 0, 0, (1,), MESSAGE))
    traffic.write(MessageReceived(0.0, 0, 0, 1, MESSAGE))
    traffic.write(MessageReceived(0.0, 0, 2, 1, MESSAGE))  # of another process

    assert world.take_journal().count(b"Everything") == 2
