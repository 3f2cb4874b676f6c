"""The task of local avoidance that engines share: discs of 8.5 cm fill a twentieth of a square, and each drives to a place of its own.

They decide ten times a second by ORCA among those within 50 cm, at 0.2 m/s, for 10 simulated seconds a scene; nobody who has far to
go has arrived by then. Making the scene, and its first second, do not count.
"""

from __future__ import annotations

from itertools import count
from math import hypot, pi, sqrt
from random import Random
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.scene import Place

RADIUS, SPEED, REACH, PERIOD, DENSITY, MOST = 0.085, 0.2, 0.5, 0.1, 0.05, 10.0


def avoidance_scene(number: int, seed: int) -> tuple[float, list[Place], list[Place]]:
    """Return the side of the square, where each begins, and where it is to go."""
    chance, side = Random(seed), sqrt(number * pi * RADIUS**2 / DENSITY)
    return side, apart(number, side, chance), apart(number, side, chance)


def apart(number: int, side: float, chance: Random) -> list[Place]:
    """Draw places that keep discs on them apart."""
    gap, found = 2.4 * RADIUS, list[tuple[float, float]]()
    taken: dict[tuple[int, int], list[Place]] = {}
    while len(found) < number:
        x, y = chance.uniform(0.0, side), chance.uniform(0.0, side)
        cell = int(x / gap), int(y / gap)
        near = (
            one for i in (-1, 0, 1) for j in (-1, 0, 1) for one in taken.get((cell[0] + i, cell[1] + j), ())
        )
        if all(hypot(x - there_x, y - there_y) > gap for there_x, there_y in near):
            taken.setdefault(cell, []).append((x, y))
            found.append((x, y))
    return found


def simulated_per_second(begin: Callable[[int], Callable[[float], object]], budget: float) -> float:
    """Let scene after scene go on, half a second at a time, until the budget of CPU seconds is spent."""
    spent = passed = 0.0
    for seed in count():
        run_to, time = begin(seed), 0.0
        while time < MOST:
            time += 0.5
            begun = process_time()
            run_to(time)
            spent += process_time() - begun
            passed += 0.5
            if spent >= budget:
                return passed / spent
    raise AssertionError("seeds do not end")
