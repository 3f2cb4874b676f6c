"""Where does each robot of a team go next, until all that can be reached is known?

The central planner. It takes each scan as it comes, finds the robot, and answers with what the robot is to do. Goals
are frontiers of the common map, for each robot another; ways lead over known floor and around the other robots.

Robots never drive into each other: a robot is told to stand if the next stretch would bring its middle nearer to that
of another than `LEAST_SEPARATION`, and nearer than it is now. That is more than two platforms are long from middle to corner, plus
what the estimates may be off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from kumi._core import Point
from kumi.geometry import Pose
from kumi.mapping.driving import STAND, Clearances, DriveCommand, Driver
from kumi.mapping.frontiers import DrivableGround, Frontier, aside, choose, frontiers
from kumi.mapping.merging import placed
from kumi.mapping.models import BACK, FRONT
from kumi.mapping.occupancy import OccupancyMap
from kumi.mapping.odometry import drive
from kumi.mapping.scan import Scan
from kumi.mapping.team import MIDDLE, MappingTeam
from kumi.maths import cos

LEAST_SEPARATION = 0.52
"""Metres between the middles of two robots that neither makes less."""

STRETCH = (0.04, 0.1, 0.16)
"""Metres ahead at which the planner looks for other robots."""

PLAN_EVERY = 5
"""Scans between two plans of a robot."""

STANDING_SCANS = 25
"""Scans that a robot stands before it looks for another way."""

PASSING_MARGIN = 0.1
"""Metres more than its room that a robot leaves to a way on which another wants to pass."""

FIRST_SCANS = 10
"""Scans before which no robot is told that there is nowhere to go."""

BEGIN = 0.2
"""Metres that a robot drives before it is told so, if it can: who stands has seen six lines, which are no floor."""

COME = 0.2
"""Metres from a goal at which a robot has come there."""

LOOKED = 0.3
"""Metres between two goals that count as one."""

WAITS = 45
"""Plans for which a robot waits until others have left the way to a goal."""

START_SECONDS = 0.9
"""Seconds that a robot may need before it goes the way it was told: its wheel is turned first, and the link takes time."""

MUCH, CHANCES = 16, 2
"""Cells of open frontiers with which a place is not done, and how often what was given up is then tried again."""

STUCK_SHARE = 0.4
"""Below which share of what it should have gone a robot is stuck."""

MOST_VAIN_SCANS = 60
"""Scans for which a robot tries to come nearer to a goal, in vain."""


@dataclass
class Explorer:
    """What the planner keeps of a robot."""

    driver: Driver
    way: list[Point] = field(default_factory=list)
    scans: int = 0
    driven: float = 0.0
    stood: int = 0
    tried: int = 0
    nearest: int = 0
    is_done: bool = False
    wants: list[Point] = field(default_factory=list)
    target: Point | None = None
    is_aside: bool = False
    is_gone: bool = False
    waited: int = 0
    told: DriveCommand = STAND
    since: float = 0.0
    went: float = 1.0
    last: Scan | None = None
    ground: DrivableGround | None = None

    def take(self, scan: Scan) -> None:
        """Note how far it has gone since the scan before, and in how much of the time that it should have."""
        self.scans += 1
        self.is_gone = False
        if self.last is not None:
            should = abs(self.told.speed) * (scan.time - self.last.time)
            is_starting = scan.time - self.since < START_SECONDS
            way = abs(scan.distance - self.last.distance)
            self.went = 1.0 if should == 0.0 or is_starting else way / should
            self.driven += way
        self.last = scan

    def tell(self, order: DriveCommand) -> DriveCommand:
        """Note what it is told, and since when it should go that way."""
        if order.speed * self.told.speed <= 0.0 and self.last is not None:
            self.since = self.last.time
        self.told = order
        return order

    def drive(self, pose: Pose, room: Clearances) -> DriveCommand:
        """Return what its way asks for."""
        if not self.way:
            return self.driver.stand()
        return self.driver.drive(pose, self.way, room, is_stuck=self.went < STUCK_SHARE)


class Exploration:
    """Sends the robots of a team to the frontiers of their map."""

    def __init__(self, team: MappingTeam, *, speed: float = 0.1) -> None:
        self.team = team
        self.speed = speed
        self._explorers: dict[str, Explorer] = {}
        self._given_up: list[Point] = []
        self._bumps: list[Point] = []
        self._chances = CHANCES

    def observe(self, name: str, scan: Scan) -> DriveCommand:
        """Take a robot's next scan and return what it is to do."""
        pose = self.team.observe(name, scan).pose
        explorer = self._explorers.get(name)
        if explorer is None:
            explorer = self._explorers[name] = Explorer(Driver(self.team.odometry.wheelbase, self.speed))
        explorer.take(scan)
        is_stuck = explorer.went < STUCK_SHARE
        if is_stuck:
            self._bump(placed(pose, Point(FRONT if explorer.told.speed > 0.0 else -BACK, 0.0)))
        if not self.team.has_joined(name):
            return self._alone(explorer, pose, name)
        is_due = explorer.scans % PLAN_EVERY == 1 or explorer.stood > STANDING_SCANS or is_stuck
        drawn = self.team.map
        if self._has_looked(explorer, pose) or is_due:
            self._plan(name, explorer, pose, drawn)
        room = Clearances(drawn, pose.position, list(self._others(name).values()), LEAST_SEPARATION)
        return self._safely(name, explorer, pose, explorer.drive(pose, room))

    def leave(self, name: str) -> None:
        """Go on without a robot: others keep clear of where it was last, and its goal is free; its next scan brings it back."""
        if name in self._explorers:
            gone = self._explorers[name]
            gone.is_gone, gone.way, gone.wants, gone.told = True, [], [], gone.driver.stand()
            gone.ground = None

    @property
    def is_done(self) -> bool:
        """Tell whether no robot that is there has anywhere left to go."""
        there = [one for one in self._explorers.values() if not one.is_gone]
        return bool(there) and all(one.is_done for one in there)

    def way_of(self, name: str) -> list[Point]:
        """Return the way that a robot is following."""
        return list(self._explorers[name].way) if name in self._explorers else []

    def _alone(self, explorer: Explorer, pose: Pose, name: str) -> DriveCommand:
        """Let a robot explore by its own map while nobody knows where it is."""
        drawn = self.team.map_of(name)
        if self._has_looked(explorer, pose) or explorer.scans % PLAN_EVERY == 1:
            self._plan(name, explorer, pose, drawn)
        return explorer.tell(explorer.drive(pose, Clearances(drawn, pose.position)))

    def _has_looked(self, explorer: Explorer, pose: Pose) -> bool:
        """Tell whether a robot has come to its goal, or comes no nearer; what is unknown there stays unknown."""
        explorer.tried += 1
        if not explorer.way or (
            abs(explorer.way[-1] - pose.position) > COME and explorer.tried < MOST_VAIN_SCANS
        ):
            return False
        if explorer.is_aside:
            return True
        self._give_up(explorer, explorer.way[-1])
        return True

    def _give_up(self, explorer: Explorer, goal: Point) -> None:
        """Look from this goal no more, nor at the frontier that was looked at from there."""
        self._given_up.append(goal)
        if explorer.target is not None:
            self._given_up.append(explorer.target)

    def _plan(self, name: str, explorer: Explorer, pose: Pose, drawn: OccupancyMap) -> None:
        others = self._others(name) if self.team.has_joined(name) else {}
        found = frontiers(drawn)
        goals = [self._explorers[other].way[-1] for other in others if self._explorers[other].way]
        ground = DrivableGround(
            drawn, pose.position, list(others.values()), LEAST_SEPARATION, self._given_up, self._bumps
        )
        kept = explorer.way[-1] if explorer.way and not explorer.is_aside else None
        explorer.ground = ground
        grounds = (self._explorers[other].ground for other in others)
        rivals = [one for one in grounds if one is not None]
        aim = choose(ground, found, goals, pose, kept, rivals)
        explorer.is_aside = aim is None
        # What lies behind another robot is waited for: who stands in the way there goes aside.
        if aim is None and others:
            beyond = DrivableGround(drawn, pose.position, given_up=self._given_up, bumps=self._bumps)
            aim = choose(beyond, found, goals, pose, kept)
        explorer.wants, explorer.target = ([], None) if aim is None else (aim.way, aim.middle)
        begin = [] if explorer.wants else self._begin(explorer, pose)
        is_seen = not explorer.wants and not begin and explorer.scans > FIRST_SCANS
        explorer.is_done = is_seen and not self._tries_again(found)
        self._wait(explorer)
        way = (
            self._aside(name, explorer, ground, placed(pose, MIDDLE)) or begin
            if explorer.is_aside
            else explorer.wants
        )
        is_new = not way or not explorer.way or abs(way[-1] - explorer.way[-1]) > LOOKED
        if is_new or len(way) < explorer.nearest:
            explorer.tried, explorer.nearest = 0, len(way)
        explorer.stood = 0
        explorer.way = way

    def _begin(self, explorer: Explorer, pose: Pose) -> list[Point]:
        """Return the first way of a robot that has not driven yet, straight ahead or back; none where there is no room."""
        if explorer.driven >= BEGIN or explorer.scans > MOST_VAIN_SCANS or explorer.last is None:
            return []
        seen = [
            (cos(beam.bearing), reading)
            for beam, reading in zip(self.team.beams, explorer.last.ranges, strict=True)
            if reading is not None
        ]
        room = {
            sign: min((r for along, r in seen if sign * along > 0.5), default=inf) for sign in (1.0, -1.0)
        }
        sign = max(room, key=lambda one: room[one])
        if room[sign] < BEGIN + PASSING_MARGIN:
            return []
        return [
            placed(pose, Point(sign * step, 0.0))
            for step in np.arange(0.0, BEGIN + COME + 1e-9, 0.05).tolist()
        ]

    def _tries_again(self, found: list[Frontier]) -> bool:
        """Tell whether so much is still open that what was given up is tried once more, and let it be tried."""
        if self._chances == 0 or sum(map(len, found)) < MUCH:
            return False
        self._chances -= 1
        self._given_up.clear()
        self._bumps.clear()
        return True

    def _bump(self, place: Point) -> None:
        """Note where a robot touched something, once for each place."""
        if all(abs(place - known) > 0.1 for known in self._bumps):
            self._bumps.append(place)

    def _wait(self, explorer: Explorer) -> None:
        """Give up what lies behind others when it has been waited for in vain for long."""
        explorer.waited = explorer.waited + 1 if explorer.is_aside and explorer.wants else 0
        if explorer.waited > WAITS:
            self._give_up(explorer, explorer.wants[-1])
            explorer.waited = 0

    def _aside(
        self, name: str, explorer: Explorer, ground: DrivableGround, here: Point
    ) -> list[Point] | None:
        """Return a way out of the way of others, if one of them wants to pass and goes first.

        Those go first who have somewhere to go, and of two that have, the one that came first.
        """
        names = list(self._explorers)
        firsts = [other for other in names if not explorer.wants or names.index(other) < names.index(name)]
        passing = [
            place
            for other in firsts
            if other != name and self.team.has_joined(other)
            for place in self._explorers[other].wants
        ]
        if not any(abs(place - here) < LEAST_SEPARATION + PASSING_MARGIN for place in passing):
            return None
        return aside(ground, passing, LEAST_SEPARATION + PASSING_MARGIN)

    def _others(self, name: str) -> dict[str, Point]:
        """Return where the middles of the other robots are that have joined."""
        return {
            other: placed(self.team.pose(other), MIDDLE)
            for other in self._explorers
            if other != name and self.team.has_joined(other)
        }

    def _safely(self, name: str, explorer: Explorer, pose: Pose, wanted: DriveCommand) -> DriveCommand:
        """Return what is wanted, or to stand where that leads too near to another robot."""
        here = placed(pose, MIDDLE)
        sign = 1.0 if wanted.speed > 0 else -1.0
        ahead = [
            placed(drive(pose, sign * way, wanted.steering, self.team.odometry.wheelbase), MIDDLE)
            for way in STRETCH
        ]
        for other in self._others(name).values():
            now = abs(other - here)
            if any(abs(other - place) < min(LEAST_SEPARATION, now) for place in ahead):
                explorer.stood += 1
                return explorer.tell(STAND)
        explorer.stood = 0
        return explorer.tell(wanted)
