"""Two sets of runs are told apart when they differ, and seldom when they do not."""

from __future__ import annotations

from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.study.statistics import (
    StatisticsError,
    compare,
    holm,
    kolmogorov_smirnov,
    paired,
    welch_test,
)
from tests.statistics.test_intervals import binomial_bound

FEW = st.lists(st.integers(0, 6), min_size=1, max_size=7)


def test_pairs_are_compared_one_by_one() -> None:
    """Differences 1, 2, 3: mean 2, error 1/√3. Of 8 sign flips 2 go as far; of 8 coins 2 fall alike."""
    found = paired([10, 20, 30], [11, 22, 33])

    assert found.difference.mean == 2.0
    assert found.difference.error == pytest.approx(3**-0.5)
    assert found.p_flips == found.p_signs == 0.25
    assert found.p == pytest.approx(0.0742, abs=1e-4)


def test_common_chance_narrows_the_difference() -> None:
    """What both sides share is a thousand times the variance of what they do not."""
    chance = stream(1, "pairs")
    shared = [chance.normal(0, 10) for _ in range(200)]
    one, other = ([value + chance.normal(0, 0.3) for value in shared] for _ in range(2))

    assert paired(one, other).gain == pytest.approx(1000, rel=0.3)


def test_equal_pairs_are_no_difference_and_rounding_is_none() -> None:
    same = paired([0.1 + 0.2, 0.5, 1.0], [0.3, 0.5, 1.0])

    assert (same.difference.mean, same.p, same.p_flips, same.p_signs) == (0.0, 1.0, 1.0, 1.0)


def test_a_constant_difference_is_sure() -> None:
    found = paired([1.0, 2.0, 4.0], [2.0, 3.0, 5.0])

    assert (found.difference.mean, found.p, found.gain) == (1.0, 0.0, inf)


def test_drawn_flips_agree_with_all_flips() -> None:
    """19 pairs are drawn, 18 are all tried: with one more pair that hardly counts, both give the same p."""
    chance = stream(4, "flips")
    away = [chance.normal(0.3) for _ in range(18)]
    whole = paired([0.0] * 18, away).p_flips
    drawn = paired([0.0] * 19, [*away, 1e-9]).p_flips

    assert drawn == pytest.approx(whole, abs=binomial_bound(whole, 19_999))
    assert drawn == paired([0.0] * 19, [*away, 1e-9]).p_flips


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(StatisticsError, match="3 values cannot be paired with 2"):
        paired([1, 2, 3], [1, 2])
    with pytest.raises(StatisticsError, match="one pair has no spread"):
        paired([1], [2])


def test_the_distance_of_two_and_two_values_is_as_large_in_a_third_of_all_orders() -> None:
    """1, 2 against 3, 4: of six orders, two keep the sides apart."""
    assert kolmogorov_smirnov([1, 2], [3, 4]) == pytest.approx(1 / 3)
    assert kolmogorov_smirnov([1, 3], [2, 4]) == pytest.approx(1.0)


def test_ties_count_as_one_step() -> None:
    """Two zeros against two ones: of six splits, two keep them apart."""
    assert kolmogorov_smirnov([0, 0], [0, 0]) == 1.0
    assert kolmogorov_smirnov([0, 0], [1, 1]) == pytest.approx(2 / 6)


def by_trying(one: list[int], other: list[int]) -> float:
    """Return p by its definition: over all ways to choose one side from all values."""

    def apart(side: list[int], rest: list[int]) -> int:
        return max(
            abs(sum(v <= x for v in side) * len(rest) - sum(v <= x for v in rest) * len(side))
            for x in side + rest
        )

    values, bar = one + other, apart(one, other)
    chosen = list(combinations(range(len(values)), len(one)))
    far = sum(
        apart([values[k] for k in pick], [values[k] for k in range(len(values)) if k not in pick]) >= bar
        for pick in chosen
    )
    return far / len(chosen)


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=4), st.lists(st.integers(0, 6), min_size=1, max_size=4)
)
def test_the_exact_p_is_that_of_all_orders_with_ties_too(one: list[int], other: list[int]) -> None:
    assert kolmogorov_smirnov(one, other) == pytest.approx(by_trying(one, other))


@given(FEW, FEW)
def test_it_does_not_matter_which_side_is_which_nor_the_scale(one: list[int], other: list[int]) -> None:
    p = kolmogorov_smirnov(one, other)

    assert kolmogorov_smirnov(other, one) == pytest.approx(p)
    assert kolmogorov_smirnov([v**3 for v in one], [v**3 for v in other]) == pytest.approx(p)


def test_very_many_values_are_judged_by_the_limit() -> None:
    """Two grids, one moved by 49.5 steps of 5,000: a gap of 50 of them.

    λ = 0.01 · √2500 = 0.5, where Kolmogorov's tail is 0.9639.
    """
    grid = [place / 5000 for place in range(5000)]

    assert kolmogorov_smirnov(grid, [value + 0.0099 for value in grid]) == pytest.approx(0.9639, abs=2e-3)


def test_holm_corrects_from_the_smallest_on() -> None:
    """0.01 · 3, then 0.03 · 2, then 0.04 · 1, which may not be below the one before."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()
    assert holm([0.7, 0.9]) == (1.0, 1.0)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_corrected_p_is_never_smaller_and_keeps_its_place(ps: list[float]) -> None:
    fair = holm(ps)

    assert all(p <= q <= 1 for p, q in zip(ps, fair, strict=True))
    assert [q for _, q in sorted(zip(ps, fair, strict=True))] == sorted(fair)


def measured(chance: Chance, speed: float, count: int = 20) -> dict[str, list[float]]:
    """Return three metrics of some runs of a motor, of which one follows its speed."""
    return {
        "time": [chance.normal(10 / speed, 0.3) for _ in range(count)],
        "turns": [float(chance.integer(0, 9)) for _ in range(count)],
        "noise": [chance.exponential(1.0) for _ in range(count)],
    }


def test_a_motor_that_is_a_tenth_slow_is_found() -> None:
    """Its time is 11.1 instead of 10, with a deviation of 0.3; what does not depend on it is left alone."""
    chance = stream(6, "motor")
    found = {one.metric: one for one in compare(measured(chance, 1.0), measured(chance, 0.9))}

    assert [name for name, one in found.items() if one.is_different] == ["time"]
    assert 10 / 9 in found["time"].difference
    assert str(found["time"]).startswith("time: different by 1.")
    assert "no difference found; one of" in str(found["turns"])


def test_a_difference_in_spread_alone_is_found() -> None:
    chance = stream(7, "spread")
    narrow = [chance.normal(0, 0.2) for _ in range(60)]
    wide = [chance.normal(0, 2.0) for _ in range(60)]
    (found,) = compare({"x": narrow}, {"x": wide})

    assert found.is_different
    assert str(found) == "x: the same mean as far as seen, but distributed differently"


@pytest.mark.slow
def test_equal_runs_are_told_apart_in_one_comparison_of_twenty_at_most() -> None:
    """Of 250 comparisons of three metrics each, none of which differs."""
    chance = stream(8, "equal")
    wrong = sum(
        any(one.is_different for one in compare(measured(chance, 1.0), measured(chance, 1.0)))
        for _ in range(250)
    )

    assert wrong / 250 <= 0.05 + binomial_bound(0.05, 250)


def test_sides_without_spread_are_equal_or_sure_to_differ() -> None:
    assert welch_test([2.0, 2.0], [2.0, 2.0]).p == 1.0
    assert welch_test([2.0, 2.0], [3.0, 3.0]).p == 0.0


def test_two_sides_need_the_same_metrics_and_two_values() -> None:
    with pytest.raises(StatisticsError, match="the metrics to compare are a and b; both sides need the same"):
        compare({"a": [1, 2]}, {"b": [1, 2]})
    with pytest.raises(StatisticsError, match="the metrics to compare are none and none"):
        compare({}, {})
    with pytest.raises(StatisticsError, match="there are 1 values of the other side; at least 2 are needed"):
        compare({"a": [1, 2]}, {"a": [1]})
