"""The length of the shortest drive between two poses, by formulas that share nothing with those of kumi.

Shkel and Lumelsky, "Classification of the Dubins set", 2001: each word has a length in closed form by the distance and
by the headings against the line between the ends, all for a radius of 1.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, inf, pi, sin, sqrt, tau

import numpy as np

Pose = tuple[float, float, float]


def dubins_length(start: Pose, goal: Pose, radius: float = 1.0) -> float:
    """Return the least length of the six words."""
    x, y = (goal[0] - start[0]) / radius, (goal[1] - start[1]) / radius
    line, d = atan2(y, x), hypot(x, y)
    a, b = (start[2] - line) % tau, (goal[2] - line) % tau
    return radius * min(with_straight(a, b, d), with_turns(a, b, d))


def with_straight(a: float, b: float, d: float) -> float:
    """Return the least length of LSL, RSR, LSR and RSL."""
    sa, sb, ca, cb = sin(a), sin(b), cos(a), cos(b)
    found = [inf]
    if (square := 2 + d * d - 2 * cos(a - b) + 2 * d * (sa - sb)) >= 0:
        along = atan2(cb - ca, d + sa - sb)
        found.append((along - a) % tau + sqrt(square) + (b - along) % tau)
    if (square := 2 + d * d - 2 * cos(a - b) + 2 * d * (sb - sa)) >= 0:
        along = atan2(ca - cb, d - sa + sb)
        found.append((a - along) % tau + sqrt(square) + (along - b) % tau)
    if (square := -2 + d * d + 2 * cos(a - b) + 2 * d * (sa + sb)) >= 0:
        along = atan2(-ca - cb, d + sa + sb) - atan2(-2, sqrt(square))
        found.append((along - a) % tau + sqrt(square) + (along - b) % tau)
    if (square := -2 + d * d + 2 * cos(a - b) - 2 * d * (sa + sb)) >= 0:
        along = atan2(ca + cb, d - sa - sb) - atan2(2, sqrt(square))
        found.append((a - along) % tau + sqrt(square) + (b - along) % tau)
    return min(found)


def with_turns(a: float, b: float, d: float) -> float:
    """Return the least length of RLR and LRL."""
    sa, sb, ca, cb = sin(a), sin(b), cos(a), cos(b)
    found = [inf]
    if abs(share := (6 - d * d + 2 * cos(a - b) + 2 * d * (sa - sb)) / 8) <= 1:
        middle = tau - acos(share)
        first = (a - atan2(ca - cb, d - sa + sb) + middle / 2) % tau
        found.append(first + middle + (a - b - first + middle) % tau)
    if abs(share := (6 - d * d + 2 * cos(a - b) - 2 * d * (sa - sb)) / 8) <= 1:
        middle = tau - acos(share)
        first = (-a - atan2(ca - cb, d + sa - sb) + middle / 2) % tau
        found.append(first + middle + (b - a - first + middle) % tau)
    return min(found)


def random_poses(seed: int, count: int, near: float = 1.0, far: float = 16.0) -> list[tuple[Pose, Pose]]:
    """Return pairs of poses from so near to so far apart, anywhere and of any headings."""
    chance = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        apart, towards, first, last = chance.uniform([near, -pi, -pi, -pi], [far, pi, pi, pi]).tolist()
        x, y = chance.uniform(-50, 50, 2).tolist()
        pairs.append(((x, y, first), (x + apart * cos(towards), y + apart * sin(towards), last)))
    return pairs
