"""The world for navground: agents that go straight to waypoints, kept apart by the engine.

Waypoints are navground's own task, drawn beforehand; an agent in contact is sent elsewhere. Numbers are of
single precision, as navground is built for PyPI.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import avoidance_scene, steering_scene
from benchmarks.scene import RADIUS, SPEED, STEP, Place, Scene, by_steps
from benchmarks.tasks import Sample

sim: Any = import_module("navground.sim")
core: Any = import_module("navground.core")

WAYPOINTS = 16
"""How many waypoints an agent chooses from at random."""

TOLERANCE = SPEED * STEP


class Agents:
    """A world of agents that wander."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.chance = scene.chance()
        self.contacts = 0
        self.touching: set[tuple[Any, Any]] = set()
        self.world = sim.World()
        for place in scene.born():
            self.world.add_agent(self.agent(place))

    def agent(self, place: Place) -> Any:
        behavior = core.behaviors.DummyBehavior()
        behavior.optimal_speed = SPEED
        goals = [self.scene.anywhere(self.chance) for _ in range(WAYPOINTS)]
        task = sim.tasks.WaypointsTask(goals, loop=True, tolerance=TOLERANCE, random=True)
        agent = sim.Agent(RADIUS, behavior, core.kinematics.OmnidirectionalKinematics(SPEED, 1.0), task)
        agent.position = place
        return agent

    def step(self) -> None:
        self.world.update(STEP)
        touching = self.world.collisions
        for one, other in touching - self.touching:
            self.contacts += 1
            self.send_away(one, other)
            self.send_away(other, one)
        self.touching = touching

    def send_away(self, agent: Any, other: Any) -> None:
        goal = self.scene.away(self.chance, agent.position, other.position)
        agent.controller.go_to_position(goal, TOLERANCE)


def world(number: int, density: float, budget: float) -> Sample:
    return by_steps(Agents, number, density, budget)


def avoidance(number: int, budget: float) -> Sample:
    """Return the simulated seconds of a CPU second of navground's ORCA, on two wheels."""
    return {"figure": avoidance_scene.simulated_per_second(partial(avoiding, number), budget)}


def avoiding(number: int, seed: int) -> Callable[[float], None]:
    """Make a world of agents that avoid each other, let its first second pass, and return what lets more pass."""
    _, starts, goals = avoidance_scene.avoidance_scene(number, seed)
    world = sim.World()
    for start, goal in zip(starts, goals, strict=True):
        behavior = core.behaviors.ORCABehavior()
        behavior.optimal_speed, behavior.horizon, behavior.safety_margin = avoidance_scene.SPEED, 0.5, 0.02
        behavior.time_horizon, behavior.max_number_of_neighbors = 2.0, 100
        kinematics = core.kinematics.TwoWheelsDifferentialDriveKinematics(avoidance_scene.SPEED, 0.1)
        look = sim.state_estimations.BoundedStateEstimation(avoidance_scene.REACH)
        task = sim.tasks.WaypointsTask([goal], loop=False, tolerance=0.05)
        agent = sim.Agent(avoidance_scene.RADIUS, behavior, kinematics, task, [look])
        agent.position = start
        world.add_agent(agent)
    world.run(round(1.0 / avoidance_scene.PERIOD), avoidance_scene.PERIOD)

    def run_to(time: float) -> None:
        while world.time < 1.0 + time - 1e-6:
            world.update(avoidance_scene.PERIOD)

    return run_to


class Wheels:
    """Agents on two wheels, whose behavior is told a twist anew each step."""

    def __init__(self, number: int) -> None:
        side, at, headings = steering_scene.begin(number)
        self.world = sim.World()
        corners = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
        for one in range(4):
            self.world.add_wall(sim.Wall(corners[one - 1], corners[one]))
        for place, heading in zip(at, headings.tolist(), strict=True):
            wheels = core.kinematics.TwoWheelsDifferentialDriveKinematics(1.0, 0.1)
            agent = sim.Agent(steering_scene.RADIUS, core.behaviors.DummyBehavior(), wheels)
            agent.pose = core.Pose2(place, heading)
            self.world.add_agent(agent)

    def step(self, rates: NDArray[np.float64]) -> None:
        for agent, rate in zip(self.world.agents, rates.tolist(), strict=True):
            twist = core.Twist2((steering_scene.SPEED, 0.0), rate, core.Frame.relative)
            agent.controller.follow_manual_cmd(twist)
        self.world.update(steering_scene.PERIOD)


def steering(number: int) -> Sample:
    return steering_scene.microseconds(Wheels, number)
