"""Robots that avoid each other by a rule: who promises no contact has none, and who can arrive does."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import pytest

from kumi import Stage
from kumi.geometry import Disc, Point
from kumi.motion import Omni, Wheel
from kumi.programs.avoidance import avoidance, avoidance_team
from kumi.robot.checks import check_parameters
from kumi.sensing import View
from kumi.stage.teams import TeamKit
from tests.shipped.staged import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from kumi.robot import Robot, Team

ORCA = {"kind": "orca", "margin": 0.05}
BARRIER = {"kind": "barrier", "margin": 0.02}
WHEELS = {"offset": 0.05, "turn_speed": 20.0}


def swapped(
    count: int, rule: dict[str, Any], offset: float = 0.0, until: float = 60.0, **more: Any
) -> tuple[int, list[Robot]]:
    """Return the contacts of robots on a circle of 3 m that drive to the places opposite for a minute, and the robots."""
    stage = Stage()
    parameters = {"radius": 0.15, "centre": (0.0, 0.0), "rule": rule, "offset": offset, **more}
    for number in range(count):
        # Two are opposite to the last bit, which no sine of pi is.
        at = Point.polar(3.0, 2 * pi * number / count) if count > 2 else Point(3.0 - 6.0 * number, 0.0)
        drive, eyes = Wheel() if offset else Omni(), View(3.0, occlusion=False)
        shape, facing = Disc(0.15), (-at).direction
        stage.place(avoidance, (), parameters, at, facing, shape, drive, {"eyes": eyes})
    return stage.run(until).contacts, stage.robots


def farthest_from_goal(robots: list[Robot]) -> float:
    return max(robot.position.distance_to(-robot.home) for robot in robots)


@pytest.mark.parametrize("count", [2, 3, 12])
def test_by_orca_all_cross_a_circle_without_a_contact(count: int) -> None:
    contacts, robots = swapped(count, ORCA)
    assert contacts == 0
    assert farthest_from_goal(robots) < 0.05


@pytest.mark.parametrize("count", [2, 12])
def test_on_wheels_they_do_so_too_and_end_beside_their_goals(count: int) -> None:
    """The place that arrives is 0.05 m ahead of the middle."""
    contacts, robots = swapped(count, ORCA, **WHEELS)
    assert contacts == 0
    assert farthest_from_goal(robots) < 0.1


def test_a_barrier_lets_nobody_touch_whatever_they_want_and_promises_no_arrival() -> None:
    contacts, robots = swapped(16, BARRIER)
    assert contacts == 0
    assert farthest_from_goal(robots) > 0.15


def test_without_leaning_two_that_are_symmetric_stand_before_each_other_by_a_barrier() -> None:
    contacts, robots = swapped(2, BARRIER, lean=0.0)
    assert contacts == 0
    assert robots[0].position.distance_to(robots[1].position) == pytest.approx(0.32, abs=1e-6)


def test_in_a_potential_field_two_that_head_for_each_other_stay_apart() -> None:
    contacts, robots = swapped(2, {"kind": "potential"}, lean=0.0)
    assert contacts == 0
    assert farthest_from_goal(robots) > 3.0


def team_on_a_circle(count: int, until: float, **parameters: Any) -> tuple[int, Team]:
    """Return the contacts of a team that drives to the places opposite, and the team."""
    stage = Stage()
    starts = [Point.polar(3.0, 2 * pi * number / count) for number in range(count)]
    headings = [(-at).direction for at in starts]
    given = {"radius": 0.15, "centre": (0.0, 0.0), "rule": ORCA, **WHEELS, **parameters}
    kit = TeamKit(Disc(0.15), Wheel(), None)
    team = stage.place_team(avoidance_team, (), given, count, starts, headings, kit)
    return stage.run(until).contacts, team


def test_a_team_crosses_a_circle_without_a_contact() -> None:
    contacts, team = team_on_a_circle(12, 60.0)
    assert contacts == 0
    assert farthest_from_goal(list(team.robots)) < 0.1


def test_a_team_that_knows_no_headings_moves_as_robots_that_see_each_other() -> None:
    """The law is the same, so the motion is: half-way across the circle, where all of them meet."""
    _, team = team_on_a_circle(8, 6.0, knows_headings=False)
    _, robots = swapped(8, ORCA, until=6.0, **WHEELS)
    for one, other in zip(team.robots, robots, strict=True):
        assert one.position.distance_to(other.position) < 1e-9


@pytest.mark.parametrize("seed", [0, 1])
def test_forty_robots_pass_a_door(tmp_path: Path, seed: int) -> None:
    """All are on the other side of the wall at the end, by no more than what the door takes."""
    outcome, run = recorded(tmp_path, "doorway", f"seed={seed}")
    before, after = ([state.pose.position.x for state in run.state_at(instant)] for instant in (0.0, run.end))
    assert outcome.errors == ()
    assert [x > 6.0 for x in before] == [False] * 20 + [True] * 20
    assert [x > 6.0 for x in after] == [True] * 20 + [False] * 20


@pytest.mark.slow
def test_a_hundred_robots_on_a_circle_change_places_without_a_contact(tmp_path: Path) -> None:
    outcome, run = recorded(tmp_path, "circle-swap")
    before, after = ([state.pose.position for state in run.state_at(instant)] for instant in (0.0, run.end))
    assert (outcome.errors, outcome.contacts) == ((), 0)
    assert all(
        one.distance_to(Point(24.0, 24.0) - other) < 0.05 for one, other in zip(before, after, strict=True)
    )


@pytest.mark.slow
def test_a_thousand_robots_in_two_streams_pass_each_other(tmp_path: Path) -> None:
    """After 38 s most have gone their ways, and fewer than one in fifty has touched another."""
    outcome, run = recorded(tmp_path, "crossing-streams")
    before, after = ([state.pose.position for state in run.state_at(instant)] for instant in (0.0, run.end))
    assert outcome.errors == ()
    assert outcome.contacts <= 20
    ways = [end - start for start, end in zip(before, after, strict=True)]
    goals = [Point(22.0, 0.0)] * 500 + [Point(0.0, 26.0)] * 500
    assert sum(abs(way - goal) < 0.2 for way, goal in zip(ways, goals, strict=True)) >= 850


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({}, "one of the three"),
        ({"goal": (1, 1), "by": (1, 1)}, "one of the three"),
        ({"goal": (1, 1), "rule": {"kind": "luck"}}, "orca, barrier, potential"),
        ({"goal": (1, 1), "rule": {"kind": "orca", "gain": 1.0}}, "orca takes"),
        ({"goal": (1, 1), "rule": {"kind": "orca", "horizon": 0.0}}, "horizon"),
        ({"goal": (1, 1), "obstacles": [{"hill": [1, 2]}]}, "a wall, a pillar or a block"),
        ({"goal": (1, 1), "offset": -1.0}, "offset"),
        ({"goal": (1, 1, 1)}, "two numbers"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_before_the_run(
    parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_parameters(avoidance, 1, {"radius": 0.1, **parameters})
