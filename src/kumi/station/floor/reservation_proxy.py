"""How does a robot keep out of the others' way that has no words for it? The door reserves its floor, and has it wait.

A robot behind the XML-RPC door knows the calls of Skadsem (2006) alone. The door takes it that such a robot goes straight from where it is
to the places of its task. It reserves that whole way before it hands out the task: meanwhile the robot is told that there is
nothing to do. What lies behind the robot is given back as it tells where it is. A task whose way stays taken fails, in words.

A robot may go other ways, which the door cannot know. Where it is off its way, its place is held with some room around, and its
way is asked for anew from there; until that is free, a robot that asks is told that there is nothing to do, and so stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from typing import Any

from kumi.geometry import Point
from kumi.reserving import Zone
from kumi.station.callers import Caller
from kumi.station.operation import Request
from kumi.station.operations.floor import Release, Reserve
from kumi.station.operations.tasks import TaskDone
from kumi.station.records import Pose, Spot, Task
from kumi.station.refusals import Reason, Refused
from kumi.station.service.service import Service
from kumi.station.store.transaction import Told

MARGIN = 0.1
"""Metres around a robot, besides its own size: it hears a stop a little late."""
STEP = 0.5
"""Metres between two places on a way at which what lies behind becomes free."""
FARTHEST = 80.0
"""Metres of a way that are reserved at a time."""
MOST = 190
"""Places of a way that are reserved at a time."""
PATIENCE = 60.0
"""Seconds for which a task waits for its way."""
AGAIN = 0.5
"""Seconds until a way is asked for again that was refused."""


@dataclass
class Charge:
    """A robot that is cared for: where it is, the task it has, and the way that was asked for."""

    radius: float
    at: Point | None = None
    held: Point | None = None
    task: int = 0
    places: list[Point] = field(default_factory=list)
    path: list[Point] = field(default_factory=list)
    number: int = 0
    is_granted: bool = False
    waits_since: float | None = None
    asks_at: float = 0.0
    is_told: bool = True

    @property
    def zone(self) -> Zone:
        """The way that is left."""
        return Zone(tuple(self.path), self.radius)

    @property
    def goes_on(self) -> bool:
        """Whether the way that was asked for ends before the task does, and the robot is about to come there."""
        if not self.places or not self.path or self.path[-1] == self.places[-1]:
            return False
        return sum(one.distance_to(other) for one, other in pairwise(self.path)) < FARTHEST / 2

    def plan(self) -> None:
        """Lay a way through the places that are left, as far as it is reserved at a time."""
        assert self.at is not None
        self.number += 1
        self.path = [self.at]
        left = FARTHEST
        for place in self.places:
            here = self.path[-1]
            gap = here.distance_to(place)
            if gap > 0.0 and left > 0.0 and len(self.path) < MOST:
                end = place if gap <= left else here + (place - here) * (left / gap)
                steps = ceil(min(gap, left) / STEP)
                self.path += [*(here + (end - here) * (step / steps) for step in range(1, steps)), end]
                left -= gap
        del self.path[MOST:]

    def move(self, at: Point) -> bool:
        """Come to a place; return whether some of the way lies behind by that."""
        self.at = at
        while len(self.places) > 1 and at.distance_to(self.places[0]) <= self.radius:
            del self.places[0]
        for first, (here, there) in enumerate(pairwise(self.path)):
            if Zone((here, there), self.radius).contains(at):
                del self.path[:first]
                return first > 0
        if self.path and at.distance_to(self.path[-1]) > self.radius:
            self.stray()
        return False

    def stray(self) -> None:
        """Have no way any more."""
        self.path, self.is_granted, self.held = [], False, None


class Steward:
    """Reserves floor for robots that cannot."""

    def __init__(self, service: Service, clock: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._clock = clock
        self._charges: dict[str, Charge] = {}
        service.store.listen(self._on_commit)

    def waits(self, robot: str) -> bool:
        """Tell whether a robot's task waits for floor."""
        charge = self._charges.get(robot)
        return charge is not None and charge.task > 0 and not charge.is_granted and bool(charge.places)

    async def enter(self, caller: Caller) -> None:
        """A robot came in: it is where it was seen last, and has no way."""
        found = {one.tag: one for one in await self._service.known.robots()}[caller.name]
        self._charges[caller.name] = Charge(found.radius + MARGIN)
        if found.pose is not None:
            await self.move(caller, found.pose)

    async def move(self, caller: Caller, pose: Pose) -> None:
        """A robot told where it is."""
        charge = await self._charge(caller)
        has_passed = charge.move(Point(pose.x, pose.y))
        if charge.is_granted and not charge.is_told:
            charge.is_told = await self._hold(caller, charge)
            if not charge.is_told:
                charge.stray()
        elif charge.is_granted and has_passed:
            await self._try(Release(way=charge.number, at=_spot(charge.at)), caller)
        elif not charge.path and charge.held != charge.at:
            charge.is_told = await self._hold(caller, charge)

    async def handed(self, caller: Caller, task: Task | None) -> Task | None:
        """Return a task that may be handed to its robot, or None where its way is not free yet."""
        charge = await self._charge(caller)
        if task is None or task.id != charge.task:
            await self._begin(caller, charge, task)
        if task is None or charge.at is None or not charge.places:
            return task
        if not charge.is_granted or charge.goes_on:
            if not await self._ask(caller, charge):
                await self._wait(caller, charge)
                return None
            charge.waits_since = None
        return task

    def leave(self, caller: Caller) -> None:
        """A robot left."""
        self._charges.pop(caller.name, None)

    async def _charge(self, caller: Caller) -> Charge:
        if caller.name not in self._charges:
            await self.enter(caller)
        return self._charges[caller.name]

    async def _begin(self, caller: Caller, charge: Charge, task: Task | None) -> None:
        """Have another task, or none."""
        charge.stray()
        charge.task = 0 if task is None else task.id
        charge.places = [] if task is None else _places(task)
        charge.waits_since, charge.asks_at = None, 0.0
        if charge.at is not None:
            await self._hold(caller, charge)

    async def _ask(self, caller: Caller, charge: Charge) -> bool:
        """Ask for the way to the places of a task; return whether it is free."""
        if self._clock() < charge.asks_at:
            return False
        if charge.is_granted or not charge.path:
            charge.plan()
        at = _spot(charge.at)
        question = Reserve(way=charge.number, at=at, radius=charge.radius, pieces=(_path(charge),))
        reserved = await self._try(question, caller)
        state = "waiting" if reserved is None else reserved.state
        charge.is_granted = state == "granted"
        if state == "refused":
            charge.stray()
            charge.asks_at = self._clock() + AGAIN
        return charge.is_granted

    async def _wait(self, caller: Caller, charge: Charge) -> None:
        """Have a task wait, or end where it has for too long."""
        charge.waits_since = self._clock() if charge.waits_since is None else charge.waits_since
        if self._clock() - charge.waits_since > PATIENCE:
            outcome = "no path: another robot is in the way"
            await self._service.call(TaskDone(task=charge.task, succeeded=False, outcome=outcome), caller)
            await self._begin(caller, charge, None)

    async def _hold(self, caller: Caller, charge: Charge) -> bool:
        """Tell where a robot is, and the way that was granted to it; return whether all of it is."""
        charge.held = charge.at
        pieces = (_path(charge),) if charge.path and charge.is_granted else ()
        here = Reserve(way=0, at=_spot(charge.at), radius=charge.radius, pieces=pieces)
        reserved = await self._try(here, caller)
        if reserved is None:
            charge.held = None
        return reserved is not None and reserved.state == "granted"

    async def _try(self, request: Request[Any], caller: Caller) -> Any:
        """Ask for floor; None where nobody keeps it now."""
        try:
            return await self._service.call(request, caller)
        except Refused as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                raise
            return None

    def _on_commit(self, told: list[Told]) -> None:
        """Have all told anew to another process that keeps the floor."""
        if any(one.kind == "floor_kept" for one in told):
            for charge in tuple(self._charges.values()):
                charge.is_told, charge.held = False, None


def _places(task: Task) -> list[Point]:
    """Return the places that a task names, in order."""
    values = [
        one for value in task.arguments.values() for one in (value if isinstance(value, list) else [value])
    ]
    return [Point(one["x"], one["y"]) for one in values if isinstance(one, dict) and set(one) == {"x", "y"}]


def _path(charge: Charge) -> tuple[Spot, ...]:
    return tuple(_spot(point) for point in charge.path)


def _spot(point: Point | None) -> Spot:
    assert point is not None
    return Spot(x=point.x, y=point.y)
