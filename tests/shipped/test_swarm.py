"""Programs of swarms: a team does what its robots would do alone, and each law does what its authors say of it."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import Map, Stage
from kumi.programs.aggregation import aggregation, aggregation_team
from kumi.programs.coverage import Floor, coverage, coverage_team
from kumi.programs.diffusion import diffusion, diffusion_team, turned_away
from kumi.programs.flocking import flocking, flocking_team
from kumi.programs.lattice import lattice, lattice_team
from kumi.programs.swarm import as_places, near_robot, wheels
from kumi.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.sensing import Lidar, Positions, View

PLACES = [(1.0 + 0.7 * (number % 4), 1.0 + 0.6 * (number // 4)) for number in range(16)]
HEADINGS = [0.9 * number - 3.0 for number in range(16)]
EYES = {"eyes": View(1.0, occlusion=False)}
WHERE = {"positions": Positions()}
LIDAR = {"lidar": Lidar(24, reach=1.0)}

LAWS: dict[str, tuple[Any, Any, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "Reynolds": (flocking, flocking_team, WHERE, {}, {"goal": (2.5, 2.5)}),
    "Olfati-Saber": (
        flocking,
        flocking_team,
        WHERE,
        {},
        {"goal": (2.5, 2.5), "law": "olfati-saber", "reach": 1.2},
    ),
    "lattice": (lattice, lattice_team, WHERE, {}, {}),
    "diffusion": (diffusion, diffusion_team, LIDAR, LIDAR, {}),
    "aggregation": (aggregation, aggregation_team, EYES, {}, {"reach": 0.8}),
    "coverage": (
        coverage,
        coverage_team,
        WHERE,
        {},
        {"width": 5.0, "height": 5.0, "peaks": [(1.0, 4.0, 1.0)]},
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_team_follows_a_law_as_its_robots_do_alone(name: str) -> None:
    """Sixteen robots for six seconds: places, headings and contacts are the same to the last bit."""
    program, team_program, sensors, team_sensors, parameters = LAWS[name]
    with Stage(Map(5.0, 5.0), seed=3) as one, Stage(Map(5.0, 5.0), seed=3) as other:
        for at, heading in zip(PLACES, HEADINGS, strict=True):
            one.add(program, at=at, heading=heading, radius=0.1, sensors=sensors, **parameters)
        team = other.add_team(
            team_program, 16, at=PLACES, heading=HEADINGS, radius=0.1, sensors=team_sensors, **parameters
        )
        contacts = one.run(6.0).contacts, other.run(6.0).contacts

        assert contacts[0] == contacts[1]
        assert [tuple(robot.position) for robot in one.robots] == [tuple(at) for at in team.positions]
        assert [robot.heading for robot in one.robots] == team.headings.tolist()
        assert not np.array_equal(team.positions, np.array(PLACES))


def ended(name: str, until: float, *changes: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places of the robots of a shipped scenario at its start and at an instant, and their velocities."""
    with Staging(load_scenario(name, changes)).stage() as stage:
        start = as_places([robot.position for robot in stage.robots])
        stage.run(until)
        bodies = stage.world.bodies
        return (
            start,
            as_places([body.position for body in bodies]),
            as_places([body.velocity for body in bodies]),
        )


def test_two_robots_of_a_lattice_end_at_its_spacing() -> None:
    """Seen 50 cm and 80 cm apart, they go to 60 cm, whichever it is."""
    for apart in (0.5, 0.8):
        with Stage() as stage:
            team = stage.add_team(lattice_team, 2, at=[(0, 0), (apart, 0)], radius=0.05, spacing=0.6)
            stage.run(120.0)
            (way,) = np.diff(team.positions, axis=0)
        assert np.hypot(*way) == pytest.approx(0.6, abs=0.005)


def test_three_robots_of_a_lattice_form_a_triangle() -> None:
    with Stage() as stage:
        team = stage.add_team(lattice_team, 3, at=[(0, 0), (0.5, 0), (0.3, 0.45)], radius=0.05, spacing=0.6)
        stage.run(120.0)
        sides = [near_robot(number, team.positions, 10.0).distances for number in range(3)]
    assert np.concatenate(sides) == pytest.approx(np.full(6, 0.6), abs=0.01)


def test_birds_of_one_flock_fly_one_way() -> None:
    """By Reynolds' rules neighbours align: near ones differ little in direction, though all began at random."""
    with Stage(seed=2) as stage:
        team = stage.add_team(
            flocking_team, 16, at=PLACES, heading=HEADINGS, radius=0.05, goal=(2.5, 2.5), roam=100.0
        )
        stage.run(20.0)
        directions = team.velocities / np.linalg.norm(team.velocities, axis=1, keepdims=True)
        assert np.linalg.norm(directions.mean(axis=0)) > 0.95
        assert team.contacts.sum() == 0


def test_a_flock_of_olfati_saber_rests_as_a_lattice_at_its_goal() -> None:
    """Neighbours are 1 m apart, but for pressure from all sides; the middle of the flock is the goal."""
    with Stage(seed=2) as stage:
        team = stage.add_team(
            flocking_team,
            16,
            at=[(1.5 * x, 1.5 * y) for x, y in PLACES],
            heading=HEADINGS,
            radius=0.05,
            law="olfati-saber",
            goal=(6.0, 5.0),
            reach=1.2,
            apart=1.0,
        )
        stage.run(90.0)
        places = team.positions
    nearest = [near_robot(number, places, 50.0).distances.min() for number in range(16)]
    assert min(nearest) > 0.8
    assert max(nearest) < 1.2
    assert places.mean(axis=0) == pytest.approx([6.0, 5.0], abs=0.1)


def test_robots_that_spread_leave_their_corner() -> None:
    """They begin in the first nine of a hundred square metres; most find the way out within two minutes."""
    start, end, _ = ended("diffusion", 120.0)
    assert (start < 3.3).all()
    assert (end > 3.4).any(axis=1).mean() > 0.6


def test_robots_that_aggregate_are_less_often_alone() -> None:
    def alone(places: np.ndarray) -> float:
        return float(np.mean([len(near_robot(n, places, 0.4).others) == 0 for n in range(len(places))]))

    start, end, _ = ended("aggregation", 300.0)
    assert alone(start) > 0.3
    assert alone(end) < 0.15


def test_coverage_makes_its_cost_small_and_ends_in_the_middle_of_the_parts() -> None:
    """On a square of even worth, four robots end in the middles of its quarters, from wherever they begin."""
    with Stage(Map(4.0, 4.0)) as stage:
        team = stage.add_team(
            coverage_team,
            4,
            at=[(0.3, 0.3), (1.0, 0.4), (0.4, 1.1), (1.2, 1.2)],
            radius=0.1,
            width=4.0,
            height=4.0,
        )
        stage.run(200.0)
        places = team.positions
    floor = Floor(4.0, 4.0, None)
    assert sorted((round(x, 1), round(y, 1)) for x, y in places) == [
        (1.0, 1.0),
        (1.0, 3.0),
        (3.0, 1.0),
        (3.0, 3.0),
    ]
    # Each quarter has 900 cells of 1/15 m; the mean squared distance to the middle of a square of 2 m is 2/3.
    assert floor.cost(places) / 3600 == pytest.approx(2 / 3, abs=0.01)


@given(st.lists(st.tuples(st.floats(0.1, 3.9), st.floats(0.1, 3.9)), min_size=1, max_size=8, unique=True))
def test_the_cost_of_coverage_never_rises_by_a_step_to_the_centroids(
    places: list[tuple[float, float]],
) -> None:
    floor, here = Floor(4.0, 4.0, [(1.0, 1.0, 0.5)]), np.array(places)
    assert floor.cost(floor.centroids(here)) <= floor.cost(here) * (1.0 + 1e-12)


def test_wheels_drive_by_how_much_they_look_where_they_are_to_go() -> None:
    """Straight ahead at full speed; half a right angle off at √½ of it; behind, it turns first."""
    wanted = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 0.0]])
    speeds, turnings = wheels(wanted, np.zeros(4), 2.0, 3.0)
    assert speeds == pytest.approx([1.0, 1.0, 0.0, 0.0])
    assert np.abs(turnings) == pytest.approx([0.0, sqrt(2.0) / sqrt(2.0) * np.pi / 2, 3.0, 0.0])


def test_who_turns_away_goes_on_to_that_side() -> None:
    """Of four beams, from behind to the left, the one ahead decides; turning goes on until it is free."""
    rows = np.array([[9.0, 9.0, 0.1, 9.0], [0.1, 0.1, 9.0, 0.1]])
    speeds, turnings = turned_away(rows, np.array([-2.0, -2.0]), 0.3, 0.5, 2.0)
    assert speeds.tolist() == [0.0, 0.5]
    assert turnings.tolist() == [-2.0, 0.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('robots.parameters.law="swans"', 'it takes "reynolds" or "olfati-saber"'),
        ("robots.parameters.reach=0", "reach is a number greater than 0"),
    ],
)
def test_what_does_not_fit_a_flock_is_refused_before_the_run(change: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        Staging(load_scenario("flocking", [change])).stage()
