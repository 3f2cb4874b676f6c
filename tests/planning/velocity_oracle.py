"""What half-planes leave, found by trying every place that can be the best: a slow and plain twin of the core.

The best velocity is the wanted one, or lies on the border of one half-plane or of the disc nearest to it, or where two of these borders meet.
The least violation is reached where as many half-planes as needed to pin it are violated alike.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Planes = Numbers
"""One row for each half-plane: normal and bound."""


def excess(planes: Planes, velocity: Numbers) -> float:
    """By how much the worst half-plane is violated; minus infinity without any."""
    return float((planes[:, :2] @ velocity - planes[:, 2]).max()) if len(planes) else -np.inf


def nearest(planes: Planes, wanted: Numbers, top: float, slack: float = 1e-9) -> Numbers | None:
    """Return the velocity in all half-planes and the disc that is nearest to the wanted one; None where there is none."""
    size = float(np.hypot(*wanted))
    places = [wanted, wanted * (top / size) if size else wanted]
    for plane in planes:
        places.append(wanted - plane[:2] * (plane[:2] @ wanted - plane[2]))
        places += on_circle(plane, top)
    places += [
        corner for one, other in combinations(planes, 2) if (corner := meeting(one, other)) is not None
    ]
    fine = [p for p in places if excess(planes, p) <= slack and np.hypot(*p) <= top + slack]
    return min(fine, key=lambda p: float(np.hypot(*(p - wanted)))) if fine else None


def least_excess(hard: Planes, soft: Planes, top: float, slack: float = 1e-9) -> float:
    """Return the least worst violation of the soft half-planes within the hard ones and the disc."""
    places = [np.zeros(2)]
    borders = list(hard)
    places += [-plane[:2] * top for plane in soft]  # one alone is least violated far against its normal
    for one, other in combinations(soft, 2):  # of two, where both are violated alike
        between = np.append(one[:2] - other[:2], one[2] - other[2])
        length = float(np.hypot(*between[:2]))
        if length > 1e-9:
            borders.append(between / length)
    for border in borders:
        places += on_circle(border, top)
    places += [
        corner for one, other in combinations(borders, 2) if (corner := meeting(one, other)) is not None
    ]
    fine = [p for p in places if excess(hard, p) <= slack and np.hypot(*p) <= top + slack]
    return min(excess(soft, p) for p in fine)


def on_circle(plane: Numbers, top: float) -> list[Numbers]:
    """Return where a border meets the circle of the top speed."""
    left = top * top - plane[2] ** 2
    if left < 0.0:
        return []
    along = np.array([-plane[1], plane[0]]) * np.sqrt(left)
    return [plane[:2] * plane[2] + along, plane[:2] * plane[2] - along]


def meeting(one: Numbers, other: Numbers) -> Numbers | None:
    """Return where two borders meet; None where they are as good as parallel."""
    turn = one[0] * other[1] - one[1] * other[0]
    if abs(turn) < 1e-9:
        return None
    across = np.array([one[2] * other[1] - other[2] * one[1], one[0] * other[2] - other[0] * one[2]])
    return across / float(turn)
