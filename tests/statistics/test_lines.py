"""Lines of least squares and ratios have the slopes that arithmetic gives, and intervals that hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from kumi.study.statistics import StatisticsError, line_through, p_farther, ratio_of
from kumi.study.statistics.intervals import both_tails


def test_a_line_goes_through_points_that_lie_on_one() -> None:
    line = line_through([1.0, 2.0, 3.0], [5.0, 7.0, 9.0])

    assert line.middle == 2.0
    assert (line.slope.mean, line.height.mean) == (2.0, 7.0)
    assert line.slope.half_width == pytest.approx(0.0, abs=1e-12)


def test_the_slope_of_four_points_is_that_of_the_formula() -> None:
    """x - 1.5 is -1.5, -0.5, 0.5, 1.5 and its squares sum to 5; with y that is (0 - 0.5 + 0 + 4.5) / 5."""
    assert line_through([0, 1, 2, 3], [0, 1, 0, 3]).slope.mean == pytest.approx(0.8)


def test_a_ratio_is_that_of_the_means_and_its_interval_knows_what_passes_the_origin() -> None:
    exact, loose = (ratio_of([0.3] * 5, [0.27] * 5, by=by) for by in (0.0, 0.003))

    assert exact.mean == pytest.approx(0.9)
    assert exact.half_width == pytest.approx(0.0, abs=1e-12)
    assert loose.error == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([1, 1, 1], [1, 2, 3], "two different x"),
        ([1, 2, 3], [1, 2, 3, 4], "as many values of y as of x, not 4 and 3"),
    ],
)
def test_what_makes_no_line_is_refused(x: list[float], y: list[float], said: str) -> None:
    with pytest.raises(StatisticsError, match=said):
        line_through(x, y)


def test_a_ratio_over_nothing_is_refused() -> None:
    with pytest.raises(StatisticsError, match="mean of x that is not 0"):
        ratio_of([-1, 0, 1], [1, 2, 3])


def test_intervals_hold_also_where_values_spread_more_the_farther_they_are() -> None:
    """Of 400 lines, of 20 values each, 95 % should be right; fewer than 91 % would be one case in ten thousand."""
    source, held = np.random.default_rng(5), 0
    for _ in range(400):
        x = source.uniform(0.1, 3.0, 20)
        held += 0.9 in line_through(x, 0.9 * x + 0.1 * x * source.standard_normal(20)).slope
    assert held >= 0.91 * 400


def test_without_a_margin_it_is_students_test_and_with_one_it_is_never_more_sure() -> None:
    """An estimate of 2 with a standard error of 0.5 is four errors from zero."""
    assert p_farther(2.0, 0.5, 9.0, 0.0) == pytest.approx(both_tails(4.0, 9.0))
    ps = [p_farther(2.0, 0.5, 9.0, margin) for margin in (0.0, 0.5, 1.0, 1.9, 2.1, 3.0)]
    assert ps == sorted(ps)
    assert [p_farther(2.0, 0.0, 9.0, margin) for margin in (1.9, 2.0)] == [0.0, 1.0]
    with pytest.raises(StatisticsError, match="a margin is a number >= 0, not -1"):
        p_farther(2.0, 0.5, 9.0, -1.0)


def test_an_estimate_of_exactly_the_margin_is_as_likely_beyond_it_as_not() -> None:
    """Half the chance is on that side; what is as far on the other side adds a little."""
    assert p_farther(10.0, 1.0, 9.0, 10.0) == pytest.approx(0.5, abs=0.001)
