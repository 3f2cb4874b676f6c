"""What happens when two speak at the same time?

Frames on a shared medium take their time, and two that overlap at a receiver are both lost there. So a
receiver between two senders that do not hear each other may lose the frames of both. A node sends one frame
after the other, and hears nothing while it sends.

With carrier sense a node listens first. Where the medium is busy it waits until it is free, and then for
some slots, drawn anew and from twice as many each time. Two nodes that begin at the same instant do not
hear each other.

A message to several is one frame. Signals take no time to travel: a frame begins and ends everywhere at
the same instants, and one that begins when another ends does not overlap it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from kumi.contract.messages import Address
from kumi.kernel import Chance
from kumi.network.bandwidth import QUEUE_FULL, in_time
from kumi.network.checks import as_positive, as_whole
from kumi.network.simulated import Flight, Onward, SimulatedNetwork

COLLISION = "collision"
BUSY = "medium busy"

EVERYWHERE = -1
"""The place of all, where no radio says who hears whom."""

Place: TypeAlias = Address


@dataclass(frozen=True, kw_only=True)
class CarrierSense:
    """Listen before sending: back off for up to `slots` slots, twice as many each time, `tries` times."""

    slot: float = 20e-6
    slots: int = 16
    tries: int = 7

    def __post_init__(self) -> None:
        as_positive(self.slot, "a slot in seconds")
        as_whole(self.slots, "the number of slots", 1)
        as_whole(self.tries, "the number of tries", 1)

    def pause(self, tried: int, chance: Chance) -> float:
        """Draw how long to wait after so many tries in vain."""
        return self.slot * chance.integer(0, (self.slots << (tried - 1)) - 1)


@dataclass(slots=True, eq=False)
class Frame:
    """What is on the air at once: flights of one sending."""

    number: int
    sender: Address
    entered: float
    duration: float
    flights: list[Flight]
    tried: int = 0
    begin: float = 0.0
    end: float = 0.0
    places: tuple[Place, ...] = ()
    spoilt: set[Place] = field(default_factory=set)


class SharedMedium:
    """Frames at `bit_rate` bits a second, on one medium for all, or for those in reach of a radio.

    `overhead` bytes are added to each message; `queue` frames may wait at each node, behind the one it
    sends. Without `collisions` frames only take their time.
    """

    is_reliable = False
    is_in_order = True

    def __init__(
        self,
        bit_rate: float,
        *,
        sense: CarrierSense | None = None,
        collisions: bool = True,
        overhead: int = 0,
        queue: int = 100,
    ) -> None:
        self.bit_rate = as_positive(bit_rate, "a bit rate in bits a second")
        self.overhead = as_whole(overhead, "the overhead in bytes")
        self.queue = as_whole(queue, "the length of a queue")
        if sense is not None and not isinstance(sense, CarrierSense):
            raise TypeError(f"sense is a CarrierSense or None, not {sense!r}")
        self.sense = sense
        self.collisions = collisions

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        return in_time(network, Air(self, network, onward).enter, onward)


class Air:
    """The state of a shared medium on one network: what waits, and what is on the air where."""

    def __init__(self, medium: SharedMedium, network: SimulatedNetwork, onward: Onward) -> None:
        self._medium = medium
        self._network = network
        self._onward = onward
        self._chance = network.chance_of(medium)
        self._waiting: dict[Address, deque[Frame]] = {}  # the first of each is tried, or on the air
        self._on_air: dict[Place, list[Frame]] = {}

    def enter(self, flight: Flight, time: float) -> None:
        """Take a flight into its frame: that of its sending, if it enters at the same instant."""
        waiting = self._waiting.setdefault(flight.sender, deque())
        last = waiting[-1] if waiting else None
        if last is not None and last.number == flight.number and last.entered == time:
            last.flights.append(flight)
            return
        if len(waiting) > self._medium.queue:
            self._network.drop(flight, QUEUE_FULL)
            return
        size = self._network.size(flight.message) + self._medium.overhead
        frame = Frame(flight.number, flight.sender, time, 8 * size / self._medium.bit_rate, [flight])
        waiting.append(frame)
        if len(waiting) == 1:
            self._network.at(time, partial(self._try, frame))

    def _try(self, frame: Frame) -> None:
        """Begin to send, or wait for a better instant."""
        sense, now = self._medium.sense, self._network.now
        free = self._free_at(frame.sender, now) if sense is not None else now
        if sense is None or free <= now:
            self._begin(frame, now)
            return
        frame.tried += 1
        if frame.tried > sense.tries:
            self._done(frame, BUSY)
        else:
            self._network.at(free + sense.pause(frame.tried, self._chance), partial(self._try, frame))

    def _free_at(self, sender: Address, now: float) -> float:
        """Return when all frames that the sender hears are over; one that begins now is not heard."""
        place = EVERYWHERE if self._network.reach is None else sender
        heard = self._on_air.get(place, ())
        return max((frame.end for frame in heard if frame.begin < now), default=now)

    def _begin(self, frame: Frame, now: float) -> None:
        frame.begin, frame.end = now, now + frame.duration
        reach = self._network.reach
        if self._medium.collisions or self._medium.sense is not None:
            everywhere = (EVERYWHERE,)
            frame.places = everywhere if reach is None else (frame.sender, *reach.hearers(frame.sender))
            for place in frame.places:
                self._fill(place, frame)
        self._network.at(frame.end, partial(self._done, frame, None))

    def _fill(self, place: Place, frame: Frame) -> None:
        """Let a frame be on the air at a place; it spoils those that are there, and they it."""
        self._clear(place, frame.begin)
        there = self._on_air.setdefault(place, [])
        for other in there:
            other.spoilt.add(place)
        if there:
            frame.spoilt.add(place)
        there.append(frame)

    def _clear(self, place: Place, now: float) -> None:
        """Forget what is no longer on the air at a place."""
        left = [other for other in self._on_air.get(place, ()) if other.end > now]
        if left:
            self._on_air[place] = left
        else:
            self._on_air.pop(place, None)

    def _done(self, frame: Frame, failure: str | None) -> None:
        """Hand on what was not spoilt, and let the next frame of the sender come."""
        network, now = self._network, self._network.now
        waiting = self._waiting[frame.sender]
        waiting.popleft()
        for place in frame.places:
            self._clear(place, now)
        if waiting:
            network.at(now, partial(self._try, waiting[0]))
        else:
            del self._waiting[frame.sender]
        with network.gathering():
            for flight in frame.flights:
                place = EVERYWHERE if network.reach is None else flight.to
                if failure is not None:
                    network.drop(flight, failure)
                elif place in frame.spoilt and self._medium.collisions:
                    network.drop(flight, COLLISION)
                else:
                    self._onward(flight, now)
