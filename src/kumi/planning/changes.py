"""Which stops and slow parts let a vehicle pass what is closed, when its jerk is limited, too?

A search among whole profiles, each made within all limits: where a region is hit, a stop before it or a slow part
of the way loses the time until it is over. Of those without a hit the earliest that is found is taken. A few dozen
are tried, so what needs a cleverer dance is missed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from kumi.planning.conflicts import CLOSE, Region
from kumi.planning.limits import Impossible, Limits, SpeedZone, Stop
from kumi.planning.profile import Profile

TRIALS = 60
FEW_TRIALS = 6
"""How many are tried to be better than waiting at the start."""
HALVINGS = 20
MANY = 6
"""Beyond so many regions no slow parts of the way are tried."""
STANDS = 4
"""How many places between the start and a region are tried to stand at."""


@dataclass(frozen=True)
class Change:
    """What was put into a profile to lose time."""

    stops: tuple[Stop, ...] = ()
    zones: tuple[SpeedZone, ...] = ()


Maker = Callable[[Change], Profile]


def by_changes(
    make: Maker, fastest: Profile, regions: Sequence[Region], limits: Limits, best: Profile | None
) -> Profile | None:
    """Return the earliest free profile that is found, from rest; `best` if none is earlier."""
    end = inf if best is None else best.duration
    heap = [(fastest.duration, 0, Change(), fastest)]
    made = 0
    for _ in range(TRIALS if best is None else FEW_TRIALS):
        if not heap or heap[0][0] >= end:
            break
        _, _, change, profile = heapq.heappop(heap)
        hit = _first_hit(profile, regions)
        if hit is None:
            return profile
        for more in _changes(make, change, profile, hit, limits, regions):
            tried = make(more)
            made += 1
            if tried.duration < end:
                heapq.heappush(heap, (tried.duration, made, more, tried))
    return best


def _first_hit(profile: Profile, regions: Iterable[Region]) -> tuple[float, int, Region] | None:
    hits = [(*hit, region) for region in regions if (hit := region.hits(profile)) is not None]
    return min(hits, key=lambda hit: hit[0], default=None)


def _changes(
    make: Maker,
    change: Change,
    profile: Profile,
    hit: tuple[float, int, Region],
    limits: Limits,
    passed: Sequence[Region],
) -> Iterator[Change]:
    """Give changes that pass after the region that was hit."""
    region, piece = hit[2], hit[1]
    if np.isinf(region.closes[piece]):
        return
    edge, first = float(region.low[piece]), float(region.low[0])
    room = float(profile.speed_on(edge)) ** 2 / (2.0 * limits.acceleration)
    least = 1e-6 * profile.length
    places = {edge, first, edge - room, *np.linspace(0.0, first, STANDS, endpoint=False).tolist()}
    for place in sorted(place for place in places if place > least or place == 0.0):
        yield from _stood(make, change, region, place)
    if len(passed) > MANY:
        return
    behind = sorted(float(other.high.max()) for other in passed if other.high.max() < first)
    for start in sorted({0.0, *behind[-2:], *(stop.s for stop in change.stops)}):
        for end in {edge, edge - room}:
            yield from _slowed(make, change, profile, region, (start, end), limits)


def _stood(make: Maker, change: Change, region: Region, place: float) -> Iterator[Change]:
    """Give the change that stands at a place until the region beyond it is over."""
    near = [stop.s for stop in change.stops if abs(stop.s - place) < 1e-6]
    place = near[0] if near else place
    try:
        profile = make(Change((*change.stops, Stop(place)), change.zones))
    except (Impossible, ValueError):
        return
    beyond = region.low >= place - 1e-12
    late = region.closes[beyond] - profile.leaves_at(region.low[beyond])
    if len(late) and late.max() < inf:
        yield Change((*change.stops, Stop(place, max(float(late.max()), 0.0))), change.zones)


def _slowed(
    make: Maker, change: Change, profile: Profile, region: Region, span: tuple[float, float], limits: Limits
) -> Iterator[Change]:
    """Give the change that goes slowly over a part of the way, as fast as the region allows."""
    start, end = span
    square = float(profile.speed_on(start)) ** 2

    def slow(speed: float) -> Change | None:
        begin = start + max(0.0, square - speed**2) / (2.0 * limits.braking) * (1.0 + 1e-9)
        if begin >= end:
            return None
        return Change(change.stops, (*change.zones, SpeedZone(begin, end, speed)))

    def is_after(candidate: Change | None) -> bool:
        if candidate is None:
            return False
        try:
            tried = make(candidate)
        except Impossible:
            return False
        return bool((tried.time_at(region.low) >= region.closes - CLOSE).all())

    low, high = 0.0, limits.top_speed
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_after(slow(middle)) else (low, middle)
    if low > 0.0 and (found := slow(low)) is not None:
        yield found
