"""Scenes of teams and of avoiding others: one program leads many robots by arrays, and rules choose velocities."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from kumi import sleep
from kumi.contract import BadGoal, Blocked
from kumi.devs import chance, note
from kumi.devs.chance import stream
from kumi.geometry import Disc, Point
from kumi.motion import Omni, Wheel
from kumi.planning import Barrier, Orca, Potential
from kumi.programs.avoidance import avoidance, avoidance_team
from kumi.sensing import GaussianNoise, Lidar, Proximity, Sensor, Ultrasonic, View
from kumi.stage import Stage
from kumi.stage.teams import TeamKit
from kumi.world import Map, Pillar, Wall, World
from tests.golden.content import content_hash, staged_hash, written

if TYPE_CHECKING:
    from kumi.planning.velocity_rules import VelocityRule
    from kumi.robot import Robot, Team

HALL = Map(12, 12, obstacles=[Wall((4, 2), (4, 7), 0.1), Pillar((8, 8), 0.6)])
TABLES = [{"pillar": [6.0, 6.5], "radius": 0.4}]
RULES: list[VelocityRule] = [Orca(), Orca(horizon=1.0, wall_horizon=0.5), Barrier(), Potential()]


def looks() -> dict[str, Sensor]:
    """Return sensors that a team reads at once."""
    return {
        "lidar": Lidar(16, reach=4.0, noise=GaussianNoise(0.01, 0.02), dropout=0.1),
        "cone": Ultrasonic(0.2),
        "near": Proximity(2.0),
    }


async def lead(team: Team, stage: Stage) -> None:
    """Look, steer away from what is near, let some stop, grow and shrink."""
    for step in range(60):
        ranges = np.minimum(np.nan_to_num(await team.lidar.read(), nan=4.0, posinf=4.0), 4.0)
        cone = np.nan_to_num(await team.cone.read(), nan=3.0, posinf=3.0)
        note(f"{step} {written(ranges)} {written(cone)} {written(team.neighbours(1.5)[:])}")
        turns = team.chance.uniform(-1.0, 1.0) + np.where(ranges[:, 0] < 0.6, 2.0, 0.0)
        team.steer(0.2 + 0.2 * cone[:, 0], turns)
        team.stop(team.chance.happens(0.1))
        if step == 20:
            stage.add_to_team(team, 2, at=[(1.0, 11.0), (2.0, 11.0)])
        if step == 40:
            stage.remove(team.robots[1])
        note(f"{written(team.positions)} {written(team.velocities)} {written(team.contacts)}")
        await sleep(0.25)


def a_team() -> str:
    """Ten robots on wheels, led by what they see; two come and one goes."""
    stage = Stage(World(HALL, on_contact="slide"), seed=6)
    places = [(1.0 + 2.0 * (number % 5), 1.0 + 9.0 * (number // 5)) for number in range(10)]
    stage.add_team(lead, 10, stage, at=places, radius=0.2, drive=Wheel(), sensors=looks())
    return staged_hash(stage, 20.0)


async def show_off(robot: Robot) -> None:
    """Steer along, and publish what it believes."""
    for step in range(12):
        robot.steer(0.5, chance().uniform(-1.0, 1.0))
        robot.show("state", "near" if step % 3 else "far")
        robot.show("step", step)
        robot.show_map(np.full((2, 3), step / 12.0), cell=0.5)
        robot.show_path([robot.position, robot.home])
        robot.show_mark(robot.position, "was here")
        await sleep(0.4)
    try:
        await robot.move_to(robot.home)
    except (Blocked, BadGoal) as error:
        note(type(error).__name__)


def steered_and_published() -> str:
    """Robots that steer by themselves among others and walls, and publish values of every kind."""
    stage = Stage(World(HALL), seed=7)
    for number in range(6):
        drive = Wheel() if number % 2 else Omni()
        stage.add(show_off, at=(1.5 + 1.7 * number, 1.2), heading=number, radius=0.25, drive=drive)
    return staged_hash(stage, 20.0)


def rules() -> str:
    """Velocities of every rule for robots by chance, with others and walls around."""
    drawn, found = stream(8, "rules"), list[object]()
    for count in (0, 1, 2, 7, 40):
        places, velocities, wishes = (
            np.array([[drawn.uniform(-3.0, 3.0) for _ in "xy"] for _ in range(count)]).reshape(count, 2)
            for _ in range(3)
        )
        walls = np.array([[drawn.uniform(-3.0, 3.0) for _ in range(4)] + [0.05] for _ in range(count // 2)])
        for rule in RULES:
            found.append(rule.velocities(places, velocities, wishes, 0.2, 1.0, walls=walls.reshape(-1, 5)))
    return content_hash(found)


def avoiding() -> str:
    """Robots that swap sides by every rule: alone on wheels and in all directions, and as a team."""
    stage = Stage(World(Map(12, 12, obstacles=[Pillar((6, 6.5), 0.4)])), seed=9)
    for number, rule in enumerate(("orca", "barrier", "potential") * 2):
        place = Point(6.0, 6.0) + Point.polar(4.5, pi * number / 3)
        common = {"centre": (6.0, 6.0), "rule": {"kind": rule}, "obstacles": TABLES}
        wheels = number % 2 == 0
        kit = (Disc(0.2), Wheel() if wheels else Omni(), {"eyes": View(4.0)})
        parameters = {**common, "radius": 0.2, "offset": 0.05 if wheels else 0.0}
        stage.place(avoidance, (), parameters, place, 0.0, *kit)
    row = [(1.0 + number, 1.0) for number in range(5)]
    swap = {"radius": 0.2, "by": (4.0, 9.0), "obstacles": TABLES}
    stage.place_team(avoidance_team, (), swap, 5, row, 0.0, TeamKit(Disc(0.2), Wheel(), None))
    return staged_hash(stage, 15.0)


SCENES = [a_team, steered_and_published, rules, avoiding]
