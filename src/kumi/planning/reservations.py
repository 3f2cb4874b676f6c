"""May this robot drive on? Floor for robots that one process knows, without any network.

A robot enters where it stands, announces its way with its first request, and asks for one zone of it after the
other. It moves only in zones that are granted to it. When it has arrived at the end of a zone it keeps the place
where it stands, and what lies behind it goes to others:

    floor = Reservations()
    floor.enter("ada", Zone(((0, 0),), 0.25))
    floor.request("ada", Way.along([(0, 0), (6, 0)], radius=0.25, chunk=0.5))
    ...
    floor.arrive("ada")
    floor.request("ada")

Each call returns the answers that came with it, to whomever: a grant, or the refusal of a way on which no waiting
helps, since it would end in a circle or leads through a robot that is gone. Who is refused announces another way.
How zones are granted is told in `kumi.reserving.bookings`; `kumi.protocols.ReserveInOrder` does the same by radio.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from kumi.geometry import Bounds
from kumi.reserving import Booking, Bookings, Policy, Watcher, Way, Zone

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Answer(Generic[Name]):
    """What became of a request; `against` names the robots because of which it was refused."""

    robot: Name
    zone: Zone
    is_granted: bool
    against: tuple[Name, ...] = ()


class Reservations(Generic[Name]):
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

    def watch(self, told: Watcher[Name]) -> None:
        """Let somebody hear of a robot and all its bookings, whenever one of them has changed."""
        self._bookings.watch(told)

    def held(self, robot: Name) -> tuple[Zone, ...]:
        """Return the zones that a robot may use."""
        return tuple(booking.zone for booking in self._held_by(robot))

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

    @contextmanager
    def withheld(self) -> Iterator[list[Answer[Name]]]:
        """Grant nothing meanwhile; when it is over, the list has what was granted then.

        So several robots are moved as if at once: none is granted what another is about to stand on.
        """
        answers: list[Answer[Name]] = []
        self._withholds, self._has_withheld = True, False
        try:
            yield answers
        finally:
            self._withholds = False
            if self._has_withheld:
                answers += self._answers()

    def enter(self, robot: Name, place: Zone) -> list[Answer[Name]]:
        """Ask for the place where a robot comes in; it is there when that is granted."""
        if robot in self._held:
            raise ValueError(f"{robot} has entered already")
        if not isinstance(place, Zone):
            raise TypeError(f"a robot enters at a zone, not at {place!r}")
        self._held[robot] = []
        return self._ask(robot, place, None)

    def stand(self, robot: Name, place: Zone, over: Container[Name] = ()) -> list[Answer[Name]]:
        """Take for granted where a robot is, in place of all that it held and waited for; it may be new.

        A robot that is there is a fact, so nobody is asked. What others hold must not overlap the place, but for
        those in `over`, for whom the same is to be called next.
        """
        if not isinstance(place, Zone):
            raise TypeError(f"a robot stands in a zone, not in {place!r}")
        for rival in self._bookings.rivals_of(Booking(robot, 0, place)):
            if rival.is_granted and rival.owner not in over:
                raise ValueError(f"{robot} cannot stand in {place}: {rival.owner} holds some of it")
        behind = list(self._held.get(robot, ()))
        if robot in self._asked:
            behind.append(self._asked.pop(robot))
        self._numbers += 1
        here = self._bookings.stand(robot, self._numbers, place)
        self._ways.pop(robot, None)
        return self._released(robot, behind, [here])

    def keep(self, robot: Name, part: Zone) -> list[Answer[Name]]:
        """Give back all but a part of the zone that was granted last."""
        if not self._held_by(robot):
            raise ValueError(f"{robot} is nowhere: nothing was granted to it")
        *behind, last = self._held[robot]
        self._bookings.release(last, part)
        return self._released(robot, behind, [last])

    def request(self, robot: Name, way: Way | None = None) -> list[Answer[Name]]:
        """Ask for the next zone of a robot's way, or for the first one of another way."""
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

    def arrive(self, robot: Name) -> list[Answer[Name]]:
        """Keep the end of the zone that was granted last, and give back all else."""
        if not self._held_by(robot):
            raise ValueError(f"{robot} is nowhere: nothing was granted to it")
        return self.keep(robot, self._held[robot][-1].zone.end)

    def leave(self, robot: Name) -> list[Answer[Name]]:
        """Give back all, and ask for nothing any more."""
        behind = [*self._held_by(robot)]
        if robot in self._asked:
            behind.append(self._asked.pop(robot))
        answers = self._released(robot, behind, [])
        self._ways.pop(robot, None)
        del self._held[robot]
        return answers

    def give_up(self, robot: Name) -> list[Answer[Name]]:
        """Take a robot for gone: it keeps its zones, and ways through them are refused until it asks again."""
        self._held_by(robot)
        return self._answers(*self._bookings.give_up(robot))

    def _held_by(self, robot: Name) -> list[Booking[Name]]:
        if robot not in self._held:
            raise ValueError(f"{robot} has not entered")
        return self._held[robot]

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

    def _ask(self, robot: Name, zone: Zone, then: Way | None) -> list[Answer[Name]]:
        self._numbers += 1
        booking = self._asked[robot] = self._bookings.ask(robot, self._numbers, zone, then)
        return self._answers(booking)

    def _released(
        self, robot: Name, behind: Iterable[Booking[Name]], kept: list[Booking[Name]]
    ) -> list[Answer[Name]]:
        for booking in behind:
            self._bookings.release(booking)
        self._held[robot] = kept
        return self._answers()

    def _answers(self, *decided: Booking[Name]) -> list[Answer[Name]]:
        """Grant what can be granted, and tell of all that was decided."""
        refused = [booking for booking in decided if booking.against]
        self._has_withheld |= self._withholds
        granted = [] if self._withholds else self._bookings.grant()
        for booking in (*refused, *granted):
            del self._asked[booking.owner]
        for booking in refused:
            self._ways.pop(booking.owner, None)
            if not self._held[booking.owner]:
                del self._held[booking.owner]  # it could not enter
        for booking in granted:
            self._held[booking.owner].append(booking)
        return [
            Answer(booking.owner, booking.zone, booking.is_granted, booking.against)
            for booking in (*refused, *granted)
        ]
