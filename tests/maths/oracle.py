"""What a function is, to many more digits than a float has: by series, in decimal arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import isinf, ulp

DIGITS = 400  # a float has up to 309 digits before the point


def pi() -> Decimal:
    """Return pi by Gauss and Legendre's mean."""
    a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), Decimal(1)
    for _ in range(10):
        a, b, t, p = (a + b) / 2, (a * b).sqrt(), t - p * ((a - b) / 2) ** 2, 2 * p
    return (a + b) ** 2 / (4 * t)


def series(x: Decimal, first: Decimal, n: int) -> Decimal:
    """Return first - first x² / ((n + 1)(n + 2)) + …"""
    total = term = first
    while term and term.adjusted() > total.adjusted() - 60:
        term *= -x * x / ((n + 1) * (n + 2))
        total, n = total + term, n + 2
    return total


def sin(x: Decimal) -> Decimal:
    """Return the sine of x."""
    x = x - (x / (2 * pi())).to_integral_value() * 2 * pi()
    return series(x, x, 1)


def cos(x: Decimal) -> Decimal:
    """Return the cosine of x."""
    x = x - (x / (2 * pi())).to_integral_value() * 2 * pi()
    return series(x, Decimal(1), 0)


def tan(x: Decimal) -> Decimal:
    """Return the tangent of x."""
    return sin(x) / cos(x)


def atan(x: Decimal) -> Decimal:
    """Return the angle whose tangent is x."""
    halvings = 10
    for _ in range(halvings):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, n = x, x, 1
    while power and power.adjusted() > total.adjusted() - 60:
        power, n = -power * x * x, n + 2
        total += power / n
    return total * (1 << halvings)


def atan2(y: Decimal, x: Decimal) -> Decimal:
    """Return the direction of (x, y)."""
    if x == 0:
        return (pi() / 2).copy_sign(y)
    return atan(y / x) + (pi().copy_sign(y) if x < 0 else 0)


def hypot(x: Decimal, y: Decimal) -> Decimal:
    """Return the length of (x, y)."""
    return (x * x + y * y).sqrt()


def asin(x: Decimal) -> Decimal:
    """Return the angle whose sine is x."""
    return atan2(x, ((1 - x) * (1 + x)).sqrt())


def acos(x: Decimal) -> Decimal:
    """Return the angle whose cosine is x."""
    return atan2(((1 - x) * (1 + x)).sqrt(), x)


def log1p(x: Decimal) -> Decimal:
    """Return the logarithm of 1 + x."""
    return (1 + x).ln() if abs(x) > Decimal("1e-40") else x - x * x / 2


def log2(x: Decimal) -> Decimal:
    """Return the logarithm of x to base 2."""
    return x.ln() / Decimal(2).ln()


def power(x: Decimal, y: Decimal) -> Decimal:
    """Return x to the power of y."""
    return (x.ln() * y).exp()


def erfc(x: Decimal) -> Decimal:
    """Return the complementary error function of x, by the series of erf."""
    total = term = x
    n = 0
    while term and term.adjusted() > -100:
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 1 - 2 * total / pi().sqrt()


def units_off(found: float, exact: Callable[..., Decimal], *arguments: float, digits: int = 120) -> float:
    """Return by how many units in its last place a value differs from the exact one."""
    with localcontext(prec=digits):
        wanted = exact(*map(Decimal, arguments))
        nearest = float(wanted)
        if isinf(found) or isinf(nearest):
            return 0.0 if found == nearest else float("inf")
        return float(abs(Decimal(found) - wanted) / Decimal(ulp(nearest)))
