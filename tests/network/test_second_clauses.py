"""The less usual cases of the network: what goes to oneself, what just fits, what comes at two instants."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from kumi.network import Constant, DistanceDelay, SharedMedium, TooLarge, Where
from kumi.network.byzantine import Byzantine
from kumi.network.frames import FRAME, after_damage, framed, whole
from kumi.network.inbox import MOST_BYTES, Inbox, RawMessage
from kumi.network.omission import Omission, Omissions
from kumi.network.shared_medium import CarrierSense
from tests.network.stations import Net, Say
from tests.network.test_node import NodeNumber, Pair
from tests.network.test_radio import OnALine, ten_metres
from tests.protocols.groups import Fate

if TYPE_CHECKING:
    from kumi.contract import Address, Message
    from kumi.devs import Chance
    from kumi.network import Flight


def test_who_is_at_the_border_of_the_range_is_in_it_whoever_is_asked() -> None:
    """Ten metres and a rounding error: by the power alone, it would be out of reach."""
    radio = ten_metres(OnALine(0.0, 10.0 * (1.0 + 5e-10)))

    assert radio.hears(1, 0)
    assert radio.hearers(0) == [1]


def test_a_node_that_is_nowhere_hears_itself() -> None:
    net = Net(ten_metres(OnALine()), nodes=2)
    net.send_at(1.0, 0, 0)
    net.send_at(1.0, 0, 1)
    net.run()

    assert net.arrivals == [(1.0, 0)]


def test_a_message_of_just_the_limit_fits() -> None:
    Net(limit=100).network.send(0, 1, Say())

    with pytest.raises(TooLarge, match="takes 100 bytes, and this network takes at most 99"):
        Net(limit=99).network.send(0, 1, Say())


@pytest.mark.parametrize("way", [-1.0, inf, nan])
def test_a_distance_that_is_none_is_told_so(way: float) -> None:
    net = Net(DistanceDelay(lambda _one, _other: way, speed=1.0))

    with pytest.raises(ValueError, match="a distance is a number of metres from 0 on, but that from node 0"):
        net.network.send(0, 1, Say())


def later_for_two(flight: Flight) -> float | None:
    return 1.0 if flight.to == 2 else 0.0


def test_one_sending_that_enters_the_air_at_two_instants_is_two_frames() -> None:
    """100 bytes at 800 bits a second take 1 s, from 0 s for node 1, and from 1 s for node 2."""
    net = Net(Fate(later_for_two), SharedMedium(800.0), nodes=3)
    net.broadcast_at(0.0, 0)
    net.run()

    assert net.arrivals == [(1.0, 1), (2.0, 2)]


def test_who_listens_before_it_sends_waits_also_where_nothing_collides() -> None:
    net = Net(SharedMedium(800.0, sense=CarrierSense(), collisions=False), nodes=3)
    net.send_at(0.0, 0, 2)
    net.send_at(0.5, 1, 2)
    net.run()

    first, second = net.arrivals
    assert first == (1.0, 2)
    assert second[0] >= 2.0  # not at 1.5 s: it began when the air was free


def test_where_nothing_collides_two_who_begin_at_once_are_both_heard() -> None:
    net = Net(SharedMedium(800.0, sense=CarrierSense(), collisions=False), nodes=3)
    net.send_at(0.0, 0, 2)
    net.send_at(0.0, 1, 2)
    net.run()

    assert net.arrivals == [(1.0, 2), (1.0, 2)]


def test_a_sender_has_room_for_so_many_bytes() -> None:
    inbox = Inbox()

    assert inbox.put(RawMessage(0, 1, bytes(MOST_BYTES)))
    assert inbox.is_full(0)
    assert not inbox.put(RawMessage(0, 1, b""))
    assert inbox.put(RawMessage(2, 1, b""))  # of another sender


@pytest.mark.parametrize(
    ("start", "end", "is_in_order"), [(0.0, inf, True), (1.0, inf, False), (0.0, 1.0, False)]
)
def test_an_effect_that_begins_or_ends_changes_the_order(start: float, end: float, is_in_order: bool) -> None:
    """What is sent after a delay has ended overtakes what was sent before."""
    assert Where(Constant(1.0), start=start, end=end).is_in_order is is_in_order


def test_nobody_lies_to_itself() -> None:
    def lie(flight: Flight, _chance: Chance) -> list[Flight]:
        lie = flight.copy()
        lie.message = Say(99)
        return [lie]

    net = Net(Byzantine([0], lie))
    net.send_at(0.0, 0, 0, Say(1))
    net.send_at(1.0, 0, 1, Say(2))
    net.run()

    assert net.numbers == [1, 99]


def test_what_a_node_sends_to_itself_is_not_omitted() -> None:
    net = Net(Omissions(Omission(node=0, sending=1.0, receiving=1.0)))
    net.send_at(0.0, 0, 0, Say(1))
    net.send_at(0.0, 0, 1, Say(2))
    net.send_at(0.0, 1, 0, Say(3))
    net.run()

    assert net.numbers == [1]


def test_a_crash_that_was_to_come_after_some_messages_is_over_with_an_earlier_one() -> None:
    pair = Pair()
    pair.one.crash_after_sends(1)
    pair.one.restart()
    for number in range(3):
        pair.one.send(NodeNumber(number), 1)

    assert pair.run() == [(0.0, 0, "begins"), (1.0, 1, 0), (1.0, 1, 1), (1.0, 1, 2)]


def test_what_waited_at_a_paused_node_is_lost_in_a_crash() -> None:
    pair = Pair()
    pair.other.pause()
    pair.one.send(NodeNumber(1), 1)
    pair.at(1.5, pair.other.restart)
    pair.at(2.0, pair.other.resume)

    assert pair.run() == [(1.5, 1, "begins")]


def test_after_a_crash_nobody_has_taken_up_the_room() -> None:
    pair = Pair()
    pair.one.room.take("a link of the life before")
    pair.one.restart()

    assert pair.one.room.is_there


def test_who_is_paused_again_while_it_goes_on_keeps_the_rest_for_later() -> None:
    pair = Pair()

    def receive(message: Message, sender: Address) -> None:
        assert isinstance(message, NodeNumber)
        pair.log.append((pair.simulation.now, message.value))
        pair.other.pause()

    pair.other.resident.receive = receive  # type: ignore[method-assign]
    pair.other.pause()
    for number in range(2):
        pair.one.send(NodeNumber(number), 1)
    pair.at(2.0, pair.other.resume)
    pair.at(3.0, pair.other.resume)

    assert pair.run() == [(2.0, 0), (3.0, 1)]


def test_a_record_that_is_shorter_than_it_says_is_none() -> None:
    """Its checksum is that of the part that is there."""
    cut = FRAME.pack(10, crc32(b"abc")) + b"abc"

    assert whole(framed(b"first") + cut) == ([b"first"], len(framed(b"first")))


def test_after_damage_only_what_reads_as_a_record_is_one() -> None:
    """Zeros look like records without anything in them."""
    damaged = b"x" + bytes(20) + framed(b"good")

    assert after_damage(damaged, 0, lambda _: True) == 21
    assert after_damage(damaged, 0, lambda record: record != b"good") is None
