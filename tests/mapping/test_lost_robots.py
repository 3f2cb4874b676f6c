"""The planner goes on without robots that have fallen silent, and does not take one that starts slowly for stuck."""

from __future__ import annotations

from math import inf

from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.mapping import Exploration, FilterSettings, MappingTeam, OdometryModel, Scan

EXACT = OdometryModel(way_noise=0.0, way_bias=0.0, steering_noise=0.0, steering_bias=0.0, lag=0.0)
STEADY = FilterSettings(jitter=0.0, wander=0.0)
OPEN = (inf,) * 6
SHUT = (0.2, 0.15, 0.12, 0.12, 0.12, 0.15)
"""What a robot sees that is shut in: it has nowhere to go."""


def exploration(*names: str) -> Exploration:
    team = MappingTeam(particles=2, odometry=EXACT, settings=STEADY)
    for number, name in enumerate(names):
        team.add(name, stream(0, name), Pose(Point(3.0 * number, 0.0)))
    return Exploration(team)


def test_a_robot_that_left_is_not_waited_for_until_it_is_back() -> None:
    planner = exploration("shut in", "free")
    for step in range(30):
        planner.observe("shut in", Scan(0.2 * step, 0.0, 0.0, SHUT))
        planner.observe("free", Scan(0.2 * step, 0.0, 0.0, OPEN))
    states = [(planner.is_done, bool(planner.way_of("free")))]
    planner.leave("free")
    states.append((planner.is_done, bool(planner.way_of("free"))))
    planner.observe("free", Scan(30.0, 0.0, 0.0, OPEN))
    states.append((planner.is_done, False))

    assert states == [(False, True), (True, False), (False, False)]


def test_when_all_have_left_nothing_is_done() -> None:
    planner = exploration("one")
    planner.observe("one", Scan(0.0, 0.0, 0.0, SHUT))
    planner.leave("one")
    planner.leave("nobody")

    assert not planner.is_done


def test_a_robot_that_needs_a_moment_to_start_goes_on_as_it_was_told() -> None:
    """For 0.8 s it does not move; that it stands still after a second means that it is stuck, and it goes another way."""
    planner = exploration("slow")
    told = [planner.observe("slow", Scan(0.2 * step, 0.0, 0.0, OPEN)) for step in range(8)]

    assert [order.speed for order in told[:5]] == [told[0].speed] * 5
    assert told[0].speed != 0.0
    assert told[4] not in told[5:]
