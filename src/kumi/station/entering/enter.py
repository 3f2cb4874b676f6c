"""Simulated robots that enter a station: one world of their own, in real time, each with its own talk with the station."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kumi.experiment.stage import Stage
from kumi.geometry import Disc
from kumi.geometry import Pose as Place
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.station.entering.desk import Desk
from kumi.station.entering.errands import errands, reports
from kumi.station.entering.session import Session
from kumi.station.entering.tasks import OPTIONS, Driver
from kumi.station.entering.uploads import Uploads
from kumi.station.records import Pose
from kumi.station.requests import Disconnect, Welcome
from kumi.station.wire.carrier import Carrier
from kumi.world import Map, World

LAST_WORDS = 1.0
"""Seconds in which robots say that they leave."""


@dataclass(frozen=True)
class Entrant:
    """A robot that enters: its tag and key, where it stands, and its size."""

    robot: str
    key: str
    at: Place
    radius: float = 0.15
    speed: float = 0.5


async def enter_simulated(
    carrier: Carrier,
    entrants: Sequence[Entrant],
    map_: Map,
    *,
    seed: int = 0,
    period: float = 0.1,
    stop_after: float = 2.0,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Run simulated robots in one world, in real time, until cancelled; NotLetIn where the station refuses one."""
    with Stage(World(map_), seed=seed) as stage:
        sessions = [_add(stage, carrier, entrant, period, stop_after, ready) for entrant in entrants]
        work = [session.run() for session in sessions]
        try:
            await asyncio.gather(stage.simulation.run_async(pace=1.0, open_ended=True), *work)
        finally:
            leaving = [session.call(Disconnect()) for session in sessions if session.is_in]
            await asyncio.wait_for(asyncio.gather(*leaving, return_exceptions=True), LAST_WORDS)


def _add(
    stage: Stage,
    carrier: Carrier,
    entrant: Entrant,
    period: float,
    stop_after: float,
    ready: Callable[[str], None],
) -> Session:
    robots: list[Robot] = []

    def welcome() -> Welcome:
        at, heading = robots[0].position, robots[0].heading
        return Welcome(
            kind="simulated",
            radius=entrant.radius,
            pose=Pose(x=at.x, y=at.y, heading=heading),
            options=uploads.options,
        )

    session = Session(carrier, entrant.robot, entrant.key, welcome)
    desk = Desk(session, stage.simulation, stop_after=stop_after, ready=ready)
    uploads = Uploads(Driver(entrant.radius), OPTIONS)
    robot = stage.add(
        errands,
        desk,
        uploads.tasks,
        at=entrant.at.position,
        heading=entrant.at.heading,
        shape=Disc(entrant.radius),
        drive=Wheel(entrant.speed),
        name=entrant.robot,
    )
    robots.append(robot)
    stage.simulation.begin_task(
        reports, (robot, desk, period), name=f"{entrant.robot} reports", parent=None, on_end=None
    )
    return session
