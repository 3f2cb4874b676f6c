"""Robots at the other end of a line that enter a station: packet robots on a cable, and ER1s whose control centre speaks text.

They do the same tasks with the same code as simulated robots, and their teams cannot tell them apart but by their kind. A robot
enters when it has answered. While its line is broken its tasks fail, with the reason, and its team is told; when it is back, it
goes on. At the end it is told to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from kumi.devs import Simulation
from kumi.geometry import Point
from kumi.geometry import Pose as Place
from kumi.link.calibration import Calibration
from kumi.link.er1 import Er1Body
from kumi.link.linked_body import LinkedBody
from kumi.link.ports import Port, open_port
from kumi.link.remote import Remote
from kumi.link.stop_and_wait import FADE
from kumi.link.text_line import TextLine
from kumi.link.wires import PortWire
from kumi.robot import Robot
from kumi.station.entering.member import StationManner, StationMember, stay_all
from kumi.station.entering.stop_button import StopButton
from kumi.station.entering.task_client import STOP_AFTER
from kumi.station.wire.carrier import Carrier

LAST_ORDER = 0.3
"""Seconds that robots have to hear that they should stop."""
ER1_RADIUS = 0.25
"""Metres; an ER1 is about half a metre wide."""

ORIGIN = Place(Point(0.0, 0.0))


@dataclass(frozen=True)
class PacketLine:
    """Where a packet robot is: a port, by name or by a function that opens it, its address, and what its numbers mean."""

    port: str | Callable[[], Port]
    address: int = 0
    baud: int = 9600
    fade: float = FADE
    calibration: Calibration = field(default_factory=Calibration.default)


@dataclass(frozen=True)
class Er1Line:
    """Where the control centre of an ER1 answers, and how fast it should drive."""

    host: str
    port: int
    speed: float = 0.1


@dataclass(frozen=True)
class LinkedEntrant:
    """A robot that enters: its tag and key, its line, where it stands, and its stop button, if it has one."""

    robot: str
    key: str
    line: PacketLine | Er1Line
    at: Place = ORIGIN
    button: StopButton | None = None


Linked: TypeAlias = LinkedBody | Er1Body


async def enter_linked(
    carrier: Carrier,
    entrants: Sequence[LinkedEntrant],
    *,
    seed: int = 0,
    period: float = 0.1,
    stop_after: float = STOP_AFTER,
    ready: Callable[[str], None] = lambda _: None,
    refused: Callable[[str], None] = lambda _: None,
) -> None:
    """Let robots on their lines be in a station, until cancelled.

    PortError where there is no such line, LinkLost where no robot answers, NotLetIn where the station refuses one.
    """
    manner = StationManner(period, stop_after, ready, refused)
    with Simulation(seed=seed) as simulation:
        bodies: list[Linked] = []
        closing: list[Callable[[], None]] = []
        try:
            members = [_add(simulation, carrier, one, manner, bodies, closing) for one in entrants]
            try:
                await stay_all(simulation.run_async(pace=1.0, open_ended=True), members)
            finally:
                for body in bodies:
                    body.stop()
                await simulation.run_async(simulation.now + LAST_ORDER, pace=1.0)
        finally:
            for close in closing:
                close()


def _add(
    simulation: Simulation,
    carrier: Carrier,
    entrant: LinkedEntrant,
    manner: StationManner,
    bodies: list[Linked],
    closing: list[Callable[[], None]],
) -> StationMember:
    line, at = entrant.line, entrant.at
    body: Linked
    remote: Remote | None = None
    if isinstance(line, PacketLine):
        opening = partial(open_port, line.port, baud=line.baud) if isinstance(line.port, str) else line.port
        wire = PortWire(simulation, opening)
        remote = Remote(simulation, wire, line.address, baud=line.baud, fade=line.fade, name=entrant.robot)
        body = LinkedBody(remote, line.calibration, at=at.position, heading=at.heading)
        closing.append(remote.close)
        kind, radius = "packet", max(abs(corner) for corner in line.calibration.shape.corners)
    else:
        text = TextLine.to(simulation, line.host, line.port)
        body = Er1Body(
            simulation, text, name=entrant.robot, at=at.position, heading=at.heading, speed=line.speed
        )
        closing.append(text.close)
        kind, radius = "er1", ER1_RADIUS
    bodies.append(body)
    member = StationMember(
        carrier,
        simulation,
        entrant.robot,
        entrant.key,
        manner,
        kind=kind,
        radius=radius,
        facts=lambda: {"link": "there" if body.is_there else "lost"},
        button=entrant.button,
    )
    robot = Robot(body)

    async def program() -> None:
        if remote is not None:
            await remote.connect()
        await member.program(robot)

    simulation.start(program)
    return member
