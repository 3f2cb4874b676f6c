"""With a limit of jerk, no drive of a fine lattice of places, speeds and accelerations is earlier by more than a share.

On the lattice a vehicle changes its acceleration evenly, or not at all, for a quarter of a second at a time.
All that it can do there, a vehicle may do, so the best of the lattice bounds the least delay from above. A drive
without the limit of jerk bounds it from below.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kumi.geometry import Disc
from kumi.planning.conflicts import window
from kumi.planning.limits import Impossible, Limits, PlannedStop, SpeedZone
from kumi.planning.profile import Profile
from kumi.planning.velocity_planning import JERK_TOLERANCE, TOLERANCE, around
from tests.planning.courses import straight, winding

Zones = list[tuple[float, float, float, float]]
TICK = 0.25
JERK = 2.0
LIMITS = Limits(top_speed=2.0, acceleration=1.0, jerk=JERK)
SPEED = JERK * TICK**2 / 2
"""Speeds of the lattice are multiples of this, accelerations of JERK * TICK, ways of SPEED * TICK / 3."""
FASTEST, HARDEST, LENGTH = 32, 2, 1920
MOST = 60.0


def best_of_lattice(zones: Zones) -> float:
    """Return when the earliest drive of the lattice over 10 m comes to rest at the end, and may stay there."""
    place = np.arange(LENGTH + 1) * SPEED * TICK / 3
    states = {(0, 0): place == 0.0}  # by acceleration and speed
    for tick in range(int(MOST / TICK)):
        time = tick * TICK
        is_taken = any(high >= 10.0 and closes > time for _, high, _, closes in zones)
        if not is_taken and (0, 0) in states and states[0, 0][LENGTH]:
            return time
        closed = [zone for zone in zones if zone[2] < time + TICK and zone[3] > time]
        after: dict[tuple[int, int], NDArray[np.bool_]] = {}
        for (a, v), there in states.items():
            for j in (-1, 0, 1):
                rate, speed, way = a + j, v + 2 * a + j, 3 * v + 3 * a + j
                if abs(rate) > HARDEST or not 0 <= speed <= FASTEST or way < 0:
                    continue
                free = there[: LENGTH + 1 - way].copy()
                for low, high, _, _ in closed:
                    free &= (place[way:] <= low) | (place[: LENGTH + 1 - way] >= high)
                if free.any():
                    after.setdefault((rate, speed), np.zeros(LENGTH + 1, dtype=bool))[way:] |= free
        states = after
    return inf


def profile_around(zones: Zones, limits: Limits = LIMITS) -> Profile:
    return around(straight(10), limits, Disc(0.1), [], regions=[window(*zone) for zone in zones])


def found(zones: Zones, limits: Limits = LIMITS) -> float:
    try:
        return profile_around(zones, limits).duration
    except Impossible:
        return inf


def spans(zones: Zones) -> Zones:
    return [(low, low + size, opens, opens + lasts) for low, size, opens, lasts in zones]


closed_zones = st.lists(
    st.tuples(st.floats(0.2, 9.0), st.floats(0.1, 1.5), st.floats(0.0, 12.0), st.floats(0.3, 6.0)),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(zones=closed_zones)
def test_no_drive_of_the_lattice_is_much_earlier(zones: Zones) -> None:
    assert found(spans(zones)) <= best_of_lattice(spans(zones)) * (1.0 + JERK_TOLERANCE)


@settings(max_examples=15, deadline=None)
@given(zones=closed_zones)
def test_no_drive_is_earlier_than_one_without_the_limit(zones: Zones) -> None:
    free = found(spans(zones), Limits(top_speed=2.0, acceleration=1.0))

    assert free * (1.0 - TOLERANCE) <= found(spans(zones))


@settings(max_examples=20, deadline=None)
@given(zones=closed_zones)
def test_all_limits_hold_and_no_closed_zone_is_entered(zones: Zones) -> None:
    profile = profile_around(spans(zones))
    clock = np.linspace(0.0, profile.duration, 20_001)
    way, v, a = profile.way_at(clock), profile.speed_at(clock), profile.acceleration_at(clock)
    for low, high, opens, closes in spans(zones):
        inside = (way > low + 1e-6) & (way < high - 1e-6)
        assert not (inside & (clock > opens + 1e-6) & (clock < closes - 1e-6)).any()
    assert v.max() <= 2.0 + 1e-9
    assert abs(a).max() <= 1.0 + 1e-6
    assert abs(profile.pieces.jerk).max() <= JERK * (1.0 + 1e-6)
    assert abs(np.diff(a)).max() <= JERK * clock[1] * (1.0 + 1e-3) + 1e-6


def test_a_closed_zone_costs_what_the_formula_says() -> None:
    """It would be at 6 m at 4.25 s, with full speed; closed until 6 s it starts 1.75 s later: 9.25 s in all."""
    assert found([(6.0, 7.0, 3.0, 6.0)]) == pytest.approx(9.25, abs=1e-6)


def test_between_two_zones_it_stands_and_goes_on() -> None:
    """At 2 m the way is closed from 3.4 s on for long, at 8 m until 20 s: it passes the first and waits for the second."""
    profile = profile_around([(2.0, 3.0, 3.4, 100.0), (8.0, 9.0, 0.0, 20.0)])

    assert float(profile.leaves_at(3.0)) <= 3.4 + 1e-6
    assert profile.duration <= (20.0 + 2.5) * (1.0 + JERK_TOLERANCE)


def test_stops_and_slow_parts_of_a_curved_path_hold_while_giving_way() -> None:
    path = winding(1)
    limits = Limits(top_speed=2.0, acceleration=1.0, braking=1.5, lateral=0.5, jerk=4.0)
    profile = around(
        path,
        limits,
        Disc(0.1),
        [],
        regions=[window(4, 5, 1, 9), window(12, 13, 10, 16)],
        zones=[SpeedZone(7, 8, 0.5)],
        stops=[PlannedStop(15.0, 1.0)],
    )
    places = np.linspace(0.0, path.length, 4001)
    caps = np.minimum(2.0, np.sqrt(0.5 / np.maximum(abs(np.interp(places, path.s, path.curvature)), 1e-9)))
    caps[(places >= 7) & (places <= 8)] = np.minimum(caps[(places >= 7) & (places <= 8)], 0.5)

    assert (profile.speed_on(places) <= caps * (1.0 + 1e-3)).all()
    assert profile.leaves_at(15.0) - profile.time_at(15.0) == pytest.approx(1.0, abs=1e-6)
    assert profile.time_at(4.0) >= 9.0 - 1e-6
    assert abs(profile.pieces.jerk).max() <= 4.0 * (1.0 + 1e-6)


def test_what_is_closed_for_ever_is_impossible() -> None:
    with pytest.raises(Impossible, match="for ever"):
        profile_around([(5.0, 6.0, 0.0, inf)])
