"""Laws of growth are found, with honest bounds for the exponent."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.study.statistics import StatisticsError, power_law, scaling
from tests.statistics.test_intervals import binomial_bound

SIZES = [10, 20, 40, 80, 160]


@given(st.floats(0.1, 10), st.floats(-3, 3))
def test_an_exact_power_law_is_found_exactly(factor: float, exponent: float) -> None:
    found = power_law(SIZES, [factor * size**exponent for size in SIZES])

    assert found.factor == pytest.approx(factor)
    assert found.exponent.mean == pytest.approx(exponent, abs=1e-9)
    assert found.exponent.half_width < 1e-9
    assert found(1000) == pytest.approx(factor * 1000**exponent)


def test_the_interval_of_the_exponent_is_that_by_hand() -> None:
    """ln N = 0, 1, 2 and ln y = 0, 2, 1: slope 1/2, left over 3/2, error √(3/2 / 1 / 2); t is 12.7062."""
    found = power_law([1, exp(1), exp(2)], [1, exp(2), exp(1)])

    assert found.exponent.mean == pytest.approx(0.5)
    assert found.exponent.half_width == pytest.approx(12.7062 * sqrt(0.75), abs=1e-3)
    assert found.r_squared == pytest.approx(1 - 1.5 / 2)


def test_nineteen_of_twenty_intervals_hold_the_true_exponent() -> None:
    chance, held = stream(9, "exponents"), 0
    for _ in range(1000):
        values = [3 * size**1.5 * exp(chance.normal(0, 0.2)) for size in SIZES]
        held += 1.5 in power_law(SIZES, values).exponent

    assert held / 1000 == pytest.approx(0.95, abs=binomial_bound(0.95, 1000))


def test_each_law_wins_on_its_own_ground() -> None:
    """Each with noise of 2 % of its values, four runs a size."""
    chance = stream(10, "laws")
    truths: dict[str, Callable[[float], float]] = {
        "constant": lambda _: 50.0,
        "logarithmic": lambda size: 5 + 30 * log(size),
        "linear": lambda size: 20 + 3 * size,
        "power": lambda size: 2 * size**1.7,
    }
    for name, truth in truths.items():
        sizes = [size for size in SIZES for _ in range(4)]
        laws = scaling(sizes, [truth(size) * (1 + chance.normal(0, 0.02)) for size in sizes])

        assert laws[0].name == name
        assert sum(law.weight for law in laws) == pytest.approx(1)
        assert laws[0](100) == pytest.approx(truth(100), rel=0.05)


def test_a_law_that_explains_all_wins_and_the_simplest_first() -> None:
    """A line through zero is also a power law; what never changes is a constant before all else."""
    assert {law.name for law in scaling(SIZES * 2, [3 * size for size in SIZES * 2])[:2]} == {
        "linear",
        "power",
    }
    assert scaling(SIZES * 2, [7.0] * 10)[0].formula == "y = 7"


def test_without_values_above_zero_there_is_no_power_law() -> None:
    assert {law.name for law in scaling(SIZES * 2, [0.0, 1, 2, 3, 4] * 2)} == {
        "constant",
        "logarithmic",
        "linear",
    }
    with pytest.raises(StatisticsError, match="a power law has values above zero, and one is 0"):
        power_law(SIZES, [0, 1, 2, 3, 4])


def test_laws_are_written_so_that_people_can_read_them() -> None:
    formulas = {law.name: law.formula for law in scaling(SIZES * 2, [100 - size / 2 for size in SIZES * 2])}

    assert formulas["linear"] == "y = 100 - 0.5 · N"


@pytest.mark.parametrize(
    ("sizes", "values", "said"),
    [
        ([1, 2], [1, 2, 3], "2 sizes do not go with 3 values"),
        ([0, 1, 2], [1, 2, 3], "sizes are above zero, and one is 0"),
        ([1, 2, 2], [1, 2, 3], "2 different sizes show no law; at least 3 are needed"),
        ([1, 2, 3], [1, 2, None], "number 2 of the values is None"),
    ],
)
def test_what_cannot_be_fitted_is_said(sizes: list[float], values: list[float], said: str) -> None:
    with pytest.raises(StatisticsError, match=said):
        power_law(sizes, values)
