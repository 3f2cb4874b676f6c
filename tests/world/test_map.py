"""A map is a value: what it holds is checked, named, and stays as it is."""

from __future__ import annotations

import dataclasses
import math
from copy import copy
from typing import Any

import pytest

from kumi.geometry import Bounds, Circle, Outline, Point, Rectangle
from kumi.world import Block, Forbidden, Hole, Map, MapError, Obstacle, Pillar, Slow, Terrain, Wall

SQUARE = Rectangle(1, 1, 2, 2)
HOOK = Outline([(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (0, 1)])


def test_an_infinite_plane_contains_every_point() -> None:
    plane = Map()

    assert not plane.is_finite
    assert plane.bounds == Bounds(-math.inf, -math.inf, math.inf, math.inf)
    assert plane.contains((1e300, -1e300))


def test_a_finite_plane_begins_at_its_origin_and_contains_its_border() -> None:
    plane = Map(4, 3, origin=(-1, -2))

    assert plane.is_finite
    assert plane.bounds == Bounds(-1, -2, 3, 1)
    assert plane.contains((-1, -2))
    assert plane.contains(Point(3, 1))
    assert not plane.contains((3.001, 0))


def test_what_has_no_name_gets_the_name_of_its_kind_and_a_number() -> None:
    made = Map(
        obstacles=[
            Wall((0, 0), (1, 0)),
            Pillar((5, 5), 1),
            Wall((0, 1), (1, 1), name="door"),
            Wall((0, 2), (1, 2)),
        ],
        terrain=[Hole(SQUARE), Slow(HOOK, 0.5), Forbidden(Circle((0, 0), 1)), Hole(HOOK, "pit")],
    )

    assert [thing.name for thing in made.obstacles] == ["wall 1", "pillar 1", "door", "wall 3"]
    assert [thing.name for thing in made.terrain] == ["hole 1", "slow 1", "forbidden 1", "pit"]


def test_a_counted_name_that_is_taken_is_left_out() -> None:
    first = Map(obstacles=[Wall((0, 0), (1, 0)), Wall((0, 1), (1, 1)), Wall((0, 2), (1, 2))])

    second = first.with_(obstacles=[*first.obstacles[1:], Wall((0, 3), (1, 3))])

    assert [wall.name for wall in second.obstacles] == ["wall 2", "wall 3", "wall 4"]


def test_two_things_with_one_name_are_refused() -> None:
    with pytest.raises(MapError, match="2 things on a map are named 'door'; each has a name of its own"):
        Map(obstacles=[Wall((0, 0), (1, 0), name="door")], terrain=[Hole(SQUARE, "door")])


def test_bounds_include_all_that_something_is() -> None:
    assert Wall((3, 1), (1, 1), thickness=0.5).bounds == (0.75, 0.75, 3.25, 1.25)
    assert Pillar((1, 2), 3).bounds == (-2, -1, 4, 5)
    assert Block(HOOK).bounds == (0, 0, 4, 4)
    assert Slow(Circle((1, 2), 3), 0.5).bounds == (-2, -1, 4, 5)


def test_the_content_of_a_map_has_bounds_of_its_own() -> None:
    assert Map(10, 10).content_bounds is None
    assert Map(obstacles=[Pillar((0, 0), 1)], terrain=[Hole(SQUARE)]).content_bounds == (-1, -1, 3, 3)


def test_scaling_multiplies_every_length_and_nothing_else() -> None:
    made = Map(
        4,
        3,
        (-1, 1),
        [
            Wall((0, 1), (2, 1), 0.5, "w"),
            Pillar((1, 2), 0.25, material="glass"),
            Block(SQUARE, material="mesh"),
        ],
        [Slow(Circle((1, 1), 2), 0.25), Hole(SQUARE), Forbidden(HOOK)],
        "room",
    )

    assert made.scaled(2) == Map(
        8,
        6,
        (-2, 2),
        [
            Wall((0, 2), (4, 2), 1.0, "w"),
            Pillar((2, 4), 0.5, material="glass"),
            Block(Rectangle(2, 2, 4, 4), material="mesh"),
        ],
        [
            Slow(Circle((2, 2), 4), 0.25),
            Hole(Rectangle(2, 2, 4, 4)),
            Forbidden(Outline([(0, 0), (8, 0), (8, 8), (6, 8), (6, 2), (0, 2)])),
        ],
        "room",
    )
    assert made.scaled(2).scaled(0.5) == made
    assert not Map().scaled(3).is_finite


def test_with_replaces_what_it_is_given_and_keeps_the_rest() -> None:
    made = Map(4, 4, (0, 0), [Pillar((1, 1), 1)], [Hole(SQUARE)], "room")

    assert made.with_() == made
    assert made.with_(terrain=[]) == Map(4, 4, (0, 0), [Pillar((1, 1), 1)], (), "room")
    assert made.with_(obstacles=(), name="hall") == Map(4, 4, (0, 0), (), [Hole(SQUARE)], "hall")


def test_a_map_cannot_be_changed_and_can_be_a_key() -> None:
    made = Map(4, 4, obstacles=[Wall((0, 0), (1, 0))])

    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "other"  # type: ignore[misc]
    assert {made: 1}[Map(4, 4, obstacles=[Wall((0, 0), (1, 0))])] == 1


def test_an_obstacle_may_stick_out_of_the_plane_and_may_touch_its_border() -> None:
    Map(4, 4, obstacles=[Pillar((4, 4), 1), Wall((-1, 4), (5, 4)), Block(Rectangle(4, 0, 1, 1))])


@pytest.mark.parametrize(
    ("obstacles", "terrain", "name"),
    [
        ([Pillar((6, 1), 1.5)], [], "pillar 1"),
        ([Wall((0, 0), (4, 4)), Wall((0, -1), (4, -1), 1.5)], [], "wall 2"),
        ([], [Hole(Rectangle(-3, 0, 1, 1), "far pit")], "far pit"),
    ],
)
def test_what_lies_wholly_outside_a_finite_plane_is_named(
    obstacles: list[Obstacle], terrain: list[Terrain], name: str
) -> None:
    with pytest.raises(
        MapError, match=rf"{name} reaches from .* wholly outside the plane from \(0, 0\) to \(4, 4\)"
    ):
        Map(4, 4, obstacles=obstacles, terrain=terrain)
    Map(obstacles=obstacles, terrain=terrain)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0.0, "height": 1.0}, "the width of a map is a finite number > 0, not 0.0"),
        ({"width": 1.0, "height": math.nan}, "the height of a map is a finite number, not nan"),
        ({"width": 1.0}, "a plane has a width and a height, or neither, not 1.0 and None"),
        ({"origin": (math.inf, 0.0)}, "the origin of a map has finite coordinates"),
    ],
)
def test_a_size_that_makes_no_sense_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Map(**arguments)


@pytest.mark.parametrize("factor", [0.0, -1.0, math.nan, math.inf])
def test_a_map_is_not_scaled_by_what_makes_no_sense(factor: float) -> None:
    with pytest.raises(ValueError, match="the factor of a map is a finite number"):
        Map(1, 1).scaled(factor)


def test_obstacles_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the thickness of a wall is a finite number >= 0, not -1"):
        Wall((0, 0), (1, 0), -1)
    with pytest.raises(
        ValueError, match=r"a wall goes from one point to another, not from Point\(1.0, 1.0\)"
    ):
        Wall((1, 1), (1, 1), 2)
    with pytest.raises(ValueError, match="the radius of a pillar is a finite number > 0, not 0"):
        Pillar((1, 1), 0)
    with pytest.raises(ValueError, match="the end of a wall has finite coordinates"):
        Wall((1, 1), (1, math.nan))
    for factor in (0.0, 1.5, -1.0):
        with pytest.raises(ValueError, match="the factor of slow ground is a number > 0 and <= 1"):
            Slow(SQUARE, factor)


def test_what_is_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="an obstacle is a wall, a pillar or a block, not Hole"):
        Map(obstacles=[Hole(SQUARE)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="terrain is slow ground, a hole or forbidden ground, not Circle"):
        Map(terrain=[Circle((0, 0), 1)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"the outline of a block is an Outline, such as .*, not Circle"):
        Block(Circle((0, 0), 1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the area of a ground is a Circle or an Outline, not 3"):
        Hole(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a name is a text, not 3"):
        Pillar((0, 0), 1, 3)  # type: ignore[arg-type]


def test_an_error_survives_the_way_between_processes() -> None:
    error = copy(MapError("it is wrong", "room.toml", ("obstacles", 2)))

    assert (str(error), error.reason, error.keys) == (
        "room.toml: it is wrong",
        "it is wrong",
        ("obstacles", 2),
    )


@pytest.mark.parametrize(
    ("point", "is_on_it"),
    [
        ((0, 0), True), ((4, 3), True), ((2, 1), True),
        ((-0.1, 1), False), ((4.1, 1), False), ((2, -0.1), False), ((2, 3.1), False),
    ],
)  # fmt: skip
def test_a_point_is_on_the_plane_if_it_is_within_all_four_sides(
    point: tuple[float, float], is_on_it: bool
) -> None:
    assert Map(4, 3).contains(point) is is_on_it
