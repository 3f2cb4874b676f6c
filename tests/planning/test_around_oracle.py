"""No drive of a fine lattice of places, speeds and times is earlier than the one that is found.

On the lattice a vehicle speeds up, keeps its speed or brakes for an eighth of a second at a time. All that it can
do there, a vehicle may do, so the best of the lattice bounds the least delay from above; and where the lattice gets
through, 'impossible' would be wrong. Times step evenly here and places do not; in kumi it is the other way round.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kumi.geometry import Disc
from kumi.planning.conflicts import window
from kumi.planning.limits import Deadline, Impossible, Limits, SpeedZone
from kumi.planning.velocity_planning import TOLERANCE, around
from tests.planning.courses import straight

STEP = 0.125
UNIT = STEP**2 / 2
"""Metres of way: at 1 m/s², every way of a step is a multiple of this."""
LENGTH = 1280
FASTEST = 16
"""Speeds count in steps of 0.125 m/s."""
MOST = 60.0

Zones = list[tuple[float, float, float, float]]


def best_of_lattice(zones: Zones, start: int, slow: tuple[float, float, float] | None = None) -> float:
    """Return when the earliest drive of the lattice over 10 m comes to rest at the end, and may stay there."""
    place = np.arange(LENGTH + 1) * UNIT
    states = np.zeros((FASTEST + 1, LENGTH + 1), dtype=bool)
    states[start, 0] = True
    for tick in range(int(MOST / STEP)):
        time = tick * STEP
        if states[0, LENGTH] and not any(high >= 10.0 and closes > time for _, high, _, closes in zones):
            return time
        closed = [zone for zone in zones if zone[2] < time + STEP and zone[3] > time]
        after = np.zeros_like(states)
        for v in range(FASTEST + 1):
            for speed in range(max(v - 1, 0), min(v + 1, FASTEST) + 1):
                way = v + speed
                free = states[v, : LENGTH + 1 - way].copy()
                first, last = place[: LENGTH + 1 - way], place[way:]
                for low, high, _, _ in closed:
                    free &= (last <= low) | (first >= high)
                if slow is not None and max(v, speed) * STEP > slow[2]:
                    free &= (last <= slow[0]) | (first >= slow[1])
                after[speed, way:] |= free
        states = after
    return inf


def found(zones: Zones, start: int, slow: tuple[float, float, float] | None = None) -> float:
    try:
        return around(
            straight(10),
            Limits(top_speed=2.0, acceleration=1.0),
            Disc(0.1),
            [],
            regions=[window(*zone) for zone in zones],
            zones=[] if slow is None else [SpeedZone(*slow)],
            start_speed=start * STEP,
        ).duration
    except Impossible:
        return inf


closed_zones = st.lists(
    st.tuples(st.floats(0.2, 9.0), st.floats(0.1, 1.5), st.floats(0.0, 12.0), st.floats(0.3, 6.0)),
    min_size=1,
    max_size=6,
)
slow_zone = st.tuples(st.floats(0.0, 8.0), st.floats(0.5, 3.0), st.sampled_from([0.25, 0.5, 1.0, 1.5]))


@settings(max_examples=40, deadline=None)
@given(zones=closed_zones, start=st.sampled_from([0, 0, 4, 16]), slow=st.none() | slow_zone)
def test_no_drive_of_the_lattice_is_earlier(
    zones: Zones, start: int, slow: tuple[float, float, float] | None
) -> None:
    spans = [(low, low + size, opens, opens + lasts) for low, size, opens, lasts in zones]
    part = None if slow is None else (slow[0], slow[0] + slow[1], slow[2])

    assert found(spans, start, part) <= best_of_lattice(spans, start, part) * (1.0 + TOLERANCE)


@pytest.mark.parametrize("zone", [(4.0, 5.0, 1.5, 4.0), (6.0, 7.0, 2.0, 6.0), (8.0, 9.0, 3.0, 12.0)])
def test_the_lattice_is_not_better_under_way(zone: tuple[float, float, float, float]) -> None:
    assert found([zone], FASTEST) <= best_of_lattice([zone], FASTEST) + 1e-3


def earliest_at_a_steady_pace(zones: Zones, speed: float, margin: float) -> float:
    """Return when one who stands or goes at a speed is at the end of 10 m, with a margin in place and time."""
    step = 0.02
    place = np.append(np.arange(0.0, 10.0 - speed * step * 0.01, speed * step), 10.0)
    reached = place == 0.0
    for tick in range(int(MOST / step)):
        time = tick * step
        reached[1:] |= reached[:-1].copy()
        for low, high, opens, closes in zones:
            if opens - margin < time < closes + margin:
                reached &= (place <= low - margin) | (place >= high + margin)
        if reached[-1] and not any(high + margin > 10.0 and closes > time for _, high, _, closes in zones):
            return time
    return inf


@settings(max_examples=60, deadline=None)
@example([(3.8, 0.4, 0.3, 6.1), (1.0, 0.5, 3.8, 6.1), (3.2, 0.6, 1.0, 3.0)])
@given(
    zones=st.lists(
        st.tuples(st.floats(0.3, 8.5), st.floats(0.2, 1.3), st.floats(0.0, 12.0), st.floats(0.5, 8.0)),
        min_size=2,
        max_size=4,
    )
)
def test_who_speeds_up_at_once_is_as_early_as_one_at_a_steady_pace(zones: Zones) -> None:
    """At 20 m/s² a vehicle is at 1 m/s after 25 mm, so it can do all that one at 0.93 m/s does with a margin."""
    spans = [(low, low + size, opens, opens + lasts) for low, size, opens, lasts in zones]
    limits = Limits(top_speed=1.0, acceleration=20.0)
    profile = around(straight(10), limits, Disc(0.1), [], regions=[window(*span) for span in spans])

    assert profile.duration <= earliest_at_a_steady_pace(spans, 0.93, 0.05) + 0.1


def test_a_deadline_on_the_way_is_met_though_waiting_at_the_start_would_miss_it() -> None:
    """Closed at 8 m until 20 s: one may wait at the start, but must be at 4 m after 5 s; it is there after 3 s."""
    profile = around(
        straight(10),
        Limits(top_speed=2.0, acceleration=1.0),
        Disc(0.1),
        [],
        regions=[window(8, 9, 0, 20)],
        deadlines=[Deadline(4.0, 5.0)],
    )

    assert float(profile.time_at(4.0)) <= 5.0 + 1e-9
    assert profile.duration == pytest.approx(22.0, rel=TOLERANCE)
