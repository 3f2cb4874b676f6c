"""What is computed here agrees with SciPy, which was written by others."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import pytest
import scipy.stats  # type: ignore[import-untyped]

from kumi.devs.chance import stream
from kumi.study.statistics import interval, kolmogorov_smirnov, paired, power_law, proportion, welch_test
from kumi.study.statistics.intervals import both_tails, half_width

FREEDOMS = [0.5, 1, 1.5, 3, 9.7, 30, 1000, 1e6, 1e9]


def pairs() -> Iterator[tuple[list[float], list[float]]]:
    """Give sides of different sizes, spreads and means."""
    chance = stream(11, "scipy")
    for count, other, shift in [(2, 2, 0.0), (5, 7, 0.3), (30, 20, 0.5), (150, 90, 0.2)]:
        yield (
            [chance.normal() for _ in range(count)],
            [chance.normal(shift, 2.0) for _ in range(other)],
        )


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_student(freedom: float) -> None:
    for t in (1e-6, 0.1, 1.0, 3.0, 20.0):
        assert both_tails(t, freedom) == pytest.approx(2 * scipy.stats.t.sf(t, freedom), rel=1e-4, abs=0)
    for level in (0.5, 0.9, 0.95, 0.99, 0.9999):
        assert half_width(level, freedom) == pytest.approx(
            scipy.stats.t.ppf((1 + level) / 2, freedom), rel=1e-7
        )


def test_intervals() -> None:
    for one, _ in pairs():
        found = interval(one, 0.9)
        theirs = scipy.stats.t.interval(0.9, len(one) - 1, loc=found.mean, scale=scipy.stats.sem(one))
        assert (found.low, found.high) == pytest.approx(theirs)


@pytest.mark.parametrize(("successes", "of"), [(0, 3), (2, 7), (50, 100), (9, 9)])
def test_proportions(successes: int, of: int) -> None:
    found = proportion(successes, of)
    theirs = scipy.stats.binomtest(successes, of).proportion_ci(method="wilson")

    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_welch() -> None:
    for one, other in pairs():
        found, theirs = welch_test(one, other), scipy.stats.ttest_ind(other, one, equal_var=False)
        bounds = theirs.confidence_interval(0.95)
        assert found.p == pytest.approx(theirs.pvalue)
        assert (found.difference.low, found.difference.high) == pytest.approx((bounds.low, bounds.high))


def test_kolmogorov_and_smirnov() -> None:
    for one, other in pairs():
        theirs = scipy.stats.ks_2samp(one, other, method="exact").pvalue
        assert kolmogorov_smirnov(one, other) == pytest.approx(theirs)


def test_pairs() -> None:
    for one, other in pairs():
        count = min(len(one), len(other))
        found = paired(one[:count], other[:count])
        ups = sum(b > a for a, b in zip(one, other, strict=False))
        assert found.p == pytest.approx(scipy.stats.ttest_rel(one[:count], other[:count]).pvalue)
        assert found.p_signs == pytest.approx(scipy.stats.binomtest(ups, count).pvalue)


def test_power_laws() -> None:
    sizes = [10.0, 20.0, 30.0, 40.0, 80.0]
    values = [3.1, 6.4, 8.5, 13.0, 24.0]
    found = power_law(sizes, values).exponent
    theirs = scipy.stats.linregress([log(n) for n in sizes], [log(y) for y in values])

    assert (found.mean, found.error) == pytest.approx((theirs.slope, theirs.stderr))
