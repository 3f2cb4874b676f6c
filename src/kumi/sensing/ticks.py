"""When does a sampled sensor look?

At the whole multiples of its period, counted from the start of the run. An instant is computed as a product
and never as the one before plus the period, so that rounding does not add up.
"""

from __future__ import annotations

from math import ceil


def tick_from(time: float, period: float) -> int:
    """Return the number of the first tick that is not before a time."""
    number = ceil(time / period)
    while (number - 1) * period >= time:
        number -= 1
    while number * period < time:
        number += 1
    return number
