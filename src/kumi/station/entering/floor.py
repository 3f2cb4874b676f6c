"""How does a robot keep out of the others' way? It drives only on floor that the station has granted to it.

It tells where it stands when it enters. Before it drives it announces its whole way, and then reserves one piece of it after the
other; how the station grants them is told in `kumi.station.service.floor_keeper`. While the station is away nothing is granted,
and the robot waits where it is.

The station knows its own plane; the robot's body reckons in another, and the last correction lies between them.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from kumi.geometry import Circle, Point
from kumi.kernel import after, sleep, until
from kumi.reserving import Way
from kumi.station.answers import Reserved
from kumi.station.entering.correction import Correction
from kumi.station.records import Spot
from kumi.station.requests import Release, Request, Reserve

T = TypeVar("T")
CHUNK = 0.5
"""Metres of a way that a robot reserves at a time."""
PATIENCE = 60.0
"""Seconds that a robot waits for floor."""
AGAIN = 0.2
"""Seconds between two questions for floor that is not free."""


class NotGranted(Exception):
    """Floor was refused, or not granted in time: the way cannot be driven as things stand."""


class Counter(Protocol):
    """Where floor is asked for: what a desk can do of it."""

    correction: Correction
    on_floor: Callable[[], None]

    async def ask(self, request: Request[Any]) -> Any:
        """Ask the station."""
        ...

    async def beside(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something around the agenda, and wait for it on the agenda."""
        ...

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something around the agenda."""
        ...


class Floor:
    """Floor for one robot; `position` tells where its body believes to be."""

    def __init__(self, desk: Counter, radius: float, position: Callable[[], Point]) -> None:
        self.others: list[Circle] = []
        self._desk = desk
        self._radius = radius
        self._position = position
        self._way = self._piece = 0
        desk.on_floor = self.hold

    def hold(self) -> None:
        """Tell where the robot stands."""
        self._desk.begin(self._desk.ask(self._question(0, 0)))

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

    async def request(self, way: Way | None = None) -> None:
        """Wait for the next piece of a way, or the first of another one; NotGranted where waiting does not help."""
        self._way, self._piece = (self._way, self._piece + 1) if way is None else (self._way + 1, 0)
        pieces = () if way is None else tuple(tuple(map(self._spot, zone.path)) for zone in way.zones)
        with until(after(PATIENCE)):
            while True:
                question = self._question(self._way, self._piece, pieces)
                reserved: Reserved = await self._desk.beside(self._desk.ask(question))
                self.others = [Circle(Point(one.x, one.y), one.radius) for one in reserved.others]
                if reserved.state == "granted":
                    return
                if reserved.state == "refused":
                    raise NotGranted
                await sleep(AGAIN)
        self._give_up()
        raise NotGranted

    def arrive(self) -> None:
        """Give back what lies behind the robot."""
        self._desk.begin(self._desk.ask(Release(way=self._way, piece=self._piece)))

    def _give_up(self) -> None:
        self._desk.begin(self._desk.ask(Release(way=self._way, piece=self._piece, is_cut=True)))

    def _question(self, way: int, piece: int, pieces: tuple[tuple[Spot, ...], ...] = ()) -> Reserve:
        at = self._spot(self._position())
        return Reserve(way=way, piece=piece, at=at, radius=self._radius, pieces=pieces)

    def _spot(self, place: Point) -> Spot:
        there = self._desk.correction.to_station(place)
        return Spot(x=there.x, y=there.y)
