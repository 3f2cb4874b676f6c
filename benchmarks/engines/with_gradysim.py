"""The world and messages for gradysim: points without contacts, each a protocol that hears where it is."""

import logging
from importlib import import_module
from random import Random
from time import process_time
from typing import Any

from benchmarks.scene import SPEED, STEP, Scene, by_steps
from benchmarks.tasks import DELAY, RANGE, Sample, first_sending, swarm_side

simulation: Any = import_module("gradysim.simulator.simulation")
mobility: Any = import_module("gradysim.simulator.handler.mobility")
commands: Any = import_module("gradysim.protocol.messages.mobility")
protocol: Any = import_module("gradysim.protocol.interface")
communication: Any = import_module("gradysim.simulator.handler.communication")
talking: Any = import_module("gradysim.protocol.messages.communication")
timing: Any = import_module("gradysim.simulator.handler.timer")

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


class Quiet(protocol.IProtocol):  # type: ignore[misc]
    """Hears of everything and does nothing."""

    def initialize(self) -> None:
        """Begin."""

    def handle_telemetry(self, telemetry: Any) -> None:
        """Hear where it is."""

    def handle_timer(self, timer: str) -> None:
        """Hear of a timer."""

    def handle_packet(self, message: str) -> None:
        """Hear of a message."""

    def finish(self) -> None:
        """Hear of the end."""


class Passing(Quiet):
    """Passes each message on to the next node."""

    number = 0
    delivered = 0

    def initialize(self) -> None:
        me = self.provider.get_id()
        self.next = (me + 1) % self.number
        self.provider.schedule_timer("first", first_sending(me))

    def handle_timer(self, timer: str) -> None:
        self.handle_packet(timer)
        Passing.delivered -= 1

    def handle_packet(self, message: str) -> None:
        Passing.delivered += 1
        command = talking.SendMessageCommand(message, self.next)
        self.provider.send_communication_command(command)


def messages(number: int, messages: int) -> Sample:
    Passing.number, Passing.delivered = number, 0
    end = DELAY * (messages // number)
    configuration = simulation.SimulationConfiguration(execution_logging=False, duration=end)
    builder = simulation.SimulationBuilder(configuration)
    medium = communication.CommunicationMedium(transmission_range=RANGE, delay=DELAY)
    builder.add_handler(communication.CommunicationHandler(medium))
    builder.add_handler(timing.TimerHandler())
    for _ in range(number):
        builder.add_node(Passing, (0.0, 0.0, 0.0))
    simulator = builder.build()
    started = process_time()
    simulator.start_simulation()
    seconds = process_time() - started
    return {"figure": Passing.delivered / seconds}


class Calling(Quiet):
    """Goes about, and calls once a second whoever is near."""

    side = 0.0
    chance = Random(1)
    heard = sent = 0
    rounds = 0

    def initialize(self) -> None:
        self.left = self.rounds
        self.provider.schedule_timer("call", self.chance.random())

    def handle_timer(self, timer: str) -> None:
        goal = (self.chance.uniform(0.0, self.side), self.chance.uniform(0.0, self.side), 0.0)
        self.provider.send_mobility_command(commands.GotoCoordsMobilityCommand(*goal))
        self.provider.send_communication_command(talking.BroadcastMessageCommand(timer))
        Calling.sent += 1
        self.left -= 1
        if self.left:
            self.provider.schedule_timer("call", self.provider.current_time() + 1.0)

    def handle_packet(self, message: str) -> None:
        Calling.heard += 1


def swarm(number: int, rounds: int) -> Sample:
    Calling.side, Calling.rounds, Calling.heard, Calling.sent = swarm_side(number), rounds, 0, 0
    Calling.chance = Random(1)
    configuration = simulation.SimulationConfiguration(execution_logging=False, duration=rounds + 2.0)
    builder = simulation.SimulationBuilder(configuration)
    medium = communication.CommunicationMedium(transmission_range=RANGE, delay=DELAY)
    builder.add_handler(communication.CommunicationHandler(medium))
    builder.add_handler(timing.TimerHandler())
    mobile = mobility.MasslessMobilityConfiguration(update_rate=STEP, default_speed=1.0)
    builder.add_handler(mobility.MasslessMobilityHandler(mobile))
    places = Random(2)
    for _ in range(number):
        builder.add_node(Calling, (places.uniform(0.0, Calling.side), places.uniform(0.0, Calling.side), 0.0))
    simulator = builder.build()
    started = process_time()
    simulator.start_simulation()
    seconds = process_time() - started
    return {
        "figure": Calling.sent / seconds,
        "us_per_broadcast": 1e6 * seconds / Calling.sent,
        "heard": Calling.heard / Calling.sent,
    }
