"""Write the tables of the core's elementary functions.

The numbers follow from their definitions by decimal arithmetic of 80 digits, with nothing but the standard
library; `core/numbers/elementary.cpp` says what each table is for.

    python tools/tables.py           write core/numbers/tables.hpp
    python tools/tables.py --check   say whether the file is what would be written
"""

from __future__ import annotations

import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGET = Path(__file__).resolve().parent.parent / "core" / "numbers" / "tables.hpp"
DIGITS = 80
WORDS = 20  # of 64 bits: as many as the largest double needs to be reduced by pi / 2


def arctan(x: Decimal) -> Decimal:
    """Return the angle whose tangent is x, for 0 <= x <= 1, by halving it until its series is short."""
    halvings = 8
    for _ in range(halvings):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, n = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -(DIGITS + 5):
        total += power / n if n % 4 == 1 else -power / n
        power, n = power * x * x, n + 2
    return total * (1 << halvings)


def series(z: Decimal, first: int) -> Decimal:
    """Return 1 / first! - z / (first + 2)! + z² / (first + 4)! - …, of which sine and cosine are made."""
    term = Decimal(1)
    for n in range(2, first + 1):
        term /= n
    total, n = Decimal(0), first
    while abs(term) > Decimal(10) ** -(DIGITS + 5):
        total += term
        term *= -z / ((n + 1) * (n + 2))
        n += 2
    return total


def interpolation(function: Callable[[Decimal], Decimal], top: Decimal, count: int) -> list[Decimal]:
    """Return the coefficients of the polynomial through a function at the Chebyshev nodes of [0, top]."""
    nodes = [top * (1 + cosine(PI * (2 * k + 1) / (2 * count))) / 2 for k in range(count)]
    newton = [function(node) for node in nodes]
    for order in range(1, count):
        for k in range(count - 1, order - 1, -1):
            newton[k] = (newton[k] - newton[k - 1]) / (nodes[k] - nodes[k - order])
    found = [Decimal(0)] * count
    for k in range(count - 1, -1, -1):
        found = [a - nodes[k] * b for a, b in zip([Decimal(0), *found[:-1]], found, strict=True)]
        found[0] += newton[k]
    return found


def cosine(x: Decimal) -> Decimal:
    """Return the cosine of x."""
    return 1 - x * x * series(x * x, 2)


def rounded(value: Decimal, step: int) -> float:
    """Return the multiple of 2^-step that is nearest to a value."""
    return float(Fraction(round(Fraction(value) * 2**step), 2**step))


def parts(value: Decimal, steps: Sequence[int]) -> list[str]:
    """Return a value as multiples of ever finer powers of two, and what is left."""
    found = []
    for step in steps:
        part = rounded(value, step)
        found.append(part.hex())
        value -= Decimal(part)
    return [*found, float(value).hex()]


def row(values: Sequence[str]) -> str:
    """Return values as one row of a table."""
    return "{" + ", ".join(values) + "}"


def logarithms() -> list[str]:
    """Return, for each part of [181/256, 362/256), a short number near its reciprocal, and minus the log of that."""
    found = []
    for i in range(128):
        low = Fraction(181 + i, 256) if i < 75 else 1 + Fraction(i - 75, 128)
        middle = low + (Fraction(1, 512) if i < 75 else Fraction(1, 256))
        grain = 128 if i < 75 else 256  # so that its product with a number of 53 bits, less 1, has 53 bits
        inverse = Fraction(1) if i in {74, 75} else Fraction(round(grain / middle), grain)
        log = -(Decimal(inverse.numerator) / Decimal(inverse.denominator)).ln()
        found.append(row([float(inverse).hex(), *parts(log, [42])]))
    return found


def powers() -> list[str]:
    """Return 2^(j/128), and what is left of it."""
    return [row(parts((LN2 * j / 128).exp(), [52])) for j in range(128)]


def arctangents() -> list[str]:
    """Return the angle whose tangent is j / 64, and what is left of it."""
    angles = [arctan(Decimal(j) / 64) for j in range(65)]
    return [row([float(angle).hex(), float(angle - Decimal(float(angle))).hex()]) for angle in angles]


def two_over_pi() -> list[str]:
    """Return the binary digits of 2 / pi, by words."""
    getcontext().prec = 64 * WORDS // 3
    whole = int(2 / machin() * Decimal(2) ** (64 * WORDS))
    getcontext().prec = DIGITS + 10
    return [f"0x{whole >> 64 * (WORDS - 1 - k) & (1 << 64) - 1:016x}u" for k in range(WORDS)]


def machin() -> Decimal:
    """Return pi by Machin's formula, to the precision in force."""

    def inverse(n: int) -> Decimal:
        total, power, k = Decimal(0), Decimal(1) / n, 1
        while power > Decimal(10) ** -(getcontext().prec + 2):
            total += power / k if k % 4 == 1 else -power / k
            power, k = power / (n * n), k + 2
        return total

    return 4 * (4 * inverse(5) - inverse(239))


def constant(name: str, values: Sequence[str]) -> str:
    """Return the definition of some numbers of one kind."""
    return f"constexpr double {name}[{len(values)}] = {{{', '.join(values)}}};"


def table(kind: str, name: str, rows: Sequence[str]) -> str:
    """Return the definition of a table."""
    return f"constexpr {kind} {name}[{len(rows)}] = {{\n    " + ",\n    ".join(rows) + "};"


def text() -> str:
    """Return the whole file."""
    top = (PI / 4) ** 2
    sine = interpolation(lambda z: -series(z, 3), top, 6)
    cosine_rest = interpolation(lambda z: series(z, 4), top, 6)
    blocks = [
        "// Numbers of the elementary functions. Written by tools/tables.py; do not edit.\n// clang-format off",
        "#pragma once\n\n#include <cstdint>\n\nnamespace kumi::maths::tables {",
        "struct Log { double inverse, high, low; };\nstruct Pair { double high, low; };",
        "// sin r = r + r³ (SINE of r²), cos r = 1 - r²/2 + r⁴ (COSINE of r²), for |r| <= pi/4.\n"
        + constant("SINE", [float(c).hex() for c in sine])
        + "\n"
        + constant("COSINE", [float(c).hex() for c in cosine_rest]),
        "// pi/2, ln 2 and ln 2 / 128 in parts; whole numbers times any but the last have no rounding.\n"
        + constant("HALF_PI", parts(PI / 2, [33, 66, 99]))
        + f"\nconstexpr double HALF_PI_TAIL = {parts(PI / 2, [33])[1]};\n"
        + constant("LN2", parts(LN2, [42]))
        + "\n"
        + constant("LN2_128", parts(LN2 / 128, [42])),
        "// 1 / ln 10, 1 / ln 2, and pi/2, as the nearest number and what is left.\n"
        + "\n".join(
            f"constexpr Pair {name} = {row([float(v).hex(), float(v - Decimal(float(v))).hex()])};"
            for name, v in (("TENTH", 1 / Decimal(10).ln()), ("HALF", 1 / LN2), ("QUARTER_TURN", PI / 2))
        ),
        table("std::uint64_t", "TWO_OVER_PI", two_over_pi()),
        table("Log", "LOG", logarithms()),
        table("Pair", "POWER", powers()),
        table("Pair", "ARCTANGENT", arctangents()),
        "}  // namespace kumi::maths::tables\n",
    ]
    return "\n\n".join(blocks)


def main() -> None:
    """Write the tables, or compare them."""
    if "--check" not in sys.argv:
        TARGET.write_text(text())
    elif TARGET.read_text() != text():
        raise SystemExit(
            "core/numbers/tables.hpp is not what tools/tables.py writes; run: .venv/bin/python tools/tables.py"
        )


getcontext().prec = DIGITS + 10
PI = machin()
LN2 = Decimal(2).ln()

if __name__ == "__main__":
    main()
