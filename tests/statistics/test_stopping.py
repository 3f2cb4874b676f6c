"""Runs are added until an interval is narrow enough, and what that costs is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kumi.devs.chance import stream
from kumi.study.statistics import Precision, StatisticsError, StopVerdict
from tests.statistics.test_intervals import binomial_bound


def until_over(rule: Precision, draw: Callable[[], float]) -> StopVerdict:
    """Add values until the rule says that it is over."""
    values: list[float] = [draw()]
    while not (verdict := rule.judge(values)).is_over:
        values += [draw() for _ in range(verdict.look_at - len(values))]
    return verdict


def test_nothing_is_judged_before_there_are_enough() -> None:
    verdict = Precision(absolute=100.0, at_least=5).judge([1.0, 1.1])

    assert (verdict.is_enough, verdict.is_over, verdict.look_at) == (False, False, 5)


def test_a_narrow_interval_is_enough() -> None:
    """1 to 5 has a half width of 1.963: narrower than 2, wider than 1.9."""
    values = [1, 2, 3, 4, 5]

    assert Precision(absolute=2.0, at_least=5).judge(values).is_over
    assert not Precision(absolute=1.9, at_least=5).judge(values).is_enough


def test_a_relative_precision_is_of_the_true_mean() -> None:
    """Half the width of 1.963 is 0.654 of 3, and γ / (1 + γ) of γ = 2 is 0.667."""
    assert Precision(relative=2.0, at_least=5).judge([1, 2, 3, 4, 5]).is_enough
    assert not Precision(relative=1.8, at_least=5).judge([1, 2, 3, 4, 5]).is_enough


def test_of_two_precisions_either_suffices() -> None:
    assert Precision(relative=0.01, absolute=2.0, at_least=5).judge([1, 2, 3, 4, 5]).is_enough


def test_looks_are_a_quarter_apart() -> None:
    """4, 5, 7, 9, and 10 as the limit; so the seeds that are run do not depend on who runs them."""
    rule = Precision(absolute=1e-9, at_least=4, at_most=10)
    values = [float(place % 2) for place in range(10)]

    assert [rule.judge(values[:count]).look_at for count in (1, 4, 5, 7, 9)] == [4, 5, 7, 9, 10]


def test_the_limit_ends_what_is_never_narrow_enough() -> None:
    verdict = Precision(relative=0.1, at_least=2, at_most=4).judge([-1.0, 1.0, -1.0, 1.0])

    assert verdict.is_over
    assert not verdict.is_enough


@pytest.mark.parametrize("strict", [False, True])
def test_equal_values_are_enough(strict: bool) -> None:
    assert Precision(relative=0.01, at_least=3, strict=strict).judge([2.0, 2.0, 2.0]).is_enough


def test_strictly_the_first_values_say_how_many_it_takes() -> None:
    """1 to 5 has a half width of 1.963: for one of 1, it takes 5 · 1.963² = 19.3 values, so 20."""
    rule = Precision(absolute=1.0, at_least=5, strict=True)
    at_first = rule.judge([1, 2, 3, 4, 5])
    at_last = rule.judge([1, 2, 3, 4, 5] + [3] * 15)

    assert (at_first.is_over, at_first.look_at) == (False, 20)
    assert at_last.is_enough
    assert at_last.interval.half_width == pytest.approx(1.963243 / 2, abs=1e-5)


def test_strictly_and_without_a_mean_the_limit_ends_it() -> None:
    verdict = Precision(relative=0.1, at_least=2, at_most=6, strict=True).judge([-1.0, 1.0])

    assert (verdict.is_over, verdict.look_at) == (False, 6)


@pytest.mark.some_of(2)
@pytest.mark.parametrize(("strict", "least"), [(False, 0.92), (True, 0.95)])
def test_stopping_early_costs_little_and_strictly_nothing(strict: bool, least: float) -> None:
    """Of 1,500 studies of normal values around 10; the page promises 0.94 for the common rule."""
    chance, rule = stream(3, "stopping"), Precision(absolute=1.0, strict=strict)
    verdicts = [until_over(rule, lambda: chance.normal(10.0, 3.0)) for _ in range(1500)]

    assert all(verdict.is_enough for verdict in verdicts)
    assert sum(10.0 in verdict.interval for verdict in verdicts) / 1500 > least - binomial_bound(least, 1500)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "a precision needs `relative`, `absolute` or both."),
        ({"relative": 0.0}, "relative = 0.0 makes no sense; it is above zero."),
        ({"absolute": float("nan")}, "absolute = nan makes no sense; it is above zero."),
        ({"absolute": 1.0, "at_least": 1}, "at_least = 1 makes no sense; an interval takes 2 values."),
        ({"absolute": 1.0, "at_most": 5}, "at_most = 5 is below at_least = 10."),
        (
            {"absolute": 1.0, "level": 1.5},
            "a level of 1.5 makes no sense; it lies between 0 and 1, such as 0.95.",
        ),
    ],
)
def test_a_precision_that_makes_no_sense_is_refused(settings: dict[str, float], said: str) -> None:
    with pytest.raises(StatisticsError) as refused:
        Precision(**settings)  # type: ignore[arg-type]

    assert str(refused.value) == said
