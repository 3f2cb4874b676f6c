"""The central planner sends robots to all of a place, to different frontiers, and never into each other."""

from __future__ import annotations

from math import inf, pi

import pytest

from kumi.devs.chance import stream
from kumi.geometry import Point, Pose, Rectangle, gap
from kumi.mapping import DriveCommand, Exploration, FilterSettings, MappingTeam, OdometryModel, Scan, Truth
from kumi.mapping.exploration import LEAST_SEPARATION
from kumi.mapping.merging import placed
from kumi.mapping.team import MIDDLE
from kumi.scenario.spaces import space_of
from kumi.testing.surveys import PLATFORM, Explored, explored
from kumi.world import Block, Map

SMALL = Map(2.2, 1.6, obstacles=[Block(Rectangle(1.0, 0.6, 0.3, 0.3))])
EXACT = OdometryModel(way_noise=0.0, way_bias=0.0, steering_noise=0.0, steering_bias=0.0, lag=0.0)
STEADY = FilterSettings(jitter=0.0, wander=0.0)
STARTS = [(0.3, 0.3, 0.0), (1.7, 1.3, 3.0)]


@pytest.fixture(scope="module")
def run() -> Explored:
    """Two robots in a small room with a box."""
    return explored(SMALL, STARTS, seed=1, until=150.0, particles=80)


@pytest.mark.slow
def test_nearly_all_is_seen_and_then_it_is_done(run: Explored) -> None:
    truth = Truth(space_of(SMALL), STARTS[0][:2])
    score = truth.score(run.exploration.team.map)

    assert score.coverage > 0.9
    assert score.precision > 0.8
    assert run.exploration.is_done


def test_robots_never_drive_into_each_other(run: Explored) -> None:
    """Their platforms keep apart at every scan, by the true poses."""
    one, other = (log.poses for log in run.surveys)

    assert min(gap(PLATFORM, a, PLATFORM, b) for a, b in zip(one, other, strict=False)) > 0.02
    assert not [contact for contact in run.contacts if contact.number is not None]


def test_a_robot_stands_rather_than_come_nearer_than_its_room() -> None:
    """Two robots that look at each other, with nothing else around: whatever is wanted, none comes nearer."""
    team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
    exploration = Exploration(team)
    apart = LEAST_SEPARATION + 0.05
    for name, x, heading in (("left", 0.0, 0.0), ("right", apart + 2 * MIDDLE.x, 3.141592653589793)):
        team.add(name, stream(0, name), Pose(Point(x, 0.0), heading))
        exploration.observe(name, Scan(0.0, 0.0, 0.0, (None, *(inf,) * 5)))
    for name in ("left", "right"):
        exploration._explorers[name].way = [Point(0.02 * step - 1.0, 0.0) for step in range(150)]
        exploration._explorers[name].way.sort(key=lambda place: place.x if name == "left" else -place.x)
        told = exploration._safely(
            name,
            exploration._explorers[name],
            team.pose(name),
            DriveCommand(0.1, 0.0),
        )
        assert told.speed == 0.0
    middles = [placed(team.pose(name), MIDDLE) for name in ("left", "right")]
    assert abs(middles[0] - middles[1]) == pytest.approx(apart)


SLANTED = 0.54
"""Radians at which beams cross cells anyhow: what six of them free from one place are dashes, and no frontier."""


def test_who_sees_nowhere_to_go_drives_a_little_before_all_is_done() -> None:
    """A robot that looks aslant over a wide floor: it is told to drive until it has seen more than six lines."""
    team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
    exploration = Exploration(team)
    team.add("one", stream(0, "one"), Pose(Point(0.0, 0.0), SLANTED))
    way = 0.0
    for step in range(60):
        order = exploration.observe("one", Scan(0.2 * step, way, 0.0, (inf,) * 6))
        assert not exploration.is_done
        assert order.speed != 0.0
        way += 0.2 * order.speed


@pytest.mark.parametrize(("ahead", "behind", "end"), [(inf, 0.25, 0.4), (0.25, inf, -0.4), (inf, inf, 0.4)])
def test_the_first_way_leads_to_where_there_is_room(ahead: float, behind: float, end: float) -> None:
    """It is 40 cm long, rather ahead than back."""
    team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
    exploration = Exploration(team)
    team.add("one", stream(0, "one"), Pose(Point(0.0, 0.0), SLANTED))
    exploration.observe("one", Scan(0.0, 0.0, 0.0, (ahead, None, None, behind, None, None)))

    assert abs(exploration.way_of("one")[-1] - Point.polar(end, SLANTED)) < 1e-9


@pytest.mark.slow
def test_robots_that_start_aslant_see_all_of_the_place() -> None:
    """Every start looks across the rows and columns of cells."""
    starts = [(0.4, 0.4, SLANTED), (1.7, 1.2, SLANTED + pi / 2)]
    run = explored(SMALL, starts, seed=1, until=150.0, particles=80)

    assert run.exploration.is_done
    assert Truth(space_of(SMALL), starts[0][:2]).coverage(run.exploration.team.map) > 0.9
