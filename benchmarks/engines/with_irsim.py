"""The world for ir-sim: omnidirectional robots, pushed apart as rigid bodies; nothing is drawn on a screen.

Velocities are given from outside. With ir-sim's own behaviour `dash` each robot looks at all others in each
step, which takes three times as long with a thousand robots.
"""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import steering_scene
from benchmarks.scene import RADIUS, SPEED, STEP, Place, Scene, by_steps
from benchmarks.tasks import Sample

irsim: Any = import_module("irsim")

WORLD = """\
world:
  width: {side}
  height: {side}
  step_time: {step}
  collision_mode: contact
  friction: 1000.0
"""
"""The friction is that of wheels on the floor: so much that a robot is at its speed at once."""


class Robots:
    """An environment of robots that wander."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.chance = scene.chance()
        self.contacts = 0
        self.touching: set[tuple[int, int]] = set()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "world.yaml"
            file.write_text(WORLD.format(side=scene.side, step=STEP), encoding="utf-8")
            self.env = irsim.make(str(file), headless=True, log_level="CRITICAL", seed=scene.seed)
        self.robots = [self.robot(place) for place in scene.born()]
        self.index = {robot.id: index for index, robot in enumerate(self.robots)}
        self.env.add_objects(self.robots)
        self.goals = np.array([scene.anywhere(self.chance) for _ in self.robots])

    def robot(self, place: Place) -> Any:
        return self.env.create_robot(
            kinematics={"name": "omni"},
            shape={"name": "circle", "radius": RADIUS},
            state=[*place, 0.0],
            vel_max=[SPEED, SPEED],
            vel_min=[-SPEED, -SPEED],
        )

    def step(self) -> None:
        to_go = self.goals - np.array([robot.state[:2, 0] for robot in self.robots])
        distance = np.hypot(to_go[:, 0], to_go[:, 1])
        self.env.step(list(to_go * (SPEED / np.maximum(distance, SPEED * STEP))[:, None]), action_id=0)
        for index in np.flatnonzero(distance <= SPEED * STEP):
            self.goals[index] = self.scene.anywhere(self.chance)
        touching = set()
        for contact in self.env.contacts:
            touching.add((contact.a.id, contact.b.id))
            self.send_away(contact.a, contact.b)
            self.send_away(contact.b, contact.a)
        self.contacts += len(touching - self.touching)
        self.touching = touching

    def send_away(self, robot: Any, other: Any) -> None:
        self.goals[self.index[robot.id]] = self.scene.away(
            self.chance, robot.state[:2, 0], other.state[:2, 0]
        )


def world(number: int, density: float, budget: float) -> Sample:
    return by_steps(Robots, number, density, budget)


class Wheels:
    """An environment of robots on two wheels, pushed apart as rigid bodies."""

    def __init__(self, number: int) -> None:
        side, at, headings = steering_scene.begin(number)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "world.yaml"
            file.write_text(WORLD.format(side=side, step=steering_scene.PERIOD), encoding="utf-8")
            self.env = irsim.make(str(file), headless=True, log_level="CRITICAL", seed=1)
        self.env.add_objects(
            [
                self.env.create_robot(
                    kinematics={"name": "diff"},
                    shape={"name": "circle", "radius": steering_scene.RADIUS},
                    state=[*place, heading],
                    vel_max=[steering_scene.SPEED, steering_scene.BEND],
                    vel_min=[-steering_scene.SPEED, -steering_scene.BEND],
                )
                for place, heading in zip(at, headings.tolist(), strict=True)
            ]
        )

    def step(self, rates: NDArray[np.float64]) -> None:
        self.env.step(
            [np.array([[steering_scene.SPEED], [rate]]) for rate in rates.tolist()],
            action_id=0,
        )


def steering(number: int) -> Sample:
    return steering_scene.microseconds(Wheels, number)
