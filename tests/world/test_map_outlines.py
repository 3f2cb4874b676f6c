"""The polygons around the blocked cells of a grid cover these cells, nothing else, and each once."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from kumi.world.outlines import outlines
from tests.world.cells import Cells, cells, grids

Corners = NDArray[np.int64]


def sides(corners: Corners) -> list[tuple[int, int, int, int]]:
    """Return the edges of a polygon."""
    return [
        (*start, *end)
        for start, end in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(), strict=True)
    ]


def covered(polygons: list[Corners], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Count for each cell the polygons around it, by going along its row from the left."""
    counts = np.zeros(shape, dtype=np.int64)
    for polygon in polygons:
        for x, low, _, high in (side for side in sides(polygon) if side[0] == side[2]):
            counts[min(low, high) : max(low, high), x:] += 1 if high < low else -1
    return counts


def points_on(corners: Corners) -> list[tuple[int, int]]:
    """Return all corners of cells that a polygon passes, in order."""
    return [
        (x + np.sign(to_x - x) * step, y + np.sign(to_y - y) * step)
        for x, y, to_x, to_y in sides(corners)
        for step in range(abs(to_x - x) + abs(to_y - y))
    ]


def check(blocked: Cells) -> list[Corners]:
    """Check all laws for one grid."""
    polygons = outlines(blocked)
    assert (covered(polygons, blocked.shape) == blocked).all()
    for polygon in polygons:
        points = points_on(polygon)
        assert len(set(points)) == len(points), "the polygon meets itself"
        assert sum(x * to_y - to_x * y for x, y, to_x, to_y in sides(polygon)) > 0, "the polygon is clockwise"
        turns = [x == to_x for x, _, to_x, _ in sides(polygon)]
        assert all(one != other for one, other in zip(turns, [*turns[1:], turns[0]], strict=True)), (
            "no corner"
        )
    return polygons


@given(grids())
def test_polygons_cover_the_blocked_cells_exactly_once_and_are_simple(blocked: Cells) -> None:
    check(blocked)


@pytest.mark.slow
def test_the_laws_hold_for_every_grid_of_three_by_four() -> None:
    for bits in product([False, True], repeat=12):
        check(np.array(bits, dtype=np.bool_).reshape(3, 4))


def test_an_empty_grid_has_no_polygons() -> None:
    assert check(cells("...", "...")) == []


def test_a_rectangle_is_one_polygon_with_four_corners() -> None:
    (polygon,) = check(cells("....", ".##.", ".##.", "...."))

    assert sorted(polygon.tolist()) == [[1, 1], [1, 3], [3, 1], [3, 3]]


def test_a_concave_region_stays_one_polygon() -> None:
    (polygon,) = check(cells("#.#", "#.#", "###"))

    assert len(polygon) == 8


def test_cells_that_share_a_corner_only_are_polygons_of_their_own() -> None:
    assert len(check(cells("#.", ".#"))) == 2


def test_a_ring_is_cut_once_on_each_side_of_its_hole() -> None:
    assert len(check(cells("###", "#.#", "###"))) == 2


def test_holes_side_by_side_share_their_cuts() -> None:
    assert len(check(cells("#########", "#.#.#.#.#", "#########"))) == 2


def test_a_ring_that_is_closed_by_a_corner_alone_is_cut() -> None:
    assert len(check(cells("###", "#.#", "##."))) == 3


def test_a_ring_inside_a_ring() -> None:
    check(cells("#######", "#.....#", "#.###.#", "#.#.#.#", "#.###.#", "#.....#", "#######"))


def test_a_building_with_a_hundred_rooms_needs_few_polygons() -> None:
    """A hundred rooms in one connected wall: each row of rooms is cut along its upper side."""
    blocked = np.ones((101, 101), dtype=np.bool_)
    for row, column in product(range(10), repeat=2):
        blocked[10 * row + 1 : 10 * row + 10, 10 * column + 1 : 10 * column + 10] = False

    assert len(check(blocked)) == 11


@pytest.mark.slow
def test_a_million_cells_of_noise_take_seconds() -> None:
    """Of the processor, however busy it is with others."""
    blocked = np.random.default_rng(1).random((1000, 1000)) < 0.5
    begin = time.thread_time()

    polygons = outlines(blocked)

    assert time.thread_time() - begin < 20
    assert (covered_fast(polygons, blocked.shape) == blocked).all()


def covered_fast(polygons: list[Corners], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Count as `covered` does, for many polygons."""
    change = np.zeros((shape[0] + 1, shape[1] + 1), dtype=np.int64)
    for polygon in polygons:
        for x, y, to_x, to_y in sides(polygon):
            if x == to_x:
                change[min(y, to_y), x] += 1 if to_y < y else -1
                change[max(y, to_y), x] -= 1 if to_y < y else -1
    return change.cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
