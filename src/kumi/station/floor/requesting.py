"""How does a robot keep out of the others' way? It drives only on floor that the station has granted to it.

It tells where it stands when it enters. Before it drives it announces its whole way, and then reserves one piece of it after the
other; how the station grants them is told in `kumi.station.floor.keeper`. While the station is away nothing is granted,
and the robot waits where it is. When another process keeps the floor, or the robot has entered again, it tells where it is and
the piece that it is on, and announces the rest of its way anew. An answer that came meanwhile is worth nothing.

The station knows its own plane; the robot's body reckons in another, and the last correction lies between them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from kumi.devs import after, now, sleep, until
from kumi.geometry import Circle, Point
from kumi.reserving import Way
from kumi.station.entering.correction import Correction
from kumi.station.operation import Request
from kumi.station.operations.floor import Release, Reserve, ReservedFloor
from kumi.station.records import PlaceRecord

T = TypeVar("T")
Path = tuple[PlaceRecord, ...]
"""A piece of a way in the station's plane."""
CHUNK = 0.5
"""Metres of a way that a robot reserves at a time."""
GRANT_TIMEOUT = 60.0
"""Seconds that a robot waits for floor."""
RETRY_PERIOD = 0.2
"""Seconds between two questions for floor that is not free."""


class NotGranted(Exception):
    """Floor was refused after some seconds, or not granted in time: the way cannot be driven as things stand."""

    def __init__(self, waited: float) -> None:
        super().__init__()
        self.waited = waited

    @property
    def has_waited(self) -> bool:
        """Whether the robot waited as long as it does for one piece."""
        return self.waited >= GRANT_TIMEOUT


class FloorCounter(Protocol):
    """Where floor is asked for: what a client can do of it."""

    correction: Correction

    async def ask(self, request: Request[Any]) -> Any:
        """Ask the station."""
        ...

    async def beside(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something around the agenda, and wait for it on the agenda."""
        ...

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something around the agenda."""
        ...


class RobotFloor:
    """Floor for one robot; `position` tells where its body believes it is."""

    def __init__(self, client: FloorCounter, radius: float, position: Callable[[], Point]) -> None:
        self.others: list[Circle] = []
        self._client = client
        self._radius = radius
        self._position = position
        self._way = self._piece = 0
        self._rest: list[Path] = []
        self._on: Path | None = None
        self._is_anew = False
        self._turn = asyncio.Lock()

    def hold(self) -> None:
        """Tell where the robot is, and on which piece; a way that it goes on is announced anew."""
        self._is_anew = True
        self._client.begin(self._send(self._here))

    async def look(self) -> None:
        """Ask which places others hold; called where the robot stands."""
        self._note(await self._client.beside(self._send(self._here)))

    def way(self, points: list[Point]) -> Way | None:
        """Return a way through points of the body's plane, in pieces; None where the robot is there already."""
        path = [here for here, then in zip(points, [*points[1:], None], strict=True) if here != then]
        return Way.along(path, self._radius, CHUNK) if len(path) > 1 else None

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Keep what the robot holds if it is cut on its way, and take back what it waits for."""
        try:
            yield
        except NotGranted:
            raise
        except BaseException:
            self._give_up()
            raise
        finally:
            self._on = None

    async def request(self, way: Way | None = None) -> None:
        """Wait for the next piece of a way, or the first of another one; NotGranted where waiting does not help."""
        if way is None:
            self._piece += 1
        else:
            self._rest = [tuple(map(self._spot, zone.path)) for zone in way.zones]
            self._announce()
        since = now()
        with until(after(GRANT_TIMEOUT)):
            while True:
                if self._is_anew:
                    self._announce()
                reserved: ReservedFloor = await self._client.beside(self._send(self._question))
                self._note(reserved)
                if self._is_anew:
                    continue  # whoever answered may not keep the floor any more
                if reserved.state == "granted":
                    self._on = self._rest.pop(0)
                    return
                if reserved.state == "refused":
                    raise NotGranted(min(now() - since, GRANT_TIMEOUT))
                await sleep(RETRY_PERIOD)
        self._give_up()
        raise NotGranted(GRANT_TIMEOUT)

    def arrive(self) -> None:
        """Give back what lies behind the robot."""
        self._on = None
        done = Release(way=self._way, piece=self._piece)
        self._client.begin(self._send(self._here if self._is_anew else lambda: done))

    def _announce(self) -> None:
        """Have the next question tell the whole rest of the way, as a new one."""
        self._way, self._piece, self._is_anew = self._way + 1, 0, False

    def _give_up(self) -> None:
        cut = Release(way=self._way, piece=self._piece, is_cut=True)
        self._client.begin(self._send(lambda: cut))

    async def _send(self, message: Callable[[], Reserve | Release]) -> Any:
        """Tell one thing after the other, as it is when its turn has come."""
        async with self._turn:
            return await self._client.ask(message())

    def _here(self) -> Reserve:
        at = self._spot(self._position())
        return Reserve(way=0, at=at, radius=self._radius, pieces=() if self._on is None else (self._on,))

    def _question(self) -> Reserve:
        at = self._spot(self._position())
        pieces = () if self._piece else tuple(self._rest)
        return Reserve(way=self._way, piece=self._piece, at=at, radius=self._radius, pieces=pieces)

    def _note(self, reserved: ReservedFloor) -> None:
        self.others = [Circle(Point(one.x, one.y), one.radius) for one in reserved.others]

    def _spot(self, place: Point) -> PlaceRecord:
        there = self._client.correction.to_station(place)
        return PlaceRecord(x=there.x, y=there.y)
