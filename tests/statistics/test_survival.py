"""Times that did not come count as what they are: longer than the run."""

from __future__ import annotations

from itertools import pairwise, product
from math import log, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.study.statistics import (
    Censored,
    StatisticsError,
    interval,
    kaplan_meier,
    log_rank,
    log_rank_in_pairs,
    proportion,
    restricted_values,
    stratified_log_rank,
)
from tests.statistics.test_intervals import binomial_bound


def times_of(words: str) -> list[float | Censored]:
    """Return times from a list in which a plus marks those that did not come."""
    return [Censored(float(one[:-1])) if one.endswith("+") else float(one) for one in words.split()]


# Weeks in remission of 42 children with leukaemia (Freireich et al., Blood 21, 1963), as in every textbook.
TREATED = times_of("6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+")
PLACEBO = times_of("1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23")

SOME = st.lists(
    st.one_of(st.integers(0, 20).map(float), st.integers(0, 20).map(lambda at: Censored(float(at)))),
    min_size=1,
    max_size=25,
)


def test_the_curve_of_the_remissions_is_the_published_one() -> None:
    """Kalbfleisch and Prentice, table 1.2; bounds on the scale of log(-log) as SAS and R print them."""
    found = [
        (one.time, one.at_risk, one.events, round(one.share, 3), round(one.low, 3), round(one.high, 3))
        for one in kaplan_meier(TREATED).steps
    ]

    assert found == [
        (6, 21, 3, 0.857, 0.620, 0.952),
        (7, 17, 1, 0.807, 0.563, 0.923),
        (10, 15, 1, 0.753, 0.503, 0.889),
        (13, 12, 1, 0.690, 0.432, 0.849),
        (16, 11, 1, 0.627, 0.368, 0.805),
        (22, 7, 1, 0.538, 0.268, 0.747),
        (23, 6, 1, 0.448, 0.188, 0.680),
    ]


def test_the_medians_of_the_remissions_are_the_published_ones() -> None:
    """23 weeks, from 13 to an open end, against 8, from 4 to 11."""
    treated, placebo = kaplan_meier(TREATED), kaplan_meier(PLACEBO)

    assert str(treated) == "9 of 21, median 23 [13, –]"
    assert str(placebo) == "21 of 21, median 8 [4, 11]"
    assert treated.share == proportion(9, 21)


def test_the_restricted_mean_of_the_remissions_is_the_published_one() -> None:
    """R: 23.29 weeks up to 35, with a standard error of 2.83; without any censoring it is the mean, 182 / 21."""
    treated, placebo = kaplan_meier(TREATED).restricted_mean(), kaplan_meier(PLACEBO).restricted_mean()

    assert treated.mean == pytest.approx(23.287, abs=5e-4)
    assert treated.error == pytest.approx(2.83, rel=0.1)
    assert placebo.mean == pytest.approx(182 / 21)
    assert placebo.error == pytest.approx(interval(PLACEBO).error)


def test_the_log_rank_test_of_the_remissions_is_the_published_one() -> None:
    """9 relapses of the treated where 19.25 were expected: χ² is 16.79."""
    found = log_rank(TREATED, PLACEBO)

    assert (found.observed, round(found.expected, 2), round(found.statistic, 2)) == (9, 19.25, 16.79)
    assert found.p == pytest.approx(4.2e-5, rel=0.02)
    assert log_rank(PLACEBO, TREATED).p == pytest.approx(found.p)


def test_greenwood_by_hand() -> None:
    """Of four runs one has it at 1 s: 3/4, with a variance of log S of 1 / (4 · 3)."""
    (only,) = kaplan_meier(times_of("1 2+ 2+ 2+")).steps
    reach = 1.959964 * sqrt(1 / 12) / -log(0.75)

    assert only.share == 0.75
    assert log(-log(only.low)) == pytest.approx(log(-log(0.75)) + reach, abs=1e-5)
    assert log(-log(only.high)) == pytest.approx(log(-log(0.75)) - reach, abs=1e-5)


def test_where_it_never_happened_there_is_no_median_and_the_share_has_bounds() -> None:
    """None of 12: Wilson's upper bound is 3.8415 / 15.8415."""
    found = kaplan_meier([Censored(600.0)] * 12)

    assert str(found) == "0 of 12, median not reached"
    assert found.steps == ()
    assert found.share.high == pytest.approx(3.8415 / 15.8415, abs=1e-4)
    assert found.restricted_mean().mean == 600.0


def test_at_a_flat_half_the_median_is_the_middle() -> None:
    assert kaplan_meier([1.0, 2.0, 4.0, 5.0]).median.time == 3.0


def test_the_mean_of_those_that_came_is_never_the_restricted_mean() -> None:
    """Of 10 s, 20 s and two runs without it by 60 s: 37.5 s, and not 15 s."""
    assert kaplan_meier([10.0, 20.0, Censored(60.0), Censored(60.0)]).restricted_mean().mean == 37.5


@given(SOME)
def test_without_censoring_before_the_horizon_the_values_are_the_times_cut_off(times: list[Any]) -> None:
    until = 10.0
    late = [Censored(max(one.at, until)) if isinstance(one, Censored) else one for one in times]

    assert restricted_values(late, until) == [
        min(one.at if isinstance(one, Censored) else one, until) for one in late
    ]


@given(SOME.filter(lambda times: len(times) > 1))
def test_a_pseudo_value_is_the_change_by_leaving_a_run_out(times: list[Any]) -> None:
    """The slow way: one curve for each run that is left out."""
    until, count = 15.0, len(times)

    def area(some: list[Any]) -> float:
        share, area, at = 1.0, 0.0, 0.0
        for step in kaplan_meier(some).steps:
            if step.time < until:
                area, share, at = area + share * (step.time - at), step.share, step.time
        return area + share * (until - at)

    slow = [count * area(times) - (count - 1) * area(times[:n] + times[n + 1 :]) for n in range(count)]

    assert restricted_values(times, until) == pytest.approx(slow, abs=1e-9)


@given(SOME)
def test_a_curve_falls_from_one_within_its_bounds(times: list[Any]) -> None:
    found = kaplan_meier(times)
    shares = [1.0, *(one.share for one in found.steps)]

    assert all(before > after for before, after in pairwise(shares))
    assert all(0 <= one.low <= one.share <= one.high <= 1 for one in found.steps)
    assert sum(one.events for one in found.steps) == found.happened
    assert found.at(-1.0)[0] == 1.0
    assert found.at(1e9)[0] == shares[-1]


@given(SOME, SOME)
def test_the_log_rank_test_is_that_by_the_definition(one: list[Any], other: list[Any]) -> None:
    """Mantel's: a table of two by two at each time, with the hypergeometric mean and variance."""
    away = variance = 0.0
    for time in sorted({at for at in [*one, *other] if not isinstance(at, Censored)}):
        risk = [
            sum((at.at if isinstance(at, Censored) else at) >= time for at in side) for side in (one, other)
        ]
        events = [sum(at == time for at in side) for side in (one, other)]
        n, d = sum(risk), sum(events)
        away += events[0] - d * risk[0] / n
        variance += d * risk[0] * risk[1] * (n - d) / (n * n * (n - 1)) if n > 1 else 0.0
    found = log_rank(one, other)

    assert found.statistic == pytest.approx(away**2 / variance if variance else 0.0, abs=1e-9)


def test_strata_are_compared_within_themselves_alone() -> None:
    """Twice the same pair: twice the difference and twice the variance, so twice the statistic."""
    twice = stratified_log_rank([(TREATED, PLACEBO)] * 2)

    assert twice.statistic == pytest.approx(2 * log_rank(TREATED, PLACEBO).statistic)


def test_in_pairs_all_flips_are_tried() -> None:
    """Six seeds, each earlier on one side: of 64 flips two are as far, as of six equal signs."""
    one = {seed: float(seed + 1) for seed in range(6)}
    other = {seed: Censored(60.0) for seed in range(6)}
    found = log_rank_in_pairs([(one, other)])

    assert (found.p_flips, found.p_signs) == (2 / 64, 2 / 64)
    assert found.p == log_rank(one.values(), other.values()).p
    assert found.p < 0.01


def test_seeds_that_are_alike_in_all_strata_do_not_count_twice() -> None:
    """A parameter that changes nothing doubles the runs, and not what they say."""
    chance = stream(5, "strata")
    one, other = ({seed: chance.exponential(10.0) for seed in range(8)} for _ in range(2))
    single, double = log_rank_in_pairs([(one, other)]), log_rank_in_pairs([(one, other)] * 2)

    assert (double.p_flips, double.p_signs) == (single.p_flips, single.p_signs)
    assert double.p > stratified_log_rank([(one.values(), other.values())] * 2).p


@pytest.mark.slow
def test_bounds_of_the_curve_hold_as_often_as_they_say() -> None:
    """1,500 sets of 20 exponential times with a mean of 10 s, runs of 5 to 20 s: the share beyond 6 s is e^-0.6."""
    chance, truth, held, false = stream(6, "curves"), 0.5488116, 0, 0

    def drawn() -> list[float | Censored]:
        pairs = [(chance.exponential(10.0), chance.uniform(5.0, 20.0)) for _ in range(20)]
        return [time if time <= end else Censored(end) for time, end in pairs]

    for _ in range(1500):
        one, other = drawn(), drawn()
        _, low, high = kaplan_meier(one).at(6.0)
        held += low <= truth <= high
        false += log_rank(one, other).p <= 0.05

    assert held / 1500 == pytest.approx(0.95, abs=binomial_bound(0.95, 1500))
    assert false / 1500 == pytest.approx(0.05, abs=binomial_bound(0.05, 1500) + 0.005)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([], "there are 0 times; at least 1 is needed."),
        (
            [1.0, None],
            "number 1 of the times is None; each is a finite number of seconds, 0 or more, or Censored.",
        ),
        ([-1.0], "number 0 of the times is -1.0; each is a finite number"),
        ([True], "number 0 of the times is True; each is a finite number"),
        ([float("nan")], "number 0 of the times is nan; each is a finite number"),
    ],
)
def test_what_is_no_time_is_named(times: list[Any], said: str) -> None:
    with pytest.raises(StatisticsError) as refused:
        kaplan_meier(times)

    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("at", [-1.0, float("inf"), float("nan"), True, "60"])
def test_a_run_is_censored_at_a_finite_time(at: Any) -> None:
    with pytest.raises(StatisticsError, match="a finite number of seconds, 0 or more"):
        Censored(at)


def test_pairs_need_the_same_seeds() -> None:
    with pytest.raises(StatisticsError, match="the same seeds on both sides"):
        log_rank_in_pairs([({0: 1.0}, {1: 1.0})])


def test_all_pairs_of_two_small_samples_agree_with_counting() -> None:
    """With nothing censored and no ties, the curve is the share of runs beyond a time."""
    for times in product((1.0, 2.0, 3.0, 4.0), repeat=4):
        found = kaplan_meier(times)
        assert [one.share for one in found.steps] == pytest.approx(
            [sum(time > one.time for time in times) / 4 for one in found.steps]
        )
