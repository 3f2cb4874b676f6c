"""Who answers at the port of an emulated ER1?

The world of the robot runs at the pace of the wall clock inside an asyncio program; every connection is a
session of its control centre. A line that is too long is an error in words, and the connection goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TypeAlias

from kumi.devs import Simulation
from kumi.geometry import Disc, Pose
from kumi.link.emulators.er1 import Er1Centre, Er1Session
from kumi.link.er1_dialect import END, ERROR, without_telnet
from kumi.motion import Wheel
from kumi.world import Map, World

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
