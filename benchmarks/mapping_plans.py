"""How does a floor look that nobody shipped?

`random_plan(seed)` makes a place of 5 by 3.5 m: thin walls from border to border, level, upright or slanting, with
gaps, thin walls that stand alone, round and square pillars, and triangles, all turned anyhow. Walls may cross; all
else stands where robots pass on every side. The floor stays one for robots: a disc in which a platform can turn comes
from everywhere to everywhere, and near to every surface. Robots start where there is room, apart from each other, and
look anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, tau

import numpy as np
from numpy.typing import NDArray

from kumi.devs import Chance
from kumi.devs.chance import stream
from kumi.geometry import Outline, Point
from kumi.mapping.criteria import reached
from kumi.planning.costs import clearances
from kumi.scenario.spaces import space_of
from kumi.world import Block, Map, Pillar, Wall
from kumi.world.obstacles import Obstacle

Start = tuple[float, float, float]
Things = Sequence[Obstacle]
Make = Callable[[Chance], Things]

WIDTH, HEIGHT = 5.0, 3.5
GAP = (0.7, 1.0)
"""Metres of the least and of the widest gap in a wall; the doors of the shipped places have 0.8 m."""

THIN = (0.02, 0.06)
"""Metres: how thick walls are."""

ROOM = 0.28
"""Metres: the radius of a disc that comes to all of the floor; a platform has 0.2 by 0.3 m."""

NEAR = 0.5
"""Metres from the places of that disc up to which there may be floor, as in a corner, but not in a cleft."""

APART = 1.0
"""Metres between two starts, at least."""

STUB = 0.15
"""Metres of wall beside a gap, at least."""

FINE = 0.05
TRIES = 50


@dataclass(frozen=True)
class Plan:
    """A place, and where robots start in it: x, y and heading."""

    ground: Map
    starts: list[Start]


def random_plan(seed: int, robots: int = 3) -> Plan:
    """Return the plan of a seed."""
    chance = stream(seed, "plan")
    while True:
        things = _things(chance)
        if things is not None:
            ground = Map(WIDTH, HEIGHT, obstacles=things, name=f"plan {seed}")
            return Plan(ground, _starts(chance, ground, robots))


def _things(chance: Chance) -> Things | None:
    """Put down one wall with gaps, or two across, then what stands alone; None if something finds no room."""
    things: list[Obstacle] = []
    walls = chance.shuffled([_upright_wall, _level_wall])
    for make, (least, most) in {walls[0]: (1, 1), walls[1]: (0, 1), **ALONE}.items():
        for number in range(chance.integer(least, most)):
            made = _fitting(chance, make, things)
            if made is None and number < least:
                return None
            things += made or ()
    return things


def _fitting(chance: Chance, make: Make, things: Things) -> Things | None:
    """Return something made by chance that fits to the things that are there, or None if many tries did not."""
    away = _clearances(Map(WIDTH, HEIGHT, obstacles=things))
    for _ in range(TRIES):
        made = make(chance)
        if not (make in ALONE and _is_cramped(away, made)) and is_one_floor([*things, *made]):
            return made
    return None


def _is_cramped(away: NDArray[np.float64], made: Things) -> bool:
    """Tell whether robots do not pass between something and what is there, or a border."""
    beside = _clearances(Map(obstacles=made)) <= FINE
    return not beside.any() or bool((away[beside] < 2.0 * ROOM).any())


def is_one_floor(things: Things) -> bool:
    """Tell whether among all these a robot can come from everywhere to everywhere, and near to every surface."""
    away = _clearances(Map(WIDTH, HEIGHT, obstacles=things))
    wide = away >= ROOM
    if not wide.any():
        return False
    first = np.unravel_index(int(away.argmax()), away.shape)
    hangs_together = bool((reached(wide, (int(first[0]), int(first[1]))) == wide).all())
    return hangs_together and bool((clearances(wide)[away > 0.0] * FINE <= NEAR).all())


def _clearances(ground: Map) -> NDArray[np.float64]:
    """Return how far the places of a fine grid are from anything solid, the lowest row first."""
    xs, ys = (np.arange(FINE / 2, size, FINE) for size in (WIDTH, HEIGHT))
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return space_of(ground).clearances(places, limit=1.0).reshape(len(ys), len(xs))


def _starts(chance: Chance, ground: Map, robots: int) -> list[Start]:
    """Choose places with room, apart from each other."""
    rows, columns = np.nonzero(_clearances(ground) >= ROOM)
    while True:
        chosen = [chance.integer(0, len(rows) - 1) for _ in range(robots)]
        places = [Point((columns[one] + 0.5) * FINE, (rows[one] + 0.5) * FINE) for one in chosen]
        pairs = [(one, other) for number, one in enumerate(places) for other in places[:number]]
        if all(abs(one - other) >= APART for one, other in pairs):
            return [(place.x, place.y, chance.uniform(-pi, pi)) for place in places]


def _upright_wall(chance: Chance) -> Things:
    """Make a wall with gaps from the lower border to the upper one."""
    x, slant = chance.uniform(1.0, WIDTH - 1.0), _slant(chance)
    return _with_gaps(chance, Point(x - slant, 0.0), Point(x + slant, HEIGHT))


def _level_wall(chance: Chance) -> Things:
    """Make a wall with gaps from the left border to the right one."""
    y, slant = chance.uniform(0.9, HEIGHT - 0.9), _slant(chance)
    return _with_gaps(chance, Point(0.0, y - slant), Point(WIDTH, y + slant))


def _slant(chance: Chance) -> float:
    """Return how far the ends of a wall are off: two of five walls slant."""
    return chance.uniform(-0.5, 0.5) if chance.happens(0.4) else 0.0


def _with_gaps(chance: Chance, start: Point, end: Point) -> Things:
    """Make a wall with one or two gaps; a stub too short to be a wall is left out."""
    thickness, length = chance.uniform(*THIN), abs(end - start)
    at, parts = 0.0, []
    for _ in range(chance.integer(1, 2)):
        wide = chance.uniform(*GAP)
        gap = chance.uniform(at, max(at, length - wide))
        parts.append((at, gap))
        at = gap + wide
    parts.append((at, length))
    along = (end - start) / length
    return [
        Wall(start + along * low, start + along * high, thickness) for low, high in parts if high - low > STUB
    ]


def _lone_wall(chance: Chance) -> Things:
    middle, half = _place(chance), Point.polar(chance.uniform(0.2, 0.45), chance.uniform(0.0, pi))
    return [Wall(middle - half, middle + half, chance.uniform(*THIN))]


def _triangle(chance: Chance) -> Things:
    """Make a triangle: its corners lie on a circle, 80 to 140 degrees from each other."""
    middle, radius, first = _place(chance), chance.uniform(0.15, 0.28), chance.uniform(0.0, tau)
    turns = [chance.uniform(4 * pi / 9, 7 * pi / 9), chance.uniform(4 * pi / 9, 7 * pi / 9)]
    angles = [first, first + turns[0], first + turns[0] + turns[1]]
    return [Block(Outline([middle + Point.polar(radius, angle) for angle in angles]))]


def _square(chance: Chance) -> Things:
    middle, radius, first = _place(chance), chance.uniform(0.1, 0.24), chance.uniform(0.0, tau)
    return [Block(Outline([middle + Point.polar(radius, first + tau * step / 4) for step in range(4)]))]


def _round(chance: Chance) -> Things:
    return [Pillar(_place(chance), chance.uniform(0.06, 0.16))]


def _place(chance: Chance) -> Point:
    return Point(chance.uniform(0.0, WIDTH), chance.uniform(0.0, HEIGHT))


ALONE: dict[Make, tuple[int, int]] = {
    _triangle: (1, 2),
    _lone_wall: (1, 2),
    _square: (1, 2),
    _round: (1, 2),
}
"""What is made to stand alone, and how many of it at least and at most."""
