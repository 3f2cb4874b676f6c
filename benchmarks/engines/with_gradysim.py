"""The world for gradysim: points without contacts, each a protocol that hears where it is at every step."""

import logging
from importlib import import_module
from random import Random
from typing import Any

from benchmarks.scene import SPEED, STEP, Scene, by_steps
from benchmarks.tasks import Sample

simulation: Any = import_module("gradysim.simulator.simulation")
mobility: Any = import_module("gradysim.simulator.handler.mobility")
commands: Any = import_module("gradysim.protocol.messages.mobility")
protocol: Any = import_module("gradysim.protocol.interface")

logging.disable()


class Wanderer(protocol.IProtocol):  # type: ignore[misc]
    """Goes to one goal after another."""

    scene: Scene
    chance: Random

    def initialize(self) -> None:
        self.go()

    def go(self) -> None:
        """Draw a goal and set off."""
        self.goal = (*self.scene.anywhere(self.chance), 0.0)
        self.provider.send_mobility_command(commands.GotoCoordsMobilityCommand(*self.goal))

    def handle_telemetry(self, telemetry: Any) -> None:
        if telemetry.current_position == self.goal:
            self.go()

    def handle_timer(self, timer: str) -> None:
        """Hear of a timer; none is set."""

    def handle_packet(self, message: str) -> None:
        """Hear of a message; none is sent."""

    def finish(self) -> None:
        """Hear of the end."""


class Nodes:
    """Nodes that wander."""

    def __init__(self, scene: Scene) -> None:
        Wanderer.scene, Wanderer.chance = scene, scene.chance()
        builder = simulation.SimulationBuilder(simulation.SimulationConfiguration(execution_logging=False))
        configuration = mobility.MasslessMobilityConfiguration(update_rate=STEP, default_speed=SPEED)
        builder.add_handler(mobility.MasslessMobilityHandler(configuration))
        for x, y in scene.born():
            builder.add_node(Wanderer, (x, y, 0.0))
        self.simulator = builder.build()
        self.events = 1 + scene.number

    def step(self) -> None:
        """Let one update happen, and let every node hear of it."""
        for _ in range(self.events):
            self.simulator.step_simulation()


def world(number: int, density: float, budget: float) -> Sample:
    return by_steps(Nodes, number, density, budget)
