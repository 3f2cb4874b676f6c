"""A station and a robot in simulated time, with a fault at any await between them.

Both run in one asyncio loop whose clock jumps to whatever is next, and no thread has a part in it. Each use of the store and each
word on the wire is an await that is counted, so a story is repeated exactly, with one fault at the await of a number.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sql

from kumi.geometry import Disc, Point
from kumi.network import SimulatedNetwork
from kumi.stage.stage import Stage
from kumi.station.callers import Caller
from kumi.station.capped_wheel import CappedWheel
from kumi.station.entering.member import StationManner, StationMember
from kumi.station.operation import Request
from kumi.station.refusals import Reason, Refused
from kumi.station.service.cache import StationCache
from kumi.station.service.presence import Presence
from kumi.station.service.robot_sessions import RobotDoor, Sessions
from kumi.station.service.service import Alone, Service
from kumi.station.store import store as store_module
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from kumi.station.wire.carrier import CarrierError, Hearing
from kumi.station.wire.in_process_carrier import Answering, CarrierHub, InsideCarrier
from kumi.world import Map, World

T = TypeVar("T")
STEP = 0.02
"""Seconds between two looks at the robot."""
SPEED = 0.5
"""Metres a second that the robot drives."""


class _Jumping(selectors.SelectSelector):
    """Waits for nothing: time goes on instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found:
            assert timeout is not None, "everybody waits for ever"
            self.now += timeout
        return found


class SimulatedLoop(asyncio.SelectorEventLoop):
    """A loop in simulated time; what would be done in a thread is done at once."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        self.is_beside = False
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the simulated time."""
        return self._jumping.now

    def run_in_executor(self, _: Any, work: Callable[..., T], *given: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Do it now."""
        done: asyncio.Future[T] = self.create_future()
        self.is_beside = True
        try:
            done.set_result(work(*given))
        except Exception as error:  # noqa: BLE001 - it comes out where it is awaited
            done.set_exception(error)
        finally:
            self.is_beside = False
        return done


def simulated(story: Callable[[], Awaitable[T]]) -> T:
    """Play a story in simulated time."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(story())  # type: ignore[arg-type]


class Faults:
    """Counts awaits, and begins one fault at the await of a number."""

    def __init__(self, at: int = -1, begin: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self.is_counting = False
        self.store = self.wire = "good"
        self._at, self._begin = at, begin
        self.names: list[str] = []

    def arm(self, at: int, begin: Callable[[], None]) -> None:
        """Have a fault begin at an await."""
        self._at, self._begin = at, begin

    def come_to(self, name: str) -> None:
        """An await is reached."""
        if self.is_counting:
            self.names.append(name)
            self.count += 1
            if self.count - 1 == self._at:
                self._begin()


class FaultyStore(StationStore):
    """A store without a thread, which fails or hangs when it is told to; a process that was killed gets no answers."""

    def __init__(self, url: str, faults: Faults) -> None:
        self._faults = faults
        self.is_dead = False
        self._waiting: list[store_module._Job[Any]] = []
        super().__init__(url)
        for engine in {
            self._readers,
            self._writers,
        }:  # nothing here loses its power: a commit need not reach the disk
            sql.event.listen(engine, "connect", lambda made, _: made.execute("PRAGMA synchronous=OFF"))
            engine.dispose()

    def write(self, work: Callable[[Transaction], T], *, takes_room: bool = False) -> Future[T]:
        """Do some work within a transaction, now or when the store goes on."""
        self._faults.come_to("write")
        job = store_module._Job(work, takes_room)
        if self._faults.store == "away":
            job.answer.set_exception(Refused(Reason.UNAVAILABLE, "the store cannot be used now: it is away"))
        elif self._faults.store == "unsure" and not self.is_dead:
            self._faults.store = "good"
            self._commit([store_module._Job(work)])
            job.answer.set_exception(Refused(Reason.UNAVAILABLE, "the store cannot be used now: it broke"))
        elif not self.is_dead:
            self._waiting.append(job)
            if self._faults.store == "good":
                self.go_on()
        return job.answer

    def go_on(self) -> None:
        """Do what waits."""
        waiting, self._waiting = self._waiting, []
        if waiting and not self.is_dead:
            loop: Any = asyncio.get_running_loop()
            was_beside, loop.is_beside = loop.is_beside, True  # the store has a thread of its own
            self._commit(waiting)
            loop.is_beside = was_beside

    def reading(self) -> Any:
        """Look at what is kept; in a thread, since all else would wait for a store that hangs."""
        self._faults.come_to("read")
        loop: Any = asyncio.get_running_loop()
        assert loop.is_beside or self._faults.store != "hanging", "the loop would hang with the store"
        if self._faults.store in ("away", "hanging"):
            raise Refused(Reason.UNAVAILABLE, "the store cannot be used now: it is away")
        return super().reading()


class FaultyCarrier:
    """A carrier whose words are lost when the wire is cut, or when whoever says them is dead."""

    def __init__(self, hub: CarrierHub, faults: Faults) -> None:
        self._inside = InsideCarrier(hub)
        self._faults = faults
        self.is_dead = False

    def _is_lost(self, name: str) -> bool:
        self._faults.come_to(name)
        if self._faults.wire == "one lost":
            self._faults.wire = "good"
            return True
        return self.is_dead or self._faults.wire == "cut"

    async def call(self, key: str, payload: bytes, timeout: float) -> bytes:
        """Ask whoever serves the key."""
        answers = await self.call_all(key, payload, timeout)
        if not answers:
            raise CarrierError(f"nobody answers at {key}")
        return answers[0]

    async def call_all(self, key: str, payload: bytes, timeout: float) -> list[bytes]:
        """Ask all who serve the key; question and answers may be lost."""
        if self._is_lost("ask"):
            await asyncio.sleep(timeout)
            return []
        answers = await self._inside.call_all(key, payload, timeout)
        if self._is_lost("answer"):
            await asyncio.sleep(timeout)
            return []
        return answers

    def serve(self, key: str, answer: Answering) -> None:
        """Answer calls of a key, while alive."""

        async def living(asked: str, payload: bytes) -> bytes:
            told = await answer(asked, payload)
            if self.is_dead:
                await asyncio.get_running_loop().create_future()
            return told

        self._inside.serve(key, living)

    def publish(self, key: str, payload: bytes, *, may_drop: bool = False, urgent: bool = False) -> None:
        """Send to all who listen to the key."""
        if not self._is_lost("publish"):
            self._inside.publish(key, payload, may_drop=may_drop, urgent=urgent)

    def listen(self, key: str, heard: Hearing, *, thick: bool = False) -> None:
        """Hear what is published under a key, while alive."""
        self._inside.listen(key, lambda *word: None if self.is_dead else heard(*word), thick=thick)

    def know(self, endpoints: tuple[str, ...]) -> None:
        """There is one hub."""

    async def close(self) -> None:
        """Serve and hear nothing any more."""
        self.is_dead = True
        await self._inside.close()


class StationProcess:
    """A process of a station."""

    def __init__(self, path: Path, hub: CarrierHub, faults: Faults) -> None:
        self.store = FaultyStore(f"sqlite:///{path}", faults)
        self.carrier = FaultyCarrier(hub, faults)
        presence = Presence(self.store, clock=asyncio.get_running_loop().time)
        sessions = Sessions(self.store, self.carrier, None, presence)
        known = StationCache(self.store)
        self.service = Service(self.store, known=known, presence=presence, others=Alone(sessions.halt))
        RobotDoor(self.service, self.carrier, sessions)
        self._tasks = [asyncio.ensure_future(one) for one in (sessions.run(), self.service.stops.run())]

    async def ask(self, request: Request[Any], caller: Caller) -> Any:
        """Call it; what a dead process was asked is never answered."""
        answer = await self.service.call(request, caller)
        if self.store.is_dead:
            await asyncio.get_running_loop().create_future()
        return answer

    def kill(self) -> None:
        """End it without a word."""
        self.store.is_dead = self.carrier.is_dead = True
        self._end()

    def close(self) -> None:
        """End it, and let go of the store."""
        self._end()
        self.store.close()

    def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.carrier._inside._hub.servers = [
            one for one in self.carrier._inside._hub.servers if one[1] is not self.carrier._inside
        ]


class RobotProcess:
    """A robot's process, with its world; `moved` is told where it is and how fast, again and again."""

    def __init__(
        self,
        carrier: FaultyCarrier,
        tag: str,
        key: str,
        at: Point,
        moved: Callable[[Point, float], None],
    ) -> None:
        self.carrier = carrier
        self.stage = Stage(World(Map(width=20.0, height=20.0)), seed=1)
        self.stage.connect(SimulatedNetwork(self.stage.simulation))
        self.member = StationMember(
            carrier, self.stage.simulation, tag, key, StationManner(), kind="simulated", radius=0.15
        )
        self.stage.add(
            self.member.program, at=(at.x, at.y), shape=Disc(0.15), drive=CappedWheel(SPEED), name=tag
        )
        self.client = self.member.client
        self.member._uploads._driver._floor = (
            None  # where floor is reserved, a robot stands soon without its station
        )
        self._moved = moved
        self.stage.begin()
        self._tasks = [asyncio.ensure_future(one) for one in (self._run(), self.member.stay())]

    @property
    def position(self) -> Point:
        """Where it is."""
        return self.member._position()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        begun, last = loop.time(), None
        while True:
            self.stage.simulation.run(loop.time() - begun)
            if self.member._robot is not None:
                here = self.position
                self._moved(here, 0.0 if last is None else here.distance_to(last) / STEP)
                last = here
            await asyncio.sleep(STEP)

    async def kill(self) -> None:
        """End it without a word."""
        self.carrier.is_dead = True
        for task in self._tasks:
            task.cancel()
        self.client.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(Exception):
            self.stage.close()
