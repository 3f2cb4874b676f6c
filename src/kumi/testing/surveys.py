"""What would packet robots log that drive about in a world, and where are they truly?

Robots of the packet kind (a car of 20 by 30 cm, six infrared beams, encoder, potentiometer) roam a simulated world
all at once, keep clear of walls and of each other, and write down a scan ten times a second, with errors of
2 % scale and 2 % noise of the encoder, 1 degree of zero and 1 degree of noise of the steering, 1 cm + 2 % of a
range. The true poses are logged beside. Rays, motions and contacts are the simulation's own, nothing is sampled here.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from math import inf, radians
from typing import Any

from kumi.contract import Contact
from kumi.devs import Chance, now, sleep
from kumi.devs.chance import stream
from kumi.geometry import Point, Polygon, Pose
from kumi.mapping.criteria import Truth
from kumi.mapping.exploration import Exploration
from kumi.mapping.models import BACK, FRONT, PACKET_BEAMS, SIDE, OdometryModel, RangeModel
from kumi.mapping.scan import Scan, ranges_of
from kumi.mapping.slam import PARTICLES
from kumi.mapping.team import MappingTeam
from kumi.maths import tan
from kumi.motion import Car
from kumi.robot import Robot
from kumi.scenario.spaces import space_of
from kumi.sensing import GaussianNoise, Infrared, Potentiometer, Sensor, WheelEncoder
from kumi.stage import Stage
from kumi.world import Map, World

PLATFORM = Polygon([(-BACK, -SIDE), (FRONT, -SIDE), (FRONT, SIDE), (-BACK, SIDE)])
SHARPEST = radians(40.0)
"""The steering angle at which the packet robot's servo ends."""

COUNTS_PER_METRE = 512 / 0.19
PERIOD = 0.1
SPEED = 0.2
NAMES = ("front", "front_left", "back_left", "back", "back_right", "front_right")


@dataclass
class Survey:
    """The log of one robot, and its true poses at the same instants."""

    scans: list[Scan] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)


def packet_sensors(
    ranges: RangeModel, odometry: OdometryModel, scale: float, zero: float
) -> dict[str, Sensor]:
    """Return the sensors of a packet robot whose encoder and potentiometer have these errors that stay."""
    beams = {
        name: Infrared(
            beam.bearing,
            reach=ranges.reach,
            min_reach=ranges.min_reach,
            noise=GaussianNoise(ranges.deviation, ranges.share),
        )
        for name, beam in zip(NAMES, PACKET_BEAMS, strict=True)
    }
    encoder = WheelEncoder(COUNTS_PER_METRE * (1.0 + scale), noise=GaussianNoise(0.0, odometry.way_noise))
    steering = Potentiometer(odometry.wheelbase, bias=zero, noise=odometry.steering_noise)
    return {**beams, "encoder": encoder, "steering": steering}


async def scan_of(robot: Robot) -> Scan:
    """Read everything a packet robot has."""
    ranges = ranges_of([await getattr(robot, name).read() for name in NAMES])
    counts = await robot.encoder.read()
    return Scan(now(), counts.left / COUNTS_PER_METRE, await robot.steering.read(), ranges)


async def roam(robot: Robot, survey: Survey, length: float, wheelbase: float) -> None:
    """Drive so many metres about, to where there is room, and write down what is read."""
    pilot, driven, told = SurveyPilot(robot.chance), 0.0, 0.0
    while True:
        scan = await scan_of(robot)
        went = abs(scan.distance - survey.scans[-1].distance) if survey.scans else 0.0
        survey.scans.append(scan)
        survey.poses.append(Pose(robot.position, robot.heading))
        driven += went
        if driven >= length:
            robot.stop()
            return
        speed, angle = pilot.steer(scan.ranges, is_stuck=told != 0.0 and went < 0.5 * SPEED * PERIOD)
        told = speed
        robot.steer(speed, speed * tan(angle) / wheelbase)
        await sleep(PERIOD)


class SurveyPilot:
    """Keeps clear of walls by six ranges: steers to where there is room, backs out of corners."""

    NEAR, ROOM = 0.15, 0.6
    """Metres ahead at which it backs up, and from which on it bends away."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._wish = 0.0
        self._backing = 0
        self._side = 1.0

    def steer(self, ranges: Sequence[float | None], *, is_stuck: bool) -> tuple[float, float]:
        """Return the speed and the steering angle for the next period."""
        front, front_left, left, back, right, front_right = (min(r or 0.0, 0.8) for r in ranges)
        self._wish = 0.95 * self._wish + self._chance.normal(0.0, radians(4.0))
        ahead = min(front, front_left, front_right)
        to_left = front_left + 0.3 * left > front_right + 0.3 * right
        if self._backing and (is_stuck or back < self.NEAR):
            self._backing = 0
        elif not self._backing and (is_stuck or ahead < self.NEAR) and back > self.NEAR:
            self._backing = self._chance.integer(8, 20)
            self._side = -1.0 if to_left else 1.0
        if self._backing:
            # Back with the wheel the other way, so that it looks away from what is near.
            self._backing -= 1
            return -SPEED, self._side * SHARPEST
        urgency = max(0.0, self.ROOM - front) / self.ROOM
        free = self._wish + radians(25.0) * (front_left - front_right + 0.5 * (left - right))
        angle = (1.0 - urgency) * free + urgency * (SHARPEST if to_left else -SHARPEST)
        return SPEED, min(max(angle, -SHARPEST), SHARPEST)


@dataclass
class Explored:
    """What came out of an exploration: the planner with its team, logs, contacts, and coverage over time."""

    exploration: Exploration
    surveys: list[Survey]
    contacts: list[Contact] = field(default_factory=list)
    coverage: list[tuple[float, float]] = field(default_factory=list)
    enough: float = inf

    @property
    def is_enough(self) -> bool:
        """Whether so much of the floor is known that the run is over."""
        return bool(self.coverage) and self.coverage[-1][1] >= self.enough


async def serve(robot: Robot, run: Explored, truth: Truth, period: float) -> None:
    """Do what the planner says, and note once in five seconds how much of the floor is known."""
    exploration, survey = run.exploration, run.surveys[robot.number]
    wheelbase = exploration.team.odometry.wheelbase
    while not exploration.is_done and not run.is_enough:
        survey.scans.append(await scan_of(robot))
        survey.poses.append(Pose(robot.position, robot.heading))
        order = exploration.observe(robot.name, survey.scans[-1])
        robot.steer(order.speed, order.speed * tan(order.steering) / wheelbase)
        if robot.number == 0 and len(survey.scans) % round(5.0 / period) == 1:
            run.coverage.append((now(), truth.coverage(exploration.team.map)))
        await sleep(period)
    robot.stop()


def explored(
    ground: Map,
    starts: Sequence[tuple[float, float, float]],
    *,
    seed: int = 0,
    until: float = 600.0,
    enough: float = inf,
    speed: float = 0.1,
    period: float = 0.2,
    particles: int = PARTICLES,
    ranges: RangeModel | None = None,
    odometry: OdometryModel | None = None,
) -> Explored:
    """Let robots explore a place from known starts (x, y, heading), commanded by one planner.

    It ends when nothing is left to see, when that share of the floor is known that is `enough`, or at a time. Then the
    map is drawn again from all that was seen.
    """
    ranges, odometry = ranges or RangeModel(), odometry or OdometryModel()
    team = MappingTeam(ranges=ranges, odometry=odometry, particles=particles)
    run = Explored(Exploration(team, speed=speed), [Survey() for _ in starts], enough=enough)
    truth = Truth(space_of(ground), starts[0][:2])
    with Stage(World(ground), seed=seed) as stage:
        for number, start in enumerate(starts):
            name = f"robot {number}"
            team.add(name, stream(seed, f"filter {number}"), Pose(Point(*start[:2]), start[2]))
            arguments = (run, truth, period)
            add_packet_robot(
                stage, serve, arguments, start, number, ranges, odometry, seed=seed, speed=speed, name=name
            )
        for body in stage.world.bodies:
            body.on_contact(run.contacts.append)
        stage.run(until)
    team.redraw()
    return run


def add_packet_robot(
    stage: Stage,
    program: Callable[..., Coroutine[Any, Any, None]],
    arguments: tuple[object, ...],
    start: tuple[float, float, float],
    number: int,
    ranges: RangeModel,
    odometry: OdometryModel,
    *,
    seed: int,
    speed: float = SPEED,
    name: str | None = None,
) -> None:
    """Put a packet robot into a world; the errors that stay follow from the seed and its number."""
    chance = stream(seed, f"errors {number}")
    scale, zero = chance.normal(0.0, odometry.way_bias), chance.normal(0.0, odometry.steering_bias)
    stage.add(
        program,
        *arguments,
        at=start[:2],
        heading=start[2],
        shape=PLATFORM,
        drive=Car(odometry.wheelbase / tan(SHARPEST) * (1 - 1e-9), speed=speed),
        sensors=packet_sensors(ranges, odometry, scale, zero),
        name=name,
    )


def surveys(
    ground: Map,
    starts: Sequence[tuple[float, float, float]],
    *,
    seed: int = 0,
    length: float = 18.0,
    ranges: RangeModel | None = None,
    odometry: OdometryModel | None = None,
) -> list[Survey]:
    """Let a robot roam from each start (x, y, heading), all at once, and return their logs."""
    ranges, odometry = ranges or RangeModel(), odometry or OdometryModel()
    found = [Survey() for _ in starts]
    with Stage(World(ground), seed=seed) as stage:
        for number, (start, survey) in enumerate(zip(starts, found, strict=True)):
            add_packet_robot(
                stage, roam, (survey, length, odometry.wheelbase), start, number, ranges, odometry, seed=seed
            )
        stage.run(until=2.0 * length / SPEED)
    return found
