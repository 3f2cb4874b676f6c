"""What would an ER1 answer, and who answers at its port?

`Er1Centre` is the control centre of an emulated ER1: lines in, lines out, and a body with two wheels in a
world of its own. It knows no sockets, so it runs in simulated time as well as behind a real port. Each
connection is a session that turns events on and off for itself; events wait while they are off.

A motion that meets something ends with `move error`; one that is stopped, or replaced by the next, tells
nothing. The rangers report in turn, as Skadsem (2006) read them: one every 20 ms. The one that looks down finds
the floor at 20 cm, and in a hole nothing.

The world of the robot runs at the pace of the wall clock inside an asyncio program; every connection is a
session of its control centre. A line that is too long is an error in words, and the connection goes on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from functools import partial
from math import inf, pi
from typing import TypeAlias

from kumi.contract import Blocked, Command, Forward, Lost, Turn
from kumi.devs import Simulation, Task, sleep
from kumi.geometry import Disc, Pose
from kumi.link.er1_dialect import (
    DONE,
    END,
    ERROR,
    MOVE_ERROR,
    OK,
    RANGERS,
    Clear,
    DialectError,
    Er1Events,
    Er1Go,
    Er1Halt,
    Request,
    Rotate,
    Sense,
    SetSpeed,
    SetTurnSpeed,
    parse,
    range_line,
    without_telnet,
)
from kumi.motion import Wheel
from kumi.world import Map, SimulatedBody, World

BEARINGS = {"front": 0.0, "left": pi / 2, "right": -pi / 2}
NEAREST, FARTHEST = 0.1, 3.0
"""Metres between which the rangers measure."""
FLOOR_DISTANCE = 0.2
"""Metres from the ranger that looks down to the floor."""
RANGER_PERIOD = 0.02
"""Seconds from one ranger's report to the next one's."""
MOST_EVENTS = 1000
"""How many events wait for a session; the oldest go first."""


class Er1Centre:
    """The control centre of one emulated ER1."""

    def __init__(self, simulation: Simulation, body: SimulatedBody) -> None:
        self.body = body
        self.speed = 0.2
        self.turn_speed = pi / 6
        self._world: World = body.world
        self._simulation = simulation
        self._motion: Task[None] | None = None
        self._sweep: Task[None] | None = None
        self._sessions: list[Er1Session] = []

    def open(self, send: Callable[[str], object]) -> Er1Session:
        """Begin a session for somebody who has connected; `send` takes each line for them."""
        session = Er1Session(self, send)
        self._sessions.append(session)
        return session

    def leave(self, session: Er1Session) -> None:
        """End a session."""
        self._sessions.remove(session)

    def obey(self, request: Er1Go | Rotate | Er1Halt | SetSpeed | SetTurnSpeed) -> None:
        """Do what somebody asked for."""
        match request:
            case Er1Go(distance):
                self._start(Forward(distance, self.speed))
            case Rotate(angle):
                self._start(Turn(angle, self.turn_speed))
            case Er1Halt():
                self.halt()
            case SetSpeed(speed):
                self.speed = speed
            case SetTurnSpeed(speed):
                self.turn_speed = speed

    def _start(self, command: Command) -> None:
        """Begin a motion in place of the one under way."""
        self.halt()
        self._motion = self._simulation.start(self._drive, command)

    def halt(self) -> None:
        """Stop the motion under way; nothing is told of it."""
        if self._motion is not None and not self._motion.has_ended:
            self._motion.cut()
        self.body.stop()

    def sense(self) -> None:
        """Let the rangers report while somebody wants them."""
        if self._sweep is None or self._sweep.has_ended:
            self._sweep = self._simulation.start(self._report_ranges)

    async def _drive(self, command: Command) -> None:
        try:
            await self.body.carry_out(command)
        except (Blocked, Lost):
            self._tell(MOVE_ERROR)
        else:
            self._tell(DONE)

    async def _report_ranges(self) -> None:
        while any(session.rangers for session in self._sessions):
            for ranger in RANGERS:
                await sleep(RANGER_PERIOD)
                line = range_line(ranger, self._range(ranger))
                for session in self._sessions:
                    if ranger in session.rangers:
                        session.tell(line)

    def _range(self, ranger: str) -> float:
        at, heading = self.body.position, self.body.heading
        if ranger == "down":
            return inf if self._world.ground(at) == "hole" else FLOOR_DISTANCE
        distance = self._world.echo(at, heading + BEARINGS[ranger], FARTHEST, ignoring=self.body)
        return inf if distance is None else max(distance, NEAREST)

    def _tell(self, line: str) -> None:
        for session in self._sessions:
            session.tell(line)


class Er1Session:
    """What one connection says and hears."""

    def __init__(self, centre: Er1Centre, send: Callable[[str], object]) -> None:
        self.rangers: set[str] = set()
        self._centre = centre
        self._send = send
        self._has_events = False
        self._waiting: deque[str] = deque(maxlen=MOST_EVENTS)

    def take(self, line: str) -> None:
        """Take a line and answer it."""
        try:
            request = parse(line)
        except DialectError as error:
            self._send(f"{ERROR} {error}")
            return
        self._obey(request)
        self._send(OK)
        if self._has_events:
            while self._waiting:
                self._send(self._waiting.popleft())

    def _obey(self, request: Request) -> None:
        match request:
            case Sense(ranger, is_on):
                (self.rangers.add if is_on else self.rangers.discard)(ranger)
                self._centre.sense()
            case Clear():
                self._waiting.clear()
            case Er1Events(is_on):
                self._has_events = is_on
            case _:
                self._centre.obey(request)

    def tell(self, event: str) -> None:
        """Send an event, or keep it until events are on."""
        if self._has_events:
            self._send(event)
        else:
            self._waiting.append(event)

    def close(self) -> None:
        """End the session."""
        self._centre.leave(self)


RADIUS = 0.25
"""Metres; an ER1 is about half a metre wide."""
LONGEST_LINE = 1024


Door: TypeAlias = asyncio.Task[None]
"""What answers one connection."""


async def serve_er1(
    map_: Map, pose: Pose, *, host: str, port: int, seconds: float, ready: Callable[[int], object]
) -> None:
    """Answer at a port for so many seconds; `ready` is told the port, which 0 leaves to the system."""
    world = World(map_)
    body = world.add_body(pose.position, heading=pose.heading, shape=Disc(RADIUS), drive=Wheel(), name="er1")
    with Simulation(world) as simulation:
        centre = Er1Centre(simulation, body)
        doors: set[Door] = set()
        server = await asyncio.start_server(
            partial(_answer, simulation, centre, doors), host, port, limit=LONGEST_LINE
        )
        async with server:
            ready(server.sockets[0].getsockname()[1])
            try:
                await simulation.run_async(seconds, pace=1.0, open_ended=True)
            finally:
                for door in doors:
                    door.cancel()


async def _answer(
    simulation: Simulation,
    centre: Er1Centre,
    doors: set[Door],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Take lines from one connection until it ends."""
    door = asyncio.current_task()
    assert door is not None
    doors.add(door)
    session = centre.open(lambda line: writer.write((line + END).encode()))
    try:
        async for line in _lines(reader, writer):
            simulation.bring(partial(_plan, simulation, session, line))
    except asyncio.CancelledError:
        pass  # the end of the world; asyncio would print what a connection raises
    finally:
        session.close()
        doors.discard(door)
        writer.close()


async def _lines(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> AsyncIterator[str]:
    while True:
        try:
            data = await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            await reader.readexactly(error.consumed)
            writer.write(f"{ERROR} a line has at most {LONGEST_LINE} bytes{END}".encode())
            continue
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        yield without_telnet(data).decode(errors="replace")


def _plan(simulation: Simulation, session: Er1Session, line: str, time: float) -> None:
    simulation.schedule(time, partial(session.take, line))
