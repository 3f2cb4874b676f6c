"""Routes: free on every leg, as short as promised, none where there is none."""

from __future__ import annotations

from itertools import pairwise
from math import asin, dist, hypot, inf, pi, sqrt, tan
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings

from kumi.geometry import Bounds, Circle, Outline, Point, Rectangle
from kumi.planning.cells import decompose
from kumi.planning.criteria import Criterion, shyness
from kumi.planning.routes import By, plan_route, route_length
from kumi.planning.space import PlanError, Space, WallSpace
from kumi.planning.visibility import _corners
from tests.planning.scenes import ROOM, distance, least_on, places, spaces

ALL: tuple[By, ...] = get_args(By)
CLEARANCE = 0.3

# A room with a wall across it, that has a door of 1 m in the middle.
DOOR = Space([WallSpace((10, 0), (10, 9.5)), WallSpace((10, 10.5), (10, 20))], ROOM)
SHUT = Space([WallSpace((10, 0), (10, 20))], ROOM)


def check(space: Space, route: tuple[Point, ...], clearance: float) -> None:
    for one, other in pairwise(route):
        found, off = least_on(space, tuple(one), tuple(other))
        assert found > clearance - 1e-9, (one, other)
        assert off >= 0


@pytest.mark.some_of(2)
@pytest.mark.parametrize("by", ALL)
@settings(max_examples=15, deadline=None)
@given(space=spaces, start=places, goal=places)
def test_all_legs_keep_the_clearance(
    by: By, space: Space, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    """Counted anew, one place at a time."""
    assume(distance(space, start) > CLEARANCE + 1e-9 and distance(space, goal) > CLEARANCE + 1e-9)
    route = plan_route(space, start, goal, CLEARANCE, by=by, cell=0.25)
    if route is not None:
        assert (route[0], route[-1]) == (Point(*start), Point(*goal))
        check(space, route, CLEARANCE)


@settings(max_examples=25, deadline=None)
@given(space=spaces, start=places, goal=places)
def test_no_route_is_shorter_than_the_visible_one(
    space: Space, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    """By more than eight-sided corners cost: the grid's and the cells' are free, so the shortest is no longer."""
    assume(distance(space, start) > CLEARANCE + 1e-9 and distance(space, goal) > CLEARANCE + 1e-9)
    shortest = plan_route(space, start, goal, CLEARANCE)
    for by in ("grid", "cells"):
        other = plan_route(space, start, goal, CLEARANCE, by=by, cell=0.3)
        if other is not None:
            assert shortest is not None
            assert route_length(shortest) <= route_length(other) * tan(pi / 8) / (pi / 8) + 1e-5


@settings(max_examples=15, deadline=None)
@given(space=spaces, start=places, goal=places)
def test_the_visible_route_is_the_shortest_over_all_corners(
    space: Space, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    """Every pair of corners tried, none left out, by Dijkstra without a lead or a bound."""
    assume(min(distance(space, start), distance(space, goal)) > CLEARANCE + 1e-9 and start != goal)
    route = plan_route(space, start, goal, CLEARANCE)
    corners = _corners(space, CLEARANCE, 8).place
    expected = shortest(space, np.vstack([[start], [goal], corners]))

    if expected < inf:
        assert route is not None
        assert route_length(route) == pytest.approx(expected, rel=1e-9)


def shortest(space: Space, places: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return the length of the shortest way from the first place to the second, in straight ways between any."""
    count = len(places)
    one, other = (index.ravel() for index in np.indices((count, count)))
    ways = np.hypot(*(places[one] - places[other]).T)
    ways[~(space.clearances_between(places[one], places[other]) > CLEARANCE)] = inf
    table = ways.reshape(count, count)
    found, left = np.full(count, inf), set(range(count))
    found[0] = 0.0
    while left:
        here = min(left, key=lambda node: float(found[node]))
        left.remove(here)
        found = np.minimum(found, found[here] + table[here])
    return float(found[1])


@pytest.mark.parametrize("by", ALL)
def test_a_free_way_through_a_door_is_found(by: By) -> None:
    route = plan_route(DOOR, (2, 2), (18, 3), CLEARANCE, by=by)

    assert route is not None
    check(DOOR, route, CLEARANCE)
    assert all(
        9.5 < y < 10.5
        for one, other in pairwise(route)
        if one.x < 10 < other.x
        for y in [one.y + (10 - one.x) / (other.x - one.x) * (other.y - one.y)]
    )


@pytest.mark.parametrize("by", ALL)
@pytest.mark.parametrize(
    ("space", "clearance"), [(SHUT, 0.1), (DOOR, 0.51), (Space([Circle((10, 10), 12.5)], ROOM), 0.1)]
)
def test_where_there_is_no_way_there_is_no_route(by: By, space: Space, clearance: float) -> None:
    """A shut wall, a door of 1 m for a robot 1.02 m wide, and two corners with a round thing in between."""
    start, goal = (2.0, 2.0), (18.0, 3.0)
    if space.obstacles[0] == Circle((10, 10), 12.5):
        start, goal = (0.5, 0.5), (19.5, 19.5)

    assert plan_route(space, start, goal, clearance, by=by, cell=0.2) is None


@pytest.mark.parametrize("by", ["visibility", "grid", "cells"])
def test_what_is_seen_is_gone_to_straight(by: By) -> None:
    assert plan_route(DOOR, (1, 10), (19, 10), CLEARANCE, by=by) == (Point(1, 10), Point(19, 10))
    assert plan_route(Space(), (1, 1), (9, 7), CLEARANCE, by=by) == (Point(1, 1), Point(9, 7))


@pytest.mark.parametrize("by", ALL)
def test_a_robot_that_is_there_has_nowhere_to_go(by: By) -> None:
    assert plan_route(DOOR, (1, 1), (1, 1), CLEARANCE, by=by) == (Point(1, 1), Point(1, 1))


def test_around_a_corner_the_visible_route_is_the_shortest() -> None:
    """The tip of a wall at (5, 5), no clearance: two legs of a 3-4-5 triangle each, to a micrometre."""
    space = Space([WallSpace((5, -10), (5, 5))])
    route = plan_route(space, (1, 2), (9, 2), 0.0)

    assert route is not None
    assert route_length(route) == pytest.approx(10.0, abs=1e-5)


def test_around_a_disc_only_the_arc_is_longer_by_what_its_polygon_costs() -> None:
    """Tangents of 4 to a circle of 3 about the middle of two places 10 apart, and the arc between them."""
    route = plan_route(Space([Circle((0, 0), 2)]), (-5, 0), (5, 0), 1.0)
    arc = 3 * (pi - 2 * asin(4 / 5))

    assert route is not None
    assert 8 + arc <= route_length(route) <= 8 + arc * 1.055


def test_a_tight_gap_is_found_with_finer_corners() -> None:
    """Eight sides stick out by 8 % of the clearance; here the way between two pillars is 1 % wider than needed."""
    space = Space(
        [
            Circle((10, 11.51), 1),
            Circle((10, 8.49), 1),
            WallSpace((10, 12), (10, 20)),
            WallSpace((10, 8), (10, 0)),
        ],
        ROOM,
    )

    assert plan_route(space, (5, 11), (15, 11), 0.5) is not None
    assert plan_route(space, (5, 11), (15, 11), 0.52) is None


def test_the_polygon_around_a_large_disc_leaves_a_gap_open() -> None:
    """Between a disc of 8 m and a wall 1.1 m away a robot 1 m wide passes; the way around is blocked."""
    space = Space([Circle((10, 9.9), 9), WallSpace((10, 0), (10, 5))], Bounds(0, 0, 20, 20))

    assert plan_route(space, (1, 19), (19, 19), 0.5) is not None


def test_an_outline_is_left_by_its_opening() -> None:
    """From inside a U to a place right behind its back."""
    cup = Outline([(0, 0), (6, 0), (6, 6), (5, 6), (5, 1), (1, 1), (1, 6), (0, 6)])
    for by in ALL:
        route = plan_route(Space([cup]), (3, 2), (3, -1), 0.3, by=by)
        assert route is not None
        assert max(point.y for point in route) > 6.3
        check(Space([cup]), route, 0.3)


def test_the_voronoi_route_goes_through_the_middle() -> None:
    """A corridor from 8 to 12 between two boxes: in the middle of it, up to a cell."""
    space = Space([Rectangle(4, 0, 12, 8), Rectangle(4, 12, 12, 8)], ROOM)
    route = plan_route(space, (2, 9), (18, 11), 0.3, by="voronoi", cell=0.2)

    assert route is not None
    on_x = [
        one.y + (x - one.x) / (other.x - one.x) * (other.y - one.y)
        for one, other in pairwise(route)
        for x in (7.0, 10.0, 13.0)
        if one.x <= x < other.x
    ]
    assert len(on_x) == 3
    assert on_x == pytest.approx([10.0] * 3, abs=0.4)


def test_the_voronoi_route_keeps_farther_than_the_shortest() -> None:
    space = Space([Circle((5, 10), 2), Circle((10, 6), 2), Circle((15, 12), 2)], ROOM)
    far = {}
    for by in ("visibility", "voronoi"):
        route = plan_route(space, (1, 10), (19, 10), 0.3, by=by)
        assert route is not None
        far[by] = min(space.clearance_between(one, other) for one, other in pairwise(route[1:-1]))

    assert far["visibility"] < 0.31
    assert far["voronoi"] > 0.9


@pytest.mark.parametrize("by", ALL)
def test_mirrored_spaces_have_routes_of_the_same_length(by: By) -> None:
    """A box above the straight way, and the same below it."""
    lengths = []
    for sign in (1, -1):
        space = Space([Rectangle(-1, min(sign * -0.5, sign * 3), 2, 3.5), Circle((3, sign * -1), 0.5)])
        route = plan_route(space, (-5, 0), (6, 0), 0.4, by=by, cell=0.2)
        assert route is not None
        lengths.append(route_length(route))

    assert lengths[0] == pytest.approx(lengths[1], rel=0.02 if by != "visibility" else 1e-9)


def test_there_and_back_is_equally_far() -> None:
    space = Space([Rectangle(4, 4, 3, 9), Circle((12, 9), 3), WallSpace((9, 0), (14, 4), 0.2)], ROOM)
    there = plan_route(space, (1, 8), (19, 9), 0.4)
    back = plan_route(space, (19, 9), (1, 8), 0.4)

    assert there
    assert back
    assert route_length(there) == pytest.approx(route_length(back), rel=1e-12)


@pytest.mark.parametrize("by", ALL)
def test_the_same_question_has_the_same_answer(by: By) -> None:
    assert plan_route(DOOR, (2, 2), (18, 3), 0.3, by=by) == plan_route(DOOR, (2, 2), (18, 3), 0.3, by=by)


def test_a_shy_criterion_goes_a_longer_way_round() -> None:
    """Through a door 1 m wide a metre costs up to twenty; around the wall's end there is room."""
    space = Space([WallSpace((10, 4), (10, 9.5)), WallSpace((10, 10.5), (10, 16))], ROOM)
    for by in ("grid", "cells"):
        short = plan_route(space, (5, 10), (15, 10), 0.2, by=by, cell=0.25)
        shy = plan_route(space, (5, 10), (15, 10), 0.2, by=by, cell=0.25, criterion=shyness(1.5, 19.0))
        assert short
        assert shy
        assert route_length(short) == 10
        assert route_length(shy) > 14


def test_a_criterion_costs_at_least_one_a_metre() -> None:
    cheap = Criterion(lambda gaps: 0.5 * np.ones(len(gaps)))
    with pytest.raises(ValueError, match="a criterion gives one number >= 1 for each distance"):
        plan_route(DOOR, (2, 2), (18, 3), 0.3, criterion=cheap)
    with pytest.raises(ValueError, match="a distance > 0 and a weight >= 0, not 0 and 1"):
        shyness(0, 1)


@pytest.mark.parametrize("by", ALL)
def test_blocked_ends_are_errors(by: By) -> None:
    with pytest.raises(PlanError, match=r"the start .10, 2. is blocked"):
        plan_route(DOOR, (10, 2), (18, 3), 0.3, by=by)
    with pytest.raises(PlanError, match=r"the goal .0.2, 3. is blocked"):
        plan_route(DOOR, (2, 2), (0.2, 3), 0.3, by=by)


def test_cells_of_no_size_and_unknown_ways_are_refused() -> None:
    wrong: Any = "magic"
    with pytest.raises(PlanError, match="not by 'magic'"):
        plan_route(DOOR, (2, 2), (18, 3), 0.3, by=wrong)
    for by in ("grid", "voronoi", "cells"):
        for cell in (0.0, -1.0, float("nan")):
            with pytest.raises(PlanError, match="the side of a cell is a finite number of metres > 0"):
                plan_route(DOOR, (2, 2), (18, 3), 0.3, by=by, cell=cell)
        with pytest.raises(PlanError, match="take larger ones"):
            plan_route(DOOR, (2, 2), (18, 3), 0.3, by=by, cell=1e-4)


def test_the_cells_are_free_as_a_whole() -> None:
    space = Space([Circle((5, 5), 2), Rectangle(9, 9, 4, 4)], ROOM)
    cells = decompose(space, ROOM, 0.3, 0.25)
    for (x, y), side in zip(cells.places(cells.corner).tolist(), (cells.side * 0.25).tolist(), strict=True):
        corners = [(x, y), (x + side, y), (x, y + side), (x + side, y + side)]
        assert all(distance(space, corner) > 0.3 for corner in corners)
    covered = float((cells.side * 0.25).astype(float) @ (cells.side * 0.25))
    # The free area is 19.4² less the box of 4.6² and the disc of 2.3 in radius, nearly.
    assert 0.85 * (19.4**2 - 4.6**2 - pi * 2.3**2) < covered < 19.4**2 - 4.0**2 - pi * 2.0**2


def test_bounds_are_kept_off() -> None:
    space = Space([Circle((5, 1.5), 1)], Bounds(0, 0, 10, 4))
    route = plan_route(space, (1, 1), (9, 1), 0.5)

    assert route
    assert all(0.5 < point.y < 3.5 for point in route)
    assert max(point.y for point in route) > 3.0
    assert hypot(8, 0) < route_length(route) < 2 * sqrt(4**2 + 2.5**2)


@pytest.mark.parametrize("clearance", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_point_goes_around_the_nearer_corner(clearance: float) -> None:
    """Past the lower left corner at (8.7, 7): two straight legs, but for the rounding of the corner."""
    space = Space([Rectangle(8.7, 7, 5.7, 2.6)], Bounds(0, 0, 20, 20))
    route = plan_route(space, (1.4, 18.5), (13.6, 5.3), clearance)
    straight = dist((1.4, 18.5), (8.7, 7)) + dist((8.7, 7), (13.6, 5.3))

    assert route is not None
    assert route_length(route) == pytest.approx(straight, abs=1e-5 + 2 * clearance)
