"""Why a convoy broke up: each cause made on purpose, and the rule once more, from a log of all that happened."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, radians
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.contract.readings import Range
from kumi.convoy import BreakUp, Cause, ConvoyRun, Setup
from kumi.convoy.causes import nearest
from kumi.convoy.program import ConvoyRules
from kumi.geometry import Point
from kumi.world import SimulatedBody
from tests.convoy.played import watch, watch_eye

NARROW = ConvoyRules(scan_reach=radians(10.0), tolerance=0.05)
"""A scan of 10 degrees to each side, that takes nothing nearer or farther than the front robot ought to be."""


def quiet(robots: int, **others: Any) -> Setup:
    """Return a convoy without noise whose motions take a second each."""
    return Setup(robots=robots, dnf=0.0, anf=0.0, speed=0.3, field_side=20.0, **others)


def moved_by(run: ConvoyRun, instant: float, number: int, step: Point) -> None:
    """Let a robot stand somewhere else from an instant on."""
    body = run.convoy.bodies[number]
    run.simulation.schedule(instant, lambda: body.teleport(body.position + step, body.heading))


def why(run: ConvoyRun) -> BreakUp:
    """Run to the break-up, and return what is told of it."""
    found = run.run().break_up
    assert found is not None
    return found


def test_a_lost_message_breaks_the_convoy_up_at_once_since_nobody_repeats_it() -> None:
    """The leader's first motion ends after 1 s, 0.3 m ahead; robot 2 stands at 1.5 m and waits."""
    run = ConvoyRun(quiet(3, message_loss=1.0))

    assert why(run) == BreakUp(Cause.LOST_MESSAGE, 2, 1.0, 1.5, 10.0, "a message to it from robot 1 was lost")
    assert run.acceptor.broke_up_at == 1.0


def test_without_loss_no_link_is_in_the_way() -> None:
    assert not ConvoyRun(quiet(3)).convoy.links


def test_a_scan_that_finds_nobody_is_the_cause_of_a_break_up_that_comes_later() -> None:
    """Robot 2 ends its second motion at 4 s, scans 5, 10, 15 and 20 degrees to and fro, and 10 back: 2/3 s at 90 a second."""
    run = ConvoyRun(quiet(2, rules=ConvoyRules(scan_reach=radians(10.0))))
    moved_by(run, 3.5, 0, Point(0.9, 0.0))  # out of sight
    moved_by(run, 5.0, 1, Point(0.0, -4.0))  # while the leader goes on, to be told of at the end of that

    found = why(run)

    assert (found.cause, found.robot, found.event) == (Cause.LOST_SIGHT, 2, "its scan found nobody")
    assert (found.at, found.x, found.y) == pytest.approx((4.0 + 60.0 / 90.0, 1.6, 10.0))
    assert run.acceptor.broke_up_at == pytest.approx(found.at + 1.0)


def test_who_takes_a_wall_for_the_robot_in_front_has_lost_it_by_the_wall() -> None:
    """Half a metre from a wall, the beam meets it 50 degrees to the right, after 1,050 degrees of turns: 35/3 s."""
    run = ConvoyRun(quiet(2))
    for body in run.convoy.bodies:
        body.teleport(Point(body.position.x, 0.5), 0.0)
    moved_by(run, 3.5, 0, Point(0.9, 0.0))
    moved_by(run, 16.0, 1, Point(0.0, 4.0))

    found = why(run)

    assert (found.cause, found.robot, found.event) == (Cause.WALL, 2, "it took a wall for robot 1")
    assert (found.at, found.x, found.y) == pytest.approx((4.0 + 35.0 / 3.0, 1.6, 0.5))


def test_who_takes_another_robot_for_the_one_in_front_has_lost_sight_of_that() -> None:
    """Robot 2 is put beside the line, so the beam of robot 3 goes on to robot 1, 1.1 m away."""
    run = ConvoyRun(quiet(3, infrared_reach=1.2, rules=ConvoyRules(tolerance=1.0)))
    moved_by(run, 2.5, 1, Point(0.0, 1.0))
    moved_by(run, 3.5, 2, Point(0.0, -4.0))

    assert why(run) == BreakUp(Cause.LOST_SIGHT, 3, 3.0, 1.3, 10.0, "it took robot 1 for robot 2")
    assert run.acceptor.broke_up_at == 4.0


def test_a_motion_that_a_wall_cuts_short_is_the_cause_if_the_robot_in_front_is_not_seen_again() -> None:
    """Robot 2 looks to the wall; the leader goes on beside it."""
    run = ConvoyRun(quiet(2, break_up=1.3, rules=NARROW))
    run.convoy.bodies[1].teleport(Point(1.5, 0.3), -pi / 2)
    run.convoy.bodies[0].teleport(Point(2.0, 0.9), 0.0)

    found = why(run)

    assert (found.cause, found.robot, found.event) == (Cause.WALL, 2, "it touched a wall")
    assert found.y == pytest.approx(0.1), "its radius; tips of whiskers are 0.13 cos 40, 0.0996 m ahead"


def test_a_motion_that_another_robot_cuts_short_is_a_contact() -> None:
    """Robot 3 sets off at 2 s, and robot 4 stands 5 cm before it."""
    run = ConvoyRun(quiet(4, rules=NARROW))
    run.convoy.bodies[3].teleport(run.convoy.bodies[2].position + Point(0.25, 0.0), 0.0)
    moved_by(run, 3.5, 2, Point(0.0, -4.0))

    found = why(run)

    assert (found.cause, found.robot, found.event) == (Cause.CONTACT, 3, "it touched robot 4")
    assert found.at == pytest.approx(2.0 + 0.05 / 0.3)


def test_a_front_robot_that_is_gone_between_two_looks_is_lost_sight_at_the_break_up_itself() -> None:
    run = ConvoyRun(quiet(2))
    moved_by(run, 2.5, 0, Point(5.0, 0.0))

    found = why(run)

    assert (found.cause, found.robot, found.at) == (Cause.LOST_SIGHT, 2, run.acceptor.broke_up_at)
    assert found.event == "the robot in front went out of its sight"


class Still(NamedTuple):
    """A body by where it is."""

    position: Point
    heading: float = 0.0


@pytest.mark.parametrize(
    ("places", "length", "found"),
    [
        ([(0.11, 5.0), (0.33, 5.0)], 0.0, -1),  # 1 cm from the wall, 2 cm from the robot
        ([(0.13, 5.0), (0.35, 5.0)], 0.0, 1),  # 3 cm and 2 cm
        ([(5.0, 5.0), (5.3, 5.0), (5.0, 5.205)], 0.0, 2),  # 10 cm and 5 mm
        # A whisker of 10 cm at 40 degrees ends at (0.153, 0.129) from the centre, and leads past robot 1 to robot 2.
        ([(5.0, 5.0), (4.99, 5.22), (5.2, 5.22)], 0.1, 2),
        ([(5.0, 5.0), (4.99, 5.22), (5.2, 5.22)], 0.0, 1),
        ([(9.84, 5.0), (9.84, 5.21)], 0.1, -1),  # the tip is 7 mm from the wall, the other robot 10 mm away
    ],
)
def test_what_is_touched_is_what_is_nearest_to_the_body_and_its_whiskers(
    places: list[tuple[float, float]], length: float, found: int
) -> None:
    setup = Setup(robots=3, field_side=10.0, whisker_length=length)
    bodies: Any = [Still(Point(x, y)) for x, y in places]

    assert nearest(0, bodies, setup) == found


class Happened(NamedTuple):
    """An entry of the log: which robot, when, where, and whether it saw the one in front."""

    robot: int
    time: float
    place: Point
    cause: Cause | None


def logged(run: ConvoyRun) -> list[Happened]:
    """Write down all looks that ended a routine, and all motions that were cut short."""
    log: list[Happened] = []
    setup, bodies, world = run.setup, run.convoy.bodies, run.convoy.world

    def met(number: int) -> object:
        eye = bodies[number].position + Point.polar(setup.rules.diameter / 2, bodies[number].heading)
        hit = world.first_hit(eye, bodies[number].heading, setup.infrared_reach, ignoring=bodies[number])
        return hit.what if hit else None

    def looked(number: int) -> Callable[[Range], None]:
        def look(seen: Range) -> None:
            off = seen.distance + setup.rules.diameter - setup.rules.desired
            if not seen.is_hit or abs(off) > setup.rules.tolerance + 1e-9:
                return
            what = met(number)
            other = Cause.LOST_SIGHT if isinstance(what, SimulatedBody) else Cause.WALL
            cause = None if what is bodies[number - 1] else other
            log.append(Happened(number, world.now, bodies[number].position, cause))

        return look

    def moved(number: int) -> Callable[[bool], None]:
        lost = 0

        def move(is_complete: bool) -> None:
            nonlocal lost
            times_lost = run.convoy.followers[number - 1].times_lost
            place = bodies[number].position
            if not is_complete:
                is_wall = nearest(number, bodies, setup) < 0
                log.append(Happened(number, world.now, place, Cause.WALL if is_wall else Cause.CONTACT))
            elif times_lost > lost:
                lost = times_lost
                log.append(Happened(number, world.now, place, Cause.LOST_SIGHT))

        return move

    for number, robot in enumerate(run.convoy.robots[1:], 1):
        watch_eye(robot, looked(number))
        watch(robot, ended=moved(number))
    return log


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    noise=st.sampled_from([(0.3, 0.0), (0.4, 0.3), (0.6, 0.6), (0.1, 0.4)]),
    learning=st.sampled_from([0.0, 0.3]),
    room=st.floats(0.2, 3.0),
)
def test_the_cause_is_the_first_mishap_since_the_robot_last_saw_the_one_in_front(
    seed: int, noise: tuple[float, float], learning: float, room: float
) -> None:
    """Looked for backwards, in the log of the whole run."""
    setup = Setup(
        robots=6,
        steps=80,
        dnf=noise[0],
        anf=noise[1],
        rules=ConvoyRules(step=0.4, learning=learning),
        field_side=4.5 + room,
        break_up=1.5,
    )
    run = ConvoyRun(setup, seed)
    log = logged(run)
    found = run.run().break_up
    ended = run.acceptor.broke_up_at
    if found is None or ended is None:
        return
    mine = [one for one in log if one.robot == found.robot - 1 and one.time <= ended]
    since = max((at for at, one in enumerate(mine) if one.cause is None), default=-1)
    first = next(iter(mine[since + 1 :]), None)

    if first is None:
        assert (found.cause, found.at) == (Cause.LOST_SIGHT, ended)
    else:
        assert (found.cause, found.at) == (first.cause, first.time)
        assert (found.x, found.y) == tuple(first.place)
