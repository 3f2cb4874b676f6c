"""What does a number from a robot mean, and which number means a given thing?

A table is a list of measured pairs: a raw number, as it goes over the link, and what it means. Between two
entries the relation is taken as straight. Both columns go one way all along, so each has one inverse, and
going there and back leads to the same number. Beyond the last entry nothing was measured: the last entry
holds there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite

from kumi.devs.errors import KumiError


class CalibrationError(KumiError, ValueError):
    """A calibration that makes no sense, or a file that holds none."""


@dataclass(frozen=True)
class Table:
    """Pairs of a raw number and its meaning; kept by raw number, the lowest first."""

    entries: tuple[tuple[float, float], ...]
    _by_value: tuple[tuple[float, float], ...] = field(init=False, repr=False, compare=False)

    def __init__(self, entries: Iterable[tuple[float, float]]) -> None:
        pairs = tuple(sorted((float(raw), float(value)) for raw, value in entries))
        check_one_way(pairs)
        turned = tuple(sorted((value, raw) for raw, value in pairs))
        object.__setattr__(self, "entries", pairs)
        object.__setattr__(self, "_by_value", turned)

    @property
    def lowest(self) -> float:
        """The lowest meaning in the table."""
        return self._by_value[0][0]

    @property
    def highest(self) -> float:
        """The highest meaning in the table."""
        return self._by_value[-1][0]

    def value_of(self, raw: float) -> float:
        """Return what a raw number means."""
        return between(self.entries, raw)

    def raw_of(self, value: float) -> float:
        """Return the raw number that means a value."""
        return between(self._by_value, value)

    def widest_step(self) -> tuple[float, float]:
        """Return the two neighbouring meanings that are farthest apart, the lower first."""
        return max(pairwise(value for value, _ in self._by_value), key=lambda pair: pair[1] - pair[0])


def between(pairs: tuple[tuple[float, float], ...], x: float) -> float:
    """Return what belongs to x on the line through the pairs."""
    at = bisect_left(pairs, x, key=lambda pair: pair[0])
    if at == 0:
        return pairs[0][1]
    if at == len(pairs):
        return pairs[-1][1]
    (x0, y0), (x1, y1) = pairs[at - 1], pairs[at]
    return y1 if x == x1 else y0 + (y1 - y0) * ((x - x0) / (x1 - x0))


def check_one_way(pairs: tuple[tuple[float, float], ...]) -> None:
    """Refuse pairs that do not rise, or do not fall, all along."""
    if len(pairs) < 2:
        raise CalibrationError(f"it has {len(pairs)} entries; a table needs at least 2")
    for pair in pairs:
        if not all(map(isfinite, pair)):
            raise CalibrationError(f"[{pair[0]:g}, {pair[1]:g}] is no pair of finite numbers")
    is_rising = pairs[-1][1] > pairs[0][1]
    for (raw, value), (next_raw, next_value) in pairwise(pairs):
        if raw == next_raw:
            raise CalibrationError(
                f"{raw:g} stands for {value:g} and for {next_value:g}; it takes one meaning"
            )
        if (next_value > value) != is_rising or next_value == value:
            way = "rise" if is_rising else "fall"
            raise CalibrationError(
                f"the meanings {way} with the raw numbers, but [{raw:g}, {value:g}] is followed by "
                f"[{next_raw:g}, {next_value:g}]"
            )
