"""A car drives exact arcs, which the core's arcs and the seed's step formula agree with."""

from __future__ import annotations

from math import cos, isinf, pi, radians, sin, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point, Pose
from kumi.link.reckoning import arc_angle, drive_arc, front_wheel, radius_of, steering_of
from kumi.motion import Leg, Piece

L = 0.15
ways = st.floats(-2.0, 2.0)
steerings = st.floats(-radians(40), radians(40))
poses = st.builds(Pose, st.builds(Point, st.floats(-5.0, 5.0), st.floats(-5.0, 5.0)), st.floats(-pi, pi))


def apart(one: Pose, other: Pose) -> float:
    return max(abs(one.position - other.position), abs(one.heading - other.heading))


def seeds_step(pose: Pose, way: float, steering: float) -> tuple[Point, Point]:
    """Move front wheel and back axle as equations (5) and (6) of the seed do, with angles to the left.

    The front goes the way itself, the back its share, as if they were chords; their directions are
    heading + α + γ/2 and heading + γ/2.
    """
    if abs(steering) < 1e-9:
        step = Point.polar(way, pose.heading)
        return front_wheel(pose, L) + step, pose.position + step
    turn = way / (L / sin(steering))
    front = front_wheel(pose, L) + Point.polar(way, pose.heading + steering + turn / 2)
    back = pose.position + Point.polar(turn * (L / tan(steering)), pose.heading + turn / 2)
    return front, back


def test_a_quarter_of_a_circle() -> None:
    """Steered by 45°, the back axle goes around at 15 cm, the front wheel at 15 √2 cm."""
    end = drive_arc(Pose(Point(0, 0), 0.0), L * 2**0.5 * pi / 2, pi / 4, L)

    assert end.position.x == pytest.approx(L)
    assert end.position.y == pytest.approx(L)
    assert end.heading == pytest.approx(pi / 2)


def test_straight_ahead_and_back() -> None:
    start = Pose(Point(1, 2), pi / 2)

    assert apart(drive_arc(start, 0.3, 0.0, L), Pose(Point(1, 2.3), pi / 2)) < 1e-12
    assert apart(drive_arc(start, -0.3, 0.0, L), Pose(Point(1, 1.7), pi / 2)) < 1e-12


@given(poses, ways, steerings, st.floats(0.0, 1.0))
def test_a_way_in_two_pieces_leads_to_the_same_place(
    pose: Pose, way: float, steering: float, share: float
) -> None:
    halfway = drive_arc(pose, way * share, steering, L)

    assert apart(drive_arc(halfway, way * (1 - share), steering, L), drive_arc(pose, way, steering, L)) < 1e-9


@given(poses, ways, steerings)
def test_going_back_leads_to_the_start(pose: Pose, way: float, steering: float) -> None:
    assert apart(drive_arc(drive_arc(pose, way, steering, L), -way, steering, L), pose) < 1e-9


@given(poses, ways, steerings.filter(lambda angle: abs(angle) > 1e-3))
def test_the_core_drives_the_same_arc(pose: Pose, way: float, steering: float) -> None:
    turn = arc_angle(way, steering, L)
    piece = Piece.of(Leg.arc(radius_of(steering, L), turn, 1.0), pose.position, pose.heading)
    x, y, heading = piece.at(piece.duration)

    assert apart(Pose(Point(x, y), heading), drive_arc(pose, way, steering, L)) < 1e-9


@given(poses, steerings)
def test_the_front_wheel_stays_a_wheelbase_ahead_on_its_own_circle(pose: Pose, steering: float) -> None:
    """A circle of radius L / sin α: its chord for an arc angle γ is 2 r sin(γ / 2)."""
    end = drive_arc(pose, 0.3, steering, L)
    moved = abs(front_wheel(end, L) - front_wheel(pose, L))
    turn = end.heading - pose.heading
    radius = L / sin(steering) if abs(steering) > 1e-6 else None
    chord = 0.3 if radius is None else abs(2 * radius * sin(turn / 2))

    assert abs(front_wheel(end, L) - end.position) == pytest.approx(L)
    assert moved == pytest.approx(chord, abs=1e-9)


@given(poses, steerings, st.sampled_from([-1.0, 1.0]))
def test_the_seeds_step_formula_agrees_as_the_way_goes_to_0(pose: Pose, steering: float, sign: float) -> None:
    """Its error is that of taking an arc for its chord: way³ / (24 r²), so a tenth of the way, a thousandth."""
    for way in (0.1, 0.01, 0.001):
        front, back = seeds_step(pose, sign * way, steering)
        end = drive_arc(pose, sign * way, steering, L)
        limit = way**3 * (sin(steering) / L) ** 2 / 24 + 1e-12

        assert abs(front - front_wheel(end, L)) <= limit
        assert abs(back - end.position) <= limit * cos(steering) + 1e-12


@given(steerings.filter(lambda angle: abs(angle) > 1e-6))
def test_radius_and_steering_are_inverse(steering: float) -> None:
    assert steering_of(radius_of(steering, L), L) == pytest.approx(steering)


def test_straight_ahead_has_an_infinite_radius() -> None:
    assert isinf(radius_of(0.0, L))
    assert steering_of(radius_of(0.0, L), L) == 0.0
