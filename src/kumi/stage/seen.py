"""What is seen of a recorded run beside the motions of bodies?

Records in the journal of the world, each at its instant and whole, and not in the trace: a run that is recorded is the
same as one that is not. Ways that robots are about to go, values that programs show, floor that they have reserved,
messages, and which robots are alike.

A simulated network numbers what it sends, and arrivals have the number of their sending. A real one cannot know it:
there, an arrival belongs to the oldest sending of an equal message between the same two robots. One that was sent by
another process is written down as sent when it arrives.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from kumi.contract import Body, Sample
from kumi.contract.messages import Address, Message
from kumi.contract.published import Shown, ShownMarks
from kumi.geometry import Disc, Point, PointLike, as_point
from kumi.network import MessageDropped, MessageReceived, MessageSent, Traffic, encode
from kumi.network.wire import content
from kumi.planning import Reservations
from kumi.protocols import ReserveInOrder, Stack
from kumi.recording import (
    ReservedZone,
    dropped_record,
    note_record,
    published_record,
    received_record,
    reserved_record,
    sent_record,
    way_record,
)
from kumi.recording.meta import RobotGroup, SensorField, joined
from kumi.reserving import Booking
from kumi.reserving.booking import Owner
from kumi.robot import Radio, Robot
from kumi.world import SimulatedBody, World

MOST_PLACES = 500
"""Places of a way that are written; of a longer one, as many that lie evenly on it."""


class SeenRobot(Robot):
    """A robot of a run that is recorded: it writes down the ways it is about to go, and what its program shows."""

    def __init__(
        self,
        body: Body,
        radio: Radio | None,
        publish: Callable[[str, Shown], object],
        note: Callable[[Sequence[PointLike]], object],
    ) -> None:
        super().__init__(body, radio, publish)
        self._note = note

    def follow(
        self, path: Sequence[PointLike], speed: float | None = None, turn_speed: float | None = None
    ) -> Awaitable[Point]:
        """Go from place to place."""
        motion = super().follow(path, speed, turn_speed)
        self._note(path)
        return motion

    def track(self, samples: Sequence[Sample]) -> Awaitable[Point]:
        """Be at each place of a trajectory at its time, counted from now."""
        motion = super().track(samples)
        self._note([sample.at for sample in samples])
        return motion


def write_way(world: World, body: SimulatedBody, path: Sequence[PointLike]) -> None:
    """Write the way of a body into the journal of a world; of a long one, places that lie evenly on it."""
    places = [as_point(place, "a place of a way") for place in path]
    if len(places) > MOST_PLACES:
        places = [
            places[round(number * (len(places) - 1) / (MOST_PLACES - 1))] for number in range(MOST_PLACES)
        ]
    if places:
        world.write_record(way_record(body.number, places))


class Publisher:
    """Writes what is shown of one robot, or, without a number, of the run."""

    def __init__(self, world: World, number: int | None = None) -> None:
        self._world = world
        self._number = number
        self._written: dict[str, bytes] = {}
        self._marks: dict[str, ShownMarks] = {}

    def show(self, name: str, value: Shown) -> None:
        """Write a value down, unless it stands there already; marks are added to those that stand."""
        if isinstance(value, ShownMarks):
            value = self._marked(name, value)
        elif name in self._marks:
            del self._marks[name]
        record = published_record(self._number, name, value)
        if self._written.get(name) != record:
            self._written[name] = record
            self._world.write_record(record)

    def _marked(self, name: str, more: ShownMarks) -> ShownMarks:
        known = self._marks.get(name, ShownMarks(()))
        self._marks[name] = ShownMarks(
            (*known.places, *(one for one in more.places if one not in known.places))
        )
        return self._marks[name]


class Floors:
    """Writes the reserved floor of a stage's robots into the journal of its world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._written: dict[int, bytes] = {}
        self._numbers: dict[str, int] = {}

    def watch(self, floor: Reservations[str]) -> None:
        """See what robots reserve under their names; what others reserve has no robot to be drawn with."""
        floor.watch(self._of_name)

    def watch_stack(self, number: int, stack: Stack) -> None:
        """See what a robot reserves by radio, if its stack has a layer for that."""
        for layer in stack.layers:
            if isinstance(layer, ReserveInOrder):
                layer.bookings.watch(partial(self._of_address, number, layer))

    def _of_address(
        self, number: int, layer: ReserveInOrder, owner: Address, booked: Sequence[Booking[Address]]
    ) -> None:
        if owner == layer.node.address:
            self._write(number, [one_zone(booking) for booking in booked])

    def _of_name(self, name: str, booked: Sequence[Booking[str]]) -> None:
        body = self._world.body_of(name)
        if body is not None:
            self._numbers[name] = body.number
        if name in self._numbers:
            self._write(self._numbers[name], [one_zone(booking) for booking in booked])

    def _write(self, number: int, zones: Sequence[ReservedZone]) -> None:
        record = reserved_record(number, zones)
        if self._written.get(number) != record:
            self._written[number] = record
            self._world.write_record(record)


def one_zone(booking: Booking[Owner]) -> ReservedZone:
    """Return a booking as it is recorded."""
    return ReservedZone(booking.zone.path, booking.zone.radius, booking.is_granted)


EQUAL_KEPT = 1_000
MOST_MESSAGES = 100_000
"""How many messages are remembered until they arrive."""


def write_traffic(world: World, traffic: Traffic) -> None:
    """Write what happens on a simulated network into the journal of a world."""
    match traffic:
        case MessageSent(_, number, sender, receivers, message):
            record = sent_record(number, sender, receivers, type(message).__name__, content(message))
            world.write_record(record)
        case MessageReceived(_, number, _, receiver, _):
            world.write_record(received_record(number, receiver))
        case MessageDropped(_, number, _, receiver, _, reason):
            world.write_record(dropped_record(number, receiver, reason))


def write_talk(
    world: World, body: SimulatedBody, how: str, message: Message, others: tuple[Address, ...]
) -> None:
    """Write what a robot's program sends ("s") or receives ("r"), above its layers, into the journal.

    It is no part of the trace: a run that is recorded is the same as one that is not.
    """
    who = ",".join(f"p{other}" for other in others) or "all"
    said = f"radio {how} {who} {type(message).__name__} {content(message)}".rstrip()
    world.write_record(note_record(body.number, said))


class RealTraffic:
    """Writes what happens on the real networks of one run."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._next = 0
        self._under_way: dict[tuple[Address, Address, bytes], deque[int]] = {}

    def write(self, traffic: Traffic) -> None:
        """Write down what happened."""
        match traffic:
            case MessageSent(_, _, sender, receivers, message):
                self._send(sender, receivers, message)
            case MessageReceived(_, _, sender, receiver, message):
                self._world.write_record(received_record(self._number(sender, receiver, message), receiver))
            case MessageDropped(_, _, sender, receiver, message, reason):
                number = self._number(sender, receiver, message)
                self._world.write_record(dropped_record(number, receiver, reason))

    def _send(self, sender: Address, receivers: tuple[Address, ...], message: Message) -> None:
        number, self._next = self._next, self._next + 1
        write_traffic(self._world, MessageSent(0.0, number, sender, receivers, message))
        written = encode(message)
        for receiver in receivers:
            self._under_way.setdefault((sender, receiver, written), deque(maxlen=EQUAL_KEPT)).append(number)
        if len(self._under_way) > MOST_MESSAGES:
            del self._under_way[next(iter(self._under_way))]

    def _number(self, sender: Address, receiver: Address, message: Message) -> int:
        key = (sender, receiver, encode(message))
        if key not in self._under_way:
            self._send(sender, (receiver,), message)
        numbers = self._under_way[key]
        number = numbers.popleft()
        if not numbers:
            del self._under_way[key]
        return number


NUMBERED = re.compile(r" \d+$")


def groups_of(bodies: Iterable[SimulatedBody], names: Mapping[int, str]) -> tuple[RobotGroup, ...]:
    """Return the groups of robots; `names` are those of robots that have one, by number."""
    return joined(group_of(body, names.get(body.number)) for body in bodies)


def group_of(body: SimulatedBody, name: str | None) -> RobotGroup:
    """Return a robot alone as a group."""
    team = NUMBERED.sub("", name or "")
    return RobotGroup(first=body.number, count=1, team=team, sensors=tuple(fields_of(body)))


def fields_of(body: SimulatedBody) -> Iterator[SensorField]:
    """Return where the sensors of a robot look."""
    for name, attached in (body.sensors or {}).items():
        sensor: Any = attached
        reach = getattr(sensor, "reach", getattr(sensor, "length", None))
        if not isinstance(reach, float | int) or not 0.0 < reach < inf:
            continue
        offset = getattr(sensor, "offset", 0.0)
        if offset is None or hasattr(sensor, "length"):
            offset = body.shape.radius if isinstance(body.shape, Disc) else 0.0
        yield SensorField(
            name=name,
            reach=float(reach),
            view=float(getattr(sensor, "view", 0.0)),
            bearing=float(getattr(sensor, "bearing", 0.0)),
            offset=float(offset),
            rays=int(getattr(sensor, "rays", 0)),
        )
