"""Losses, copies and messages that are held back, by their shares."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from kumi.network import Constant, Duplication, Loss, Overtaking
from kumi.network.network import MessageReceived
from kumi.network.simulated import Effect
from tests.network.stations import Net, Say

N = 10_000


def after_many(*effects: Effect) -> Net:
    net = Net(*effects, seed=3)
    for number in range(N):
        net.network.send(0, 1, Say(number))
    net.run()
    net.check_conservation()
    return net


def about(share: float) -> object:
    """Return a share within five standard deviations of what so many draws give."""
    return pytest.approx(share, abs=5 * sqrt(share * (1 - share) / N))


def test_a_share_is_lost() -> None:
    net = after_many(Loss(0.3))

    assert net.network.dropped["loss"] / N == about(0.3)
    assert net.network.delivered == N - net.network.dropped["loss"]


def test_all_or_nothing_is_lost_at_the_ends_of_the_scale() -> None:
    assert after_many(Loss(0.0)).network.delivered == N
    assert after_many(Loss(1.0)).network.delivered == 0


def test_a_share_comes_twice_and_not_more_often() -> None:
    net = after_many(Duplication(0.2, within=1.0))

    times = Counter(one.number for one in net.traffic if isinstance(one, MessageReceived))
    assert set(times.values()) == {1, 2}
    assert sum(count == 2 for count in times.values()) / N == about(0.2)
    assert net.network.copies == sum(count == 2 for count in times.values())


def test_a_copy_comes_within_its_time() -> None:
    net = after_many(Constant(1.0), Duplication(1.0, within=0.5))

    assert all(1.0 <= time <= 1.5 for time, _ in net.arrivals)
    assert sum(time > 1.25 for time, _ in net.arrivals) / N == about(0.5)


def test_a_share_is_held_back_for_up_to_its_time() -> None:
    net = after_many(Overtaking(0.4, within=2.0))

    late = [time for time, _ in net.arrivals if time > 0.0]
    assert len(late) / N == about(0.4)
    assert max(late) <= 2.0


def test_what_is_held_back_is_overtaken() -> None:
    net = Net(Overtaking(0.5, within=10.0), seed=1)
    for number in range(20):
        net.send_at(0.1 * number, 0, 1, Say(number))
    net.run()

    assert sorted(net.numbers) == list(range(20))
    assert net.numbers != sorted(net.numbers)


def test_nothing_happens_to_what_a_node_tells_itself() -> None:
    net = Net(Loss(1.0), Duplication(1.0), Overtaking(1.0, within=9.0))
    net.send_at(1.0, 2, 2)
    net.run()

    assert net.arrivals == [(1.0, 2)]


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_probability_is_between_0_and_1(wrong: float) -> None:
    with pytest.raises(ValueError, match="the probability of a loss is"):
        Loss(wrong)
    with pytest.raises(ValueError, match="the probability of a copy is"):
        Duplication(wrong)
    with pytest.raises(ValueError, match="the probability that a message is held back is"):
        Overtaking(wrong, within=1.0)
