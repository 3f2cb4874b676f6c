"""The world for pymunk: circles pushed apart by the physics, velocities set when a robot turns.

Positions and contacts are read in bulk, which is faster than asking each body. Contacts are those of the
physics, found once a step.
"""

from importlib import import_module
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import steering_scene
from benchmarks.scene import RADIUS, SPEED, STEP, Place, Scene, by_steps
from benchmarks.tasks import Sample

pymunk: Any = import_module("pymunk")
batch: Any = import_module("pymunk.batch")

WHO = batch.ArbiterFields.BODY_A_ID | batch.ArbiterFields.BODY_B_ID | batch.ArbiterFields.IS_FIRST_CONTACT


class Circles:
    """A space of circles that wander."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.chance = scene.chance()
        self.contacts = 0
        self.space = pymunk.Space()
        self.buffer = batch.Buffer()
        self.bodies = [self.add(place) for place in scene.born()]
        self.index = {body.id: index for index, body in enumerate(self.bodies)}
        self.goals = np.zeros((scene.number, 2))
        for index in range(scene.number):
            self.send(index, scene.anywhere(self.chance))

    def add(self, place: Place) -> Any:
        body = pymunk.Body(1.0, float("inf"))
        body.position = place
        self.space.add(body, pymunk.Circle(body, RADIUS))
        return body

    def send(self, index: int, goal: Place) -> None:
        """Aim a robot at a goal."""
        body = self.bodies[index]
        self.goals[index] = goal
        body.velocity = (pymunk.Vec2d(*goal) - body.position).scale_to_length(SPEED)

    def step(self) -> None:
        self.space.step(STEP)
        for one, other in self.touching():
            here, there = self.bodies[one].position, self.bodies[other].position
            self.send(one, self.scene.away(self.chance, here, there))
            self.send(other, self.scene.away(self.chance, there, here))
        for index in self.arrived():
            self.send(index, self.scene.anywhere(self.chance))

    def touching(self) -> list[tuple[int, int]]:
        """Tell which robots touch, and count those that did not before."""
        self.buffer.clear()
        batch.get_space_arbiters(self.space, WHO, self.buffer)
        found = np.frombuffer(self.buffer.int_buf(), dtype=np.uintp).reshape(-1, 3)
        self.contacts += int(found[:, 2].sum())
        return [(self.index[one], self.index[other]) for one, other, _ in found.tolist()]

    def arrived(self) -> list[int]:
        """Tell who is within half a step of the goal."""
        self.buffer.clear()
        batch.get_space_bodies(self.space, batch.BodyFields.POSITION, self.buffer)
        places = np.frombuffer(self.buffer.float_buf(), dtype=np.float64).reshape(-1, 2)
        left = np.hypot(*(self.goals - places).T)
        indices: list[int] = np.flatnonzero(left <= SPEED * STEP).tolist()
        return indices


def world(number: int, density: float, budget: float) -> Sample:
    return by_steps(Circles, number, density, budget)


class Wheels:
    """Circles between four walls, whose velocities are set anew each step."""

    def __init__(self, number: int) -> None:
        side, at, headings = steering_scene.begin(number)
        self.space = pymunk.Space()
        corners = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
        for one in range(4):
            self.space.add(pymunk.Segment(self.space.static_body, corners[one - 1], corners[one], 0.0))
        self.bodies = [pymunk.Body(1.0, 1.0) for _ in at]
        for body, place, heading in zip(self.bodies, at, headings.tolist(), strict=True):
            body.position, body.angle = place, heading
            self.space.add(body, pymunk.Circle(body, steering_scene.RADIUS))

    def step(self, rates: NDArray[np.float64]) -> None:
        for body, rate in zip(self.bodies, rates.tolist(), strict=True):
            body.velocity = steering_scene.SPEED * cos(body.angle), steering_scene.SPEED * sin(body.angle)
            body.angular_velocity = rate
        self.space.step(steering_scene.PERIOD)


def steering(number: int) -> Sample:
    return steering_scene.microseconds(Wheels, number)
