"""Frames on a shared medium: 100 bytes at 800 bits a second take one second."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.network import CarrierSense, SharedMedium
from kumi.network.flights import Onward
from kumi.network.simulated import SimulatedNetwork
from tests.network.stations import Net, Say


class Line:
    """Nodes in a row: each hears those beside it."""

    is_reliable = True
    is_in_order = True

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        network.limit_reach(self)
        return onward

    def hears(self, address: int, sender: int) -> bool:
        return abs(address - sender) == 1

    def hearers(self, sender: int) -> Iterable[int]:
        return sender - 1, sender + 1


def test_two_frames_that_overlap_are_both_lost() -> None:
    net = Net(SharedMedium(800))
    net.send_at(0.0, 0, 1)
    net.send_at(0.5, 2, 3)
    net.run()

    assert net.arrivals == []
    assert net.drops == [(1.0, 1, "collision"), (1.5, 3, "collision")]


def test_two_frames_that_do_not_overlap_both_arrive() -> None:
    """The second begins at the instant at which the first ends."""
    net = Net(SharedMedium(800))
    net.send_at(0.0, 0, 1)
    net.send_at(1.0, 2, 3)
    net.run()

    assert net.arrivals == [(1.0, 1), (2.0, 3)]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True))
@settings(deadline=None)
def test_a_frame_arrives_if_and_only_if_no_other_overlaps_it(starts: list[int]) -> None:
    """Frames of one second, each by a node of its own; quarters of seconds are exact."""
    net = Net(SharedMedium(800), nodes=13)
    for node, start in enumerate(starts):
        net.send_at(start / 4, node, 12, Say(start))
    net.run()

    alone = [one for one in starts if all(abs(one - other) >= 4 for other in starts if other != one)]
    assert sorted(net.numbers) == sorted(alone)


def test_a_broadcast_is_one_frame() -> None:
    net = Net(SharedMedium(800))
    net.broadcast_at(0.0, 0)
    net.run()

    assert net.arrivals == [(1.0, 1), (1.0, 2), (1.0, 3)]


def test_a_node_sends_one_frame_after_the_other() -> None:
    net = Net(SharedMedium(800, queue=1))
    for number in range(3):
        net.send_at(0.0, 0, 1, Say(number))
    net.run()

    assert net.arrivals == [(1.0, 1), (2.0, 1)]
    assert net.drops == [(0.0, 1, "queue full")]
    net.check_conservation()


def test_a_node_hears_nothing_while_it_sends() -> None:
    """In a row 0 1 2 3: while 1 sends to 2, what 0 sends to 1 is lost, and 2 gets its frame."""
    net = Net(Line(), SharedMedium(800))
    net.send_at(0.0, 1, 2)
    net.send_at(0.5, 0, 1)
    net.run()

    assert net.arrivals == [(1.0, 2)]
    assert net.drops == [(1.5, 1, "collision")]


def test_frames_that_meet_nowhere_do_not_collide() -> None:
    """In a row of six, 1 sends to 0 and 4 to 5 at the same time."""
    net = Net(Line(), SharedMedium(800), nodes=6)
    net.send_at(0.0, 1, 0)
    net.send_at(0.0, 4, 5)
    net.run()

    assert net.arrivals == [(1.0, 0), (1.0, 5)]


def test_hidden_senders_collide_in_spite_of_listening() -> None:
    """0 and 2 do not hear each other, and 1 hears both."""
    net = Net(Line(), SharedMedium(800, sense=CarrierSense()))
    net.send_at(0.0, 0, 1)
    net.send_at(0.5, 2, 1)
    net.run()

    assert net.drops == [(1.0, 1, "collision"), (1.5, 1, "collision")]


def test_who_listens_first_waits_until_the_medium_is_free() -> None:
    net = Net(SharedMedium(800, sense=CarrierSense(slot=0.01, slots=16)))
    net.send_at(0.0, 0, 1)
    net.send_at(0.5, 2, 3)
    net.run()

    (first, _), (second, _) = net.arrivals
    assert first == 1.0
    slots = (second - 2.0) / 0.01
    assert slots == pytest.approx(round(slots))
    assert 0 <= round(slots) < 16


def test_two_that_begin_at_the_same_instant_do_not_hear_each_other() -> None:
    net = Net(SharedMedium(800, sense=CarrierSense()))
    net.send_at(0.0, 0, 1)
    net.send_at(0.0, 2, 3)
    net.run()

    assert [reason for _, _, reason in net.drops] == ["collision", "collision"]


def test_listening_brings_more_through() -> None:
    """Ten nodes with ten frames each within 200 frame times."""

    def delivered(sense: CarrierSense | None) -> int:
        net = Net(SharedMedium(80_000, sense=sense), nodes=11, seed=4)
        for number in range(100):
            net.send_at(net.network.chance.uniform(0.0, 2.0), number % 10, 10, Say(number))
        net.run()
        net.check_conservation()
        return net.network.delivered

    assert delivered(CarrierSense(slot=0.001)) > 80
    assert delivered(None) < 60


def test_two_that_wait_for_the_same_instant_collide() -> None:
    """With one slot to choose from, both begin when the first frame ends."""
    net = Net(SharedMedium(800, sense=CarrierSense(slots=1, tries=1)))
    net.send_at(0.0, 0, 1)
    net.send_at(0.5, 2, 3)
    net.send_at(0.9, 1, 3)
    net.run()

    assert net.arrivals == [(1.0, 1)]
    assert [reason for _, _, reason in net.drops] == ["collision", "collision"]


def test_who_finds_the_medium_busy_too_often_gives_up() -> None:
    net = Net(SharedMedium(800, sense=CarrierSense(slot=0.25, slots=4, tries=1)), seed=1, nodes=8)
    for sender in range(7):
        net.send_at(0.1 * sender, sender, 7)
    net.run()

    assert net.network.dropped["medium busy"] > 0
    net.check_conservation()


def test_without_collisions_frames_only_take_their_time() -> None:
    net = Net(SharedMedium(800, collisions=False))
    net.send_at(0.0, 0, 1)
    net.send_at(0.5, 2, 3)
    net.run()

    assert net.arrivals == [(1.0, 1), (1.5, 3)]


def test_wrong_numbers_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match="a bit rate in bits a second is a number > 0"):
        SharedMedium(0)
    with pytest.raises(TypeError, match="sense is a CarrierSense or None, not True"):
        SharedMedium(1, sense=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the number of slots is a whole number >= 1, not 0"):
        CarrierSense(slots=0)
