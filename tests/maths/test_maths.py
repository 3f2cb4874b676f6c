"""The elementary functions are right to the last place or two, and the same to the last bit everywhere."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kumi import maths
from tests.maths import oracle

HARDEST = [6381956970095103.0 * 2.0**797, 2.0**1023, 1e22, 355.0, 11.0, 3 * math.pi / 4]


def floats(low: float, high: float) -> st.SearchStrategy[float]:
    """Return numbers of a range, no smaller ones than 1e-300."""
    return st.floats(low, high).filter(lambda x: x == 0.0 or abs(x) > 1e-300)


ONE: list[tuple[Callable[[float], float], Callable[[Decimal], Decimal], st.SearchStrategy[float], float]] = [
    (maths.sin, oracle.sin, floats(-1e6, 1e6), 0.75),
    (maths.cos, oracle.cos, floats(-1e6, 1e6), 0.75),
    (maths.tan, oracle.tan, floats(-1e6, 1e6), 2.0),
    (maths.asin, oracle.asin, floats(-1.0, 1.0), 2.0),
    (maths.acos, oracle.acos, floats(-1.0, 1.0), 2.0),
    (maths.atan, oracle.atan, floats(-1e9, 1e9), 1.0),
    (maths.exp, Decimal.exp, floats(-700.0, 709.0), 0.75),
    (maths.log, Decimal.ln, floats(1e-300, 1e308), 0.75),
    (maths.log1p, oracle.log1p, floats(-1.0 + 1e-15, 1e9), 0.75),
    (maths.log2, oracle.log2, floats(1e-300, 1e308), 0.75),
    (maths.log10, Decimal.log10, floats(1e-300, 1e308), 0.75),
    (maths.erfc, oracle.erfc, floats(-3.0, 8.0), 12.0),
]


@pytest.mark.parametrize(("own", "exact", "inputs", "bound"), ONE, ids=[one[0].__name__ for one in ONE])
def test_a_function_of_one_number_is_right_to_the_last_places(
    own: Callable[[float], float],
    exact: Callable[[Decimal], Decimal],
    inputs: st.SearchStrategy[float],
    bound: float,
) -> None:
    @given(inputs)
    def holds(x: float) -> None:
        assert oracle.units_off(own(x), exact, x) <= bound

    holds()


@pytest.mark.parametrize("x", HARDEST)
def test_angles_of_any_size_are_reduced_without_loss(x: float) -> None:
    for sign in (1.0, -1.0):
        assert oracle.units_off(maths.sin(sign * x), oracle.sin, sign * x, digits=oracle.DIGITS) <= 0.75
        assert oracle.units_off(maths.cos(sign * x), oracle.cos, sign * x, digits=oracle.DIGITS) <= 0.75


@given(st.floats(2.0**18, 1.7e308), st.sampled_from([1.0, -1.0]))
def test_large_angles_are_reduced_without_loss(x: float, sign: float) -> None:
    assert oracle.units_off(maths.sin(sign * x), oracle.sin, sign * x, digits=oracle.DIGITS) <= 0.75
    assert oracle.units_off(maths.cos(sign * x), oracle.cos, sign * x, digits=oracle.DIGITS) <= 0.75


@given(floats(-1e9, 1e9), floats(-1e9, 1e9))
@example(1.0, 1.0)
@example(-1e-200, -1e-200)
@example(1e300, -1e300)
def test_direction_and_length_are_right_to_the_last_place(y: float, x: float) -> None:
    if x or y:
        assert oracle.units_off(maths.hypot(y, x), oracle.hypot, y, x, digits=700) <= 1.0
        if y and abs(y) > 1e-290 * abs(x):
            assert oracle.units_off(maths.atan2(y, x), oracle.atan2, y, x) <= 1.0


@given(st.floats(1e-9, 1e9), st.floats(-30.0, 30.0))
def test_powers_are_right_to_the_last_place(x: float, y: float) -> None:
    assert oracle.units_off(maths.pow(x, y), oracle.power, x, y) <= 0.75


PLACES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    math.inf,
    -math.inf,
    math.nan,
    0.5,
    -0.5,
    3.0,
    -3.0,
    2.0,
    5e-324,
    1e308,
    1e-308,
]


def answer(function: Callable[..., float], *arguments: float) -> tuple[str, float] | str:
    """Return what a function gives, or the kind of its error; the last places do not count."""
    try:
        value = function(*arguments)
    except (ValueError, OverflowError) as error:
        return type(error).__name__
    return (
        ("-" if math.copysign(1.0, value) < 0.0 else "+", float(f"{value:.13g}"))
        if not math.isnan(value)
        else "nan"
    )


@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "log1p", "log2", "log10", "erfc"]
)
def test_where_a_function_ends_it_answers_as_python_does(name: str) -> None:
    for x in PLACES:
        assert answer(getattr(maths, name), x) == answer(getattr(math, name), x), x


@pytest.mark.parametrize("name", ["atan2", "hypot", "pow"])
def test_where_a_function_of_two_ends_it_answers_as_python_does(name: str) -> None:
    for x in PLACES:
        for y in PLACES:
            assert answer(getattr(maths, name), x, y) == answer(getattr(math, name), x, y), (x, y)


@pytest.mark.parametrize("power", range(-22, 23))
def test_whole_powers_have_whole_logarithms(power: int) -> None:
    assert maths.log10(float(f"1e{power}")) == power
    assert maths.log2(math.ldexp(1.0, power)) == power


def test_an_array_is_answered_element_by_element() -> None:
    x, y = np.linspace(-3.0, 3.0, 24).reshape(2, 3, 4), np.linspace(0.5, 2.0, 4)
    for one in (maths.sin, maths.cos, maths.tan, maths.atan, maths.exp):
        assert one(x).tolist() == [[[one(v) for v in row] for row in part] for part in x.tolist()]
        assert one(x.T).shape == x.T.shape
        assert one(x.T).T.tolist() == one(x).tolist()
    for two in (maths.atan2, maths.hypot):
        assert two(x, y).tolist() == [
            [[two(v, w) for v, w in zip(row, y.tolist(), strict=True)] for row in part] for part in x.tolist()
        ]
        assert two(1.0, y).tolist() == [two(1.0, w) for w in y.tolist()]
    assert maths.log(np.array([0.0, 1.0])).tolist() == [-math.inf, 0.0]
    assert maths.sin(np.zeros((0, 3))).shape == (0, 3)


def test_what_is_no_number_is_refused() -> None:
    wrong: Any
    for wrong in ("1", None, object(), [1.0, "a"]):
        with pytest.raises((TypeError, ValueError)):
            maths.sin(wrong)
        with pytest.raises((TypeError, ValueError)):
            maths.atan2(wrong, 1.0)
    with pytest.raises(ValueError, match="3 places have as many values"):
        maths.interp(0.5, np.arange(3.0), np.arange(2.0))


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=9, unique=True).map(sorted),
    st.lists(st.floats(-1e3, 1e3), min_size=9, max_size=9),
    st.floats(-1500.0, 1500.0),
)
def test_a_line_through_points_is_that_of_numpy(places: list[int], values: list[float], x: float) -> None:
    values = values[: len(places)]
    assert maths.interp(x, np.array(places), np.array(values)) == pytest.approx(
        float(np.interp(x, places, values)), rel=1e-12, abs=1e-9
    )


def test_sums_and_products_go_from_the_first_to_the_last() -> None:
    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert maths.total(values) == 1.0
    assert maths.total(np.stack([values, values], axis=1)).tolist() == [1.0, 1.0]
    assert maths.total(np.zeros((0, 2))).tolist() == [0.0, 0.0]
    a, b = np.arange(12.0).reshape(2, 2, 3), np.arange(6.0).reshape(3, 2)
    assert maths.matmul(a, b).tolist() == (a @ b).tolist()


DIGEST = """
from hashlib import blake2b
import numpy as np
from kumi import maths
x = np.cumsum(np.full(200_000, 0.00137)) - 100.0
found = [maths.sin(x), maths.cos(x), maths.tan(x), maths.atan(x), maths.exp(x / 9), maths.log(x + 101), maths.log10(x + 101)]
found += [maths.asin(x / 180), maths.acos(x / 180), maths.atan2(x, x[::-1]), maths.hypot(x, x[::-1]), maths.pow(x + 101, 1.7)]
print(blake2b(b"".join(part.tobytes() for part in found), digest_size=16).hexdigest())
"""
SWITCHES = {
    "as it is": {},
    "no fused multiply-add in the C library": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"
    },
    "no wide paths in numpy": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
}


def test_the_functions_are_the_same_bits_whatever_the_processor_can_do() -> None:
    found = {}
    for name, switch in SWITCHES.items():
        child = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", DIGEST],
            env={**os.environ, **switch},
            capture_output=True,
            text=True,
            check=False,
        )
        assert child.returncode == 0, child.stderr
        found[name] = child.stdout
    assert len(set(found.values())) == 1, found
