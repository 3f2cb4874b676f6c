"""How do robots of one world keep out of each other's way? Each drives only on floor that it has reserved.

A robot holds the place where it stands. Before it drives it announces its whole way, and then reserves one piece of it after the
other; pieces of different robots that overlap are never granted at once, so robots that stay on their pieces never touch. A way on
which no waiting would help is refused (see `kumi.reserving.bookings`); the robot then chooses another, or steps aside.

A robot that is stopped on its way keeps all that it holds, and others find ways around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kumi.geometry import Circle, Point
from kumi.kernel import Signal, after, until
from kumi.planning.reservations import Answer, Reservations
from kumi.reserving import Way, Zone

CHUNK = 0.5
"""Metres of a way that a robot reserves at a time."""
PATIENCE = 60.0
"""Seconds that a robot waits for floor."""


class NotGranted(Exception):
    """Floor was refused, or not granted in time: the way cannot be driven as things stand."""


class Floor:
    """Grants floor to the robots of one world."""

    def __init__(self) -> None:
        self.changed: Signal[None] = Signal()
        self._reservations: Reservations[str] = Reservations()
        self._radii: dict[str, float] = {}
        self._decided: dict[str, Signal[bool]] = {}

    def enter(self, robot: str, at: Point, radius: float) -> None:
        """Reserve the place where a robot stands."""
        self._radii[robot] = radius
        self._decided[robot] = Signal()
        self._tell(self._reservations.enter(robot, Zone((at,), radius)))

    def others(self, robot: str) -> list[Circle]:
        """Return the places that other robots hold now."""
        return [
            Circle(zone.path[-1], self._radii[other])
            for other in self._radii
            if other != robot
            for zone in self._reservations.held(other)
        ]

    def way(self, robot: str, points: list[Point]) -> Way | None:
        """Return the way of a robot through points, in pieces; None where it is there already."""
        path = [here for here, after_ in zip(points, [*points[1:], None], strict=True) if here != after_]
        return Way.along(path, self._radii[robot], CHUNK) if len(path) > 1 else None

    @contextmanager
    def driving(self, robot: str) -> Iterator[None]:
        """Keep what a robot holds if it is cut on its way, and take back what it waits for."""
        try:
            yield
        except NotGranted:
            raise
        except BaseException:
            self._tell(self._reservations.give_up(robot))
            raise

    async def request(self, robot: str, way: Way | None = None) -> None:
        """Wait for the next piece of a way, or the first of another one; NotGranted where waiting does not help."""
        answers = self._reservations.request(robot, way)
        own = [answer.is_granted for answer in answers if answer.robot == robot]
        self._tell(answers)
        is_granted = own[0] if own else False
        if not own:
            with until(after(PATIENCE)) as waiting:
                is_granted = await self._decided[robot].next()
            if waiting.is_cut:
                self._tell(self._reservations.give_up(robot))
        if not is_granted:
            raise NotGranted

    def arrive(self, robot: str) -> None:
        """Give back what lies behind a robot."""
        self._tell(self._reservations.arrive(robot))

    def _tell(self, answers: list[Answer[str]]) -> None:
        for answer in answers:
            self._decided[answer.robot].fire(answer.is_granted)
        self.changed.fire(None)
