"""The picture of a report shows what stands before a robot, where it stands, and nothing that is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, radians, tan

import pytest

from kumi.devs import Simulation
from kumi.geometry import Disc, Point
from kumi.station.contest.camera import (
    CAMERA_REACH,
    EYE,
    FLOOR,
    ROBOT,
    SIZE,
    SKY,
    THING,
    WALL,
    photograph,
)
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import RobotRules
from kumi.world import Map, Material, Obstacle, Pillar, Wall, World

WIDTH, HEIGHT = SIZE
MIDDLE = WIDTH // 2
RIGHT_ANGLE = RobotRules(view_deg=90.0, sight=50.0)
"""The picture is then as many pixels away as half of it is wide."""
Colour = tuple[int, int, int]


class Photo:
    """What a robot at the origin that looks along x has on its picture."""

    def __init__(
        self,
        *obstacles: Obstacle,
        hidden: Sequence[Hidden] = (),
        others: Sequence[tuple[float, float]] = (),
        robots: RobotRules = RIGHT_ANGLE,
    ) -> None:
        world = World(Map(obstacles=obstacles))
        with Simulation(world):
            body = world.add_body((0.0, 0.0), shape=Disc(0.1), name="eye")
            for place in others:
                world.add_body(place, shape=Disc(0.3))
            self.picture = photograph(body, hidden, robots)

    def at(self, column: int, row: int) -> Colour:
        """Return the colour of a pixel."""
        colour = self.picture.getpixel((column, row))
        assert isinstance(colour, tuple)
        red, green, blue = colour
        return int(red), int(green), int(blue)

    def column(self, number: int) -> list[Colour]:
        """Return the colours of a column, from the top."""
        return [self.at(number, row) for row in range(HEIGHT)]

    def columns_of(self, colour: Colour) -> list[int]:
        """Return the columns in which there is a colour, lit or dimmed."""
        return [x for x in range(WIDTH) if any(is_shade(one, colour) for one in self.column(x))]


def is_shade(one: Colour, colour: Colour) -> bool:
    """Tell whether a colour is another one in less light."""
    light = max(one) / max(colour)
    return light <= 1.0 and all(abs(a - light * b) <= 1.5 for a, b in zip(one, colour, strict=True))


def test_in_the_open_there_are_sky_and_floor() -> None:
    photo = Photo()

    assert photo.picture.size == SIZE
    for x in (0, MIDDLE, WIDTH - 1):
        assert photo.column(x) == [SKY] * (HEIGHT // 2) + [FLOOR] * (HEIGHT // 2)


@pytest.mark.parametrize("distance", [1.0, 2.0, 10.0])
def test_a_wall_is_as_high_and_as_dark_as_it_is_far_and_straight(distance: float) -> None:
    """Twice as high as the eye, at the same height in every column; a tenth of the light is gone at 1.4 m."""
    photo = Photo(Wall((distance, -50.0), (distance, 50.0)))
    half = MIDDLE * EYE / distance
    colour = tuple(int(part / (1.0 + 0.08 * distance)) for part in WALL)

    for x in (0, MIDDLE, WIDTH - 1):
        rows = [row for row, found in enumerate(photo.column(x)) if found == colour]
        assert rows[0] == pytest.approx(HEIGHT / 2 - half, abs=1.0)
        assert rows[-1] == pytest.approx(HEIGHT / 2 + half, abs=1.0)
        assert rows == list(range(rows[0], rows[-1] + 1))


def test_what_is_farther_than_the_farthest_is_not_seen() -> None:
    assert not Photo(Wall((CAMERA_REACH + 0.1, -90.0), (CAMERA_REACH + 0.1, 90.0))).columns_of(WALL)
    assert Photo(Wall((CAMERA_REACH - 0.1, -90.0), (CAMERA_REACH - 0.1, 90.0))).columns_of(WALL)


def test_obstacles_have_the_colour_of_their_material_and_robots_their_own() -> None:
    """The robot to the left is seen to the left."""
    green = Material("felt", colour="#14c828")
    photo = Photo(Pillar((4.0, -2.0), 0.5, material=green), others=[(4.0, 2.0)])

    robot, pillar = photo.columns_of(ROBOT), photo.columns_of((20, 200, 40))
    assert sum(robot) / len(robot) == pytest.approx(MIDDLE - MIDDLE / 2, abs=2.0)
    assert sum(pillar) / len(pillar) == pytest.approx(MIDDLE + MIDDLE / 2, abs=2.0)
    assert not photo.columns_of(WALL)

    assert not photo.columns_of(WALL)


@pytest.mark.parametrize(("x", "y"), [(4.0, 0.0), (4.0, 1.0), (3.0, -2.0)])
def test_a_thing_is_a_disc_on_the_floor_where_it_lies(x: float, y: float) -> None:
    photo = Photo(hidden=[Hidden("one", Point(x, y), 0.4)])
    across, radius = MIDDLE - MIDDLE * y / x, MIDDLE * 0.4 / x
    ground = HEIGHT / 2 + MIDDLE * EYE / x
    colour = tuple(int(part / (1.0 + 0.08 * x)) for part in THING)

    found = [(c, r) for c in range(WIDTH) for r, one in enumerate(photo.column(c)) if one == colour]
    columns, rows = [c for c, _ in found], [r for _, r in found]
    assert (min(columns), max(columns)) == pytest.approx((across - radius, across + radius), abs=1.5)
    assert (min(rows), max(rows)) == pytest.approx((ground - 2 * radius, ground), abs=1.5)
    assert len(found) == pytest.approx(pi * radius * radius, rel=0.1)


def test_a_thing_at_the_edge_is_cut_by_it() -> None:
    columns = Photo(hidden=[Hidden("one", Point(4.0, 3.9), 0.4)]).columns_of(THING)

    assert columns[0] == 0
    assert columns[-1] == pytest.approx(MIDDLE - MIDDLE * 3.9 / 4.0 + MIDDLE * 0.1, abs=1.5)


def test_a_thing_behind_a_wall_is_not_on_the_picture_nor_is_what_a_robot_covers() -> None:
    thing = Hidden("one", Point(4.0, 0.0), 0.2)

    assert not Photo(Wall((2.0, -1.0), (2.0, 1.0)), hidden=[thing]).columns_of(THING)
    assert not Photo(others=[(2.0, 0.0)], hidden=[thing]).columns_of(THING)
    assert Photo(others=[(6.0, 0.0)], hidden=[thing]).columns_of(THING)


def test_half_a_thing_is_seen_beside_what_covers_the_other_half() -> None:
    """Its middle is in sight; what stands to the right of it covers the columns from there on."""
    columns = Photo(Wall((2.0, -0.05), (2.0, -5.0)), hidden=[Hidden("one", Point(4.0, 0.0), 0.4)])
    seen = columns.columns_of(THING)

    assert seen[0] == pytest.approx(MIDDLE - MIDDLE * 0.1, abs=1.5)
    assert seen[-1] == pytest.approx(MIDDLE + MIDDLE * 0.025, abs=1.5)


def test_what_is_out_of_sight_or_view_is_not_on_the_picture() -> None:
    near = RobotRules(view_deg=90.0, sight=3.0)

    assert Photo(hidden=[Hidden("one", Point(2.9, 0.0), 0.1)], robots=near).columns_of(THING)
    assert not Photo(hidden=[Hidden("one", Point(3.1, 0.0), 0.1)], robots=near).columns_of(THING)
    assert not Photo(hidden=[Hidden("one", Point(-2.0, 0.0), 0.1)]).columns_of(THING)


def test_a_view_wider_than_a_plane_can_show_is_shown_in_its_middle() -> None:
    """150 degrees of it: a thing at 74 is near the edge, and one at 76 is not on the picture."""
    wide = RobotRules(view_deg=300.0, sight=50.0)
    columns = {}
    for degrees in (74.0, 76.0):
        at = Point.polar(3.0, radians(degrees))
        columns[degrees] = Photo(hidden=[Hidden("one", at, 0.01)], robots=wide).columns_of(THING)

    place = MIDDLE - MIDDLE * tan(radians(74.0)) / tan(radians(75.0))
    assert columns[74.0][0] == pytest.approx(place, abs=2.0)
    assert not columns[76.0]
