"""Robots that drive to their goals past each other, each deciding alone, several times a second, by a rule for velocities.

A robot looks around, and knows the walls of its map. The others are discs of its own size; their velocities are what they have gone
since the last look. A rule of `kumi.planning` then gives a velocity near the wanted one, straight to the goal and leaning a
little to the right, so that robots that are symmetric do not stand before each other. A robot that has arrived stays, and goes on
giving way.

A robot on two wheels decides for the place `offset` metres ahead of its middle; with an offset of 0 it moves in any direction, and
has an omnidirectional drive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kumi.contract import BadGoal, Blocked
from kumi.contract.readings import Sighting
from kumi.devs import after, note, now, sleep, sleep_until, until
from kumi.geometry import Bounds, Circle, Outline, Point, Rectangle, Segment
from kumi.geometry.points import as_number, as_size, shown
from kumi.maths import cos, sin
from kumi.planning.barrier import Barrier
from kumi.planning.effective_centre import EffectiveCentre
from kumi.planning.orca import Orca
from kumi.planning.potential import Potential
from kumi.planning.space import Space, WallSpace
from kumi.planning.velocity_rules import MovingDisc, Numbers, VelocityRule, wall_rows
from kumi.robot import Robot, checked_by

if TYPE_CHECKING:
    from kumi.robot import Team

RULES: Mapping[str, type[VelocityRule]] = {"orca": Orca, "barrier": Barrier, "potential": Potential}
ARRIVED = 0.05
"""Metres from a goal at which a robot has arrived."""
SETTLING = 1.0
"""Seconds: the wanted speed is the way to the goal divided by them, up to the top speed."""

Tables = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class LocalPlanner:
    """What all robots of a group have in common: rule, size, speeds and walls."""

    rule: VelocityRule
    radius: float
    top_speed: float
    centre: EffectiveCentre | None
    lean: float
    walls: Numbers

    def place(self, position: Point, heading: float) -> Point:
        """Return the place that the robot decides for."""
        return position if self.centre is None else self.centre.place(position, heading)

    @property
    def reach(self) -> float:
        """The radius of the disc around that place which covers the robot."""
        return self.radius if self.centre is None else self.radius + self.centre.offset

    def wish(self, way: Point) -> Point:
        """Return what a robot with such a way to its goal wants."""
        if isinstance(self.rule, Potential):
            return way
        speed = min(self.top_speed, abs(way) / SETTLING)
        return way.turned(-self.lean) * (speed / abs(way)) if speed else way

    def wishes(self, ways: Numbers) -> Numbers:
        """Return what robots with such ways to their goals want, one row each."""
        if isinstance(self.rule, Potential):
            return ways
        x, y = ways[:, 0], ways[:, 1]
        far = np.sqrt(x * x + y * y)
        speeds = np.minimum(self.top_speed, far / SETTLING) / np.where(far > 0.0, far, 1.0)
        ahead, left = cos(self.lean), -sin(self.lean)
        return np.column_stack([(x * ahead - y * left) * speeds, (x * left + y * ahead) * speeds])

    def velocity(self, place: Point, moving: Point, goal: Point, others: Sequence[MovingDisc]) -> Point:
        """Return the velocity of a robot that moves, has a goal and sees others."""
        own = MovingDisc(place, moving, self.reach)
        return self.rule.velocity(own, self.wish(goal - place), self.top_speed, others, walls=self.walls)


class VelocityEstimator:
    """Tells how fast those move who are seen again and again."""

    def __init__(self, radius: float) -> None:
        self._radius = radius
        self._looked = 0.0
        self._places: dict[int | None, Point] = {}

    def see(self, sightings: Sequence[Sighting]) -> list[MovingDisc]:
        """Return those who are in sight, with their velocities since the last look; who is new seems to stand."""
        time = now() - self._looked
        discs = [MovingDisc(one.position, self._velocity(one, time), self._radius) for one in sightings]
        self._looked = now()
        self._places = {one.number: one.position for one in sightings}
        return discs

    def _velocity(self, one: Sighting, time: float) -> Point:
        before = self._places.get(one.number)
        return Point(0.0, 0.0) if before is None or time <= 0.0 else (one.position - before) / time


def check_avoidance(
    _count: int,
    radius: float,
    goal: Sequence[float] | None,
    centre: Sequence[float] | None,
    by: Sequence[float] | None,
    via: Sequence[Sequence[float]],
    rule: Mapping[str, Any] | None,
    obstacles: Tables,
    bounds: Sequence[float] | None,
    **numbers: float,
) -> None:
    """Raise ValueError for a rule, a goal, an obstacle or a number that makes no sense."""
    as_size(radius, "the radius of a robot")
    for point in (goal, centre, by, bounds, *via):
        if point is not None and len(point) != 2:
            raise ValueError(f"goals, centres and bounds are two numbers of metres, not {shown(point)}")
    if sum(point is not None for point in (goal, centre, by)) != 1:
        raise ValueError(
            "a robot has a goal, a centre to cross to the other side of, or a way to go by: one of the three"
        )
    rule_of(rule)
    space_of_tables(obstacles, bounds)
    for name in ("speed", "turn_speed", "period"):
        as_size(numbers[name], name)
    if as_number(numbers["offset"], "offset") < 0.0:
        raise ValueError(f"offset is a number of metres >= 0, not {numbers['offset']!r}")
    as_number(numbers["lean"], "lean")


@checked_by(check_avoidance)
async def avoidance(
    robot: Robot,
    radius: float,
    goal: Sequence[float] | None = None,
    centre: Sequence[float] | None = None,
    by: Sequence[float] | None = None,
    via: Sequence[Sequence[float]] = (),
    rule: Mapping[str, Any] | None = None,
    obstacles: Tables = (),
    bounds: Sequence[float] | None = None,
    offset: float = 0.0,
    speed: float = 1.0,
    turn_speed: float = 3.0,
    period: float = 0.1,
    lean: float = 0.1,
) -> None:
    """Drive to a goal, to the place opposite, about a centre, or by a way, through places in between, and stay there."""
    planner = planner_for(radius, rule, obstacles, bounds, offset, speed, turn_speed, lean)
    goals = [Point(*place) for place in via] + [goal_of(robot.home, goal, centre, by)]
    estimator, moving = VelocityEstimator(radius), Point(0.0, 0.0)
    robot.show("state", "drives")
    while True:
        others = estimator.see(await robot.eyes.read())
        place = planner.place(robot.position, robot.heading)
        if len(goals) > 1 and place.distance_to(goals[0]) < 2.0 * planner.reach:
            del goals[0]
        if len(goals) == 1 and place.distance_to(goals[0]) < ARRIVED:
            note("arrived")
            robot.show("state", "has arrived")
            goals.append(goals[0])
        moving = planner.velocity(place, moving, goals[0], others)
        await drive(robot, planner, moving, period)


async def drive(robot: Robot, planner: LocalPlanner, velocity: Point, period: float) -> None:
    """Move at a velocity for a period."""
    if planner.centre is not None:
        robot.steer(*planner.centre.wheels(robot.heading, velocity))
        await sleep(period)
        return
    end, speed = now() + period, abs(velocity)
    if speed:
        # A velocity that leads out of the world, or into an obstacle, is not driven.
        with suppress(Blocked, BadGoal), until(after(period)):
            await robot.move_to(robot.position + velocity * period, speed=speed)
    await sleep_until(end)


def check_avoidance_team(count: int, goals: Sequence[Sequence[float]] | None, **others: Any) -> None:
    """Raise ValueError for what `avoidance` refuses, and for goals that are not one for each robot."""
    del others["knows_headings"]  # which has no wrong value
    if goals is not None:
        if len(goals) != count:
            raise ValueError(f"each of {count} robots has a goal, but there are {len(goals)} goals")
        others["goal"] = goals[0]
    check_avoidance(count, via=(), **others)
    if not others["offset"]:
        raise ValueError("the robots of a team have two wheels, so their offset is above 0")


@checked_by(check_avoidance_team)
async def avoidance_team(
    team: Team,
    radius: float,
    goal: Sequence[float] | None = None,
    centre: Sequence[float] | None = None,
    by: Sequence[float] | None = None,
    goals: Sequence[Sequence[float]] | None = None,
    rule: Mapping[str, Any] | None = None,
    obstacles: Tables = (),
    bounds: Sequence[float] | None = None,
    offset: float = 0.05,
    speed: float = 1.0,
    turn_speed: float = 20.0,
    period: float = 0.1,
    lean: float = 0.1,
    knows_headings: bool = True,
) -> None:
    """Do what `avoidance` does for a whole team on wheels, decided in one call; `goals` has one for each robot.

    A team knows where all its robots head, so that each decides among effective centres. Without that it decides as robots do that
    see each other: among bodies, whose velocities are what they have gone since the last look.
    """
    planner = planner_for(radius, rule, obstacles, bounds, offset, speed, turn_speed, lean)
    assert planner.centre is not None
    before, looked = team.positions, now()
    homes = [Point(x, y) for x, y in before.tolist()]
    ends = np.array(goals or [tuple(goal_of(home, goal, centre, by)) for home in homes], dtype=np.float64)
    moving = np.zeros_like(before)
    while True:
        positions, headings = team.positions, team.headings
        places = planner.centre.places(positions, headings)
        passed = now() - looked
        gone = (positions - before) / passed if passed > 0.0 else np.zeros_like(before)
        moving = planner.rule.velocities(
            places,
            moving,
            planner.wishes(ends - places),
            planner.reach,
            planner.top_speed,
            walls=planner.walls,
            seen_as=None if knows_headings else (positions, gone, radius),
        )
        before, looked = positions, now()
        team.steer(*planner.centre.wheels_of(headings, moving))
        await sleep(period)


def planner_for(
    radius: float,
    rule: Mapping[str, Any] | None,
    obstacles: Tables,
    bounds: Sequence[float] | None,
    offset: float,
    speed: float,
    turn_speed: float,
    lean: float,
) -> LocalPlanner:
    """Return what the parameters of a program say."""
    centre = EffectiveCentre(offset) if offset else None
    top = centre.top_speed(speed, turn_speed) if centre else speed
    return LocalPlanner(
        rule_of(rule), radius, top, centre, lean, wall_rows(space_of_tables(obstacles, bounds))
    )


def rule_of(table: Mapping[str, Any] | None) -> VelocityRule:
    """Return the rule that a table with a kind describes; ORCA as it is by default without one."""
    settings = dict(table or {})
    kind = settings.pop("kind", "orca")
    if kind not in RULES:
        raise ValueError(f"the kind of a rule is {', '.join(RULES)}, not {kind!r}")
    try:
        return RULES[kind](**settings)
    except TypeError as error:
        raise ValueError(
            f"{kind} takes {', '.join(RULES[kind].__dataclass_fields__)}, not {shown(settings)}"
        ) from error


def goal_of(
    home: Point,
    goal: Sequence[float] | None,
    centre: Sequence[float] | None,
    by: Sequence[float] | None,
) -> Point:
    """Return where a robot that starts at home is to go."""
    if goal is not None:
        return Point(*goal)
    if centre is not None:
        return Point(*centre) * 2.0 - home
    assert by is not None
    return home + Point(*by)


def space_of_tables(obstacles: Tables, bounds: Sequence[float] | None) -> Space:
    """Return the space of a map as a scenario describes it: its obstacles, and its size."""
    return Space(
        [_obstacle(table) for table in obstacles], None if bounds is None else Bounds(0.0, 0.0, *bounds)
    )


def _obstacle(table: Mapping[str, Any]) -> Circle | Outline | Segment | WallSpace:
    match table:
        case {"wall": [start, end]}:
            return WallSpace(start, end, table.get("thickness", 0.0))
        case {"pillar": centre, "radius": radius}:
            return Circle(centre, radius)
        case {"block": [x, y], "size": [width, height]}:
            return Rectangle(x, y, width, height)
        case {"block": corners}:
            return Outline(corners)
    raise ValueError(f"an obstacle is a wall, a pillar or a block, as in a map, not {shown(table)}")
