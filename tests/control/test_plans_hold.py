"""What is played ahead is what happens: the plan of a list ends where the robot does."""

from __future__ import annotations

from math import degrees, radians

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kumi.control import Aim, Go, Order, Session, Step, Wait
from kumi.control.session import legs_of
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.motion import Piece
from kumi.world import Map, World
from tests.link.emulated import emulated, place

CALIBRATION = Calibration.default()
START = place(0.0, 0.0, 30.0)

steps: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from([-40, -24, -12, 0, 5, 17, 30]).map(lambda angle: Aim(radians(angle))),
    st.integers(5, 30).map(lambda cm: Go(cm / 100)),
    st.integers(-20, -5).map(lambda cm: Go(cm / 100)),
    st.just(Wait(0.5)),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=6))
def test_a_robot_ends_where_its_list_leads(plan: list[Step]) -> None:
    """Within what it rolls on after the first stops, a centimetre and a half each, and the bend of that."""
    expected = START
    for leg in legs_of(plan, CALIBRATION):
        piece = Piece.of(leg, expected.position, expected.heading)
        x, y, heading = piece.at(piece.duration)
        expected = Pose(Point(x, y), heading)
    world = World(Map())
    with Session(beside=[world]) as session:
        robot = emulated(session.simulation, world, START)
        robot.remote.open()
        session.add(robot.remote, CALIBRATION, START)
        session.give(Order(step) for step in plan)
        session.close_lists()
        session.run()
        ended = robot.pose

    ways = sum(isinstance(step, Go) for step in plan)
    assert abs(ended.position - expected.position) < 0.005 + 0.015 * ways
    assert abs(degrees(ended.heading - expected.heading)) < 1.0 + 4.0 * ways
