"""How do maps of several robots become one?

`merge` adds the evidence of maps in one frame. Walls are thin and robots a little off, so that one robot may call a
cell free that another calls a wall: a cell that any map calls occupied stays occupied, unless the sum has an occupied
cell beside it, which is then the same wall. So no wall gets lost.

`moved` lays a map into another frame. Which frame, the maps themselves tell, see `match`, or two robots that see each
other: `frame_of_meeting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from kumi._core import Point
from kumi.geometry import Pose, wrapped
from kumi.mapping.occupancy import OCCUPIED, OccupancyMap, hull
from kumi.maths import cos, sin
from kumi.planning.costs import inflate

MOST_EVIDENCE = 3.0
"""Nats that one map's evidence of a cell counts at most, so that no robot outweighs all others."""

NEIGHBOUR_RADIUS = 0.8
"""The radius, in cells, of a disc that reaches from a cell into the eight around it and no further."""


def merge(maps: Sequence[OccupancyMap]) -> OccupancyMap:
    """Return one map of what several maps of one frame say."""
    bounds = hull(maps)
    parts = [one.over(bounds) for one in maps]
    if len(parts) == 1:
        return OccupancyMap(parts[0], bounds[0], bounds[1], maps[0].cell)
    total = np.zeros_like(parts[0])
    for part in parts:
        total += np.clip(part, -MOST_EVIDENCE, MOST_EVIDENCE)
    strongest = np.stack(parts).max(axis=0)
    walls = total >= OCCUPIED
    lost = (strongest >= OCCUPIED) & ~inflate(walls, NEIGHBOUR_RADIUS)
    total[lost] = np.minimum(strongest[lost], np.float32(MOST_EVIDENCE))
    return OccupancyMap(total, bounds[0], bounds[1], maps[0].cell)


def moved(drawn: OccupancyMap, frame: Pose) -> OccupancyMap:
    """Return a map in another frame, in which the origin of its own has the pose `frame`.

    Each cell of the new map takes the evidence of the cell in which its middle lies.
    """
    left, bottom, right, top = drawn.bounds
    corners = [placed(frame, Point(x, y)) for x in (left, right) for y in (bottom, top)]
    cell = drawn.cell
    first_column, first_row = (int(np.floor(min(axis) / cell)) for axis in zip(*corners, strict=True))
    last_column, last_row = (int(np.ceil(max(axis) / cell)) for axis in zip(*corners, strict=True))
    xs = (np.arange(first_column, last_column) + 0.5) * cell - frame.position.x
    ys = (np.arange(first_row, last_row) + 0.5) * cell - frame.position.y
    c, s = cos(frame.heading), sin(frame.heading)
    columns = np.floor((c * xs[None, :] + s * ys[:, None]) / cell).astype(int) - drawn.column
    rows = np.floor((c * ys[:, None] - s * xs[None, :]) / cell).astype(int) - drawn.row
    within = (rows >= 0) & (rows < drawn.shape[0]) & (columns >= 0) & (columns < drawn.shape[1])
    evidence = np.zeros(within.shape, dtype=np.float32)
    evidence[within] = drawn.evidence[rows[within], columns[within]]
    return OccupancyMap(evidence, first_column, first_row, cell)


def placed(frame: Pose, place: Point) -> Point:
    """Return a place of a frame whose origin has a pose, as seen from outside."""
    return frame.position + place.turned(frame.heading)


def composed(frame: Pose, pose: Pose) -> Pose:
    """Return a pose of a frame whose origin has a pose, as seen from outside."""
    return Pose(placed(frame, pose.position), wrapped(frame.heading + pose.heading))


def inverse(frame: Pose) -> Pose:
    """Return the pose of the outside as seen from a frame."""
    return Pose((-frame.position).turned(-frame.heading), wrapped(-frame.heading))


def frame_of_meeting(
    mine: Pose, seen: tuple[float, float], theirs: Pose, seen_back: tuple[float, float]
) -> Pose:
    """Return the pose of another robot's frame in mine, when each sees the other.

    `seen` is (distance, bearing) of the other from me, `seen_back` of me from the other, between the places of the
    robots; poses are each in its own frame. Along one line of sight the two directions are opposite, which tells how
    the frames are turned.
    """
    distance = (seen[0] + seen_back[0]) / 2.0
    direction = mine.heading + seen[1]
    heading = wrapped(direction + pi - seen_back[1] - theirs.heading)
    place = mine.position + Point.polar(distance, direction)
    return Pose(place - theirs.position.turned(heading), heading)
