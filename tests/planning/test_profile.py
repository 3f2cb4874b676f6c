"""The fastest drive along a path takes the time that is known, and breaks no limit anywhere."""

from __future__ import annotations

from math import inf, nan, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.planning.limits import Deadline, Impossible, Limits, PlannedStop, SpeedZone
from kumi.planning.profile import Profile, speed_profile
from tests.planning.courses import circle, line_arc_line, straight, winding

if TYPE_CHECKING:
    from kumi.planning.paths import Path

PLAIN = Limits(top_speed=2.0, acceleration=1.0)

TABLE = {
    "line, trapezoid": (straight(10), PLAIN, 7.0),
    "line, triangle": (straight(3), PLAIN, 2 * sqrt(3)),
    "line in many pieces": (straight(10, 777), PLAIN, 7.0),
    "line, other brakes": (straight(10), Limits(top_speed=2, acceleration=1, braking=2), 6.5),
    "circle, lateral": (circle(2), Limits(top_speed=9, acceleration=1, lateral=0.5), 4 * pi + 1),
    "circle, turning rate": (circle(2), Limits(top_speed=9, acceleration=1, turn_speed=0.5), 4 * pi + 1),
    "circle, friction": (circle(2), Limits(top_speed=9, acceleration=9, grip=0.5), 7.334446534 * 2),
    "line, arc, line": (
        line_arc_line(5, 1, pi / 2, 5),
        Limits(top_speed=2, acceleration=1, lateral=0.25),
        11.266592653589793,
    ),
    "line, jerk": (straight(10), Limits(top_speed=2, acceleration=1, jerk=2), 7.5),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_known_optima_are_met_from_both_sides(case: str) -> None:
    path, limits, best = TABLE[case]

    took = speed_profile(path, limits).duration

    assert best * (1 - 1e-6) <= took <= best * 1.005


def excess(path: Path, limits: Limits, profile: Profile) -> dict[str, float]:
    """Return by which share each limit is broken at most, at ten times as many places as the path has postures."""
    s = np.linspace(0.0, path.length, 10 * len(path.s) + 1)
    clock = np.concatenate([profile.time_at(s), np.linspace(0.0, profile.duration, len(s))])
    way, v, a = profile.way_at(clock), profile.speed_at(clock), profile.acceleration_at(clock)
    bend = abs(np.interp(way, path.s, path.curvature))
    rate = abs(np.diff(path.curvature) / np.diff(path.s))
    piece = np.clip(np.searchsorted(path.s, way, side="right") - 1, 0, len(rate) - 1)
    base = limits.wheelbase
    steer = base * rate[piece] * v / (1 + (base * bend) ** 2)
    kept = {
        "top_speed": v.max() / limits.top_speed,
        "acceleration": a.max() / limits.acceleration,
        "braking": -a.min() / limits.braking,
        "lateral": (v**2 * bend).max() / limits.lateral,
        "turn_speed": (v * bend).max() / limits.turn_speed,
        "steering_rate": steer.max() / limits.steering_rate,
        "grip": np.hypot(a, v**2 * bend).max() / limits.grip,
        "jerk": abs(profile.pieces.jerk).max() / limits.jerk,
    }
    return {name: float(share) - 1 for name, share in kept.items() if share > 1 + 1e-7}


@pytest.mark.parametrize(
    "more",
    [
        {"lateral": 0.5},
        {"turn_speed": 0.7},
        {"steering_rate": 0.3, "wheelbase": 0.5},
        {"lateral": 0.5, "braking": 3.0, "steering_rate": 0.5, "turn_speed": 1.0},
        {"grip": 0.6},
        {"grip": 0.9, "lateral": 0.5},
        {"lateral": 0.5, "jerk": 2.0},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_no_limit_is_broken_between_the_postures(more: dict[str, Any], seed: int) -> None:
    path, limits = winding(seed), Limits(top_speed=2.0, acceleration=1.0, **more)

    assert excess(path, limits, speed_profile(path, limits)) == {}


@settings(max_examples=60, deadline=None)
@given(
    length=st.floats(0.01, 1e3),
    top=st.floats(0.1, 50.0),
    up=st.floats(0.05, 20.0),
    down=st.floats(0.05, 20.0),
    count=st.integers(2, 40),
)
def test_a_straight_way_takes_what_arithmetic_says(
    length: float, top: float, up: float, down: float, count: int
) -> None:
    """Speeding up and braking take V²/2a and V²/2d metres; where that is too far, the top is what fits."""
    peak = min(top, sqrt(2 * length * up * down / (up + down)))
    cruise = length - peak**2 / 2 * (1 / up + 1 / down)

    profile = speed_profile(straight(length, count), Limits(top_speed=top, acceleration=up, braking=down))

    assert profile.duration == pytest.approx(cruise / peak + peak / up + peak / down, rel=1e-9)
    assert profile.way_at(profile.duration) == pytest.approx(length)


def test_way_and_time_are_each_others_inverse() -> None:
    path = winding(1)
    for limits in (
        Limits(top_speed=2, acceleration=1, lateral=0.5),
        Limits(top_speed=2, acceleration=1, jerk=2),
    ):
        profile = speed_profile(path, limits)
        s = np.linspace(0.0, path.length, 501)

        assert profile.way_at(profile.time_at(s)) == pytest.approx(s, abs=1e-9)
        assert (np.diff(profile.time_at(s)) > 0).all()
        assert abs(np.diff(profile.speed_on(np.linspace(0.0, path.length, 200_001)))).max() < 0.05


def test_it_stands_before_its_start_and_after_its_end() -> None:
    profile = speed_profile(straight(10), PLAIN)

    assert profile.way_at([-5.0, 99.0]).tolist() == [0.0, 10.0]
    assert profile.speed_at([-5.0, 99.0]).tolist() == [0.0, 0.0]


def test_a_zone_holds_down_the_speed_in_all_of_it() -> None:
    profile = speed_profile(straight(10), PLAIN, zones=[SpeedZone(4, 6, 1.0)])
    s = np.linspace(4.0, 6.0, 101)

    assert profile.speed_on(s).max() <= 1.0 + 1e-12
    # From rest to 2 m/s: 2 s and 2 m; 0.5 m even: 0.25 s; down to 1 m/s: 1 s and 1.5 m. Twice, and 2 s between.
    assert profile.duration == pytest.approx(2 * 3.25 + 2.0)


def test_a_stop_is_kept_for_its_time() -> None:
    """Each half of 5 m takes 5/2 + 2 s; it stands for 3 s in between."""
    profile = speed_profile(straight(10), PLAIN, stops=[PlannedStop(5.0, 3.0)])

    assert profile.duration == pytest.approx(12.0)
    assert profile.time_at(5.0) == pytest.approx(4.5)
    assert profile.leaves_at(5.0) == pytest.approx(7.5)


def test_stops_at_both_ends_are_kept_with_and_without_jerk() -> None:
    stops = [PlannedStop(0.0, 1.0), PlannedStop(5.0, 2.0), PlannedStop(10.0, 1.0)]
    plain = speed_profile(straight(10), PLAIN, stops=stops)
    smooth = speed_profile(straight(10), Limits(top_speed=2, acceleration=1, jerk=2), stops=stops)

    assert plain.duration == pytest.approx(1 + 4.5 + 2 + 4.5 + 1)
    assert smooth.duration == pytest.approx(1 + 5.0 + 2 + 5.0 + 1)
    assert smooth.leaves_at([0.0, 5.0, 10.0]) == pytest.approx([1.0, 8.0, 14.0])


def test_a_deadline_that_can_be_kept_is_kept_and_another_is_impossible() -> None:
    """It is 4 m along after 3 s."""
    speed_profile(straight(10), PLAIN, deadlines=[Deadline(4.0, 3.0)])

    with pytest.raises(
        Impossible, match=r"4 m along the path the deadline is 2\.9 s, .* at 3 s at the earliest"
    ):
        speed_profile(straight(10), PLAIN, deadlines=[Deadline(4.0, 2.9)])


def test_speeds_at_the_ends_are_kept_or_impossible() -> None:
    """With 2 m/s at both ends 10 m take 5 s; 1 m is too short to brake from 2 m/s."""
    profile = speed_profile(straight(10), PLAIN, start_speed=2.0, end_speed=2.0)

    assert profile.duration == pytest.approx(5.0)
    with pytest.raises(Impossible, match=r"begin at 2 m/s, but at most 1\.414"):
        speed_profile(straight(1), PLAIN, start_speed=2.0)
    with pytest.raises(Impossible, match="end at 2 m/s"):
        speed_profile(straight(1), PLAIN, end_speed=2.0)


def test_wheels_that_must_turn_at_a_jump_of_the_curvature_turn_while_it_stands() -> None:
    """The arc needs a steering angle of 45 degrees; at pi/4 rad/s that takes a second, there and back."""
    path = line_arc_line(5, 1, pi / 2, 5)
    profile = speed_profile(path, Limits(top_speed=2, acceleration=1, steering_rate=pi / 4, wheelbase=1))

    assert profile.leaves_at(5.0) - profile.time_at(5.0) == pytest.approx(1.0)
    assert profile.duration == pytest.approx(4.5 + 1 + 2 * sqrt(pi / 2) + 1 + 4.5)


@pytest.mark.parametrize(
    "name", ["top_speed", "acceleration", "braking", "lateral", "steering_rate", "jerk", "grip"]
)
@pytest.mark.parametrize("value", [0.0, -1.0, nan])
def test_a_limit_of_nothing_is_refused(name: str, value: float) -> None:
    given = {"top_speed": 1.0, "acceleration": 1.0, name: value}

    with pytest.raises(ValueError, match=f"the limit {name} is a .*number > 0"):
        Limits(**given)


def test_bad_errands_are_refused() -> None:
    for make in (
        lambda: Limits(top_speed=0.0, acceleration=1.0),
        lambda: Limits(top_speed=inf, acceleration=1.0),
        lambda: Limits(top_speed=1.0, acceleration=1.0, jerk=1.0, grip=1.0),
        lambda: SpeedZone(1.0, 1.0, 1.0),
        lambda: SpeedZone(0.0, 1.0, 0.0),
        lambda: PlannedStop(0.0, inf),
        lambda: Deadline(0.0, nan),
        lambda: speed_profile(straight(10), PLAIN, stops=[PlannedStop(11.0)]),
        lambda: speed_profile(straight(10), PLAIN, deadlines=[Deadline(11.0, 1.0)]),
        lambda: speed_profile(straight(10), PLAIN, start_speed=-1.0),
        lambda: speed_profile(straight(10), Limits(top_speed=1, acceleration=1, jerk=1), start_speed=1.0),
    ):
        with pytest.raises(ValueError):  # noqa: PT011  # each has words of its own
            make()


@pytest.mark.parametrize("limit", ["top_speed", "acceleration", "jerk", "grip", "lateral"])
@pytest.mark.parametrize("value", [1e-300, 1e-7, 1e7, 1e300])
def test_a_limit_beyond_sense_is_refused(limit: str, value: float) -> None:
    """Squares and thirds of such numbers are 0 or infinite, and a profile would be NaN."""
    with pytest.raises(ValueError, match=f"the limit {limit} is a number from 1e-06 to 1e\\+06, not"):
        Limits(**{"top_speed": 1.0, "acceleration": 1.0, limit: value})
