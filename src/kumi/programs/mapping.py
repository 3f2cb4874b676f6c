"""Robots that draw the map of a place nobody knows, commanded by a central computer.

Each robot is as simple as the packet robots are: it tells what it reads, and sets its motor and its wheel as it is
told. All thinking is done by one computer, which the first robot carries: it finds the robots, draws the common map,
sends each robot to another end of the known floor, and never two into each other. A robot that hears nothing for a
while stops. When nothing is left to see, the map is saved.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan

from kumi.contract.messages import Message
from kumi.geometry import Point, Pose
from kumi.kernel import after, note, now, sleep, together, until
from kumi.mapping.exploration import Exploration
from kumi.mapping.files import as_target, save_map
from kumi.mapping.models import PACKET_BEAMS, Beam, OdometryModel, RangeModel
from kumi.mapping.odometry import FrontWheel
from kumi.mapping.scan import Scan, ranges_of
from kumi.mapping.team import Team
from kumi.robot import Robot

COUNTS_PER_METRE = 512 / 0.19
RANGERS = ("front", "front_left", "back_left", "back", "back_right", "front_right")
WATCHDOG = 1.0
"""Seconds without a word from the computer after which a robot stops."""


@dataclass(frozen=True, slots=True)
class Ready(Message):
    """A robot tells where it starts, or that it does not know."""

    start: Point | None
    heading: float


@dataclass(frozen=True, slots=True)
class Seen(Message):
    """A robot tells what it reads: metres so far, the angle of its wheel, and ranges; inf is nothing in reach."""

    time: float
    distance: float
    steering: float
    ranges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Go(Message):
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
    particles: int = 300,
    is_start_known: bool = True,
    beams: list[list[float]] | None = None,
    is_encoder_in_front: bool = False,
    save: str = "",
) -> None:
    """Draw a map together with all others: the first robot carries the computer that commands them.

    `reach` is that of the six range finders, `save` the .yaml file for the finished map. Robots whose start is not
    known find each other by their maps. `beams` has [ahead, left, degrees] for each range finder, in metres from the
    middle of the rear axle, if they are not those of the arena. The encoder counts the way of the rear axle, or that
    of the steered wheel in front.
    """
    async with together() as tasks:
        if robot.number == 0:
            odometry = OdometryModel(wheelbase=wheelbase)
            mounts = (
                PACKET_BEAMS if beams is None else tuple(Beam(x, y, radians(angle)) for x, y, angle in beams)
            )
            team = Team(ranges=RangeModel(reach=reach), odometry=odometry, beams=mounts, particles=particles)
            tasks.start(Computer(robot, Exploration(team, speed=speed), save).serve)
        tasks.start(obey, robot, wheelbase)
        tasks.start(report, robot, period, is_start_known, is_encoder_in_front)
        await robot.radio.receive(Finished)
        robot.stop()
        tasks.cut()


async def report(robot: Robot, period: float, is_start_known: bool, is_encoder_in_front: bool) -> None:
    """Tell the computer what is read, again and again."""
    start = robot.home if is_start_known else None
    await robot.radio.send(Ready(start, robot.heading), to=0)
    wheel = FrontWheel()
    while True:
        ranges = ranges_of([await getattr(robot, name).read() for name in RANGERS])
        distance = (await robot.encoder.read()).left / COUNTS_PER_METRE
        steering = await robot.steering.read()
        if is_encoder_in_front:
            distance = wheel.rear(distance, steering)
        await robot.radio.send(Seen(now(), distance, steering, ranges), to=0)
        await sleep(period)


async def obey(robot: Robot, wheelbase: float) -> None:
    """Drive as the computer says, and stop if it says nothing for a while."""
    orders = robot.radio.messages(Go).stream()
    while True:
        order = None
        with until(after(WATCHDOG)):
            order, _ = await orders.next()
        if order is None:
            robot.stop()
        else:
            robot.steer(order.speed, order.speed * tan(order.steering) / wheelbase)


class Computer:
    """The central computer, on the radio of the robot that carries it."""

    def __init__(self, robot: Robot, exploration: Exploration, save: str) -> None:
        self.robot = robot
        self.exploration = exploration
        self.save = as_target(save) if save else None

    async def serve(self) -> None:
        """Answer each robot's readings with what it is to do, until the map is done."""
        radio = self.robot.radio
        async with together() as tasks:
            tasks.start(self._welcome)
            async for seen, sender in radio.messages(Seen):
                name = str(sender)
                if name not in self.exploration.team.members:
                    continue
                scan = Scan(seen.time, seen.distance, seen.steering, seen.ranges)
                order = self.exploration.observe(name, scan)
                await radio.send(Go(order.speed, order.steering), to=sender)
                if self.exploration.is_done:
                    break
            tasks.cut()
        await self._finish()

    async def _welcome(self) -> None:
        async for ready, sender in self.robot.radio.messages(Ready):
            start = None if ready.start is None else Pose(ready.start, ready.heading)
            self.exploration.team.add(str(sender), self.robot.chance, start)

    async def _finish(self) -> None:
        drawn = self.exploration.team.map
        note(f"knows {drawn.area:.2f} m2")
        if self.save:
            save_map(drawn, self.save)
            note(f"saved {self.save}")
        await self.robot.radio.send(Finished(), to=self.robot.radio.group)
