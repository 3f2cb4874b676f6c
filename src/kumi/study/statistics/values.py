"""Which numbers does a computation get, and what can be wrong with them?

Values come from lists, arrays and columns of tables. All of them must be finite numbers: what is missing is
for the caller to leave out, and to count, since a mean over what happened to be there may mean little.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kumi.devs.errors import KumiError

LARGEST_VALUE = 1e100
"""The square of a larger number, or a sum of many squares, is no number any more."""
Numbers: TypeAlias = NDArray[np.float64]


def numbers(values: Iterable[Any], *, least: int = 1, what: str = "values") -> Numbers:
    """Return values as an array of finite numbers, at least so many, or say which one is none."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and np.isfinite(values).all():
        return _enough(values.astype(np.float64), least, what)
    found = list(values)
    for place, value in enumerate(found):
        if isinstance(value, bool | np.bool_):
            raise StatisticsError(
                f"number {place} of the {what} is {value}: claims have a share, by `proportion`, and no mean."
            )
        if not isinstance(value, Real) or not isfinite(value):
            raise StatisticsError(
                f"number {place} of the {what} is {value!r}; each must be a finite number. "
                "Leave out what is missing."
            )
    return _enough(np.array([float(value) for value in found], dtype=np.float64), least, what)


def _enough(found: Numbers, least: int, what: str) -> Numbers:
    if len(found) < least:
        raise StatisticsError(f"there are {len(found)} {what}; at least {least} are needed.")
    largest = float(np.abs(found).max(initial=0.0))
    if largest > LARGEST_VALUE:
        raise StatisticsError(
            f"one of the {what} is of size {largest:g}; up to {LARGEST_VALUE:g} they have a spread."
        )
    return found


def level_of(level: float) -> float:
    """Return a level of confidence, or say what is allowed."""
    if not 0 < level < 1:
        raise StatisticsError(f"a level of {level!r} makes no sense; it lies between 0 and 1, such as 0.95.")
    return float(level)


class StatisticsError(KumiError, ValueError):
    """Values, or a question about them, that have no answer."""
