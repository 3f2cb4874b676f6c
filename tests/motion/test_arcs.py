"""Where a body is on an arc of any radius, against decimal numbers of 60 digits: from a tight turn to a line."""

from __future__ import annotations

from decimal import Decimal
from math import copysign, cos, inf, isclose, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.geometry import Point
from kumi.motion import Car, Drive, Leg, Omni, Piece, Wheel
from kumi.robot import Robot
from tests.motion.exactly import on_arc
from tests.robot.stages import play, turned

radii = st.builds(lambda power, side: side * 10**power, st.floats(-1, 12), st.sampled_from([1, -1]))
places = st.tuples(st.floats(-100, 100), st.floats(-100, 100), st.floats(-4, 4))
ways = st.floats(1e-3, 100)
senses = st.sampled_from([1, -1])


@given(places, radii, ways, st.floats(0.1, 10), senses)
def test_a_body_is_where_the_circle_leads(
    place: tuple[float, float, float], radius: float, way: float, speed: float, ahead: int
) -> None:
    piece = Piece.of(Leg.arc(radius, ahead * copysign(inf, radius), speed), place[:2], place[2])
    time = way / speed
    x, y, heading = piece.at(time)

    due = on_arc(place, radius, Decimal(speed) * Decimal(time), ahead)
    size = max(way, abs(place[0]), abs(place[1]))
    assert abs(Decimal(x) - due.x) < 1e-12 * size
    assert abs(Decimal(y) - due.y) < 1e-12 * size
    assert abs(Decimal(heading) - due.heading) < 1e-12 * (4 + way / abs(radius))


@given(radii, ways, senses)
def test_from_the_origin_even_the_way_aside_has_twelve_digits(radius: float, way: float, ahead: int) -> None:
    """After 1 m of an arc of 1e12 m a body is 5e-13 m aside, and that number is right."""
    x, y, _ = Piece.of(Leg.arc(radius, ahead * copysign(inf, radius), 1.0), (0, 0), 0.0).at(way)
    due = on_arc((0, 0, 0), radius, Decimal(way), ahead)
    blur = Decimal("1e-12") * Decimal(min(way, way * way / abs(radius)))

    assert abs(Decimal(x) - due.x) < Decimal("1e-12") * Decimal(way)
    assert abs(Decimal(y) - due.y) < blur


@given(places, radii, st.floats(1e-12, 7), senses)
def test_an_arc_with_an_end_comes_to_it_without_a_jump(
    place: tuple[float, float, float], radius: float, angle: float, ahead: int
) -> None:
    angle = min(angle, 100 / abs(radius))
    piece = Piece.of(Leg.arc(radius, angle * ahead, 1.0), place[:2], place[2])
    due = on_arc(place, radius, Decimal(angle) * abs(Decimal(radius)), ahead if radius > 0 else -ahead)

    for clock in (piece.duration, piece.duration * (1 - 1e-15)):
        x, y, heading = piece.at(clock)
        assert abs(Decimal(x) - due.x) < 2e-13 * (100 + piece.length)
        assert abs(Decimal(y) - due.y) < 2e-13 * (100 + piece.length)
        assert isclose(heading, due.heading, abs_tol=1e-13)


def test_the_wider_an_arc_the_closer_it_is_to_the_line() -> None:
    """After a metre it is aside by less than half the curve, and behind by less than a sixth of its square."""
    for power in range(301):
        curve = 10.0**-power
        x, y, heading = Piece.of(Leg.arc(1 / curve, inf, 1.0), (0, 0), 0.0).at(1.0)

        assert y == pytest.approx(curve / 2, rel=0.1)
        assert 0.0 <= 1.0 - x <= curve**2 / 6 + 1e-15
        assert heading == pytest.approx(curve, rel=1e-15)


def test_an_arc_as_wide_as_numbers_allow_is_a_line() -> None:
    piece = Piece.of(Leg.arc(1.7e308, inf, 2.0), (1.0, 2.0), 0.5)

    assert piece.at(3.0) == pytest.approx((1 + 6 * cos(0.5), 2 + 6 * sin(0.5), 0.5), rel=1e-15)


@pytest.mark.parametrize(
    ("radius", "angle", "place"),
    [
        (2.0, pi / 2, (2.0, 2.0)),  # forward, to the left: about (0, 2)
        (2.0, -pi / 2, (-2.0, 2.0)),  # back, about the same centre
        (-2.0, -pi / 2, (2.0, -2.0)),  # forward, to the right: about (0, -2)
        (-2.0, pi / 2, (-2.0, -2.0)),  # back, about the same centre
    ],
)
@pytest.mark.parametrize("drive", [Wheel(), Wheel(acceleration=1.0), Omni(), Car(min_radius=1.0)])
def test_the_signs_of_an_arc_say_where_its_centre_is_and_where_it_turns(
    radius: float, angle: float, place: tuple[float, float], drive: Drive
) -> None:
    """A quarter of a circle from the origin, looking along x."""
    ends: list[tuple[Point, float, float]] = []

    async def go(robot: Robot) -> None:
        await robot.arc(radius, angle, speed=0.5)
        ends.append((robot.position, robot.heading, turned(robot)))

    play(go, drive=drive)

    [(there, *angles)] = ends
    assert tuple(there) == pytest.approx(place)
    assert angles == pytest.approx([angle, angle])
