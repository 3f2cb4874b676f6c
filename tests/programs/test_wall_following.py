"""The wall follower circles its room, keeps its distance, and stops before the stairs."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, radians, remainder, tau
from typing import NamedTuple

import pytest

from kumi.geometry import Point
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.stage import Outcome
from kumi.world import SimulatedBody

RADIUS = 0.2
MIDDLE = Point(2.5, 2.0)
MIDDLES_OF_WALLS = [(4.0, 0.0), (8.0, 1.5), (6.0, 3.0), (4.0, 4.5), (2.0, 6.0), (0.0, 3.6)]
NOISY = [
    'robots.drive.noise = { kind = "uniform", dnf = 0.1, anf = 20.0 }',
    'robots.sensors.front = { kind = "ultrasonic", bearing_deg = 0, noise = 0.02 }',
    'robots.sensors.right = { kind = "ultrasonic", bearing_deg = -90, noise = 0.02 }',
]


class Lap(NamedTuple):
    """A run to the stairs."""

    body: SimulatedBody
    outcome: Outcome
    places: list[Point]
    distances: list[float]
    has_ended: bool


def lap(*changes: str) -> Lap:
    """Run the scenario, and look each tenth of a second."""
    with Staging(load_scenario("wall-following", changes)).stage() as stage:
        (body,) = stage.world.bodies
        places, distances, tenths = [], [], 0
        while stage.simulation.tasks and tenths < 3000:
            tenths += 1
            stage.run(0.1 * tenths)
            places.append(body.position)
            nearest = stage.world.near_obstacles(body.position, 10.0)[0][1]
            distances.append(nearest - RADIUS)
        assert stage.world.ground(body.position) == "floor"
        assert stage.world.ground(body.position + Point.polar(2 * RADIUS, body.heading)) == "hole"
        return Lap(body, stage.outcome, places, distances, not stage.simulation.tasks)


@pytest.fixture(scope="module")
def calm() -> Lap:
    return lap()


def test_it_stops_at_the_stairs_and_does_not_fall(calm: Lap) -> None:
    assert calm.has_ended
    assert calm.outcome.lost == ()
    assert calm.outcome.errors == ()
    assert not calm.body.is_moving


def test_it_goes_all_around(calm: Lap) -> None:
    """It comes by each wall of the room, outer corner included, and around the middle nearly once."""
    for wall in MIDDLES_OF_WALLS:
        assert min(place.distance_to(wall) for place in calm.places) < 1.0, wall
    assert 0.8 * tau < turned_about(MIDDLE, calm.places) < tau


def test_it_keeps_between_20_cm_and_1_m_from_the_wall(calm: Lap) -> None:
    assert 0.2 < min(calm.distances)
    assert max(calm.distances) < 1.0
    assert calm.outcome.contacts == 0


def test_most_of_the_way_it_keeps_between_30_and_60_cm(calm: Lap) -> None:
    inside = [0.3 <= distance <= 0.6 for distance in calm.distances]

    assert sum(inside) > 0.9 * len(inside)


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_its_way_with_slipping_wheels_and_noisy_sensors(seed: int) -> None:
    """It never touches a wall, and still stops before the stairs."""
    noisy = lap(f"seed={seed}", *NOISY)

    assert noisy.has_ended, f"seed {seed}"
    assert noisy.outcome.lost == ()
    assert noisy.outcome.contacts == 0
    assert 0.8 * tau < turned_about(MIDDLE, noisy.places) < tau


def test_without_stairs_it_goes_around_again_and_again() -> None:
    """Two laps, and still on its way."""
    with Staging(load_scenario("wall-following", ["map.terrain=[]"])).stage() as stage:
        (body,) = stage.world.bodies
        places = []
        for second in range(250):
            stage.run(float(second))
            places.append(body.position)

        assert turned_about(MIDDLE, places) > 2 * tau
        assert stage.simulation.tasks
        assert stage.outcome.contacts == 0


def turned_about(middle: Point, places: list[Point]) -> float:
    """The angle by which one turns who stands in the middle and follows the robot with the eyes."""
    angles = [atan2(place.y - middle.y, place.x - middle.x) for place in places]
    steps = [remainder(after - before, tau) for before, after in pairwise(angles)]
    assert max(map(abs, steps)) < radians(60)
    return sum(steps)
