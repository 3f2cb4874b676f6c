"""Robots that will hit each other or a wall are told, with the time left, to the exact instant."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi, radians

import pytest

from kumi.control.session import legs_of
from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait
from kumi.control.warnings import CollisionForecast, PredictedMotion
from kumi.geometry import Disc, Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.devices import Device
from kumi.motion import Leg, Piece
from kumi.world import Map, Wall

CALIBRATION = Calibration.default()
CRUISE = 0.07986
ROOM = Map(4.0, 4.0, obstacles=[Wall((2.0, 0.0), (2.0, 4.0), name="the wall")])


@pytest.fixture
def foresight() -> Iterator[CollisionForecast]:
    with CollisionForecast(
        ROOM, {"one": CALIBRATION.shape, "two": CALIBRATION.shape}, horizon=60.0
    ) as foresight:
        yield foresight


def outlook(x: float, y: float, heading: float, *steps: Step) -> PredictedMotion:
    return PredictedMotion(Pose(Point(x, y), radians(heading)), legs_of(steps, CALIBRATION))


def test_a_wall_ahead_is_hit_after_the_way_to_it_at_the_speed(foresight: CollisionForecast) -> None:
    """The front is at 1.23 m, the wall at 2 m."""
    (danger,) = foresight.dangers({"one": outlook(1.0, 2.0, 0.0, Go(inf))})

    assert (danger.robot, danger.other) == ("one", "the wall")
    assert danger.seconds == pytest.approx(0.775 / CRUISE)
    assert danger.at.x == pytest.approx(2.0)


def test_a_way_that_ends_before_the_wall_is_no_danger(foresight: CollisionForecast) -> None:
    assert foresight.dangers({"one": outlook(1.0, 2.0, 0.0, Go(0.76))}) == []
    assert len(foresight.dangers({"one": outlook(1.0, 2.0, 0.0, Go(0.78))})) == 1


def test_two_robots_that_meet_are_one_danger(foresight: CollisionForecast) -> None:
    """One at 0.5 m looking right, the other at 1.5 m looking left: 0.55 m between their fronts."""
    plans = {"one": outlook(0.5, 1.0, 0.0, Go(inf)), "two": outlook(1.5, 1.0, 180.0, Go(inf))}

    (danger,) = foresight.dangers(plans)

    assert {danger.robot, danger.other} == {"one", "two"}
    assert danger.seconds == pytest.approx(0.55 / (2 * CRUISE))
    assert str(danger).startswith("one will hit two in 3.4 s at (1.00, ")


def test_a_robot_that_rests_can_be_hit(foresight: CollisionForecast) -> None:
    (danger,) = foresight.dangers({"one": outlook(0.5, 1.0, 0.0, Go(inf)), "two": outlook(1.5, 1.0, 180.0)})

    assert (danger.robot, danger.other) == ("one", "two")
    assert danger.seconds == pytest.approx(0.55 / CRUISE)


def test_waits_and_turns_to_come_are_seen(foresight: CollisionForecast) -> None:
    """Straight for 0.5 m, 2 s of rest, and on into the wall."""
    steps = (Go(0.5), Wait(2.0), ReadStep((Device.ENCODER,)), Go(1.0))

    (danger,) = foresight.dangers({"one": outlook(1.0, 2.0, 0.0, *steps)})

    assert danger.seconds == pytest.approx(0.775 / CRUISE + 2.0)


def test_who_turns_away_in_time_hits_nothing(foresight: CollisionForecast) -> None:
    steps = (Aim(radians(40)), Go(0.73))

    assert foresight.dangers({"one": outlook(1.4, 2.0, 0.0, *steps)}) == []


def test_asking_again_gives_the_same(foresight: CollisionForecast) -> None:
    """The one from before leaves nothing behind."""
    plans = {"one": outlook(1.0, 2.0, 0.0, Go(inf))}

    first, again = foresight.dangers(plans), foresight.dangers(plans)

    assert len(first) == len(again) == 1
    assert first[0].seconds == pytest.approx(again[0].seconds)


def test_a_robot_that_has_left_is_hit_no_more(foresight: CollisionForecast) -> None:
    plans = {"one": outlook(0.5, 1.0, 0.0, Go(0.6)), "two": outlook(1.5, 1.0, 180.0)}

    assert len(foresight.dangers(plans)) == 1
    assert foresight.dangers({"one": plans["one"]}) == []


def test_a_place_that_is_believed_to_be_inside_a_wall_is_no_end(foresight: CollisionForecast) -> None:
    """Dead reckoning errs; who drives out of it is left in peace."""
    assert foresight.dangers({"one": outlook(1.80, 2.0, 0.0, Go(-0.5))}) == []


def test_a_plan_is_the_arc_of_the_back_axle() -> None:
    """Steered by 40°: the front wheel's way of a quarter circle turns by 90°."""
    way = CALIBRATION.wheelbase / 0.6427876096865393 * pi / 2
    (one,) = legs_of([Aim(radians(40)), Go(way)], CALIBRATION)

    piece = Piece.of(one, Point(0, 0), 0.0)

    assert piece.at(piece.duration)[2] == pytest.approx(pi / 2)
    assert piece.duration == pytest.approx(way / CRUISE)


def test_a_way_without_an_end_goes_on_beside_the_waits_until_a_stop() -> None:
    legs = legs_of([Go(inf), Wait(3.0), StopMotor(), Wait(2.0)], CALIBRATION)
    first, second = (Piece.of(one, Point(0, 0), 0.0) for one in legs)

    assert first.length == pytest.approx(3.0 * CRUISE)
    assert (second.length, second.duration) == (0.0, 2.0)


def test_the_present_motion_goes_on() -> None:
    (one,) = legs_of([], CALIBRATION, speed=-0.1)

    assert Piece.of(one, Point(0, 0), 0.0).at(1.0)[0] == pytest.approx(-0.1)


def test_shapes_may_differ() -> None:
    with CollisionForecast(ROOM, {"ball": Disc(0.1)}) as foresight:
        (danger,) = foresight.dangers({"ball": PredictedMotion(Pose(Point(1, 1)), [Leg.forward(inf, 0.3)])})

    assert danger.seconds == pytest.approx(0.9 / 0.3)
