"""Robots that draw the map of a place nobody knows, commanded by a central computer.

Each robot is as simple as the packet robots are: it tells what it reads, and sets its motor and its wheel as it is
told. All thinking is done by one computer, which the first robot carries: it finds the robots, draws the common map,
sends each robot to another end of the known floor, and never two into each other. A robot that hears nothing for a
while stops. When nothing is left to see, the map is drawn again from all that was seen, and saved.

Where the range finders sit is asked of them, so the program runs on simulated robots and on linked ones. A robot whose
link is lost tells nothing until it is back; the computer goes on with the others, also where it is that of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from kumi.contract import LinkLost
from kumi.contract.messages import Message
from kumi.devs import after, note, now, sleep, together, until
from kumi.geometry import Point, Pose
from kumi.mapping.exploration import Exploration
from kumi.mapping.files import as_target, save_map
from kumi.mapping.models import Beam, OdometryModel, RangeModel
from kumi.mapping.scan import Scan, ranges_of
from kumi.mapping.slam import PARTICLES
from kumi.mapping.team import MappingTeam
from kumi.maths import tan
from kumi.robot import Robot

COUNTS_PER_METRE = 512 / 0.19
RANGERS = ("front", "front_left", "back_left", "back", "back_right", "front_right")
"""The range finders, front and round by the left."""

WATCHDOG = 1.0
"""Seconds without a word from the computer after which a robot stops."""

LOOK_PERIOD = 2.0
"""Seconds from one look at the maps to the next, for those who look at the run."""

WAY_SHOWN = 150
"""Scans over which the way of a robot is shown as it is believed."""

LOST_AFTER = 3.0
"""Seconds without a word from a robot after which the computer goes on without it."""


@dataclass(frozen=True, slots=True)
class ScanReport(Message):
    """A robot tells what it reads: metres so far, the angle of its wheel, and ranges; inf is nothing in reach.

    And where it started, or that it does not know, since the computer may not have heard it before.
    """

    start: Point | None
    heading: float
    time: float
    distance: float
    steering: float
    ranges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DriveAt(Message):
    """The computer tells a robot its speed, in metres a second, and the angle of its wheel."""

    speed: float
    steering: float


@dataclass(frozen=True, slots=True)
class Finished(Message):
    """The computer tells that the map is done."""


async def mapping(
    robot: Robot,
    reach: float = 0.8,
    speed: float = 0.1,
    period: float = 0.2,
    wheelbase: float = 0.15,
    particles: int = PARTICLES,
    is_start_known: bool = True,
    save: str = "",
    watch: Callable[[Exploration], object] | None = None,
) -> None:
    """Draw a map together with all others: the first robot carries the computer that commands them.

    `reach` is that of the six range finders, `save` the .yaml file for the finished map. Robots whose start is not
    known find each other by their maps. An observer is given the exploration, by `watch`, when it begins.
    """
    async with together() as tasks:
        if robot.number == 0:
            ranges, odometry = RangeModel(reach=reach), OdometryModel(wheelbase=wheelbase)
            team = MappingTeam(ranges=ranges, odometry=odometry, beams=beams_of(robot), particles=particles)
            exploration = Exploration(team, speed=speed)
            if watch is not None:
                watch(exploration)
            tasks.start(Computer(robot, exploration, save).serve)
        tasks.start(obey, robot, wheelbase)
        tasks.start(report, robot, period, is_start_known)
        await robot.radio.receive(Finished)
        robot.stop()
        tasks.cut()
    robot.show("state", "has seen all")


def beams_of(robot: Robot) -> list[Beam]:
    """Return where a robot's range finders sit and look."""
    mounts = [getattr(robot, name).mount for name in RANGERS]
    return [Beam(mount.position.x, mount.position.y, mount.heading) for mount in mounts]


async def report(robot: Robot, period: float, is_start_known: bool) -> None:
    """Tell the computer what is read, again and again; nothing while the link to the robot is lost."""
    start, heading = robot.home if is_start_known else None, robot.heading
    while True:
        begun = now()
        try:
            ranges = ranges_of([await getattr(robot, name).read() for name in RANGERS])
            distance = (await robot.encoder.read()).left / COUNTS_PER_METRE
            steering = await robot.steering.read()
        except LinkLost:
            await sleep(WATCHDOG)
        else:
            await robot.radio.send(ScanReport(start, heading, now(), distance, steering, ranges), to=0)
            await sleep(max(0.0, period - (now() - begun)))


async def obey(robot: Robot, wheelbase: float) -> None:
    """Drive as the computer says, and stop if it says nothing for a while."""
    orders = robot.radio.messages(DriveAt).stream()
    while True:
        order = None
        with until(after(WATCHDOG)):
            order, _ = await orders.next()
        robot.show("state", "hears nothing" if order is None else "drives" if order.speed else "stands")
        if order is None:
            robot.stop()
        else:
            with suppress(LinkLost):  # a robot that cannot be told stops by itself
                robot.steer(order.speed, order.speed * tan(order.steering) / wheelbase)


class Computer:
    """The central computer, on the radio of the robot that carries it."""

    def __init__(self, robot: Robot, exploration: Exploration, save: str) -> None:
        self.robot = robot
        self.exploration = exploration
        self.save = as_target(save) if save else None
        self._heard: dict[str, float] = {}
        self._next_look = 0.0

    async def serve(self) -> None:
        """Answer each robot's readings with what it is to do, until the map is done."""
        radio = self.robot.radio
        async with together() as tasks:
            tasks.start(self._miss)
            async for seen, sender in radio.messages(ScanReport):
                name = str(sender)
                if name not in self.exploration.team.members:
                    start = None if seen.start is None else Pose(seen.start, seen.heading)
                    self.exploration.team.add(name, self.robot.chance, start)
                self._heard[name] = now()
                scan = Scan(seen.time, seen.distance, seen.steering, seen.ranges)
                order = self.exploration.observe(name, scan)
                await radio.send(DriveAt(order.speed, order.steering), to=sender)
                self._show()
                if self.exploration.is_done:
                    break
            tasks.cut()
        await self._finish()

    def _show(self) -> None:
        """Show how much is known, the map of all robots, and that of each with where it believes it has been lately."""
        if now() < self._next_look:
            return
        self._next_look = now() + LOOK_PERIOD
        team = self.exploration.team
        self.robot.show("known area (m²)", team.map.area)
        self.robot.show_map(team.map)
        for name in team.members:
            if team.has_joined(name):
                self.robot.show_map(team.map_of(name), f"map of robot {name}")
                way = [pose.position for pose in team.members[name].poses[-WAY_SHOWN::5]]
                self.robot.show_path(way, f"believed way of robot {name}")

    async def _miss(self) -> None:
        """Go on without the robots that have fallen silent."""
        while True:
            await sleep(LOST_AFTER / 3)
            for name in [name for name, time in self._heard.items() if now() - time > LOST_AFTER]:
                del self._heard[name]
                self.exploration.leave(name)
                note(f"goes on without robot {name}")

    async def _finish(self) -> None:
        self.exploration.team.redraw()
        drawn = self.exploration.team.map
        self._next_look = now()
        self._show()
        note(f"knows {drawn.area:.2f} m2")
        if self.save:
            save_map(drawn, self.save)
            note(f"saved {self.save}")
        await self.robot.radio.send(Finished(), to=self.robot.radio.group)
