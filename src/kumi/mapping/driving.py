"""How does a car follow a way past walls that it must not touch?

It looks at some hundred ways to drive its next half metre: two arcs, each forward or back, with the wheel straight, half
or fully turned. Each is judged by where it leads along the way, by how it then looks, and by the room that the whole
platform has in the meantime, by the map so far. It begins the best one, and looks again at the next scan. So it turns
where there is room for it, backs out of corners, and leaves a wall as it came there. A way may be left unfinished: what
counts is its best place.

The platform is taken as three discs along its middle. What touches it although the map shows nothing there is believed:
for some scans it does not go that way again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import radians, tau

import numpy as np
from numpy.typing import NDArray

from kumi._core import Point
from kumi.geometry import Pose
from kumi.mapping.models import BACK, FRONT, SIDE
from kumi.mapping.occupancy import OccupancyMap
from kumi.mapping.odometry import drive
from kumi.maths import atan2, cos, hypot, matmul, sin
from kumi.planning.costs import clearances

Numbers = NDArray[np.float64]

SHARPEST = radians(38.0)
"""The greatest steering angle; the packet robot's servo ends at 40 degrees."""

ANGLES = (0.0, SHARPEST / 2, -SHARPEST / 2, SHARPEST, -SHARPEST)
FIRST_ARCS, SECOND_ARC = (0.1, 0.2), 0.25
"""Metres: how long the first arc may be, and how long the second is."""

CHECK_SPACING = 0.05
"""Metres from one place on an arc to the next at which the room is looked at."""

DISCS = (-0.025, 0.075, 0.175)
"""Metres from the middle of the rear axle to the middles of three discs that cover the platform."""
RADIUS = float(hypot(SIDE, (FRONT + BACK) / 6))

LEAST_CLEARANCE, EASY_CLEARANCE = 0.05, 0.12
"""Metres between a disc and the middle of an occupied cell: what is less than the first is hardly room at all, and from
the second on there is plenty."""
NO_ROOM, LITTLE_ROOM = 6.0, 0.5
"""What a metre of missing room costs at each place, in metres of way."""

REFUSED = 100.0
"""What a place too near to another robot costs."""

FORWARD, BACKWARD = 0.35, 0.6
"""What a metre costs beside what it gains."""
CHANGE = 0.08
"""Metres of way that going the other direction costs."""
SWING = 0.03
"""Metres of way that turning the wheel by a radian costs: while it turns, odometry errs."""
LOOK_COST = 0.3
"""Metres of way that a radian costs by which it looks aside from its way."""
SIDE_COST = 1.0
"""Metres of way that a metre aside of it costs."""
DIRECTION_LOOKAHEAD = 0.15
"""Metres along the way to the point by which its direction is told."""
LOOKED_AT = 1.5
"""Metres around a robot within which room is looked for: the places of the next half metre, and plenty around them."""

FAR_DISTANCE = 1.0
"""Metres of its way that are looked at."""
BARRED = 12
"""Scans for which it does not go again where it got stuck."""


@dataclass(frozen=True, slots=True)
class DriveCommand:
    """What a robot is told: metres a second, and the angle of its front wheel, to the left positive."""

    speed: float
    steering: float


STAND = DriveCommand(0.0, 0.0)


class Clearances:
    """How far places near a robot are from what is occupied, and where other robots are, to which `apart` metres are kept."""

    def __init__(
        self, drawn: OccupancyMap, here: Point, others: Sequence[Point] = (), apart: float = 0.0
    ) -> None:
        self._map = drawn = drawn.around(here, LOOKED_AT)
        self._away = np.pad(clearances(drawn.occupied) * drawn.cell, 1, constant_values=np.inf)
        self._others = [np.array([other.x, other.y]) for other in others]
        self._apart = apart

    def at(self, places: Numbers) -> Numbers:
        """Return the metres of room at places, an array of x and y; infinite where nothing is known around."""
        drawn = self._map
        cells = np.floor(places / drawn.cell).astype(int) - np.array([drawn.column, drawn.row]) + 1
        rows, columns = self._away.shape
        away: Numbers = self._away[
            np.clip(cells[..., 1], 0, rows - 1), np.clip(cells[..., 0], 0, columns - 1)
        ].astype(float)
        return away

    def is_near_others(self, here: Point, places: Numbers) -> NDArray[np.bool_]:
        """Tell which places are nearer to another robot than is kept, and nearer than a robot is that is here."""
        near = np.zeros(places.shape[:-1], dtype=np.bool_)
        for other in self._others:
            now = float(hypot(here.x - other[0], here.y - other[1]))
            near |= hypot(places[..., 0] - other[0], places[..., 1] - other[1]) < min(self._apart, now)
        return near


class Rollouts:
    """The ways to drive the next half metre, as seen from the robot."""

    def __init__(self, wheelbase: float) -> None:
        arcs = list(product((1.0, -1.0), ANGLES))
        chosen = [(*one, length, *other) for one in arcs for length in FIRST_ARCS for other in arcs]
        samples = [_sampled(wheelbase, *each) for each in chosen]
        most = max(map(len, samples))
        poses = [[*each, *[each[-1]] * (most - len(each))] for each in samples]
        places = np.array([[(pose.position.x, pose.position.y) for pose in each] for each in poses])
        headings = np.array([[pose.heading for pose in each] for each in poses])
        along = np.stack([cos(headings), sin(headings)], axis=-1)
        self.discs: Numbers = places[:, :, None, :] + along[:, :, None, :] * np.array(DISCS)[:, None]
        self.places: Numbers = places
        self.headings: Numbers = headings
        self.orders = [(direction, angle) for direction, angle, *_ in chosen]
        self.directions: Numbers = np.array([direction for direction, *_ in chosen])
        self.angles: Numbers = np.array([angle for _, angle in self.orders])
        self.costs: Numbers = np.array([_costs(*each, count=most) for each in chosen])


def _sampled(
    wheelbase: float, first: float, angle: float, length: float, second: float, other: float
) -> list[Pose]:
    """Return the poses on two arcs, from the origin on."""
    poses, pose = [], Pose(Point(0.0, 0.0))
    for direction, steering, way in ((first, angle, length), (second, other, SECOND_ARC)):
        for _ in range(round(way / CHECK_SPACING)):
            pose = drive(pose, direction * CHECK_SPACING, steering, wheelbase)
            poses.append(pose)
    return poses


def _costs(
    first: float, _angle: float, length: float, second: float, _other: float, *, count: int
) -> list[float]:
    """Return what it costs to come to each place of two arcs."""
    begun = round(length / CHECK_SPACING)
    directions = [first] * begun + [second] * round(SECOND_ARC / CHECK_SPACING)
    steps = [CHECK_SPACING * (FORWARD if direction > 0 else BACKWARD) for direction in directions]
    steps[begun] += CHANGE if first != second else 0.0
    steps += [0.0] * (count - len(steps))
    return np.cumsum(steps).tolist()  # type: ignore[no-any-return]  # numpy does not say what a list holds


class Driver:
    """Follows a way with a car of a wheelbase, at a speed."""

    def __init__(self, wheelbase: float, speed: float) -> None:
        self.speed = speed
        self._rollouts = Rollouts(wheelbase)
        self._last: tuple[float, float] | None = None
        self._barred: dict[tuple[float, float], int] = {}

    def drive(self, pose: Pose, way: Sequence[Point], room: Clearances, *, is_stuck: bool) -> DriveCommand:
        """Return what to do next; `is_stuck` tells that it did not move although it was told to."""
        self._barred = {order: left - 1 for order, left in self._barred.items() if left > 1}
        if is_stuck and self._last is not None:
            self._barred[self._last] = BARRED
        rolls = self._rollouts
        prices = (rolls.costs + self._gains(pose, way) + self._narrowness(pose, room)).min(axis=1)
        if self._last is not None:
            prices = prices + CHANGE * (rolls.directions != self._last[0])
            prices = prices + SWING * np.abs(rolls.angles - self._last[1])
        prices = prices + np.array([1e3 if order in self._barred else 0.0 for order in rolls.orders])
        direction, steering = self._last = rolls.orders[int(prices.argmin())]
        return DriveCommand(direction * self.speed, steering)

    def stand(self) -> DriveCommand:
        """Stand; what was begun is over."""
        self._last = None
        return STAND

    def _turned(self, pose: Pose, places: Numbers) -> Numbers:
        c, s = cos(pose.heading), sin(pose.heading)
        turned: Numbers = matmul(places, np.array([[c, s], [-s, c]])) + np.array(
            [pose.position.x, pose.position.y]
        )
        return turned

    def _gains(self, pose: Pose, way: Sequence[Point]) -> Numbers:
        """Return how far each place is from the end of the way ahead, aside of it, and from looking along it."""
        points = np.array([(place.x, place.y) for place in part_ahead(pose.position, way)])
        apart = np.diff(points, axis=0)
        steps = hypot(apart[:, 0], apart[:, 1])
        rest = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
        places = self._turned(pose, self._rollouts.places)
        away = hypot(places[:, :, None, 0] - points[:, 0], places[:, :, None, 1] - points[:, 1])
        nearest = away.argmin(axis=2)
        # The point a little ahead on the way tells where to look; at its end, the way as it came there.
        target = np.searchsorted(-rest, -(rest - DIRECTION_LOOKAHEAD)).clip(0, len(points) - 1)
        before = np.maximum(np.minimum(np.arange(len(points)), target - 1), 0)
        step = points[target] - points[before]
        wanted = atan2(step[:, 1], step[:, 0])[nearest]
        off = np.abs((self._rollouts.headings + pose.heading - wanted + tau / 2) % tau - tau / 2)
        gains: Numbers = rest[nearest] + SIDE_COST * away.min(axis=2) + LOOK_COST * off
        return gains

    def _narrowness(self, pose: Pose, room: Clearances) -> Numbers:
        """Return what the missing room costs up to each place."""
        discs = self._turned(pose, self._rollouts.discs)
        left = room.at(discs).min(axis=2) - RADIUS
        prices = NO_ROOM * np.clip(LEAST_CLEARANCE - left, 0.0, None) + LITTLE_ROOM * np.clip(
            EASY_CLEARANCE - left, 0.0, None
        )
        middle = pose.position + Point.polar(DISCS[1], pose.heading)
        prices += REFUSED * room.is_near_others(middle, discs[:, :, 1])
        up_to: Numbers = prices.cumsum(axis=1)
        return up_to


def part_ahead(here: Point, way: Sequence[Point], length: float = FAR_DISTANCE) -> Sequence[Point]:
    """Return the part of a way from its point nearest to a place on, so many metres long."""
    nearest = min(range(len(way)), key=lambda index: abs(way[index] - here))
    walked = 0.0
    for index in range(nearest + 1, len(way)):
        walked += abs(way[index] - way[index - 1])
        if walked >= length:
            return way[nearest : index + 1]
    return way[nearest:]
