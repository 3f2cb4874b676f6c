"""A view shows who is in range, in the field of view, and not hidden."""

from __future__ import annotations

from math import inf, pi, radians
from statistics import stdev

import pytest

from kumi.contract.readings import Sighting
from kumi.geometry import Disc, Point, Polygon
from kumi.sensing import GaussianNoise, View
from kumi.world import Pillar, Wall
from tests.sensing.scenes import about, place, reading, readings, rest


def numbers(sightings: tuple[Sighting, ...]) -> list[int | None]:
    return [sighting.number for sighting in sightings]


def test_a_sighting_tells_who_how_far_and_where() -> None:
    """From a centre to the surface of a disc of 0.1 m that is 5 m away; seen from a robot that looks up."""
    assert reading(View(), heading=pi / 2, others=[(3.0, 4.0)]) == (
        Sighting(1, "robot 1", about(4.9), about(-radians(36.86989764584402)), Point(3.0, 4.0)),
    )


def test_the_nearest_comes_first_and_the_robot_itself_not_at_all() -> None:
    assert numbers(reading(View(), others=[(9.0, 0.0), (0.0, 3.0), (-5.0, -5.0)])) == [2, 3, 1]


def test_in_range_is_whose_surface_is() -> None:
    others = [(2.05, 0.0), (0.0, 2.1), (-2.15, 0.0)]

    assert numbers(reading(View(2.0), others=others)) == [1, 2]


def test_the_surface_of_a_polygon_counts_not_the_circle_around_it() -> None:
    square = Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    found = []

    async def look(robot: object) -> None:
        found.append(await robot.eyes.read())  # type: ignore[attr-defined]

    with place() as stage:
        stage.add(look, at=(0, 0), sensors={"eyes": View(3.5)})
        stage.add(rest, at=(4.0, 0), shape=square)
        stage.run()

    assert found[0][0].distance == 3.0


def test_a_field_of_view_has_a_middle_and_a_width() -> None:
    others = [(3.0, 0.0), (0.0, 3.0), (-3.0, 0.0), (0.0, -3.0)]

    assert numbers(reading(View(view=pi / 2), others=others)) == [1]
    assert numbers(reading(View(view=pi / 2, bearing=pi / 2), others=others)) == [2]
    assert numbers(reading(View(view=pi / 2, bearing=pi / 2), heading=pi / 2, others=others)) == [3]
    assert numbers(reading(View(view=pi), others=others)) == [1, 2, 4]


def test_who_stands_behind_a_wall_or_a_robot_is_hidden() -> None:
    others = [(3.0, 0.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]
    wall = Wall((-1, 4), (1, 4))

    assert numbers(reading(View(), [wall], others=others)) == [1, 4]
    assert numbers(reading(View(occlusion=False), [wall], others=others)) == [1, 2, 3, 4]


def test_what_stands_beside_the_line_hides_nobody() -> None:
    pillar = Pillar((3.0, 0.6), 0.5)

    assert numbers(reading(View(), [pillar], others=[(6.0, 0.0)])) == [1]


def test_noise_errs_in_distance_and_bearing_and_the_place_follows() -> None:
    noisy = View(noise=GaussianNoise(0.1), bearing_noise=GaussianNoise(0.02))
    found = [sightings[0] for sightings in readings(noisy, 1000, others=[(10.0, 0.0)])]

    assert stdev(one.distance for one in found) == about(0.1, rel=0.15)
    assert stdev(one.bearing for one in found) == about(0.02, rel=0.15)
    for one in found:
        assert abs(one.position) == about(one.distance + 0.1)
        assert one.position.direction == about(one.bearing)


def test_each_sighting_drops_out_alone() -> None:
    found = readings(View(dropout=0.25), 1000, others=[(10.0, 0.0), (0.0, 5.0)])

    assert sum(map(len, found)) == about(1500, abs=100)


def test_a_reach_may_be_without_end_but_is_a_number() -> None:
    assert View(inf).reach == inf
    with pytest.raises(ValueError, match=r"a reach is a finite number > 0, not 0\.0"):
        View(0.0)
    with pytest.raises(ValueError, match=r"a field of view is an angle > 0 and <= 6\.2832 radians, not 7\.0"):
        View(view=7.0)


def test_two_ghosts_in_one_place_see_each_other_all_the_same() -> None:
    found = []

    async def look(robot: object) -> None:
        found.append(await robot.eyes.read())  # type: ignore[attr-defined]

    with place(ghost=True) as stage:
        stage.add(look, at=(0, 0), shape=Disc(0.2), sensors={"eyes": View(1.0, view=1.0)})
        stage.add(rest, at=(0, 0))
        stage.run()

    assert [(one.number, one.distance, one.position) for one in found[0]] == [(1, 0.0, Point(0.0, 0.0))]
