"""Series in time: their means, their warm-up, and bands over many runs."""

from __future__ import annotations

from math import exp, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.study.statistics import (
    StatisticsError,
    band,
    interval,
    sampled,
    warm_up_mser5,
    warm_up_welch,
)

STEPS = [(0.0, 0.0), (1.0, 2.0), (3.0, 4.0)]


def test_the_mean_of_a_stretch_is_exact() -> None:
    """0 for a second, 2 for two, then 4: over two seconds each, the means are 1 and 3."""
    assert sampled(STEPS, 1.0, end=4.0).tolist() == [0.0, 2.0, 2.0, 4.0]
    assert sampled(STEPS, 2.0, end=4.0).tolist() == [1.0, 3.0]
    assert sampled(STEPS, 2.0, start=0.5).tolist() == [1.5]


def test_of_two_values_at_one_instant_the_later_holds() -> None:
    assert sampled([(0.0, 1.0), (0.0, 5.0), (2.0, 9.0)], 1.0).tolist() == [5.0, 5.0]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(-9, 9)), min_size=2, max_size=20),
    st.sampled_from([1, 2, 4]),
)
def test_stretches_together_have_the_area_of_the_series(steps: list[tuple[int, int]], halves: int) -> None:
    times = np.cumsum([0, *(length for length, _ in steps)])
    values = [value for _, value in steps] + [0]
    area = sum(length * value for length, value in steps)
    width = float(times[-1]) / halves

    assert sampled(zip(times, values, strict=True), width).sum() * width == pytest.approx(area)


@pytest.mark.parametrize(
    ("series", "width", "said"),
    [
        ([], 1.0, "a series is empty"),
        ([(1.0, 0.0), (0.5, 0.0)], 1.0, "the time of a series goes back from 1 s to 0.5 s"),
        ([(0.0, float("nan"))], 1.0, "number 0 of the values of the series is nan"),
        (STEPS, 0.0, "a width of 0.0 s makes no sense"),
    ],
)
def test_a_series_that_makes_no_sense_is_refused(
    series: list[tuple[float, float]], width: float, said: str
) -> None:
    with pytest.raises(StatisticsError, match=said):
        sampled(series, width)


def test_a_band_is_the_interval_of_the_runs_at_each_time() -> None:
    """Two runs, 1 and 3 for two seconds, then 5 and 7: in two stretches of two seconds."""
    found = band([[(0.0, 1.0), (2.0, 5.0), (4.0, 5.0)], [(0.0, 3.0), (2.0, 7.0), (4.0, 7.0)]], stretches=2)

    assert found.times.tolist() == [1.0, 3.0]
    assert found.mean.tolist() == [2.0, 6.0]
    assert found.high[0] == pytest.approx(interval([1.0, 3.0]).high)


def test_a_run_counts_as_long_as_it_lasts() -> None:
    """The second ends after half the time; where one is left, there is a mean and no band."""
    found = band([[(0.0, 1.0), (4.0, 1.0)], [(0.0, 3.0), (2.0, 3.0)]], stretches=4)

    assert found.count == (2, 2, 1, 1)
    assert found.mean.tolist() == [2.0, 2.0, 1.0, 1.0]
    assert isnan(found.low[3])


def test_runs_without_a_course_have_no_band() -> None:
    with pytest.raises(StatisticsError, match="no series lasts beyond 0 s"):
        band([[(0.0, 1.0)], [(0.0, 2.0)]])
    with pytest.raises(StatisticsError, match="there is no series"):
        band([])


def test_mser_cuts_the_beginning_that_differs() -> None:
    """Fifty values of 100, then 0 and 1 in turns: ten batches of five go."""
    series = [100.0] * 50 + [0.0, 1.0] * 75
    found = warm_up_mser5(series)

    assert (found.cut, found.is_settled) == (50, True)
    assert list(found.rest(series)) == [0.0, 1.0] * 75


def test_mser_is_the_smallest_standard_error_by_trying_all() -> None:
    """The formula in sums gives the same cut as the definition, on series of chance."""
    for seed in range(20):
        chance = stream(seed, "warm-up")
        series = [10 * exp(-place / 20) + chance.normal() for place in range(200)]
        means = np.array(series).reshape(40, 5).mean(axis=1)
        errors = [float(np.var(means[cut:])) / (40 - cut) for cut in range(36)]

        assert warm_up_mser5(series).cut == 5 * int(np.argmin(errors))


def test_what_rises_to_its_end_has_not_settled() -> None:
    rising = [float(place) for place in range(200)]

    assert not warm_up_mser5(rising).is_settled
    assert not warm_up_welch([rising, rising]).is_settled


def test_welch_cuts_where_the_mean_of_the_runs_has_settled() -> None:
    """A ramp over 40 of 200 values: with a window of one, the corner is rounded by one value."""
    ramp = [min(place / 40, 1.0) for place in range(200)]
    found = warm_up_welch([ramp, ramp], window=1)

    assert (found.cut, found.is_settled) == (41, True)
    assert found.curve[0] == 0.0


def test_welch_finds_the_warm_up_in_noise() -> None:
    """A decay with a time of 20 is down to a fiftieth after 80; twenty runs of it, with noise."""
    chance = stream(5, "warm-up")
    runs = [[5 * exp(-place / 20) + chance.normal() for place in range(400)] for _ in range(20)]
    found = warm_up_welch(runs)

    assert found.is_settled
    assert 30 < found.cut < 120


def test_warm_up_needs_enough_to_read() -> None:
    with pytest.raises(StatisticsError, match="there are 10 values of the series; at least 50 are needed"):
        warm_up_mser5(range(10))
    with pytest.raises(StatisticsError, match="takes several runs, not 1; for one there is MSER-5"):
        warm_up_welch([range(100)])
    with pytest.raises(StatisticsError, match="a window of 30 does not fit 100 values"):
        warm_up_welch([range(100), range(100)], window=30)
