"""A cell is reached by what has a point in its inside, and by nothing else."""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi.geometry import Circle, Outline, Point
from kumi.world import Block, Forbidden, Hole, Map, MapError, Obstacle, Pillar, Slow, Terrain, Wall
from kumi.world.map_grid import GridFrame, map_of_cells
from kumi.world.raster import raster_of
from tests.world.cells import Cells, cells, grids

quarters = st.integers(-4, 28).map(lambda number: number / 4)
places = st.tuples(st.floats(-1, 7), st.floats(-1, 7))


def reached(*things: Obstacle | Terrain, width: float = 6, height: float = 6, resolution: float = 1) -> Cells:
    return raster_of(Map(width, height), resolution, "test").reached(things)


def clipped(corners: list[Point], column: int, row: int) -> float:
    """Return the area of what a polygon and a cell have in common, by cutting it along the cell's four sides."""
    for normal, offset in (((1, 0), column), ((-1, 0), -column - 1), ((0, 1), row), ((0, -1), -row - 1)):
        kept = []
        for start, end in pairwise([*corners, *corners[:1]]):
            inside, after = (p.x * normal[0] + p.y * normal[1] - offset for p in (start, end))
            kept += [start] if inside >= 0 else []
            kept += [start + (end - start) * (inside / (inside - after))] if inside * after < 0 else []
        corners = kept
    return float(sum(start.cross(end) for start, end in pairwise([*corners, *corners[:1]])) / 2)


@given(st.lists(st.tuples(quarters, quarters), min_size=3, max_size=7))
def test_a_polygon_reaches_the_cells_it_has_an_area_in(corners: list[tuple[float, float]]) -> None:
    try:
        outline = Outline(corners)
    except ValueError:
        assume(False)
    found = reached(Block(outline))

    for row, column in product(range(6), repeat=2):
        assert found[row, column] == (clipped(list(outline.corners), column, row) > 1e-9)


@given(places, st.floats(0.01, 4), st.integers(0, 5), st.integers(0, 5))
def test_a_circle_reaches_a_cell_that_is_nearer_than_its_radius(
    centre: tuple[float, float], radius: float, column: int, row: int
) -> None:
    x, y = centre
    away = math.dist(centre, (min(max(x, column), column + 1), min(max(y, row), row + 1)))
    assume(abs(away - radius) > 1e-5)

    assert reached(Pillar(centre, radius))[row, column] == (away < radius)


@given(grids(), st.sampled_from([0.05, 0.1, 1 / 3, 1.0, 7.0]), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_what_was_traced_from_cells_reaches_the_same_cells(
    blocked: Cells, resolution: float, x: float, y: float
) -> None:
    made = map_of_cells(GridFrame(resolution, Point(x, y)), blocked, "grid")
    raster = raster_of(made, resolution, "test")

    assert (raster.reached(made.obstacles) == blocked).all()
    assert not raster.outside.any()


def test_a_thin_wall_is_not_lost() -> None:
    assert (reached(Wall((0.5, 0.5), (2.5, 0.5)), width=3, height=1) == cells("###")).all()


def test_a_thin_wall_between_cells_counts_for_those_above_or_to_its_right() -> None:
    assert (reached(Wall((1, 1), (3, 1)), width=4, height=2) == cells(".##.", "....")).all()
    assert (reached(Wall((1, 0), (1, 2)), width=3, height=2) == cells(".#.", ".#.")).all()


def test_a_thin_wall_on_the_upper_or_right_border_counts_for_the_last_cells() -> None:
    assert (reached(Wall((0, 2), (2, 2)), width=2, height=2) == cells("##", "..")).all()
    assert (reached(Wall((2, 0), (2, 1)), width=2, height=2) == cells("..", ".#")).all()


def test_a_slanting_wall_blocks_every_cell_on_its_way() -> None:
    assert (reached(Wall((0.5, 0.2), (3.5, 1.7)), width=4, height=2) == cells("..##", "###.")).all()


def test_a_thick_wall_has_round_ends() -> None:
    """Half a metre thick and from (1, 1) to (3, 1), it reaches 0.25 beyond, but not into the corners."""
    found = reached(Wall((1, 1), (3, 1), 0.5), width=4, height=2, resolution=0.25)
    expected = cells(
        "................",
        "................",
        "................",
        "...##########...",
        "...##########...",
        "................",
        "................",
        "................",
    )

    assert (found == expected).all()


def test_every_kind_reaches_its_cells() -> None:
    square = Outline([(1, 1), (2, 1), (2, 2), (1, 2)])
    disc = Circle((1.5, 1.5), 0.4)

    for thing in (
        Block(square),
        Hole(square),
        Forbidden(disc),
        Slow(disc, 0.5),
        Slow(square, 0.5),
        Pillar((1.5, 1.5), 0.4),
    ):
        assert (reached(thing, width=3, height=3) == cells("...", ".#.", "...")).all()


def test_things_that_overlap_and_turn_the_other_way_do_not_cancel_out() -> None:
    square = Block(Outline([(0, 0), (2, 0), (2, 2), (0, 2)]))
    other = Block(Outline([(1, 1), (1, 3), (3, 3), (3, 1)]))

    assert (reached(square, other, square, width=3, height=3) == cells(".##", "###", "##.")).all()


def test_cells_that_stick_out_of_the_plane_are_outside() -> None:
    raster = raster_of(Map(2.5, 1.2), 1, "test")

    assert (raster.outside == cells("###", "..#")).all()


def test_an_infinite_plane_is_drawn_as_far_as_something_is_in_it() -> None:
    raster = raster_of(Map(obstacles=[Pillar((5, 5), 1)]), 0.75, "test")

    assert (raster.columns, raster.rows, raster.bounds) == (3, 3, (4, 4, 6.25, 6.25))
    assert not raster.outside.any()


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(MapError, match="test: an infinite plane with nothing in it has no size to draw"):
        raster_of(Map(), 1, "test")
    for resolution in (0, -1, math.nan, math.inf):
        with pytest.raises(
            MapError, match=r"test: resolution is .*; it takes a number of metres greater than 0"
        ):
            raster_of(Map(1, 1), resolution, "test")
    with pytest.raises(MapError, match="test: 10,000 by 10,000 cells; a map has from 1 to 64,000,000"):
        raster_of(Map(1, 1), 1e-4, "test")


def test_a_wall_along_the_grid_is_not_widened_by_rounding() -> None:
    """0.1 + 0.2 is a little more than 0.3."""
    made = Map(1, 1, obstacles=[Block(Outline([(0.1 + 0.2, 0.1), (0.7, 0.1), (0.7, 0.6), (0.1 + 0.2, 0.6)]))])

    assert np.count_nonzero(raster_of(made, 0.1, "test").reached(made.obstacles)) == 4 * 5
