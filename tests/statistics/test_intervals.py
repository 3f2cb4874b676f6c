"""Means stand with bounds that hold the truth as often as they say."""

from __future__ import annotations

import subprocess
import sys
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.study.statistics import StatisticsError, batch_means, interval, proportion
from kumi.study.statistics.intervals import both_tails, half_width
from tests.waiting import PATIENCE

SOME = st.lists(st.integers(-1000, 1000), min_size=2, max_size=30)


def binomial_bound(share: float, trials: int) -> float:
    """Return how far a share found in trials strays: four standard deviations, one case in 16,000."""
    return 4 * sqrt(share * (1 - share) / trials)


@pytest.mark.parametrize(
    ("t", "freedom", "tails"),
    [(1.0, 1, 0.5), (1.0, 2, 1 - 1 / sqrt(3)), (0.0, 7, 1.0), (1e6, 1, 6.3661977e-7), (float("inf"), 3, 0.0)],
)
def test_the_tails_of_student_are_those_of_closed_forms(t: float, freedom: int, tails: float) -> None:
    """One degree of freedom is Cauchy's: half lies beyond 1. Two: 1 - t / √(2 + t²)."""
    assert both_tails(t, freedom) == pytest.approx(tails, rel=1e-8)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (30, 2.04227), (1e9, 1.95996)],
)
def test_the_quantiles_are_those_of_the_table_in_every_textbook(freedom: float, quantile: float) -> None:
    assert half_width(0.95, freedom) == pytest.approx(quantile, abs=6e-6)


def test_the_interval_of_five_values_is_that_by_hand() -> None:
    """1 to 5: mean 3, variance 2.5, standard error √0.5, and t of 4 degrees is 2.77645."""
    found = interval([1, 2, 3, 4, 5])

    assert (found.mean, found.count, found.level) == (3.0, 5, 0.95)
    assert found.error == pytest.approx(sqrt(0.5))
    assert found.half_width == pytest.approx(2.77645 * sqrt(0.5), abs=1e-5)
    assert found.relative == pytest.approx(found.half_width / 3)
    assert 3.0 in found
    assert 5.0 not in found
    assert str(found) == "3.0 ± 2.0"


def test_one_value_has_no_interval_and_says_so() -> None:
    found = interval([7.5])

    assert found.mean == 7.5
    assert not found.is_known
    assert isnan(found.error)
    assert str(found) == "7.5 (one value, no interval)"


def test_equal_values_have_an_interval_without_width() -> None:
    """Also where their mean would be rounded: a tenth, three times, has another sum than three tenths."""
    found = interval([0.1] * 3)

    assert (found.low, found.mean, found.high) == (0.1, 0.1, 0.1)
    assert found.relative == 0.0
    assert str(found) == "0.1 ± 0"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "there are 0 values; at least 1 are needed."),
        (
            [1.0, None],
            "number 1 of the values is None; each must be a finite number. Leave out what is missing.",
        ),
        (
            [float("nan")],
            "number 0 of the values is nan; each must be a finite number. Leave out what is missing.",
        ),
        (np.array([1.0, np.inf]), "number 1 of the values is np.float64(inf); each must be"),
        ([1e200, 1.0], "one of the values is of size 1e+200; up to 1e+100 they have a spread."),
        (["12"], "number 0 of the values is '12'; each must be a finite number."),
        ([True, False], "number 0 of the values is True: claims have a share, by `proportion`, and no mean."),
    ],
)
def test_what_is_no_number_is_named(values: list[object], said: str) -> None:
    with pytest.raises(StatisticsError) as refused:
        interval(values)

    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_lies_between_0_and_1(level: float) -> None:
    with pytest.raises(StatisticsError, match="between 0 and 1, such as"):
        interval([1, 2], level)


@given(SOME, st.integers(-50, 50), st.sampled_from([0.5, 2.0, 4.0]))
def test_an_interval_moves_and_grows_with_its_values(values: list[int], by: int, times: float) -> None:
    one, other = interval(values), interval([times * value + by for value in values])

    assert other.mean == pytest.approx(times * one.mean + by, abs=1e-6)
    assert other.half_width == pytest.approx(times * one.half_width, abs=1e-6)


@given(SOME)
def test_a_higher_level_is_wider(values: list[int]) -> None:
    assert interval(values, 0.9).half_width <= interval(values, 0.99).half_width


def test_nineteen_of_twenty_intervals_hold_the_true_mean() -> None:
    """Of 2,000 means of 5 normal values around 3."""
    chance = stream(1, "coverage")
    held = sum(3.0 in interval([chance.normal(3.0, 2.0) for _ in range(5)]) for _ in range(2000))

    assert held / 2000 == pytest.approx(0.95, abs=binomial_bound(0.95, 2000))


def test_no_success_of_ten_leaves_room_for_some() -> None:
    """Wilson's upper bound is then z² / (n + z²) = 3.8415 / 13.8415."""
    found = proportion(0, 10)

    assert (found.mean, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(3.8415 / 13.8415, abs=1e-5)
    assert str(found) == "0.00 [0.00, 0.28]"


@given(st.integers(1, 200), st.data())
def test_failures_mirror_successes(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, count))
    one, other = proportion(successes, count), proportion(count - successes, count)

    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low))
    assert 0 <= one.low <= one.mean <= one.high <= 1


def test_shares_of_rare_events_are_held_as_often_as_said() -> None:
    """Of 2,000 shares among 50 of a probability of 0.1: by arithmetic over all outcomes, 97.0 % are."""
    chance = stream(2, "coverage")
    draws = [sum(chance.happens(0.1) for _ in range(50)) for _ in range(2000)]
    held = sum(0.1 in proportion(count, 50) for count in draws)

    assert held / 2000 == pytest.approx(0.97, abs=binomial_bound(0.97, 2000))


@pytest.mark.parametrize(("successes", "of"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, of: int) -> None:
    with pytest.raises(StatisticsError, match=f"^{successes} successes of {of} make no sense"):
        proportion(successes, of)


def test_batches_of_a_long_series_are_means_from_its_end() -> None:
    """Of 0, 0, 2, 4, 6 the first is left over: batches (0, 2) and (4, 6) have the means 1 and 5."""
    found = batch_means([0, 0, 2, 4, 6], batches=2)

    assert (found.interval.mean, found.size, found.left_out) == (3.0, 2, 1)
    assert found.interval.half_width == pytest.approx(12.7062 * 2, abs=1e-3)


def walk(length: int, memory: float, seed: int) -> list[float]:
    """Return a series around 5 of which each value remembers a share of the last."""
    chance, value, series = stream(seed, "walk"), 0.0, []
    for _ in range(length):
        value = memory * value + chance.normal()
        series.append(5 + value)
    return series


@pytest.mark.slow
def test_batch_means_hold_where_single_values_do_not() -> None:
    """With nine tenths remembered, an interval of single values is four times too narrow."""
    series = [walk(2000, 0.9, seed) for seed in range(200)]
    naive = sum(5.0 in interval(one) for one in series) / 200
    batched = sum(5.0 in batch_means(one).interval for one in series) / 200

    assert naive < 0.6
    assert batched == pytest.approx(0.95, abs=binomial_bound(0.95, 200))


def test_batches_too_short_to_be_independent_are_not_trusted() -> None:
    assert not batch_means(walk(200, 0.99, 1), batches=40).is_trusted
    assert batch_means(walk(20_000, 0.5, 1)).is_trusted


def test_a_series_must_fill_its_batches() -> None:
    with pytest.raises(StatisticsError, match="3 values do not fill 20 batches"):
        batch_means([1, 2, 3])
    with pytest.raises(StatisticsError, match="1 batches have no spread"):
        batch_means([1, 2, 3], batches=1)


def test_the_base_install_suffices() -> None:
    """The everyday names load neither tables, plots, SALib nor SciPy."""
    asked = "import sys, kumi.study.statistics; print(sys.modules.keys() & {'polars', 'altair', 'SALib', 'scipy'})"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=PATIENCE, check=True
    )

    assert done.stdout == "set()\n"
