"""Bytes a second, and queues: messages of 100 bytes, unless a test says otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.network import Bandwidth, Constant, Where
from tests.network.stations import Net, Say


@given(st.integers(1, 50), st.integers(1, 5000), st.floats(1.0, 1e6))
def test_n_messages_take_n_times_their_size_by_the_rate(count: int, size: int, rate: float) -> None:
    net = Net(Bandwidth(rate), size=lambda _: size)
    for _ in range(count):
        net.network.send(0, 1, Say())
    net.run()

    assert [time for time, _ in net.arrivals] == pytest.approx(
        [number * size / rate for number in range(1, count + 1)]
    )


def test_a_link_rests_when_nothing_is_sent() -> None:
    """100 bytes at 100 a second take a second: the second message waits, the third finds the link free."""
    net = Net(Bandwidth(100.0))
    for time in (0.0, 0.5, 5.0):
        net.send_at(time, 0, 1)
    net.run()

    assert net.arrivals == [(1.0, 1), (2.0, 1), (6.0, 1)]


def test_links_do_not_wait_for_each_other() -> None:
    net = Net(Bandwidth(100.0))
    net.broadcast_at(0.0, 0)
    net.send_at(0.0, 1, 0)
    net.run()

    assert net.arrivals == [(1.0, 1), (1.0, 2), (1.0, 3), (1.0, 0)]


def test_a_node_sends_to_one_after_the_other() -> None:
    net = Net(Bandwidth(100.0, per="node"))
    net.broadcast_at(0.0, 0)
    net.send_at(0.0, 1, 0)
    net.run()

    assert net.arrivals == [(1.0, 1), (1.0, 0), (2.0, 2), (3.0, 3)]


def test_what_finds_the_queue_full_is_dropped_and_counted() -> None:
    """One passes, two wait, two are too many; at 1 s there is room for one more."""
    net = Net(Bandwidth(100.0, queue=2))
    for number in range(5):
        net.send_at(0.0, 0, 1, Say(number))
    net.send_at(1.0, 0, 1, Say(5))
    net.run()

    assert net.numbers == [0, 1, 2, 5]
    assert net.drops == [(0.0, 1, "queue full")] * 2
    net.check_conservation()


def test_a_queue_may_have_no_place_at_all() -> None:
    net = Net(Bandwidth(100.0, queue=0))
    for time in (0.0, 0.9, 1.0):
        net.send_at(time, 0, 1)
    net.run()

    assert net.arrivals == [(1.0, 1), (2.0, 1)]


def test_messages_queue_in_the_order_in_which_they_get_there() -> None:
    """The one sent at 0 s takes two seconds to the queue; the one sent at 1 s is there at once, and first."""
    net = Net(Where(Constant(2.0), end=0.5), Bandwidth(100.0))
    net.send_at(0.0, 0, 1, Say(1))
    net.send_at(1.0, 0, 1, Say(2))
    net.run()

    assert net.arrivals == [(2.0, 1), (3.0, 1)]
    assert net.numbers == [2, 1]


def test_overhead_takes_time_too() -> None:
    net = Net(Bandwidth(100.0, overhead=50), Constant(1.0))
    net.send_at(0.0, 0, 1)
    net.run()

    assert net.arrivals == [(2.5, 1)]


def test_what_a_node_tells_itself_does_not_queue() -> None:
    net = Net(Bandwidth(1.0))
    net.send_at(0.0, 1, 1)
    net.run()

    assert net.arrivals == [(0.0, 1)]


def test_wrong_numbers_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match="a bandwidth in bytes a second is a number > 0, not 0"):
        Bandwidth(0)
    with pytest.raises(ValueError, match="the length of a queue is a whole number >= 0, not -1"):
        Bandwidth(1, queue=-1)
    with pytest.raises(TypeError, match=r"the length of a queue is a whole number, not 1\.5"):
        Bandwidth(1, queue=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='a bandwidth is that of a "link" or of a "node", not of \'town\''):
        Bandwidth(1, per="town")  # type: ignore[arg-type]
