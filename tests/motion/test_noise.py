"""Motion noise: its bounds, its moments, and that it repeats."""

from __future__ import annotations

from math import degrees, nan, sin, sqrt
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import now
from kumi.contract import Arc, Follow, Forward, MoveTo, Turn
from kumi.devs.chance import stream
from kumi.geometry import Point
from kumi.motion import Car, Drive, GaussianErrors, Omni, UniformErrors, Wheel
from kumi.robot import Robot
from tests.robot.stages import play

MANY = 4000


def ends(drive: Drive, seed: int, act: Any, times: int = 1) -> list[tuple[float, Point, float]]:
    """Return when, where and with which heading each of some motions from the origin ended."""
    seen: list[tuple[float, Point, float]] = []

    async def go(robot: Robot) -> None:
        for _ in range(times):
            begun = now()
            await act(robot)
            seen.append((now() - begun, robot.position, robot._body.heading))
            robot._body.teleport((0.0, 0.0), heading=0.0)  # type: ignore[attr-defined]

    play(go, drive=drive, seed=seed)
    return seen


# Uniform: DNF and ANF.


def test_anf_0_1_and_60_metres_are_at_most_6_degrees() -> None:
    """As the study has it; and the errors come near to the largest."""
    angles = [
        degrees(heading)
        for _, _, heading in ends(
            Wheel(noise=UniformErrors(anf=0.1)), 1, lambda robot: robot.forward(60.0), 1000
        )
    ]

    assert 5.8 < max(angles) <= 6.0
    assert -6.0 <= min(angles) < -5.8
    assert abs(fmean(angles)) < 0.4


def test_dnf_is_the_largest_share_of_the_way() -> None:
    ways = [
        place.x
        for _, place, _ in ends(
            Wheel(noise=UniformErrors(dnf=0.1)), 1, lambda robot: robot.forward(20.0), 1000
        )
    ]

    assert 21.9 < max(ways) <= 22.0
    assert 18.0 <= min(ways) < 18.1
    assert fmean(ways) == pytest.approx(20.0, abs=0.15)


@given(
    dnf=st.floats(0.0, 0.5),
    anf=st.floats(0.0, 1.0),
    distance=st.floats(-100.0, 100.0),
    seed=st.integers(0, 2**64),
)
def test_no_error_is_larger_than_its_factor_allows(
    dnf: float, anf: float, distance: float, seed: int
) -> None:
    noise, chance = UniformErrors(dnf, anf), stream(seed, "noise")

    for _ in range(20):
        assert abs(noise.way(distance, chance) - distance) <= (dnf + 1e-15) * abs(distance)
        assert abs(degrees(noise.drift(distance, chance))) <= (anf + 1e-15) * abs(distance)
        assert noise.turn(1.25, chance) == 1.25


def test_a_way_with_drift_is_an_arc_of_the_commanded_length() -> None:
    """The robot turns a little all along its way, and the way itself has its length."""
    drive = Wheel(noise=UniformErrors(anf=1.0))

    for time, place, heading in ends(drive, 3, lambda robot: robot.forward(40.0), 50):
        assert time == pytest.approx(40.0)
        assert abs(place) == pytest.approx(80.0 / heading * sin(heading / 2), rel=1e-9)
        assert place.direction == pytest.approx(heading / 2, abs=1e-9)


def test_backing_up_errs_as_going_ahead_does() -> None:
    for _, place, heading in ends(
        Wheel(noise=UniformErrors(0.1, 0.1)), 3, lambda robot: robot.back_up(60.0), 100
    ):
        assert -66.0 <= place.x <= -53.0
        assert abs(degrees(heading)) <= 6.0


def test_no_noise_is_no_error() -> None:
    drive = Wheel(noise=UniformErrors())

    (_, place, _) = ends(drive, 1, lambda robot: robot.move_to((3.0, 4.0)))[0]

    assert abs(place - Point(3.0, 4.0)) < 1e-12


# Gaussian: moments.


def test_gaussian_errors_have_the_stated_deviations() -> None:
    noise, chance = GaussianErrors(distance=0.1, drift=0.02, angle=0.05), stream(7, "noise")
    ways = [noise.way(10.0, chance) for _ in range(MANY)]
    drifts = [noise.drift(-10.0, chance) for _ in range(MANY)]
    turns = [noise.turn(-2.0, chance) for _ in range(MANY)]

    # The mean of 4000 is known to 1/√4000 of the deviation, the deviation to 1/√8000: five of those.
    for values, mean, deviation in [(ways, 10.0, 1.0), (drifts, 0.0, 0.2), (turns, -2.0, 0.1)]:
        assert abs(fmean(values) - mean) < 5 * deviation / sqrt(MANY)
        assert abs(pstdev(values) - deviation) < 5 * deviation / sqrt(2 * MANY)
        within = sum(abs(value - mean) < deviation for value in values) / MANY
        assert within == pytest.approx(0.6827, abs=5 * sqrt(0.68 * 0.32 / MANY))


def test_gaussian_noise_reaches_the_turn_of_the_robot() -> None:
    turned = [
        heading
        for _, _, heading in ends(Wheel(noise=GaussianErrors(angle=0.1)), 5, lambda r: r.turn(2.0), 500)
    ]

    assert fmean(turned) == pytest.approx(2.0, abs=0.05)
    assert pstdev(turned) == pytest.approx(0.1 * 2.0, rel=0.15)


# The same seed.


@pytest.mark.parametrize("noise", [UniformErrors(0.1, 0.1), GaussianErrors(0.1, 0.01, 0.1)])
def test_the_same_seed_gives_the_same_errors(noise: Any) -> None:
    act = lambda robot: robot.move_to((5.0, 5.0))  # noqa: E731

    first, again, other = (ends(Wheel(noise=noise), seed, act, 10) for seed in (1, 1, 2))

    assert first == again
    assert first != other
    assert len({place for _, place, _ in first}) == 10


# Every drive errs in all it does.


@pytest.mark.parametrize(
    ("drive", "command"),
    [
        (drive, command)
        for drive, commands in [
            (Wheel, [Forward(10.0), MoveTo((6.0, 8.0)), Follow(((6.0, 8.0),)), Turn(1.0), Arc(2.0, 1.0)]),
            (Omni, [Forward(10.0), MoveTo((6.0, 8.0)), Follow(((6.0, 8.0),)), Turn(1.0), Arc(2.0, 1.0)]),
            (Car, [Forward(10.0), MoveTo((6.0, 8.0)), Follow(((6.0, 8.0),)), Arc(2.0, 1.0)]),
        ]
        for command in commands
    ],
)
def test_a_noisy_drive_errs_whatever_it_is_told(drive: Any, command: Any) -> None:
    noise = GaussianErrors(distance=0.1, drift=0.02, angle=0.1)
    act = lambda robot: robot._carry_out(command)  # noqa: E731

    exact = ends(drive(), 1, act)[0]
    noisy = ends(drive(noise=noise), 1, act, 5)

    assert all((place, heading) != exact[1:] for _, place, heading in noisy)


def test_a_noisy_way_with_acceleration_begins_and_ends_at_rest() -> None:
    """4 m with 1 m/s² take 4 s and not 4 m / (2 m/s), whatever the noise is, give or take its share."""
    drive = Wheel(speed=2.0, acceleration=1.0, noise=UniformErrors(dnf=0.01, anf=0.1))

    for time, _, _ in ends(drive, 1, lambda robot: robot.forward(4.0), 10):
        assert time == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize("factor", [-0.1, nan, float("inf")])
def test_a_factor_is_a_finite_number_that_is_not_negative(factor: float) -> None:
    for make in (
        lambda: UniformErrors(dnf=factor),
        lambda: UniformErrors(anf=factor),
        lambda: GaussianErrors(distance=factor),
    ):
        with pytest.raises(ValueError, match=r" is a finite number.*, not "):
            make()


def test_errors_of_a_way_do_not_pile_up_in_the_goal_of_the_next() -> None:
    """A robot that believes in its goals errs from where it believes it is: dead reckoning."""
    drive = Wheel(noise=UniformErrors(dnf=0.1))

    (_, place, _) = ends(drive, 4, lambda robot: robot.follow([(10.0, 0.0), (20.0, 0.0)]))[0]

    assert 18.0 <= place.x <= 22.0
    assert place.y == 0.0
