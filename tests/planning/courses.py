"""Paths whose fastest drive is known, and random ones."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from kumi.planning.paths import Path


def straight(
    length: float, count: int = 2, start: tuple[float, float] = (0.0, 0.0), heading: float = 0.0
) -> Path:
    """Return a straight path from a place."""
    s = np.linspace(0.0, length, count)
    return Path(start[0] + s * cos(heading), start[1] + s * sin(heading), heading + 0 * s, 0 * s, s)


def circle(radius: float, count: int = 50) -> Path:
    """Return one turn to the left about (0, radius)."""
    s = np.linspace(0.0, 2 * pi * radius, count)
    turn = s / radius
    return Path(radius * np.sin(turn), radius - radius * np.cos(turn), turn, 0 * s + 1 / radius, s)


def line_arc_line(first: float, radius: float, turn: float, last: float) -> Path:
    """Return a line, an arc and a line; the curvature jumps where they meet."""
    ways = [0.0, first, first, first + radius * turn, first + radius * turn, first + radius * turn + last]
    headings = [0.0, 0.0, 0.0, turn, turn, turn]
    bends = [0.0, 0.0, 1 / radius, 1 / radius, 0.0, 0.0]
    x, y = first + radius * sin(turn), radius - radius * cos(turn)
    places = [
        (0.0, 0.0),
        (first, 0.0),
        (first, 0.0),
        (x, y),
        (x, y),
        (x + last * cos(turn), y + last * sin(turn)),
    ]
    rows = zip(places, headings, bends, ways, strict=True)
    return Path.of((x, y, heading, bend, s) for (x, y), heading, bend, s in rows)


def winding(seed: int, length: float = 20.0, count: int = 400) -> Path:
    """Return a smooth path with random bends."""
    chance = np.random.default_rng(seed)
    s = np.linspace(0.0, length, count)
    waves = zip(range(1, 6), chance.uniform(-0.4, 0.4, 5), chance.uniform(0.0, 6.0, 5), strict=True)
    bends = np.sum([size * np.sin(2 * pi * wave * s / length + phase) for wave, size, phase in waves], axis=0)
    steps = np.diff(s)
    heading = np.append(0.0, np.cumsum((bends[1:] + bends[:-1]) / 2 * steps))
    middle = (heading[1:] + heading[:-1]) / 2
    x, y = (np.append(0.0, np.cumsum(turn(middle) * steps)) for turn in (np.cos, np.sin))
    return Path(x, y, heading, bends, s)
