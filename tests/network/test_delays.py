"""How long messages take: means, quantiles and bounds of each kind of delay."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt
from statistics import mean

import pytest

from kumi.network import Constant, DistanceDelay, Empirical, Exponential, LogNormal, Uniform
from kumi.network.simulated import Effect
from tests.network.stations import Net, Say

N = 20_000
MESSAGE = Say()


def delays(effect: Effect, seed: int = 1) -> list[float]:
    """Return the delays of many messages that are sent at time 0, in order of size."""
    net = Net(effect, seed=seed)
    for _ in range(N):
        net.network.send(0, 1, MESSAGE)
    net.run()
    assert len(net.log) == N
    return [time for time, _ in net.arrivals]


def share_below(found: list[float], bound: float) -> float:
    """Return the share of delays below a bound."""
    return sum(delay < bound for delay in found) / len(found)


def about(share: float) -> object:
    """Return a share within five standard deviations of what so many draws give."""
    return pytest.approx(share, abs=5 * sqrt(share * (1 - share) / N))


def test_a_constant_delay_is_the_same_for_all() -> None:
    assert set(delays(Constant(0.5))) == {0.5}


def test_an_exponential_delay_has_its_mean_and_its_quantiles() -> None:
    """A share 1 - e^-x is below x means; the standard deviation is the mean."""
    found = delays(Exponential(0.1))

    assert mean(found) == pytest.approx(0.1, abs=5 * 0.1 / sqrt(N))
    for x in (0.1, 1.0, 3.0):
        assert share_below(found, 0.1 * x) == about(1 - exp(-x))


def test_lambda_ten_is_a_mean_of_a_tenth() -> None:
    """As the docstring says: the rate λ = 10 a second has half of its delays below ln 2 / 10."""
    assert share_below(delays(Exponential(1 / 10)), log(2) / 10) == about(0.5)


def test_a_uniform_delay_is_spread_evenly_between_its_bounds() -> None:
    found = delays(Uniform(0.2, 0.6))

    assert found[0] >= 0.2
    assert found[-1] <= 0.6
    assert share_below(found, 0.3) == about(0.25)
    assert share_below(found, 0.5) == about(0.75)


def test_a_log_normal_delay_has_its_median_spread_and_mean() -> None:
    """Half lies below the median; 0.8413 below the median times e to the spread."""
    found = delays(LogNormal(0.05, 0.5))

    assert share_below(found, 0.05) == about(0.5)
    assert share_below(found, 0.05 * exp(0.5)) == about(0.8413)
    assert share_below(found, 0.05 / exp(0.5)) == about(0.1587)
    expected = 0.05 * exp(0.125)
    deviation = expected * sqrt(exp(0.25) - 1)
    assert mean(found) == pytest.approx(expected, abs=5 * deviation / sqrt(N))


def test_an_empirical_delay_is_one_of_those_measured_all_equally_likely() -> None:
    found = Counter(delays(Empirical([0.1, 0.2, 0.2, 0.4])))

    assert sorted(found) == [0.1, 0.2, 0.4]
    assert found[0.2] / N == about(0.5)
    assert found[0.4] / N == about(0.25)


def test_a_metric_delay_follows_the_distance() -> None:
    """Nodes stand at 0, 10, 20 and 30 m on a line; 100 m a second, and 0.5 s in any case."""
    net = Net(DistanceDelay(lambda a, b: 10.0 * abs(a - b), speed=100.0, base=0.5))
    net.broadcast_at(1.0, 1)
    net.run()

    assert net.arrivals == [(1.6, 0), (1.6, 2), (1.7, 3)]


def test_a_distance_that_is_none_is_refused() -> None:
    net = Net(DistanceDelay(lambda *_: -1.0, speed=1.0))

    with pytest.raises(ValueError, match=r"from node 0 to node 1 is -1\.0"):
        net.network.send(0, 1, MESSAGE)


def test_delays_draw_from_streams_of_their_own() -> None:
    """What one effect draws does not change what another one draws."""
    first = delays(Exponential(0.1))[:10]
    net = Net(Exponential(0.1), Uniform(0.0, 0.0), seed=1)
    for _ in range(N):
        net.network.send(0, 1, MESSAGE)
    net.run()

    assert [time for time, _ in net.arrivals[:10]] == first


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Constant(-1), "a delay is a number of seconds from 0 on, not -1"),
        (lambda: Constant(float("nan")), "a delay is a finite number, not nan"),
        (lambda: Exponential(0), "a mean delay in seconds is a number > 0, not 0"),
        (
            lambda: Uniform(0.5, 0.1),
            r"the longest delay is not below the shortest, 0\.5 s, but it is 0\.1 s",
        ),
        (lambda: LogNormal(0.0, 1.0), "a median delay in seconds is a number > 0"),
        (lambda: LogNormal(1.0, 0.0), "the spread of the logarithm of a delay is a number > 0"),
        (lambda: Empirical([]), "needs at least one measured delay"),
        (lambda: Empirical([0.1, -0.1]), r"a measured delay is a number of seconds from 0 on, not -0\.1"),
        (
            lambda: DistanceDelay(lambda *_: 0.0, speed=0.0),
            "the speed of messages in metres a second is a number > 0",
        ),
    ],
)
def test_wrong_numbers_are_refused_with_the_rule(make: object, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        make()  # type: ignore[operator]


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="a delay is a number, not 'x'"):
        Constant("x")  # type: ignore[arg-type]
