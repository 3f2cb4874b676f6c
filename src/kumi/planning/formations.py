"""Where in a formation is each robot's place?

A formation gives each robot a place in a frame that travels with it: x ahead, y to the left, the mean of all
places at the origin. Where that frame is, a robot tells from others: from the mean of all (the unit centre),
from the leader, which is robot 0, or from one neighbour. A leader keeps no place; it leads.

Any number of robots fits: those with low numbers are in front or in the middle, odd ones on the left. Whose
position is not known is left out of the unit centre, together with its place.

Source: the formations and the three references are those of Balch and Arkin's "Behavior-based formation
control for multirobot teams" (1998).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt

from kumi.geometry import Point, as_point
from kumi.geometry.points import as_size
from kumi.planning.enclosing_circle import mean

LEADER = 0
"""The number of the robot that leads."""


class Reference(Enum):
    """By whom a robot finds its place."""

    UNIT_CENTRE = "unit-centre"
    LEADER = "leader"
    NEIGHBOUR = "neighbour"


@dataclass(frozen=True)
class Formation:
    """A place for each robot, and the robot that each one takes for its neighbour.

    The places are shifted so that their mean is the origin. Without neighbours each robot follows the one with
    the number before its own.
    """

    places: tuple[Point, ...]
    neighbours: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        places = [as_point(place, "a place of a formation") for place in self.places]
        if not places:
            raise ValueError("a formation has at least one place")
        middle = mean(places)
        object.__setattr__(self, "places", tuple(place - middle for place in places))
        neighbours = tuple(self.neighbours) or tuple(max(0, number - 1) for number in range(len(places)))
        _check(neighbours, len(places))
        object.__setattr__(self, "neighbours", neighbours)

    def __len__(self) -> int:
        return len(self.places)

    def keepers(self, reference: Reference) -> tuple[int, ...]:
        """Return the robots that keep a place: all, or all but the leader."""
        return tuple(range(0 if reference is Reference.UNIT_CENTRE else 1, len(self)))

    def origin(self, reference: Reference, number: int, at: Mapping[int, Point], heading: float) -> Point:
        """Return where a robot believes the origin of the formation to be; `at` tells where the robots are.

        The leader is itself the reference, also where no other robot is known.
        """
        match reference:
            case Reference.UNIT_CENTRE:
                known = [other for other in at if other < len(self)]
            case Reference.LEADER:
                known = [LEADER]
            case Reference.NEIGHBOUR:
                known = [self.neighbours[number]]
        known = [other for other in known if other in at]
        if not known:
            raise ValueError(f"robot {number} knows no position by which it could find its place")
        return mean([at[other] for other in known]) - mean([self.places[k] for k in known]).turned(heading)

    def place(self, reference: Reference, number: int, at: Mapping[int, Point], heading: float) -> Point:
        """Return where a robot should be, while the formation travels with a heading in radians."""
        return self.origin(reference, number, at, heading) + self.places[number].turned(heading)

    def start(self, reference: Reference, number: int, at: Point, heading: float) -> Point:
        """Return a robot's place where the unit centre, or else the leader, stands at a point."""
        middle = Point(0.0, 0.0) if reference is Reference.UNIT_CENTRE else self.places[LEADER]
        return at + (self.places[number] - middle).turned(heading)


def _check(neighbours: Sequence[int], count: int) -> None:
    if len(neighbours) != count:
        raise ValueError(f"a formation of {count} has a neighbour for each, not {len(neighbours)}")
    for number, neighbour in enumerate(neighbours):
        if not (0 <= neighbour < number or number == neighbour == LEADER):
            raise ValueError(
                f"the neighbour of robot {number} is one with a lower number, of robot 0 itself, not {neighbour}"
            )


def line(count: int, spacing: float) -> Formation:
    """Robots side by side: 0 in the middle, odd numbers to its left, even ones to its right."""
    return _in_wings(count, Point(0.0, as_size(spacing, "a spacing")))


def wedge(count: int, spacing: float) -> Formation:
    """A V that opens to the back at a right angle: 0 at the tip, odd numbers on the left."""
    step = as_size(spacing, "a spacing") / sqrt(2.0)
    return _in_wings(count, Point(-step, step))


def column(count: int, spacing: float) -> Formation:
    """Robots one behind the other, in the order of their numbers."""
    back = as_size(spacing, "a spacing")
    return Formation(tuple(Point(-back * number, 0.0) for number in _numbers(count)))


def diamond(count: int, spacing: float) -> Formation:
    """Robots on the outline of a square that travels corner first: 0 in front, the others behind on both sides.

    The spacing is that along the outline. Four robots are on the corners, eight on corners and middles.
    """
    side = as_size(spacing, "a spacing") * count / 4.0
    places = []
    for number in _numbers(count):
        way = spacing * _rank(number)
        back = way / sqrt(2.0)
        out = min(way, 2.0 * side - way) / sqrt(2.0)
        places.append(Point(-back, out if number % 2 else -out))
    return Formation(tuple(places), _two_before(count))


def _in_wings(count: int, step: Point) -> Formation:
    """Return a formation with a wing on each side; `step` leads from robot to robot on the left."""
    right = Point(step.x, -step.y)
    places = tuple((step if number % 2 else right) * _rank(number) for number in _numbers(count))
    return Formation(places, _two_before(count))


def _rank(number: int) -> int:
    """Return how many steps from robot 0 a robot is on its side: 0, 1, 1, 2, 2 and so on."""
    return (number + 1) // 2


def _two_before(count: int) -> tuple[int, ...]:
    """Return the next one towards robot 0 on the same side."""
    return tuple(max(0, number - 2) for number in range(count))


def _numbers(count: int) -> range:
    if count < 1:
        raise ValueError(f"a formation has at least one robot, not {count}")
    return range(count)


FORMATIONS: Mapping[str, Callable[[int, float], Formation]] = {
    "line": line,
    "column": column,
    "diamond": diamond,
    "wedge": wedge,
}
"""What makes each formation that has a name, from the number of robots and their spacing in metres."""
