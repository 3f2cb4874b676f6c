"""Vehicles that cross each other's paths, and let those with a lower number pass first.

Each plans its route around the obstacles, a smooth path along it, and the fastest speeds that keep a margin to
all who come before it: their plans it has heard by radio, and it tells its own to those who come after. Then all
set off at one instant and follow their plans.

A controller with a `lag` lets its vehicle drive behind the plan, and inside of its curves. What a vehicle tells the
others is where it will really be. Its curves are so slow that it leaves its path by half the margin at most,
and if others would come nearer than half the margin, it plans with a larger one.

Two kinds of notes go to the log. `follow` is a new reference, at the instant at which the plan says that the
vehicle should be there. `move` is where the vehicle is once its controller has had its time for it, the `lag`.
Both tell how far it is from the reference: about lag times speed at first, and almost nothing a lag later.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, remainder, tau
from typing import Any

from kumi.contract import Sample
from kumi.contract.messages import Message
from kumi.devs import note, now, sleep_until, together
from kumi.geometry import BodyShape, Bounds, Disc, Ellipse, Point, Polygon, Rectangle
from kumi.geometry.points import as_size
from kumi.planning.conflicts import Mover
from kumi.planning.fitting import fit_path
from kumi.planning.lag import lagged, least_gap
from kumi.planning.limits import Impossible, Limits
from kumi.planning.routes import plan_route
from kumi.planning.space import Space
from kumi.planning.trajectory import TimedMotion, Trajectory, VehicleState
from kumi.planning.velocity_planning import Vehicle, around
from kumi.robot import Robot, checked_by

PLAN_PERIOD = 0.05
"""Seconds between two places of a plan."""
SHOWN_EVERY = 0.5
"""Seconds between two places of a plan as it is shown."""


@dataclass(frozen=True, slots=True)
class VehiclePlan(Message):
    """Where a vehicle will be, and what space it takes."""

    name: str
    shape: tuple[Point, ...]
    size: tuple[float, ...]
    times: tuple[float, ...]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    headings: tuple[float, ...]

    @property
    def mover(self) -> Mover:
        """The vehicle as another one plans around it."""
        shape = Polygon(self.shape) if self.shape else Ellipse(*self.size)
        return Mover(shape, TimedMotion.of(self.times, self.xs, self.ys, self.headings), self.name)


def check_crossing(
    _count: int,
    footprint: dict[str, Any],
    goal: list[float] | None,
    centre: list[float] | None,
    obstacles: list[dict[str, Any]] | None,
    bounds: list[float] | None,
    top_speed: float,
    acceleration: float,
    lateral: float,
    **sizes: float,
) -> None:
    """Raise ValueError for an invalid shape, point, limit or size; any number of vehicles may cross."""
    shape_of(footprint)
    for table in obstacles or []:
        rectangle(table)
    for pair, what in ((goal, "a goal"), (centre, "a centre"), (bounds, "the bounds of a crossing")):
        if pair is not None and len(pair) != 2:
            raise ValueError(f"{what} is two numbers of metres, not {pair}")
    Limits(top_speed=top_speed, acceleration=acceleration, lateral=lateral)
    for name in ("min_radius", "resolution", "every"):
        as_size(sizes[name], name)
    for name in ("margin", "lag", "begin"):
        if not 0.0 <= sizes[name] < inf:
            raise ValueError(f"{name} is a number >= 0, not {sizes[name]!r}")


@checked_by(check_crossing)
async def crossing(
    robot: Robot,
    footprint: dict[str, Any],
    goal: list[float] | None = None,
    centre: list[float] | None = None,
    turn: float = 0.0,
    obstacles: list[dict[str, Any]] | None = None,
    bounds: list[float] | None = None,
    top_speed: float = 1.0,
    acceleration: float = 0.5,
    lateral: float = 0.5,
    min_radius: float = 1.0,
    margin: float = 0.3,
    resolution: float = 0.1,
    lag: float = 0.1,
    begin: float = 3.0,
    every: float = 1.0,
    yields: bool = True,
) -> None:
    """Drive to a goal, or to the place opposite of a centre, turned by an angle; set off at `begin` seconds.

    Without `yields` a vehicle drives as fast as it can, whoever may be in its way.
    """
    body = shape_of(footprint)
    across = min(lateral, margin / (lag * lag)) if lag > 0.0 else lateral
    limits = Limits(top_speed=top_speed, acceleration=acceleration, lateral=across)
    plans = robot.radio.messages(VehiclePlan).stream()
    aim = Point(*goal) if goal else opposite(robot.home, Point(*(centre or (0.0, 0.0))), turn)
    space = Space(
        [rectangle(table) for table in obstacles or []], Bounds(0.0, 0.0, *bounds) if bounds else None
    )
    if robot.home == aim:
        raise Impossible(f"{robot.name} is at its goal {aim} already; a crossing leads somewhere else")
    route = plan_route(space, robot.home, aim, body.reach + margin)
    if route is None:
        raise Impossible(f"there is no route from {robot.home} to {aim} for {robot.name}")
    clearance = body.reach + lag * lag * across / 2
    robot.show("state", "plans")
    path = fit_path(route, min_radius=min_radius, clearance=clearance, space=space, spacing=0.05)
    others: list[Mover] = []
    while len(others) < robot.number:
        plan, _ = await plans.next()
        others += [plan.mover]
    others.sort(key=lambda other: other.name)
    vehicle = Vehicle(path, body, limits, robot.name)
    trajectory = giving_way(vehicle, others if yields else [], margin, resolution, lag)
    await robot.radio.broadcast(plan_of(robot.name, body, lagged(trajectory.motion(PLAN_PERIOD), lag)))
    if now() > begin:
        raise Impossible(f"{robot.name} heard the plans of the others at {now():g} s only, after {begin:g} s")
    robot.show_path([place for _, place, _ in trajectory.timed_places(SHOWN_EVERY)], "plan")
    robot.show("state", "crosses")
    async with together() as tasks:
        tasks.start(tell_references, robot, trajectory, begin, every)
        tasks.start(tell_moves, robot, trajectory, begin + lag, every)
        await robot.track(samples(trajectory, robot.heading, begin - now()))
        robot.show("state", "has come")


def giving_way(
    vehicle: Vehicle, others: list[Mover], margin: float, resolution: float, lag: float
) -> Trajectory:
    """Return a plan that keeps half the margin to all others though the vehicle lags behind it."""
    more = 0.0
    while True:
        profile = around(
            vehicle.path, vehicle.limits, vehicle.shape, others, margin=margin + more, resolution=resolution
        )
        trajectory = Trajectory(vehicle.path, profile)
        driven = lagged(trajectory.motion(PLAN_PERIOD), lag)
        near = min((least_gap(vehicle.shape, driven, other) for other in others), default=inf)
        most = lag * vehicle.limits.top_speed
        if near >= margin / 2 or more >= most:
            return trajectory
        more = min(most, more + margin / 2 - near + resolution)


def samples(trajectory: Trajectory, heading: float, wait: float) -> list[Sample]:
    """Return what a body tracks: it turns to the path while it waits, and then follows the plan."""
    places = trajectory.timed_places(PLAN_PERIOD)
    turned = heading + remainder(places[0][2] - heading, tau)
    first = [Sample(0.0, places[0][1], heading), Sample(wait / 2, places[0][1], turned)]
    return first + [Sample(wait + time, at, facing) for time, at, facing in places]


async def tell_references(robot: Robot, trajectory: Trajectory, begin: float, every: float) -> None:
    """Note each reference at its time, and how far the vehicle still is from it."""
    for number, state in references(trajectory, every):
        await sleep_until(begin + state.t)
        off = robot.position.distance_to(Point(state.x, state.y))
        robot.show("metres off the plan", off)
        note(
            f"follow {number} x={state.x:.3f} y={state.y:.3f} heading={state.heading:.3f} "
            f"v={state.v:.3f} off={off:.3f}"
        )


async def tell_moves(robot: Robot, trajectory: Trajectory, begin: float, every: float) -> None:
    """Note where the vehicle is once its controller has had its time to reach a reference."""
    for number, state in references(trajectory, every):
        await sleep_until(begin + state.t)
        at = robot.position
        note(f"move {number} x={at.x:.3f} y={at.y:.3f} off={at.distance_to(Point(state.x, state.y)):.3f}")


def references(trajectory: Trajectory, every: float) -> list[tuple[int, VehicleState]]:
    """Return the numbered references of a plan, so many seconds apart, the last one at its end."""
    count = ceil(trajectory.end / every - 1e-9)
    return list(
        enumerate(trajectory.states_at([*(every * number for number in range(count)), trajectory.end]))
    )


def plan_of(name: str, body: BodyShape, motion: TimedMotion) -> VehiclePlan:
    """Return what others need to know."""
    columns = (tuple(column.tolist()) for column in (motion.time, motion.x, motion.y, motion.heading))
    match body:
        case Polygon(corners):
            return VehiclePlan(name, corners, (), *columns)
        case Ellipse(length, width):
            return VehiclePlan(name, (), (length, width), *columns)
        case Disc(radius):
            return VehiclePlan(name, (), (2.0 * radius, 2.0 * radius), *columns)


def shape_of(table: dict[str, Any]) -> BodyShape:
    """Return the shape that the table of a scenario describes."""
    match table:
        case {"kind": "polygon", "corners": corners}:
            return Polygon([(x, y) for x, y in corners])
        case {"kind": "ellipse", "length": length, "width": width}:
            return Ellipse(length, width)
        case {"kind": "disc", "radius": radius}:
            return Disc(radius)
    raise ValueError(f"a shape is a table of a disc, an ellipse or a polygon, not {table!r}")


def rectangle(table: dict[str, Any]) -> Rectangle:
    """Return the block that the table of a map describes."""
    match table:
        case {"block": [x, y], "size": [width, height]}:
            return Rectangle(x, y, width, height)
    raise ValueError(f"the obstacles of a crossing are blocks with a size, not {table!r}")


def opposite(home: Point, centre: Point, turn: float) -> Point:
    """Return the place on the other side of a centre, turned about it."""
    return centre + (centre - home).turned(turn)
