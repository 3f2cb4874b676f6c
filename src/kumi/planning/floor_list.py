"""Which robots ask for which zones, and who waits for the answer?

The list behind `Reservations`, with what both kinds of users need: services that call and get the answers of each call,
and programs that wait. A wait that is cut takes back what it asked for, at that instant, and is never granted it; one
that was granted first keeps its zone, and its program ends at its next wait.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kumi._core import Signal, is_being_cut, is_in_run, quiet_signal, sleep
from kumi.devs import KumiError
from kumi.devs.tasks import running_task
from kumi.geometry import Bounds, Point
from kumi.reserving import Booking, Bookings, Policy, Watcher, Way, Zone

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class FloorAnswer(Generic[Name]):
    """What became of a request; `against` names the robots because of which it was refused."""

    robot: Name
    zone: Zone
    is_granted: bool
    against: tuple[Name, ...] = ()


class ZoneRefused(KumiError):
    """A robot does not get a zone; `against` names the robots because of which no waiting helps.

    It is empty if the request was taken back, or the robot taken away, by another program.
    """

    def __init__(self, robot: Any, zone: Zone, against: tuple[Any, ...] = ()) -> None:
        super().__init__(robot, zone, against)
        self.robot = robot
        self.zone = zone
        self.against = against

    def __str__(self) -> str:
        if not self.against:
            return f"the request of {self.robot} for {self.zone} was taken back"
        names = ", ".join(map(str, self.against))
        return f"{self.robot} does not get {self.zone}: no waiting helps because of {names}; announce another way"


class FloorWaiter(Generic[Name]):
    """A program that waits for the answer to a robot's request."""

    __slots__ = ("_is_waiting", "answer", "answered")

    def __init__(self, robot: Name) -> None:
        self.answer: FloorAnswer[Name] | None = None
        self.answered: Signal[None] = quiet_signal(f"floor for {robot}", True)
        self._is_waiting = False

    @property
    def is_abandoned(self) -> bool:
        """Whether its wait was cut at this instant: it will take back its request as soon as it has its turn."""
        return self._is_waiting and not self.answered.listeners

    async def wait(self) -> FloorAnswer[Name]:
        """Return the answer when it has come."""
        if self.answer is None:
            self._is_waiting = True
            await self.answered.next()
        assert self.answer is not None
        return self.answer


async def check_running(what: str) -> None:
    """Raise where no program runs; in one that is cut already, end here, before anything is asked for."""
    running_task(what)
    if is_being_cut():
        await sleep(0)


class FloorList(Generic[Name]):
    """Grants zones to robots by name, such that all can finish their ways."""

    def __init__(self, policy: Policy | str = Policy.SAFE) -> None:
        if not isinstance(policy, str):
            raise TypeError(f"a policy is one of {', '.join(Policy)}, not {policy!r}")
        self._bookings: Bookings[Name] = Bookings(Policy(policy))
        self._held: dict[Name, list[Booking[Name]]] = {}
        self._asked: dict[Name, Booking[Name]] = {}
        self._ways: dict[Name, list[Zone]] = {}
        self._numbers = 0
        self._withholds = self._has_withheld = False
        self._waiters: dict[Name, FloorWaiter[Name]] = {}
        self._changes: Signal[None] = quiet_signal("a change of the floor")

    def watch(self, told: Watcher[Name]) -> None:
        """Let somebody hear of a robot and all its bookings, whenever one of them has changed."""
        self._bookings.watch(told)

    def held(self, robot: Name) -> tuple[Zone, ...]:
        """Return the zones that a robot may use."""
        return tuple(booking.zone for booking in self._held_by(robot))

    def __contains__(self, robot: Name) -> bool:
        """Tell whether a robot has entered."""
        return robot in self._held

    def held_near(self, bounds: Bounds) -> list[tuple[Name, Zone]]:
        """Return all that robots may use within a rectangle, and some that only comes near."""
        return [(booking.owner, booking.zone) for booking in self._bookings.granted_near(bounds)]

    def rest(self, robot: Name) -> tuple[Zone, ...]:
        """Return the zones of its way that a robot has not asked for yet."""
        self._held_by(robot)
        return tuple(self._ways.get(robot, ()))

    def circle(self, robot: Name) -> tuple[Name, ...]:
        """Return the robots that wait for each other, from a robot back to it; nobody if it is in no circle."""
        self._held_by(robot)
        return self._bookings.circle(robot)

    async def reserve(self, robot: Name, way: Way | None = None) -> Zone:
        """Wait for the next zone of a robot's way, or the first one of another way; return it, or raise Refused."""
        await check_running("reserve()")
        return await self._await(robot, lambda: self.request(robot, way))

    async def changed(self) -> None:
        """Wait until anything has been asked for, granted or given back."""
        await self._changes.next()

    @contextmanager
    def withheld(self) -> Iterator[list[FloorAnswer[Name]]]:
        """Grant nothing meanwhile; when it is over, the list has what was granted then.

        So several robots are moved as if at once: none is granted what another is about to stand on.
        """
        answers: list[FloorAnswer[Name]] = []
        self._withholds, self._has_withheld = True, False
        try:
            yield answers
        finally:
            self._withholds = False
            if self._has_withheld:
                answers += self._answers()

    def enter(self, robot: Name, place: Zone) -> list[FloorAnswer[Name]]:
        """Ask for the place where a robot comes in; it is there when that is granted."""
        self._sweep()
        if robot in self._held:
            raise ValueError(f"{robot} has entered already")
        if not isinstance(place, Zone):
            raise TypeError(f"a robot enters at a zone, not at {place!r}")
        self._held[robot] = []
        return self._ask(robot, place, None)

    def stand(self, robot: Name, place: Zone, over: Container[Name] = ()) -> list[FloorAnswer[Name]]:
        """Take for granted where a robot is, in place of all that it held and waited for; it may be new.

        A robot that is there is a fact, so nobody is asked. What others hold must not overlap the place, but for
        those in `over`, for whom the same is to be called next.
        """
        if not isinstance(place, Zone):
            raise TypeError(f"a robot stands in a zone, not in {place!r}")
        for rival in self._bookings.rivals_of(Booking(robot, 0, place)):
            if rival.is_granted and rival.owner not in over:
                raise ValueError(f"{robot} cannot stand in {place}: {rival.owner} holds some of it")
        self._take_back(robot)
        behind = list(self._held.get(robot, ()))
        self._numbers += 1
        here = self._bookings.stand(robot, self._numbers, place)
        return self._released(robot, behind, [here])

    def keep(self, robot: Name, part: Zone) -> list[FloorAnswer[Name]]:
        """Give back all but a part of the zone that was granted last."""
        if not self._held_by(robot):
            raise ValueError(f"{robot} is nowhere: nothing was granted to it")
        *behind, last = self._held[robot]
        self._bookings.release(last, part)
        return self._released(robot, behind, [last])

    def request(self, robot: Name, way: Way | None = None) -> list[FloorAnswer[Name]]:
        """Ask for the next zone of a robot's way, or for the first one of another way."""
        self._sweep()
        self._held_by(robot)
        if robot in self._asked:
            raise ValueError(f"{robot} waits for {self._asked[robot].zone} already")
        if way is None and not self._ways.get(robot):
            raise ValueError(f"{robot} has no way to go on; announce one")
        if way is not None:
            self._check_way(robot, way)
        zones = self._ways[robot] if way is None else list(way.zones)
        self._ways[robot] = zones[1:]
        return self._ask(robot, zones[0], None if way is None else way.rest)

    def arrive(self, robot: Name) -> list[FloorAnswer[Name]]:
        """Keep the end of the zone that was granted last, and give back all else."""
        self._end_of(robot)
        return self.keep(robot, self._held[robot][-1].zone.end)

    def leave(self, robot: Name) -> list[FloorAnswer[Name]]:
        """Give back all, and ask for nothing any more."""
        self._held_by(robot)
        self._take_back(robot)
        answers = self._released(robot, self._held.get(robot, ()), [])
        self._held.pop(robot, None)
        return answers

    def withdraw(self, robot: Name) -> list[FloorAnswer[Name]]:
        """Take back what a robot asks for and the way that it announced; it keeps what it holds."""
        self._held_by(robot)
        return self._answers() if self._take_back(robot) else []

    def give_up(self, robot: Name) -> list[FloorAnswer[Name]]:
        """Take a robot for gone: it keeps its zones, and ways through them are refused until it asks again."""
        self._held_by(robot)
        return self._answers(*self._bookings.give_up(robot))

    def _held_by(self, robot: Name) -> list[Booking[Name]]:
        if robot not in self._held:
            raise ValueError(f"{robot} has not entered")
        return self._held[robot]

    def _end_of(self, robot: Name) -> Point:
        """Return where a robot is when it has arrived."""
        if not self._held_by(robot):
            raise ValueError(f"{robot} is nowhere: nothing was granted to it")
        return self._held[robot][-1].zone.path[-1]

    def _check_way(self, robot: Name, way: Way) -> None:
        if not isinstance(way, Way):
            raise TypeError(f"a robot announces a Way, such as Way.along(points, radius), not {way!r}")
        if not way.zones:
            raise ValueError(f"the way of {robot} has no zone")
        start, held = way.first.path[0], self.held(robot)
        if not any(zone.contains(start) for zone in held):
            raise ValueError(f"the way of {robot} begins at {start}, which is not in what it holds")
        needs, least = max(zone.radius for zone in held), min(zone.radius for zone in way.zones)
        if least < needs * (1.0 - 1e-9):
            raise ValueError(
                f"the way of {robot} is {least:g} m to each side of its path, but the robot holds {needs:g} m"
            )

    def _ask(self, robot: Name, zone: Zone, then: Way | None) -> list[FloorAnswer[Name]]:
        self._numbers += 1
        booking = self._asked[robot] = self._bookings.ask(robot, self._numbers, zone, then)
        return self._answers(booking)

    def _released(
        self, robot: Name, behind: Iterable[Booking[Name]], kept: list[Booking[Name]]
    ) -> list[FloorAnswer[Name]]:
        for booking in behind:
            self._bookings.release(booking)
        self._held[robot] = kept
        return self._answers()

    async def _await(self, robot: Name, ask: Callable[[], object]) -> Zone:
        """Ask for something, and wait for the answer; if the wait is cut, ask for it no longer."""
        self._sweep()
        waiter: FloorWaiter[Name] = FloorWaiter(robot)
        if robot not in self._waiters:  # else the request is wrong use, and told so
            self._waiters[robot] = waiter
        try:
            ask()
        except BaseException:
            self._forget(robot, waiter)
            raise
        try:
            answer = await waiter.wait()
        except BaseException:
            if self._forget(robot, waiter) and self._take_back(robot):
                self._answers()
            raise
        if not answer.is_granted:
            raise ZoneRefused(robot, answer.zone, answer.against)
        return answer.zone

    def _forget(self, robot: Name, waiter: FloorWaiter[Name]) -> bool:
        """Let a program wait no longer; return whether it did."""
        if self._waiters.get(robot) is not waiter:
            return False
        del self._waiters[robot]
        return True

    def _sweep(self) -> None:
        """Take back what was asked for in waits that were cut at this instant: nothing is granted or refused for them."""
        for robot in [robot for robot, waiter in self._waiters.items() if waiter.is_abandoned]:
            del self._waiters[robot]
            self._take_back(robot)

    def _take_back(self, robot: Name) -> bool:
        """Ask for nothing any more; return whether there was anything. A waiting caller is told that there is no answer."""
        self._ways.pop(robot, None)
        asked = self._asked.pop(robot, None)
        is_changed = self._bookings.withdraw(robot)
        if asked is not None:
            self._tell(FloorAnswer(robot, asked.zone, is_granted=False))
            if not self._held[robot]:
                del self._held[robot]  # it had not entered
        return is_changed

    def _tell(self, *answers: FloorAnswer[Name]) -> None:
        """Let programs go on that wait for these answers."""
        waiters = [(self._waiters.pop(answer.robot, None), answer) for answer in answers]
        for waiter, answer in waiters:
            if waiter is not None:
                waiter.answer = answer
        if is_in_run():  # else the run was dropped, and those that wait with it
            for waiter, _ in waiters:
                if waiter is not None:
                    waiter.answered.fire()

    def _answers(self, *decided: Booking[Name]) -> list[FloorAnswer[Name]]:
        """Grant what can be granted, and tell of all that was decided."""
        refused = [booking for booking in decided if booking.against]
        self._has_withheld |= self._withholds
        self._sweep()
        granted = [] if self._withholds else self._bookings.grant()
        for booking in (*refused, *granted):
            del self._asked[booking.owner]
        for booking in refused:
            self._ways.pop(booking.owner, None)
            if not self._held[booking.owner]:
                del self._held[booking.owner]  # it could not enter
        for booking in granted:
            self._held[booking.owner].append(booking)
        answers = [
            FloorAnswer(booking.owner, booking.zone, booking.is_granted, booking.against)
            for booking in (*refused, *granted)
        ]
        self._tell(*answers)
        if self._changes.listeners and is_in_run():
            self._changes.fire()
        return answers
