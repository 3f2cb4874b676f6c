"""By which change of speed does a vehicle pass what moves across its path, with the least delay?

The path stays, the speed changes (Kant & Zucker 1986). The fastest profile passes before all that it can pass
before at all. A region of (s, t) that it hits can therefore only be passed after, and the vehicle must lose
time before it: by waiting at the start, where that is free, which costs the least; else by standing at a place
on the way, or by going slowly for a while. Each of these is a profile within all limits. Of those without a
hit the one with the earliest end is taken, in the order of their ends.

Waiting at the start is the optimum where each region that is hit lies beyond those that made it wait. The
search tries a few dozen profiles beyond that; it may miss what needs a cleverer dance. Slow parts
of the way are tried where a vehicle is under way at its start, or where there are few regions.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isinf

import numpy as np

from kumi.geometry import BodyShape
from kumi.planning.conflicts import CLOSE, Mover, Region, conflicts
from kumi.planning.limits import Deadline, Impossible, Limits, SpeedZone, Stop
from kumi.planning.paths import Path
from kumi.planning.profile import Profile, check_deadlines, speed_profile
from kumi.planning.trajectory import Trajectory

TRIALS = 60
FEW_TRIALS = 6
"""How many are tried to be better than waiting at the start."""
HALVINGS = 20
MANY = 6
"""Beyond so many regions a vehicle that can wait at its start does not try slow parts of the way."""
STANDS = 4
"""How many places between the start and a region are tried to stand at."""


@dataclass(frozen=True)
class Vehicle:
    """A path to drive, the body that drives it, what it may do, and its name."""

    path: Path
    shape: BodyShape
    limits: Limits
    name: str = "a vehicle"


@dataclass(frozen=True)
class Change:
    """What was put into a profile to lose time."""

    stops: tuple[Stop, ...] = ()
    zones: tuple[SpeedZone, ...] = ()


Maker = Callable[[Change], Profile]


def around(
    path: Path,
    limits: Limits,
    shape: BodyShape,
    others: Iterable[Mover],
    *,
    margin: float = 0.0,
    resolution: float | None = None,
    regions: Iterable[Region] = (),
    zones: Sequence[SpeedZone] = (),
    stops: Sequence[Stop] = (),
    deadlines: Sequence[Deadline] = (),
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> Profile:
    """Return the profile that keeps a margin to all others with the least delay, or raise Impossible.

    `regions` are forbidden as well: see `window`. All times count from 0, when the vehicle is at its start.
    """
    found = [*regions]
    for other in others:
        found += conflicts(path, shape, other, margin=margin, resolution=resolution)

    def make(change: Change) -> Profile:
        return speed_profile(
            path,
            limits,
            zones=[*zones, *change.zones],
            stops=_merged([*stops, *change.stops]),
            start_speed=start_speed,
            end_speed=end_speed,
        )

    profile = _search(make, found, limits, is_at_rest=start_speed == 0.0)
    check_deadlines(profile, deadlines)
    return profile


def prioritised(
    vehicles: Sequence[Vehicle], *, margin: float = 0.0, resolution: float | None = None, step: float = 0.05
) -> list[Trajectory]:
    """Return a trajectory for each vehicle; those that come first have the way, the others give way to them.

    Each is taken to go evenly between its places `step` seconds apart, as a body does that tracks them.
    """
    movers: list[Mover] = []
    trajectories: list[Trajectory] = []
    for vehicle in vehicles:
        try:
            profile = around(
                vehicle.path, vehicle.limits, vehicle.shape, movers, margin=margin, resolution=resolution
            )
        except Impossible as error:
            raise Impossible(f"{vehicle.name} cannot give way: {error}") from error
        trajectories.append(Trajectory(vehicle.path, profile))
        movers.append(Mover(vehicle.shape, trajectories[-1].motion(step), vehicle.name))
    return trajectories


def _merged(stops: Iterable[Stop]) -> list[Stop]:
    """Add up the seconds of stops at one place."""
    seconds: dict[float, float] = {}
    for stop in stops:
        seconds[stop.s] = seconds.get(stop.s, 0.0) + stop.seconds
    return [Stop(s, time) for s, time in sorted(seconds.items())]


def _first_hit(profile: Profile, regions: Iterable[Region]) -> tuple[float, int, Region] | None:
    hits = [(*hit, region) for region in regions if (hit := region.hits(profile)) is not None]
    return min(hits, key=lambda hit: hit[0], default=None)


def _search(make: Maker, regions: Sequence[Region], limits: Limits, *, is_at_rest: bool) -> Profile:
    fastest = make(Change())
    hit = _first_hit(fastest, regions)
    if hit is None:
        return fastest
    _check_start(regions)
    _check_for_ever(fastest, regions)
    best, is_optimal = _waiting(make, fastest, regions) if is_at_rest else (None, False)
    if best is not None and (is_optimal or best.duration <= _bound(fastest, regions) + CLOSE):
        return best
    end = inf if best is None else best.duration
    heap = [(fastest.duration, 0, Change(), fastest)]
    made = 0
    for _ in range(TRIALS if best is None else FEW_TRIALS):
        if not heap or heap[0][0] >= end:
            break
        _, _, change, profile = heapq.heappop(heap)
        again = _first_hit(profile, regions)
        if again is None:
            return profile
        for more in _changes(make, change, profile, again, limits, regions, is_at_rest=is_at_rest):
            tried = make(more)
            made += 1
            if tried.duration < end:
                heapq.heappush(heap, (tried.duration, made, more, tried))
    if best is None:
        raise Impossible(_why(hit))
    return best


def _bound(fastest: Profile, regions: Iterable[Region]) -> float:
    """Return an end before which no profile can be: what the fastest hits is passed after."""
    delay = 0.0
    for region in regions:
        if (hit := region.hits(fastest)) is not None:
            delay = max(delay, float(region.closes[hit[1]] - fastest.time_at(region.low[hit[1]])))
    return fastest.duration + delay


def _waiting(make: Maker, fastest: Profile, regions: Sequence[Region]) -> tuple[Profile | None, bool]:
    """Return the profile that waits at the start as long as it must, and whether that is surely the optimum."""
    profile, seconds, reached, is_optimal = fastest, 0.0, 0.0, True
    for _ in range(10 * len(regions) + 10):
        hit = _first_hit(profile, regions)
        if hit is None:
            return profile, is_optimal
        region = hit[2]
        late = region.closes - profile.time_at(region.low)
        late[region.goes(profile) <= region.opens + CLOSE] = -inf
        late[region.low <= 0.0] = np.where(late[region.low <= 0.0] > CLOSE, inf, -inf)
        delay = float(late.max())
        if isinf(delay):
            return None, False
        seconds += max(delay, CLOSE)
        is_optimal &= float(region.low[hit[1]]) >= reached
        reached = max(reached, float(region.low[int(late.argmax())]))
        profile = make(Change((Stop(0.0, seconds),)))
    return None, False


def _changes(
    make: Maker,
    change: Change,
    profile: Profile,
    hit: tuple[float, int, Region],
    limits: Limits,
    passed: Sequence[Region],
    *,
    is_at_rest: bool,
) -> Iterator[Change]:
    """Give changes that pass after the region that was hit."""
    region, piece = hit[2], hit[1]
    if np.isinf(region.closes[piece]):
        return
    edge, first = float(region.low[piece]), float(region.low[0])
    room = float(profile.speed_on(edge)) ** 2 / (2.0 * limits.acceleration)
    least = 1e-6 * profile.length
    places = {edge, first, edge - room, *np.linspace(0.0, first, STANDS, endpoint=False).tolist()}
    for place in sorted(place for place in places if place > least or (place == 0.0 and is_at_rest)):
        yield from _stood(make, change, region, place)
    if is_at_rest and len(passed) > MANY:
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


def _check_start(regions: Iterable[Region]) -> None:
    for region in regions:
        if region.low[0] <= 0.0 and region.opens[0] <= 0.0:
            raise Impossible(
                f"{region.name} is on the start of the path, or too close to it, from the beginning"
            )


def _check_for_ever(fastest: Profile, regions: Iterable[Region]) -> None:
    """Refuse what is never free again once the fastest vehicle comes there: it passes neither before nor after."""
    for region in regions:
        comes, goes = fastest.time_at(region.low), region.goes(fastest)
        lost = np.flatnonzero(np.isinf(region.closes) & (goes > region.opens + CLOSE))
        if len(lost):
            raise Impossible(_why((float(comes[lost[0]]), int(lost[0]), region)))


def _why(hit: tuple[float, int, Region]) -> str:
    when, piece, region = hit
    low, opens, closes = (float(column[piece]) for column in (region.low, region.opens, region.closes))
    until, end = (
        ("for ever", "") if isinf(closes) else (f"until {closes:.4g} s", ", and no speed found passes after")
    )
    return (
        f"{region.name} takes the path at {low:.4g} m from {opens:.4g} s {until}, and the vehicle cannot pass before "
        f"(it would be there at {when:.4g} s){end}"
    )
