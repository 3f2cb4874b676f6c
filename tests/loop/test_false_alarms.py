"""How often is a model called wrong that is right, and is one found that is not? Synthetic values, and no robots.

The spreads are those of single motions and readings of real robots in convoys of three.
"""

from __future__ import annotations

from math import comb
from typing import get_args

import numpy as np
import pytest

from kumi.experiment.loop.convoy.comparison import OBSERVABLES, Observable, findings_of
from kumi.experiment.loop.convoy.stages import Where
from kumi.experiment.statistics import holm, p_beyond, welch_test

LEVEL = 0.05
SPREADS = dict(zip(OBSERVABLES, (0.1, 3.0, 2.8, 0.3, 1.5), strict=True))
MEANS = dict(zip(OBSERVABLES, (3.34, 0.0, 0.0, 0.0, 2.1), strict=True))
COUNTS = dict(zip(OBSERVABLES, (24, 24, 24, 12, 3), strict=True))
REAL: tuple[Where, ...] = get_args(Where)[1:]


def most_by_chance(groups: int, share: float, doubt: float = 1e-4) -> int:
    """Return the least number that so many trials of so likely an event exceed with less than `doubt`."""
    left, count = 1.0, -1
    while left > doubt:
        count += 1
        left -= comb(groups, count) * share**count * (1.0 - share) ** (groups - count)
    return count


def drawn(
    source: np.random.Generator, off: dict[Observable, float], is_flat: bool
) -> dict[Observable, list[float]]:
    """Draw the values of each observable, `off` from its mean: bell-shaped, or evenly spread as skids are."""
    found = {}
    for one in OBSERVABLES:
        spread, count = SPREADS[one], COUNTS[one]
        values = source.uniform(-(3**0.5), 3**0.5, count) if is_flat else source.standard_normal(count)
        found[one] = list(MEANS[one] + off.get(one, 0.0) + spread * values)
    return found


@pytest.mark.parametrize("is_flat", [False, True])
def test_a_right_model_is_called_wrong_in_less_than_the_stated_share_of_comparisons(is_flat: bool) -> None:
    source = np.random.default_rng(7)
    groups, alarms, differences = 100, 0, 0
    for _ in range(groups):
        model = drawn(source, {}, is_flat)
        findings = findings_of(model, {where: drawn(source, {}, is_flat) for where in REAL})
        assert len(findings) == 10
        alarms += any(one.is_wrong for one in findings)
        differences += any(one.compared.is_different for one in findings)

    assert alarms <= most_by_chance(groups, LEVEL)
    assert differences <= most_by_chance(groups, LEVEL)


def test_a_model_that_is_off_by_all_of_every_margin_is_called_wrong_in_less_than_the_stated_share() -> None:
    """The worst case of what still counts as right. Without a correction it would be about one in five."""
    source = np.random.default_rng(8)
    groups, alarms, uncorrected = 600, 0, 0
    for _ in range(groups):
        ps = []
        for one in OBSERVABLES:
            shape = COUNTS[one]
            model = source.normal(0.0, SPREADS[one], shape)
            ps += [p_beyond(model, source.normal(one.margin, SPREADS[one], shape), one.margin) for _ in REAL]
        alarms += min(holm(ps)) <= LEVEL
        uncorrected += min(ps) <= LEVEL

    assert alarms <= most_by_chance(groups, LEVEL)
    assert uncorrected > groups / 5


def test_a_motor_that_is_ten_per_cent_slow_is_found_at_both_stages_in_all_comparisons() -> None:
    """A metre takes 3.71 s instead of 3.34: 0.37 s more, 3.7 margins and 3.7 spreads of a single motion."""
    source = np.random.default_rng(9)
    pace = OBSERVABLES[0]
    groups, others = 40, 0
    for _ in range(groups):
        real = {where: drawn(source, {pace: MEANS[pace] / 0.9 - MEANS[pace]}, False) for where in REAL}
        wrong = [one for one in findings_of(drawn(source, {}, False), real) if one.is_wrong]
        assert [one.where for one in wrong if one.observable is pace] == list(REAL)
        others += len(wrong) > len(REAL)

    assert others <= most_by_chance(groups, LEVEL)


def test_without_a_margin_it_is_welchs_test_and_with_one_it_is_never_more_sure() -> None:
    one, other = [1.0, 2.0, 3.0, 4.0], [3.0, 4.5, 5.0, 6.5]

    assert p_beyond(one, other, 0.0) == pytest.approx(welch_test(one, other).p)
    ps = [p_beyond(one, other, margin) for margin in (0.0, 0.5, 1.0, 2.0, 2.25, 3.0)]
    assert ps == sorted(ps)
    assert p_beyond([1.0, 1.0], [2.0, 2.0], 0.5) == 0.0
    assert p_beyond([1.0, 1.0], [2.0, 2.0], 1.0) == 1.0


def test_a_difference_of_exactly_the_margin_is_as_likely_beyond_it_as_not() -> None:
    """Half the chance is on that side; what is as far on the other side adds a little."""
    one, other = [0.0, 1.0, 2.0], [10.0, 11.0, 12.0]

    assert p_beyond(one, other, 10.0) == pytest.approx(0.5, abs=0.001)
