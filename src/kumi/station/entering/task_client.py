"""Where a robot's tasks meet its conversation with the station.

The tasks run on the robot's agenda, the talk in asyncio around it, on one thread. Tasks cross to the task loop as signals; what
came of them crosses back as calls that are repeated until the station has answered. A task that ended here and is handed out
once more, because its end was not heard, is not done twice: its end is told again.

A stop cuts the present task at once, and is kept in a latch until there is a new word; it is told to the station until that has
written it. A station that is silent for too long cuts the task, too, and so does a return to one that wants something else by now.
An interruption is heeded between two motions: a task asks `client.checkpoint()` there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from kumi.devs import Signal, Simulation
from kumi.station.entering.correction import Correction
from kumi.station.entering.session import StationSession
from kumi.station.entering.stop_latch import StopLatch
from kumi.station.map_changes import changed
from kumi.station.operation import Request
from kumi.station.operations.maps import GetMap, MapAnswer
from kumi.station.operations.output import MOST_OUTPUT, MOST_PIECE, TellOutput
from kumi.station.operations.robots import Welcome, Welcomed
from kumi.station.operations.stops import ReportStops, new_stop
from kumi.station.operations.tasks import RequestTask, TaskDone
from kumi.station.records import PoseRecord, Task
from kumi.station.refusals import Reason, Refused
from kumi.station.wire.carrier import Carrier, CarrierError
from kumi.station.wire.messages import (
    PULSE,
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
OUTPUT_PERIOD = 0.2
"""Seconds between two words of what a task prints, while it goes on printing."""
STOP_AFTER = 2.0
"""Seconds without a word of the station after which a robot stands."""
LEAST_STOP_AFTER = 2 * PULSE
"""The least of these: one pulse may be lost."""
GONE = "the station is gone"
"""What holds a robot that does not hear its station."""


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
        stop_after: float = STOP_AFTER,
        ready: Callable[[str], None] = lambda _: None,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        if stop_after < LEAST_STOP_AFTER:
            raise ValueError(
                f"a robot hears its station every {PULSE:g} s: it can stop {LEAST_STOP_AFTER:g} s after the last "
                f"word at the earliest, not {stop_after:g} s"
            )
        self.session = StationSession(
            carrier,
            robot,
            key,
            welcome,
            entered=self._on_entered,
            told=self._on_told,
            refused=refused,
        )
        self.latch = StopLatch()
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
        self._is_reporting = False
        self._printed: deque[tuple[int, str]] = deque()
        self._room: tuple[int, int] = (0, 0)  # a task, and the letters of its output that are still told
        self._telling: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Stay in the station until cancelled, and stand while it is silent; NotLetIn where it refuses the robot."""
        self.latch.hold(GONE)
        watching = asyncio.ensure_future(self._watch())
        try:
            await self.session.run()
        finally:
            watching.cancel()

    def hold(self, by: str) -> None:
        """Stop the robot, and let it stand until `release` and a new word after that; a button of the robot does so."""
        if self.latch.hold(by):
            self._stop(new_stop(), by)

    def release(self, by: str) -> None:
        """Let go of what was held; what was given meanwhile is no word to move now."""
        if self.latch.release(by):
            self._stop(new_stop(), by)

    def may_begin(self, task: Task) -> bool:
        """Tell whether a task may be driven now; it is the new word then. Asked where it would begin, and nowhere before."""
        if not self.latch.allows(task.id):
            return False
        self.latch.begin(task.id)
        return True

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

    def tell_output(self, text: str) -> None:
        """Tell the team what the code of the task under way prints; what comes meanwhile is told together."""
        if self.doing is None:
            return
        task = self.doing.id
        room = (
            self._room[1] if self._room[0] == task else MOST_OUTPUT + 1
        )  # one too many: the station marks the cut
        self._room = task, max(0, room - len(text))
        if text[:room]:
            self._printed.append((task, text[:room]))
            if self._telling is None or self._telling.done():
                self._telling = asyncio.ensure_future(self._tell_printed())

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
        if self._telling is not None:
            self._telling.cancel()

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

    async def _tell_printed(self) -> None:
        """Tell what was printed, piece by piece in order."""
        while self._printed:
            task = self._printed[0][0]
            text = ""
            while self._printed and self._printed[0][0] == task:
                text += self._printed.popleft()[1]
            for start in range(0, len(text), MOST_PIECE):
                piece = TellOutput(task=task, piece=uuid4().hex, text=text[start : start + MOST_PIECE])
                with suppress(Refused):  # the robot or the task was removed meanwhile
                    await self.ask(piece)
            if self._printed and self.doing is not None:
                await asyncio.sleep(OUTPUT_PERIOD)

    async def _tell_end(self, done: TaskDone) -> None:
        if self._telling is not None:
            await asyncio.wait([self._telling])  # whoever follows the task reads to its end, and no further
        try:
            answer = await self.ask(done)
        except Refused:
            answer = await self.ask(RequestTask())  # it was removed meanwhile
        self._ended.pop(done.task, None)
        self._take(answer.task)

    async def _on_entered(self, welcomed: Welcomed) -> None:
        self._ready(self.session.robot)
        self._floor_kept()
        self.latch.release(GONE)
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

    async def _watch(self) -> None:
        """Stop the robot when the station was silent for so long; it goes on when it hears the station again."""
        while True:
            left = self._stop_after - self.session.silence
            if left <= 0.0:
                if self.latch.hold(GONE):
                    self._cut(GONE)
            elif self.session.is_in and self.latch.release(GONE):
                self.begin(self._look())
            await asyncio.sleep(left if left > 0.0 else PULSE)

    def _on_halt(self, halt: HaltNow) -> None:
        """Stand, unless what is under way was given after that stop; what is known of the stop is kept."""
        is_over = halt.last_task is not None and self.doing is not None and self.doing.id > halt.last_task
        if not is_over:
            self._stop(halt.stop, halt.by)
        if halt.last_task is not None:
            self.latch.written(halt.stop, halt.last_task)

    def _stop(self, stop: str, by: str) -> None:
        """Stand by a stop, and have the station write it; it may have been told of it by nobody else."""
        if self.latch.stop(stop, by, None if self.doing is None else self.doing.id):
            self._cut(f"stopped by {by}")
            if not self._is_reporting:
                self.begin(self._report_stops())

    async def _report_stops(self) -> None:
        """Tell the station which stops the robot keeps, until all of them are written; then ask what to do."""
        self._is_reporting = True
        try:
            while stops := self.latch.unwritten:
                with suppress(Refused):
                    answer = await self.ask(ReportStops(stops=stops))
                    for one in answer.stops:
                        self.latch.written(one.stop, one.last_task)
                    if len(answer.stops) == len(stops):
                        continue
                await asyncio.sleep(RETRY_AFTER)
        finally:
            self._is_reporting = False
        await self._look()

    def _on_told(self, told: RobotNotice) -> None:
        if isinstance(told, HaltNow):
            self._on_halt(told)
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
        if not self.latch.allows(task.id):
            self.waiting = None
            return  # it is asked for again when the latch lets go
        is_given = self.waiting is not None and task.id == self.waiting.id
        self.waiting = task
        if self.doing is not None:
            self._is_interrupted = True
        elif not is_given:
            self.simulation.inject(self.given, task)

    def _cut(self, why: str) -> None:
        self.waiting = None
        self.simulation.inject(self.cut, why)
