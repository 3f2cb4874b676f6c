"""examineArea: go there, turn once around filming, store the film, and mark what was filmed on the map.

Only a robot with a camera announces the task. One that lost its camera while the task waited for it answers "no camera".
"""

from __future__ import annotations

import asyncio
from math import tau
from typing import Any

import msgspec

from kumi.recording.video import VideoError, film_of
from kumi.robot import Robot
from kumi.station.entering.task_client import TaskClient
from kumi.station.entering.task_loop import TaskFailed
from kumi.station.entering.tasks import RouteDriver, shown
from kumi.station.operations.finds import MarkObject, StoreFile
from kumi.station.records import Parameter, PlaceRecord, TaskOption

OPTION = TaskOption(
    name="examineArea",
    about="go there, and film all around",
    parameters=(Parameter(name="at", kind="spot"),),
)
PICTURES = 36
"""Pictures of one film: one every ten degrees."""
FPS = 12
"""Pictures a second when the film is shown."""


class Examiner:
    """Films places with a robot's camera."""

    def __init__(self, driver: RouteDriver) -> None:
        self._driver = driver

    async def examine(self, robot: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
        """Go to a place, film all around, store the film, and mark the place."""
        if getattr(robot, "camera", None) is None:
            raise TaskFailed("no camera")
        task, spot = client.doing, msgspec.convert(arguments["at"], PlaceRecord)
        assert task is not None
        await self._driver.go_to(robot, client, arguments)
        pictures = []
        for _ in range(PICTURES):
            client.checkpoint()
            pictures.append((await robot.camera.read()).pixels)
            await robot.turn(tau / PICTURES)
        try:
            film = await client.beside(asyncio.to_thread(film_of, pictures, FPS))
        except VideoError as error:
            raise TaskFailed(f"no film: {error}") from error
        stored = StoreFile(name=f"examined {task.id}.mp4", kind="video/mp4", content=film)
        medium = (await client.beside(client.ask(stored))).medium
        marked = MarkObject(name=f"examined by {robot.name}", at=spot, medium=medium)
        number = (await client.beside(client.ask(marked))).object
        return f"filmed around {shown(robot, client)}: file {medium}, object {number}"
