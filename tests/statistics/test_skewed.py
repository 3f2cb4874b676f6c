"""Means of skewed values have bounds that hold as often as they say, on the side of the long tail, too."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.interval_coverage import LAWS, Law, coverage
from kumi.devs.chance import stream
from kumi.study.statistics import interval, student_interval
from kumi.study.statistics.intervals import half_width, long_side, skewness

TAILED = [1.0, 1.1, 1.2, 1.3, 1.5, 1.6, 2.0, 2.4, 3.0, 9.0]
MANY = st.lists(st.integers(-1000, 1000), min_size=5, max_size=40)


def test_the_skewness_of_four_values_is_that_by_hand() -> None:
    """0, 0, 0, 4: three at -1 and one at 3, so a third moment of 6, a second of 3, and 6 / √27."""
    assert skewness([-1.0, -1.0, -1.0, 3.0]) == pytest.approx(6 / sqrt(27))


def test_the_bound_reaches_further_on_the_side_of_the_long_tail_alone() -> None:
    found, plain = interval(TAILED), student_interval(TAILED)

    assert (found.mean, found.low, found.error) == (plain.mean, plain.low, plain.error)
    assert found.high > plain.high + 0.3 * plain.half_width
    assert str(found) == "2.4 [0.7, 8.5]"


def test_a_long_tail_below_mirrors_one_above() -> None:
    above, below = interval(TAILED), interval([-value for value in TAILED])

    assert (below.low, below.high) == (-above.high, -above.low)


@pytest.mark.parametrize(
    "values", [[1, 2, 3, 4, 5, 6], [0.0, 0.0, 0.0, 9.0], [1.0, 2.0, 2.1, 2.9, 3.0, 3.2, 4.1]]
)
def test_values_that_are_few_or_not_skewed_have_the_interval_of_student(values: list[float]) -> None:
    assert interval(values) == student_interval(values)


@given(MANY, st.randoms(use_true_random=False))
def test_the_same_values_have_the_same_interval_in_any_order(values: list[int], chance: object) -> None:
    mixed = sorted(values, key=lambda _: chance.random())  # type: ignore[attr-defined]  # Hypothesis's own random numbers

    assert interval(mixed) == interval(values)


@given(MANY)
def test_an_interval_is_never_narrower_than_that_of_student(values: list[int]) -> None:
    found, plain = interval(values), student_interval(values)

    assert found.low <= plain.low
    assert found.high >= plain.high


@pytest.mark.parametrize("count", [5, 20, 64, 65, 1000])
def test_the_more_skewed_the_further_out(count: int) -> None:
    reaches = [long_side(count, skew, 0.95) for skew in (0.0, 0.5, 1.0, 2.0, 3.0, 8.0)]

    assert reaches[0] == half_width(0.95, count - 1)
    assert reaches == sorted(reaches)
    assert reaches[-1] < 12 * reaches[0]


def test_many_values_go_on_where_the_drawn_ones_end() -> None:
    """From 64 values on it is the skewness over the root of their number that counts."""
    at_last, beyond = long_side(64, 2.0, 0.95), long_side(65, 2.0 * sqrt(65 / 64), 0.95)

    assert beyond / half_width(0.95, 64) == pytest.approx(at_last / half_width(0.95, 63), rel=1e-12)
    assert long_side(10**6, 2.0, 0.95) == pytest.approx(half_width(0.95, 1e6), rel=2e-3)


def test_a_higher_level_lies_further_out_when_skewed() -> None:
    levels = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
    reaches = [interval(TAILED, level).high for level in levels]

    assert reaches == sorted(reaches)


def test_a_long_list_takes_no_drawing_of_its_own() -> None:
    """A hundred thousand values are judged by draws of 64."""
    chance = stream(1, "long")
    found = interval(np.array([chance.exponential() for _ in range(100_000)]))

    assert found.high - found.mean == pytest.approx(found.mean - found.low, rel=0.02)


LEAST = {"lognormal, σ = 1": 0.93, "lognormal, σ = 1.5": 0.89, "Pareto, power 3": 0.93}


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_of_twenty_values_the_interval_holds_as_often_as_the_page_says(law: Law) -> None:
    """10,000 samples each. Discrete values jump over the level, upwards; the heaviest tail is told as it is."""
    held, _ = coverage(law, 20, 10_000)
    is_discrete = law.name.startswith(("0 or 1", "counts"))

    assert LEAST.get(law.name, 0.945) <= held <= (1.0 if is_discrete else 0.975)
