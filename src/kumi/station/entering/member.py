"""A robot's part in a station, whatever its body is: it enters, does what it is given, tells where it is, and leaves.

The program runs on the robot's agenda, with any robot: simulated, on a cable, or a recording. The talk goes on around it, in
asyncio, and begins when the robot is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kumi.devs import Simulation, together
from kumi.geometry import Point
from kumi.robot import Robot
from kumi.station.entering import examining
from kumi.station.entering.stop_button import StopButton
from kumi.station.entering.task_client import STOP_AFTER, TaskClient
from kumi.station.entering.task_loop import reports, run_tasks
from kumi.station.entering.tasks import OPTIONS, RouteDriver
from kumi.station.entering.uploads import Uploads
from kumi.station.floor.requesting import RobotFloor
from kumi.station.operations.robots import Disconnect, Welcome
from kumi.station.records import PoseRecord
from kumi.station.wire.carrier import Carrier

LAST_WORDS = 1.0
"""Seconds in which robots say that they leave."""


@dataclass(frozen=True)
class StationManner:
    """How robots behave in a station: seconds between two reports, and without a word of it until they stand.

    They say when they are in, and when they were refused in a way that anybody could have done.
    """

    period: float = 0.1
    stop_after: float = STOP_AFTER
    ready: Callable[[str], None] = lambda _: None
    refused: Callable[[str], None] = lambda _: None


class StationMember:
    """One robot in a station. `facts` is asked for what else its team may know of it; `button` stops it on the spot."""

    def __init__(
        self,
        carrier: Carrier,
        simulation: Simulation,
        robot: str,
        key: str,
        manner: StationManner,
        *,
        kind: str,
        radius: float,
        facts: Callable[[], dict[str, Any]] = dict,
        button: StopButton | None = None,
    ) -> None:
        self._button = button
        self.client = TaskClient(
            carrier,
            robot,
            key,
            simulation,
            welcome=self._welcome,
            restore=self._restore,
            floor_kept=self._tell_floor,
            stop_after=manner.stop_after,
            ready=manner.ready,
            refused=manner.refused,
        )
        self.session = self.client.session
        self._floor = RobotFloor(self.client, radius, self._position)
        self._uploads = Uploads(RouteDriver(radius, self._floor), self._floor, OPTIONS)
        self._kind, self._radius, self._period, self._facts = kind, radius, manner.period, facts
        self._robot: Robot | None = None
        self._is_present = asyncio.Event()

    async def program(self, robot: Robot) -> None:
        """Do what the station gives, and tell where the robot is, for ever."""
        self._robot = robot
        if getattr(robot, "camera", None) is not None:
            self._uploads.options = (*self._uploads.options, examining.OPTION)
        self._is_present.set()
        async with together() as tasks:
            tasks.start(run_tasks, robot, self.client, self._uploads.tasks)
            tasks.start(reports, robot, self.client, self._period, self._all_facts)

    async def stay(self) -> None:
        """Be in the station until cancelled; NotLetIn where it refuses the robot."""
        await self._is_present.wait()
        button = asyncio.ensure_future(self._button.watch(self.client)) if self._button is not None else None
        try:
            await self.client.run()
        finally:
            if button is not None:
                button.cancel()

    def _all_facts(self) -> dict[str, Any]:
        """Return what the team may know, with what a program shows and who holds the robot."""
        held = ", ".join(self.client.latch.holders)
        return {**self._uploads.shown, **self._facts(), **({"held by": held} if held else {})}

    async def _restore(self) -> None:
        await self._uploads.restore(self.client)

    def _tell_floor(self) -> None:
        self._floor.hold()

    def _position(self) -> Point:
        assert self._robot is not None
        return self._robot.position

    def _welcome(self) -> Welcome:
        assert self._robot is not None
        at = self._position()
        return Welcome(
            kind=self._kind,
            radius=self._radius,
            pose=PoseRecord(x=at.x, y=at.y, heading=self._robot.heading),
            options=self._uploads.options,
        )


async def stay_all(running: Awaitable[Any], members: Iterable[StationMember]) -> None:
    """Let robots be in the station while their agenda runs; at the end the agenda stands, and all say that they leave.

    The first thing that goes wrong ends it for all, and comes out: NotLetIn, where the station refuses one of them.
    """
    members = list(members)
    parts = [asyncio.ensure_future(one) for one in (running, *(member.stay() for member in members))]
    try:
        await asyncio.gather(*parts)
    finally:
        for part in parts:
            part.cancel()
        await asyncio.wait(parts)
        await _leave(members)


async def _leave(members: Iterable[StationMember]) -> None:
    """Say that robots leave, to a station that may not answer any more."""
    for member in members:
        member.client.close()
    leaving = [member.session.call(Disconnect()) for member in members if member.session.has_entered]
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS):
            await asyncio.gather(*leaving, return_exceptions=True)
