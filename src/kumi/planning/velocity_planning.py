"""Which of several vehicles drives when, so that none meets another?

The path stays, the speed changes (Kant & Zucker 1986). The fastest profile passes before all that it can pass
before at all. A region of (s, t) that it hits can therefore only be passed after, and the vehicle must lose
time before it. Waiting at the start, where that is free, is the optimum if each region that is hit lies beyond
those that made it wait. Else a lattice of speeds is searched (see `lattice`), and what it finds is brought
as close to the fastest profile as the regions let it. The end is then later than the earliest possible one by at
most TOLERANCE of the duration; a passage that is open for less than that may be missed.

With a limit of jerk the lattice holds only what can be made smooth (see `jerk_limited`), and the end is later than the
earliest possible one by about JERK_TOLERANCE of the duration at most.

A drive of bounded acceleration is searched for on a lattice (see `lattice`) and then averaged over a sliding window of
τ = a/j seconds (see `jerk`), which bounds its jerk if it keeps its speed for a window between speeding up and
braking: the lattice finds only such drives. The average is half a window late, so the zones are moved to half a window
earlier for the search. It is beside the drive by a τ²/24 at most, so zones that are wider by that are surely
passed; narrower ones are tried first, and what comes out is tested against the zones as they are.

The full strength a is not the best where speeds change little: weaker ones, which need a shorter window, are tried as
well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite, isinf

import numpy as np

from kumi.geometry import BodyShape
from kumi.planning.conflicts import OVERLAP_TOLERANCE, Mover, Region, conflicts, window
from kumi.planning.jerk import averaged, widened
from kumi.planning.lattice import NODES, closer, counts_for, earliest
from kumi.planning.limits import Deadline, Impossible, Limits, PlannedStop, SpeedZone
from kumi.planning.paths import Numbers, Path
from kumi.planning.pieces import fastest, timed
from kumi.planning.profile import Profile, check_deadlines, speed_profile
from kumi.planning.speed_limits import SpeedCells, cut
from kumi.planning.trajectory import Trajectory
from kumi.planning.type_checks import as_kind, as_kinds, as_shape

TOLERANCE = 0.005
"""By which share of its duration a profile may be later than the earliest possible one."""
JERK_TOLERANCE = 0.01
"""The same with a limit of jerk, as measured against a lattice in time."""

Maker = Callable[[float], Profile]
"""Makes the fastest profile that waits at the start for some seconds."""


@dataclass(frozen=True)
class Vehicle:
    """A path to drive, the body that drives it, what it may do, and its name."""

    path: Path
    shape: BodyShape
    limits: Limits
    name: str = "a vehicle"

    def __post_init__(self) -> None:
        as_kind(self.path, Path, "the path of a vehicle")
        as_shape(self.shape, "the shape of a vehicle")
        as_kind(self.limits, Limits, "the limits of a vehicle")


@dataclass(frozen=True)
class VelocityRequest:
    """What is to be driven, and what is closed when, region by region and all of them as one."""

    make: Maker
    cells: SpeedCells
    limits: Limits
    is_at_rest: bool
    regions: tuple[Region, ...]

    @property
    def closed(self) -> Region:
        """All regions as one."""
        names = ("low", "high", "opens", "closes")
        columns = (np.concatenate([getattr(region, name) for region in self.regions]) for name in names)
        return Region("", *columns)

    def name(self, piece: int) -> str:
        """Return whose piece it is, counted through all regions."""
        for region in self.regions:
            if piece < len(region.low):
                return region.name
            piece -= len(region.low)
        raise IndexError(piece)


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
    stops: Sequence[PlannedStop] = (),
    deadlines: Sequence[Deadline] = (),
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> Profile:
    """Return the profile that keeps a margin to all others with the least delay, or raise Impossible.

    `regions` are forbidden as well: see `window`. All times count from 0, when the vehicle is at its start.
    """
    as_kind(path, Path, "a path")
    as_kind(limits, Limits, "limits")
    as_shape(shape, "the shape of a vehicle")
    found = [*as_kinds(regions, Region, "regions")]
    for other in as_kinds(others, Mover, "others"):
        found += conflicts(path, shape, other, margin=margin, resolution=resolution)
    zones, stops = as_kinds(zones, SpeedZone, "zones"), as_kinds(stops, PlannedStop, "stops")
    deadlines = as_kinds(deadlines, Deadline, "deadlines")

    def make(seconds: float) -> Profile:
        return speed_profile(
            path,
            limits,
            zones=zones,
            stops=_merged([*stops, PlannedStop(0.0, seconds)] if seconds else stops),
            start_speed=start_speed,
            end_speed=end_speed,
        )

    def ask(regions: Iterable[Region]) -> Profile:
        parts = tuple(part for region in regions if (part := _on_path(region, path.length)) is not None)
        cells = cut(path, limits, zones, _merged(stops))
        return _search(VelocityRequest(make, cells, limits, start_speed == 0.0, parts))

    profile = ask(found)
    try:
        check_deadlines(profile, deadlines)
    except Impossible:
        # What is the latest at its end may be earlier on the way.
        late = [window(-1.0, one.s, one.time, inf, "a deadline") for one in deadlines if one.s > 0.0]
        with suppress(Impossible):
            profile = ask([*found, *late])
            check_deadlines(profile, deadlines)
            return profile
        raise
    return profile


def _on_path(region: Region, length: float) -> Region | None:
    """Return the part of a region that lies on the path."""
    there = (region.high > 0.0) & (region.low < length)
    if there.all():
        return region
    columns = (column[there] for column in (region.low, region.high, region.opens, region.closes))
    return Region(region.name, *columns) if there.any() else None


def prioritised(
    vehicles: Sequence[Vehicle], *, margin: float = 0.0, resolution: float | None = None, step: float = 0.05
) -> list[Trajectory]:
    """Return a trajectory for each vehicle; those that come first have the way, the others give way to them.

    Each is taken to go evenly between its places `step` seconds apart, as a body does that tracks them.
    """
    movers: list[Mover] = []
    trajectories: list[Trajectory] = []
    for vehicle in as_kinds(vehicles, Vehicle, "vehicles"):
        try:
            profile = around(
                vehicle.path, vehicle.limits, vehicle.shape, movers, margin=margin, resolution=resolution
            )
        except Impossible as error:
            raise Impossible(f"{vehicle.name} cannot give way: {error}") from error
        trajectories.append(Trajectory(vehicle.path, profile))
        movers.append(Mover(vehicle.shape, trajectories[-1].motion(step), vehicle.name))
    return trajectories


def _merged(stops: Iterable[PlannedStop]) -> list[PlannedStop]:
    """Add up the seconds of stops at one place."""
    seconds: dict[float, float] = {}
    for stop in stops:
        seconds[stop.s] = seconds.get(stop.s, 0.0) + stop.seconds
    return [PlannedStop(s, time) for s, time in sorted(seconds.items())]


def _search(ask: VelocityRequest) -> Profile:
    fastest = ask.make(0.0)
    if not ask.regions:
        return fastest
    closed = ask.closed
    hit = closed.hits(fastest)
    if hit is None:
        return fastest
    _check_start(ask, closed)
    _check_for_ever(ask, fastest, closed)
    best, is_optimal = _waiting(ask.make, fastest, closed) if ask.is_at_rest else (None, False)
    if best is not None and (is_optimal or best.duration <= _bound(fastest, closed) + OVERLAP_TOLERANCE):
        return best
    if isfinite(ask.limits.jerk):
        smooth = earliest_jerk_limited(ask.cells, ask.limits, closed)
        best = min(
            (one for one in (best, smooth) if one is not None), key=lambda one: one.duration, default=None
        )
    else:
        best = _earliest(ask, fastest, closed, best)
    if best is None:
        raise Impossible(_why(ask, hit, closed))
    return best


def _earliest(
    ask: VelocityRequest, fastest: Profile, closed: Region, waiting: Profile | None
) -> Profile | None:
    """Return the earliest of waiting at the start and of what a lattice of speeds finds; a fine one if need be."""
    for nodes in counts_for(closed, fastest.length):
        drive = earliest(fastest, ask.cells, ask.limits, closed, nodes)
        if drive is not None:
            found = closer(drive, fastest, ask.cells.halts, lambda profile: closed.hits(profile) is None)
            return found if waiting is None or found.duration < waiting.duration else waiting
        if waiting is not None:
            return waiting
    return None


def _bound(fastest: Profile, closed: Region) -> float:
    """Return an end before which no profile can be: what the fastest hits is passed after."""
    late = _late(fastest, closed)
    return fastest.duration + max(0.0, float(late.max()))


def _late(profile: Profile, closed: Region) -> Numbers:
    """Return by how much later a profile must come to each piece; less than 0 for one that it does not hit."""
    late = closed.closes - profile.time_at(closed.low)
    late[closed.goes(profile) <= closed.opens + OVERLAP_TOLERANCE] = -inf
    return late


def _waiting(make: Maker, fastest: Profile, closed: Region) -> tuple[Profile | None, bool]:
    """Return the profile that waits at the start as long as it must, and whether that is surely the optimum."""
    profile, seconds, reached, is_optimal = fastest, 0.0, 0.0, True
    at_start = closed.low <= 0.0
    for _ in range(10 * len(closed.low) + 10):
        if closed.hits(profile) is None:
            return profile, is_optimal
        late = _late(profile, closed)
        last = int(late.argmax())
        if isinf(late[last]) or (late[at_start] > OVERLAP_TOLERANCE).any():
            return None, False
        seconds += max(float(late[last]), OVERLAP_TOLERANCE)
        is_optimal &= float(closed.low[last]) >= reached
        reached = max(reached, float(closed.low[last]))
        profile = make(seconds)
    return None, False


def _check_start(ask: VelocityRequest, closed: Region) -> None:
    for piece in np.flatnonzero((closed.low <= 0.0) & (closed.opens <= 0.0)).tolist():
        raise Impossible(
            f"{ask.name(piece)} is on the start of the path, or too close to it, from the beginning"
        )


def _check_for_ever(ask: VelocityRequest, fastest: Profile, closed: Region) -> None:
    """Refuse what is never free again once the fastest vehicle comes there: it passes neither before nor after."""
    comes, goes = fastest.time_at(closed.low), closed.goes(fastest)
    for piece in np.flatnonzero(np.isinf(closed.closes) & (goes > closed.opens + OVERLAP_TOLERANCE)).tolist():
        raise Impossible(_why(ask, (float(comes[piece]), piece), closed))


def _why(ask: VelocityRequest, hit: tuple[float, int], closed: Region) -> str:
    when, piece = hit
    low, opens, closes = (float(column[piece]) for column in (closed.low, closed.opens, closed.closes))
    until, end = (
        ("for ever", "") if isinf(closes) else (f"until {closes:.4g} s", ", and no speed passes after")
    )
    return (
        f"{ask.name(piece)} takes the path at {low:.4g} m from {opens:.4g} s {until}, and the vehicle cannot pass "
        f"before (it would be there at {when:.4g} s){end}"
    )


SHARES = (1.0, 0.8, 0.6, 0.4, 0.25)
"""Shares of the strength that are tried."""
FEW_SHARES = (1.0, 0.5)
"""The same where the lattice is a fine one."""
WIDENINGS = (0.0, 0.5, 1.0)
"""By which shares of a τ²/24 zones are made wider, until what is found is free."""
ON_PATH = 1e-9
"""The share of the path by which a zone that begins or ends on it keeps away from its ends."""


def earliest_jerk_limited(cells: SpeedCells, limits: Limits, closed: Region) -> Profile | None:
    """Return the earliest profile from rest outside of a region that is found within all limits, or None."""
    for nodes in counts_for(closed, float(cells.s[-1])):
        shares = SHARES if nodes == NODES else FEW_SHARES
        found = [_with_strength(cells, limits, share, closed, nodes) for share in shares]
        free = [profile for profile in found if profile is not None]
        if free:
            return min(free, key=lambda profile: profile.duration)
    return None


def _with_strength(
    cells: SpeedCells, limits: Limits, share: float, closed: Region, nodes: int
) -> Profile | None:
    weak = replace(limits, acceleration=limits.acceleration * share, braking=limits.braking * share)
    strength = max(weak.acceleration, weak.braking)
    window = strength / limits.jerk
    wide = widened(cells, window)
    top = Profile(timed(fastest(wide, wide.nodes(0.0, 0.0), weak.acceleration, weak.braking), {}))
    for share_of_stray in WIDENINGS:
        stray = share_of_stray * strength * window * window / 24.0
        region = _moved(closed, window / 2.0, stray, float(cells.s[-1]))
        drive = earliest(top, wide, weak, region, nodes, window)
        if drive is None:
            return None
        profile = Profile(averaged(drive.line, drive.halts, cells, window))
        if closed.hits(profile) is None:
            return profile
    return None


def _moved(region: Region, earlier: float, wider: float, length: float) -> Region:
    """Return a region that is earlier and wider, but not beyond an end of the path where it was not."""
    edge = ON_PATH * length
    low, high = region.low - wider, region.high + wider
    low = np.where(region.low > 0.0, np.maximum(low, np.minimum(region.low, edge)), low)
    high = np.where(region.high < length, np.minimum(high, np.maximum(region.high, length - edge)), high)
    return replace(region, low=low, high=high, opens=region.opens - earlier, closes=region.closes - earlier)
