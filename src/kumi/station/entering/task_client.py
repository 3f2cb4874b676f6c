"""Where a robot's tasks meet its conversation with the station.

The tasks run on the robot's agenda, the talk in asyncio around it, on one thread. Tasks cross to the task loop as signals; what
came of them crosses back as calls that are repeated until the station has answered. A task that ended here and is handed out
once more, because its end was not heard, is not done twice: its end is told again.

A stop cuts the present task at once, and so does a return to a station that wants something else by now. An interruption is heeded between two motions: a task asks `client.checkpoint()` there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import msgspec

from kumi.devs import Signal, Simulation
from kumi.station.entering.correction import Correction
from kumi.station.entering.session import StationSession
from kumi.station.map_changes import changed
from kumi.station.operation import Request
from kumi.station.operations.maps import GetMap, MapAnswer
from kumi.station.operations.robots import Welcome, Welcomed
from kumi.station.operations.tasks import RequestTask, TaskDone
from kumi.station.records import PoseRecord, Task
from kumi.station.refusals import Reason, Refused
from kumi.station.wire.carrier import Carrier, CarrierError
from kumi.station.wire.messages import (
    FloorKept,
    HaltNow,
    MapChanged,
    PoseCorrected,
    RobotNotice,
    TasksChanged,
)

T = TypeVar("T")
RETRY_AFTER = 0.2
"""Seconds until a call is repeated that was not answered."""


class TaskInterrupted(Exception):
    """Another task is wanted now."""


class TaskClient:
    """Hands tasks to a robot's task loop, and their outcome to the station.

    The robot enters with what `welcome` returns. Before its first task it restores what it had: its modules. It hears when
    another process keeps the floor.
    """

    def __init__(
        self,
        carrier: Carrier,
        robot: str,
        key: str,
        simulation: Simulation,
        *,
        welcome: Callable[[], Welcome],
        restore: Callable[[], Awaitable[None]] | None = None,
        floor_kept: Callable[[], None] = lambda: None,
        stop_after: float = 2.0,
        ready: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.session = StationSession(
            carrier,
            robot,
            key,
            welcome,
            entered=self._on_entered,
            told=self._on_told,
            lost=self._on_lost,
        )
        self.given: Signal[Task] = Signal()
        self.cut: Signal[str] = Signal()
        self.waiting: Task | None = None
        self.doing: Task | None = None
        self.map: MapAnswer | None = None
        self.correction = Correction()
        self.simulation = simulation
        self._restore = restore
        self._floor_kept = floor_kept
        self._stop_after = stop_after
        self._ready = ready
        self._is_interrupted = False
        self._ended: dict[int, TaskDone] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._alarm: asyncio.TimerHandle | None = None

    def checkpoint(self) -> None:
        """Raise Interrupted where another task is wanted; called between two motions."""
        if self._is_interrupted:
            self._is_interrupted = False
            raise TaskInterrupted

    def end(self, task: Task, *, succeeded: bool, outcome: str) -> None:
        """Tell the station what came of a task, however long that takes."""
        self.doing = None
        done = TaskDone(task=task.id, succeeded=succeeded, outcome=outcome[:2000])
        self._ended[task.id] = done
        self.begin(self._tell_end(done))

    def forget(self) -> None:
        """The task under way was taken away: there is nothing to tell."""
        self.doing = None
        self._is_interrupted = False

    def tell_position(self, pose: PoseRecord, values: dict[str, Any]) -> None:
        """Tell where the robot is."""
        self.session.tell_position(pose, values)

    async def ask(self, request: Request[Any]) -> Any:
        """Call the station until it can answer; Refused comes through."""
        while True:
            if self.session.is_in:
                try:
                    return await self.session.call(request)
                except CarrierError:
                    pass  # asked again below
                except Refused as refused:
                    if refused.reason is not Reason.UNAVAILABLE:
                        raise
            await asyncio.sleep(RETRY_AFTER)

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something around the agenda."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def close(self) -> None:
        """End what is still under way around the agenda."""
        for task in self._background:
            task.cancel()
        if self._alarm is not None:
            self._alarm.cancel()

    async def beside(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something around the agenda, and wait for it on the agenda; who is cut meanwhile ends it."""
        ended: Signal[None] = Signal(once=True)
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self.simulation.inject(ended, None))
        try:
            await ended.next()
        finally:
            task.cancel()
        return task.result()

    async def _tell_end(self, done: TaskDone) -> None:
        try:
            answer = await self.ask(done)
        except Refused:
            answer = await self.ask(RequestTask())  # it was removed meanwhile
        self._ended.pop(done.task, None)
        self._take(answer.task)

    async def _on_entered(self, welcomed: Welcomed) -> None:
        self._ready(self.session.robot)
        self._floor_kept()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.doing is not None and (welcomed.task is None or welcomed.task.id != self.doing.id):
            self._cut("it was taken back meanwhile")  # a stop may have been among what was not heard
        if self.map is None or welcomed.map_version > self.map.version:
            self.begin(self._fetch_map_then(welcomed.task))
        else:
            self._take(welcomed.task)

    async def _fetch_map_then(self, task: Task | None) -> None:
        """Fetch the map, and go on with the task that the station wants done, if it wants one."""
        is_ready = self.map is not None
        await self._fetch_map()
        if is_ready:
            self._take(task)

    async def _fetch_map(self) -> None:
        """Fetch what is new on the map; a robot that had none is ready then, and asks what to do."""
        known = self.map
        since = 0 if known is None else known.version
        told = await self.ask(GetMap(since=since, changes=True))
        if known is not None and told.map is None:
            table = known.map if told.changes is None else changed(known.map or {}, told.changes)
            told = msgspec.structs.replace(told, map=table)
        if known is None and self._restore is not None:
            await self._restore()
        self.map = told
        if known is None:
            await self._look()

    def _on_lost(self) -> None:
        """Stop the robot if the station stays away."""
        loop = asyncio.get_running_loop()
        self._alarm = loop.call_later(self._stop_after, self._cut, "the station is gone")

    def _on_told(self, told: RobotNotice) -> None:
        if isinstance(told, HaltNow):
            self._cut("stopped")
        elif isinstance(told, PoseCorrected):
            self.correction = Correction.from_poses(told.believed, told.pose)
        elif isinstance(told, FloorKept):
            self._floor_kept()
        elif isinstance(told, MapChanged):
            self.begin(self._fetch_map())
        elif isinstance(told, TasksChanged):
            self.begin(self._look())

    async def _look(self) -> None:
        self._take((await self.ask(RequestTask())).task)

    def _take(self, task: Task | None) -> None:
        """Go on with what the station wants done now."""
        if self.map is None:
            return  # the robot is not ready; it asks when it is
        if task is not None and task.id in self._ended:
            return  # its end is on the way
        if task is None or (self.doing is not None and task.id == self.doing.id):
            self.waiting = None
            self._is_interrupted = task is None and self.doing is not None
            return
        is_given = self.waiting is not None and task.id == self.waiting.id
        self.waiting = task
        if self.doing is not None:
            self._is_interrupted = True
        elif not is_given:
            self.simulation.inject(self.given, task)

    def _cut(self, why: str) -> None:
        self.waiting = None
        self.simulation.inject(self.cut, why)
