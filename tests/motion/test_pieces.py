"""Where a body is on a leg: every closed form against a formula of its own."""

from __future__ import annotations

import struct
from math import cos, hypot, inf, isclose, nan, pi, sin, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kumi.motion import Leg, Piece

places = st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
headings = st.floats(-10.0, 10.0)
speeds = st.floats(0.01, 50.0)
shares = st.floats(0.0, 1.0)
Triple = tuple[float, float, float]


def apart(one: Triple, other: Triple) -> float:
    """Return how far two poses differ in anything."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def on_circle(heading: float, radius: float, turned: float) -> Triple:
    """Return where a circle leads that begins at the origin, about a centre on the left, or the right."""
    end = heading + turned
    return radius * (sin(end) - sin(heading)), radius * (cos(heading) - cos(end)), end


@given(start=places, heading=headings, goal=places, speed=speeds, share=shares)
def test_a_line_goes_evenly_to_its_goal(
    start: tuple[float, float], heading: float, goal: tuple[float, float], speed: float, share: float
) -> None:
    way = hypot(goal[0] - start[0], goal[1] - start[1])
    assume(way > 1e-6)
    piece = Piece.of(Leg.line(goal, speed), start, heading)

    assert isclose(piece.duration, way / speed, rel_tol=1e-12)
    assert isclose(piece.length, way, rel_tol=1e-12)
    between = (start[0] + share * (goal[0] - start[0]), start[1] + share * (goal[1] - start[1]), heading)
    assert apart(piece.at(share * piece.duration), between) < 1e-12 * 4e3
    assert piece.at(piece.duration) == (*goal, heading)


@given(distance=st.floats(-1e3, 1e3), speed=speeds, heading=headings, share=shares)
def test_forward_goes_along_the_heading(distance: float, speed: float, heading: float, share: float) -> None:
    piece = Piece.of(Leg.forward(distance, speed), (3.0, -2.0), heading)
    way = share * distance

    assert isclose(piece.duration, abs(distance) / speed)
    at = piece.at(share * piece.duration)
    assert apart(at, (3.0 + way * cos(heading), -2.0 + way * sin(heading), heading)) < 1e-11


@given(
    radius=st.floats(0.1, 100.0) | st.floats(-100.0, -0.1),
    angle=st.floats(-7.0, 7.0),
    speed=speeds,
    heading=headings,
    share=shares,
)
def test_an_arc_is_part_of_a_circle(
    radius: float, angle: float, speed: float, heading: float, share: float
) -> None:
    """Turning by a positive angle about a centre on the right means to drive backwards."""
    piece = Piece.of(Leg.arc(radius, angle, speed), (0.0, 0.0), heading)

    assert isclose(piece.duration, abs(radius * angle) / speed, rel_tol=1e-12, abs_tol=1e-300)
    expected = on_circle(heading, radius, share * angle)
    assert apart(piece.at(share * piece.duration), expected) < 1e-13 * (20.0 + abs(radius) * 20.0)


@given(
    radius=st.floats(0.5, 20.0) | st.floats(-20.0, -0.5),
    angle=st.floats(0.1, 3.0),
    speed=st.floats(0.5, 5.0),
    acceleration=st.floats(0.1, 3.0),
    share=shares,
)
def test_an_arc_with_acceleration(
    radius: float, angle: float, speed: float, acceleration: float, share: float
) -> None:
    angle = angle if radius > 0.0 else -angle
    piece = Piece.of(Leg.arc(radius, angle, speed, acceleration), (0.0, 0.0), 0.5)
    way = abs(radius * angle)

    end = (sqrt(speed**2 + 2 * acceleration * way) - speed) / acceleration
    assert isclose(piece.duration, end, rel_tol=1e-9)
    time = share * end
    done = (speed * time + acceleration * time**2 / 2) / way
    assert apart(piece.at(share * piece.duration), on_circle(0.5, radius, done * angle)) < 1e-10 * (1.0 + way)


@given(angle=st.floats(-50.0, 50.0), speed=speeds, share=shares)
def test_a_spin_turns_evenly(angle: float, speed: float, share: float) -> None:
    piece = Piece.of(Leg.spin(angle, speed), (5.0, 6.0), 1.0)

    assert isclose(piece.duration, abs(angle) / speed)
    assert apart(piece.at(share * piece.duration), (5.0, 6.0, 1.0 + share * angle)) < 1e-12 * 60
    assert piece.at(piece.duration) == (5.0, 6.0, 1.0 + angle)


@given(
    start=places, goal=places, first=headings, last=headings, duration=st.floats(0.01, 100.0), share=shares
)
def test_a_glide_moves_and_turns_evenly(
    start: tuple[float, float],
    goal: tuple[float, float],
    first: float,
    last: float,
    duration: float,
    share: float,
) -> None:
    piece = Piece.of(Leg.glide(goal, last, duration), start, first)
    expected = tuple(a + share * (b - a) for a, b in zip((*start, first), (*goal, last), strict=True))

    assert piece.duration == duration
    assert apart(piece.at(share * duration), expected) < 1e-11 * 1e3  # type: ignore[arg-type]
    assert piece.at(duration) == (*goal, last)


@given(speed=st.floats(0.0, 20.0), acceleration=st.floats(0.01, 10.0), way=st.floats(1e-3, 1e3), share=shares)
def test_a_line_with_acceleration(speed: float, acceleration: float, way: float, share: float) -> None:
    piece = Piece.of(Leg.line((way, 0.0), speed, acceleration), (0.0, 0.0), 0.0)

    end = 2 * way / (speed + sqrt(speed**2 + 2 * acceleration * way))
    assert isclose(piece.duration, end, rel_tol=1e-12)
    time = share * end
    assert piece.at(time)[0] == pytest.approx(speed * time + acceleration * time**2 / 2, rel=1e-12)


@given(speed=st.floats(0.1, 20.0), braking=st.floats(0.01, 10.0))
def test_braking_to_a_halt_takes_speed_over_braking(speed: float, braking: float) -> None:
    """The last stretch of a plan ends where the speed is used up; rounding must not cut it short."""
    way = speed**2 / (2 * braking)

    for leg in [Leg.line((way, 0.0), speed, -braking), Leg.forward(way, speed, -braking)]:
        assert isclose(Piece.of(leg, (0.0, 0.0), 0.0).duration, speed / braking, rel_tol=1e-9)


@pytest.mark.parametrize(
    "leg", [Leg.line((2.0, 0.0), 1.0, -1.0), Leg.forward(2.0, 1.0, -1.0), Leg.arc(1.0, 2.0, 1.0, -1.0)]
)
def test_a_speed_used_up_before_the_end_is_refused(leg: Leg) -> None:
    with pytest.raises(ValueError, match="the speed is used up before the end of the way"):
        Piece.of(leg, (0.0, 0.0), 0.0)


def test_what_has_no_end_goes_on() -> None:
    ahead = Piece.of(Leg.forward(inf, 2.0), (1.0, 0.0), 0.0)
    round_about = Piece.of(Leg.arc(1.0, inf, 1.0), (0.0, 0.0), 0.0)
    spinning = Piece.of(Leg.spin(-inf, 1.0), (0.0, 0.0), 0.0)
    resting = Piece.of(Leg.rest(inf), (4.0, 5.0), 6.0)

    assert {piece.duration for piece in (ahead, round_about, spinning, resting)} == {inf}
    assert ahead.at(1e6) == (2e6 + 1.0, 0.0, 0.0)
    assert round_about.at(pi) == pytest.approx((0.0, 2.0, pi))
    assert spinning.at(8.0) == (0.0, 0.0, -8.0)
    assert resting.at(1e9) == (4.0, 5.0, 6.0)


def test_before_the_beginning_and_after_the_end_a_piece_stands_still() -> None:
    piece = Piece.of(Leg.line((2.0, 0.0), 1.0), (0.0, 0.0), 0.0)

    assert (piece.at(-1.0), piece.at(0.0)) == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert (piece.at(2.0), piece.at(3.0), piece.at(inf)) == ((2.0, 0.0, 0.0),) * 3


# Bytes.


def as_bytes(kind: int, fields: list[float]) -> bytes:
    """Return a piece as the journal writes it: its kind and twelve numbers."""
    return struct.pack("<B12d", kind, *fields)


@given(goal=places, speed=speeds, clock=st.floats(0.0, 100.0))
def test_bytes_give_the_same_piece(goal: tuple[float, float], speed: float, clock: float) -> None:
    """First pose, direction, speed, acceleration, turning, duration, last pose."""
    assume(goal != (0.0, 0.0))
    way = hypot(*goal)
    piece = Piece.of(Leg.line(goal, speed), (0.0, 0.0), 0.25)
    fields = [0.0, 0.0, 0.25, goal[0] / way, goal[1] / way, speed, 0.0, 0.0, piece.duration, *goal, 0.25]
    copy = Piece.from_bytes(as_bytes(0, fields))

    assert (copy.kind, copy.duration) == (piece.kind, piece.duration)
    assert copy.at(clock) == pytest.approx(piece.at(clock), abs=1e-12)


@pytest.mark.parametrize(
    "wrong", [b"", b"x" * 97, bytes(96), bytes(98), b"\x03" + bytes(96), b"\xff" + bytes(96)]
)
def test_other_bytes_are_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match=r"^a piece is 97 bytes that begin with its kind, 0 to 2$"):
        Piece.from_bytes(wrong)


@given(
    kind=st.integers(0, 2),
    fields=st.lists(st.floats(), min_size=12, max_size=12),
    clock=st.floats(allow_nan=False),
)
def test_any_97_bytes_are_survived(kind: int, fields: list[float], clock: float) -> None:
    """A broken file gives broken places, and nothing worse."""
    piece = Piece.from_bytes(as_bytes(kind, fields))

    assert len(piece.at(clock)) == 3
    assert piece.kind in {"line", "arc", "pattern"}
    assert isinstance(piece.length, float)


# What is refused, in words.


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Leg.line((1.0, 0.0), 0.0), "line(): speed is a number of metres a second > 0, not 0.0"),
        (lambda: Leg.line((1.0, 0.0), -1.0), "line(): speed is a number of metres a second > 0, not -1.0"),
        (lambda: Leg.line((1.0, 0.0), nan), "line(): speed is a number, not nan"),
        (lambda: Leg.line((1.0, nan), 1.0), "line() takes a point with finite numbers, not (1.0, nan)"),
        (lambda: Leg.forward(nan, 1.0), "forward(): distance is a number, not nan"),
        (lambda: Leg.forward(1.0, inf), "forward(): speed is a number of metres a second > 0, not inf"),
        (lambda: Leg.spin(1.0, 0.0), "spin(): speed is a number of radians a second > 0, not 0.0"),
        (
            lambda: Leg.arc(0.0, 1.0, 1.0),
            "arc(): radius is a number of metres other than 0, positive to the left, not 0.0",
        ),
        (lambda: Leg.rest(-1.0), "rest(): duration is a number of seconds >= 0, not -1.0"),
        (lambda: Leg.glide((1.0, 0.0), 0.0, -1.0), "glide(): duration is a number of seconds >= 0, not -1.0"),
        (lambda: Leg.glide((1.0, 0.0), 0.0, inf), "glide(): duration is a number of seconds >= 0, not inf"),
        (
            lambda: Leg.pattern(lambda t: (t, 0.0, 0.0), 0.0, 1.0, 0.0),
            "pattern(): duration is a number of seconds > 0, not 0.0",
        ),
        (
            lambda: Leg.pattern(lambda t: (t, 0.0, 0.0), 1.0, 0.0, 0.0),
            "pattern(): top_speed is a number of metres a second > 0, not 0.0",
        ),
    ],
)
def test_a_leg_with_a_wrong_number_is_refused(make: object, words: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the words are compared below, all of them
        make()  # type: ignore[operator]

    assert str(error.value) == words


@pytest.mark.parametrize("rate", [nan, inf, -1.0])
def test_a_pattern_s_turning_bound_is_a_number_too(rate: float) -> None:
    with pytest.raises(ValueError, match="top_turn_speed is a number"):
        Leg.pattern(lambda t: (t, 0.0, 0.0), 1.0, 1.0, rate)


@pytest.mark.parametrize("heading", [inf, -inf, nan])
def test_a_glide_s_heading_is_finite(heading: float) -> None:
    with pytest.raises(ValueError, match="heading"):
        Leg.glide((1.0, 0.0), heading, 1.0)


@pytest.mark.parametrize("acceleration", [inf, -inf, nan])
def test_an_acceleration_is_finite(acceleration: float) -> None:
    for make in (
        lambda: Leg.line((1.0, 0.0), 1.0, acceleration),
        lambda: Leg.forward(1.0, 1.0, acceleration),
        lambda: Leg.arc(1.0, 1.0, 1.0, acceleration),
    ):
        with pytest.raises(ValueError, match="acceleration"):
            make()  # type: ignore[no-untyped-call]
