"""Ways and maps are judged by numbers that one can count oneself."""

from __future__ import annotations

import numpy as np
import pytest

from kumi.geometry import Bounds, Outline, Point, Pose
from kumi.mapping import MappingError, OccupancyMap, Truth, trajectory_error
from kumi.planning.space import Space

ROOM = Space([Outline(((0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)))], Bounds(0.0, 0.0, 1.0, 1.0))
"""One by one metre, with a box of 20 cm in the middle."""


def drawn(is_wall: np.ndarray) -> OccupancyMap:
    """Return a map of 20 by 20 cells that is free where it is no wall."""
    return OccupancyMap(np.where(is_wall, 4.0, -2.0).astype(np.float32), 0, 0, 0.05)


def test_the_error_of_a_way_is_the_root_of_the_mean_square() -> None:
    true = [Pose(Point(x, 0.0)) for x in (0.0, 1.0)]
    off = [Pose(Point(0.0, 0.3)), Pose(Point(1.4, 0.0))]

    assert trajectory_error(off, true) == pytest.approx((0.5 * (0.09 + 0.16)) ** 0.5)
    with pytest.raises(MappingError, match="1 poses are compared with 2 true ones"):
        trajectory_error(off[:1], true)


def test_a_right_map_is_wholly_right() -> None:
    walls = np.zeros((20, 20), dtype=bool)
    walls[[0, -1], :] = walls[:, [0, -1]] = True
    walls[8:12, 8:12] = True
    score = Truth(ROOM, (0.2, 0.2)).score(drawn(walls))

    assert (score.precision, score.recall, score.coverage) == (1.0, 1.0, 1.0)


def test_a_wall_on_free_floor_costs_precision_and_a_missing_one_recall() -> None:
    """Of 80 cells around the border one side of 20 is missing; 4 of the cells that are there stand in the way."""
    walls = np.zeros((20, 20), dtype=bool)
    walls[0, :] = walls[:, [0, -1]] = True
    walls[8:12, 8:12] = True
    walls[4, 3:7] = True
    score = Truth(ROOM, (0.2, 0.2)).score(drawn(walls))

    assert score.precision == pytest.approx(1 - 4 / np.count_nonzero(walls))
    assert 0.78 < score.recall < 0.87


def test_what_nobody_saw_is_not_covered() -> None:
    half = np.full((20, 20), -2.0, dtype=np.float32)
    half[:, 10:] = 0.0

    assert Truth(ROOM, (0.2, 0.2)).coverage(OccupancyMap(half, 0, 0, 0.05)) == pytest.approx(0.5)


def test_the_truth_begins_on_the_floor() -> None:
    with pytest.raises(MappingError, match=r"\(0.5, 0.5\) is no place on the floor"):
        Truth(ROOM, (0.5, 0.5))
