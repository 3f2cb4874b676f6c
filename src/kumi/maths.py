"""Which functions give the same number on every machine?

Python's `math` and numpy take sine, logarithm and their kin from the C library or from code chosen by what the
processor can do, and those differ in the last bit. A run of many robots magnifies that. The functions here are made
of operations that IEEE 754 defines to the bit, so the same seed gives the same run everywhere. They take numbers, with
the errors of `math`, or arrays of numpy, element by element.

What `math` has beside them is exact, or rounded once, on every machine, and is used from there: `sqrt`, `floor`,
`remainder`, `fsum`, `radians`. Not so `**` with a float, `math.dist`, the built-in `sum` of floats (compensated since
Python 3.12), and numpy's sums and matrix products, whose order depends on the processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumi._core import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    erfc,
    exp,
    hypot,
    interp,
    log,
    log1p,
    log2,
    log10,
    pow,
    sin,
    tan,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "erfc",
    "exp",
    "hypot",
    "interp",
    "log",
    "log1p",
    "log2",
    "log10",
    "matmul",
    "pow",
    "sin",
    "tan",
    "total",
]


def total(values: NDArray[Any], axis: int = 0) -> Any:
    """Return the sum of an array along one axis, added from the first to the last."""
    return values.cumsum(axis=axis).take(-1, axis=axis) if values.shape[axis] else values.sum(axis=axis)


def matmul(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix product of an array with one of two dimensions, each sum added from the first to the last."""
    result: NDArray[Any] = a[..., :1] * b[0]
    for k in range(1, len(b)):
        result += a[..., k : k + 1] * b[k]
    return result
