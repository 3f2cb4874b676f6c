"""A trajectory follower answers as a first-order lag does: against the closed form."""

from __future__ import annotations

from math import cos, exp, hypot, pi, sin, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import now, sleep, together
from kumi.contract import Sample
from kumi.geometry import Point
from kumi.motion import Follower
from kumi.robot import Robot
from tests.robot.stages import play


def followed(
    drive: Follower, samples: list[Sample], looks: list[float], heading: float = 0.0
) -> tuple[list[tuple[Point, float]], float, Point]:
    """Return where the robot was at some instants, when it ended and where."""
    seen: list[tuple[Point, float]] = []
    end: list[tuple[float, Point]] = []

    async def go(robot: Robot) -> None:
        async def look() -> None:
            for before, this in zip([0.0, *looks], looks, strict=False):
                await sleep(this - before)
                seen.append((robot.position, robot._body.heading))

        async with together() as tasks:
            tasks.start(look)
            await robot.track(samples)
            end.append((now(), robot.position))

    play(go, drive=drive, heading=heading)
    return seen, *end[0]


@given(lag=st.floats(0.1, 2.0), speed=st.floats(0.1, 5.0))
@settings(max_examples=20)
def test_behind_an_even_motion_it_is_late_by_the_lag(lag: float, speed: float) -> None:
    """x' = (r - x) / lag with r = speed·t gives x = speed·(t - lag + lag·exp(-t / lag))."""
    step = 0.02
    drive = Follower(lag=lag, step=step)
    looks = [0.5, 1.0, 2.0, 4.0]

    seen, _, _ = followed(drive, [Sample(4.0, (speed * 4.0, 0.0), 0.0)], looks)

    for time, (place, _) in zip(looks, seen, strict=True):
        expected = speed * (time - lag + lag * exp(-time / lag))
        assert place.x == pytest.approx(expected, abs=speed * step**2 / lag)
        assert place.y == 0.0


def test_the_gap_of_a_jump_falls_to_one_e_th_within_the_lag() -> None:
    """And to 1/e² within twice the lag: a step of the reference is answered by an exponential."""
    seen, end, place = followed(Follower(lag=0.5, step=0.01), [Sample(0.0, (1.0, -2.0), 0.0)], [0.5, 1.0])

    for count, (where, _) in enumerate(seen, 1):
        assert where.x == pytest.approx(1.0 - exp(-count), abs=1e-3)
        assert where.y == pytest.approx(-2.0 * (1.0 - exp(-count)), abs=2e-3)
    assert place == Point(1.0, -2.0)
    assert end == pytest.approx(0.5 * 7.71, rel=0.02)  # ln(√5 / 1e-3) = 7.71


def test_it_ends_at_the_last_sample() -> None:
    _, end, place = followed(Follower(), [Sample(1.0, (1.0, 0.0), 0.5), Sample(2.0, (1.0, 1.0), 1.0)], [])

    assert place == Point(1.0, 1.0)
    assert end > 2.0


def test_a_finer_step_is_nearer_to_the_closed_form() -> None:
    errors = []
    for step in (0.2, 0.02):
        seen, _, _ = followed(
            Follower(lag=0.5, step=step), [Sample(2.0, (2.0, 0.0), 0.0)], [0.31, 0.75, 1.33]
        )
        errors.append(
            max(
                abs(place.x - (time - 0.5 + 0.5 * exp(-time / 0.5)))
                for time, (place, _) in zip([0.31, 0.75, 1.33], seen, strict=True)
            )
        )

    assert errors[1] < errors[0] / 20


def test_a_heading_lags_as_a_place_does() -> None:
    seen, _, _ = followed(Follower(lag=0.5, step=0.01), [Sample(4.0, (4.0, 0.0), 2.0)], [1.0, 4.0])

    for time, (_, heading) in zip([1.0, 4.0], seen, strict=True):
        assert heading == pytest.approx(0.5 * (time - 0.5 + 0.5 * exp(-time / 0.5)), abs=1e-3)


def test_a_heading_is_turned_to_the_shorter_way() -> None:
    """A robot that has gone round looks where one looks that has not: no whole turn is made up for."""
    seen, _, _ = followed(Follower(), [Sample(1.0, (1.0, 0.0), 0.0)], [0.5, 1.0], heading=2 * pi)

    assert [heading for _, heading in seen] == pytest.approx([0.0, 0.0])


def test_no_samples_are_no_motion() -> None:
    _, end, place = followed(Follower(), [], [])

    assert (end, place) == (0.0, Point(0.0, 0.0))


def test_many_samples_of_a_circle_are_followed_on_a_smaller_one() -> None:
    """A first-order lag answers a circle of angular speed w with one smaller by √(1 + (w·lag)²)."""
    samples = [Sample(t / 20, (cos(t / 20) - 1.0, sin(t / 20)), 0.0) for t in range(1, 601)]
    seen, _, _ = followed(Follower(lag=0.5), samples, [20.0, 22.0, 25.0])

    for place, _ in seen:
        assert hypot(place.x + 1.0, place.y) == pytest.approx(1.0 / sqrt(1.0 + 0.25), abs=2e-3)
