"""What happens when two speak at the same time?

Frames on a shared medium take their time, and two that overlap at a receiver are both lost there. So a
receiver between two senders that do not hear each other may lose the frames of both. A node sends one frame
after the other, and hears nothing while it sends.

With carrier sense a node listens first. Where the medium is busy it waits until it is free, and then for
some slots, drawn anew and from twice as many each time. Two nodes that begin at the same instant do not
hear each other.

With a capture threshold a frame survives others where it is strong enough: where its SINR, the ratio of its
power to the noise and the sum of the others, stays at or above the threshold from its beginning to its end.
Others count while they are on the air. The powers of a frame are those at its beginning.

A message to several is one frame, and every frame is on the air, whoever it is addressed to: one that nobody
hears, too. Signals take no time to travel: a frame begins and ends everywhere at the same instants, and one that
begins when another ends does not overlap it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from math import fsum, inf
from typing import Protocol, TypeAlias

from kumi.contract.messages import Address
from kumi.devs import Chance
from kumi.geometry.points import as_number
from kumi.maths import pow
from kumi.network.bandwidth import QUEUE_FULL, in_time
from kumi.network.checks import as_positive, as_whole
from kumi.network.errors import NetworkError
from kumi.network.flights import OUT_OF_REACH, Flight, Onward, UnheardFlight
from kumi.network.simulated import SimulatedNetwork

COLLISION = "collision"
BUSY = "medium busy"
FADED = "faded"
"""Why a frame is lost that is in reach on average, and too weak this time."""

EVEN = 1.0 + 1e-9
"""The ratio of two powers that differ by rounding alone: a SINR so near the threshold is at it."""

EVERYWHERE = -1
"""The place of all, where no radio says who hears whom."""

Place: TypeAlias = Address


class Powers(Protocol):
    """What a medium asks of a radio: who gets a frame, with which power in dBm."""

    @property
    def noise_floor(self) -> float | None:
        """The noise in dBm; None: there is none."""

    @property
    def fading(self) -> float:
        """The standard deviation of fading in dB."""

    @property
    def judged(self) -> str:
        """Whether a frame has to be heard at the "begin", or "throughout"."""

    def arrivals(self, sender: Address) -> dict[Address, float]:
        """Where a frame that begins now arrives, with its power."""

    def hears(self, address: Address, sender: Address) -> bool:
        """Whether one node hears another now; with fading, whether it may."""

    def is_heard(self, power: float) -> bool:
        """Whether a frame of that power is heard where nothing else is on the air."""

    def follow(
        self, sender: Address, address: Address, power: float, until: float, lost: Callable[[], object]
    ) -> Callable[[], None]:
        """Tell when a node ceases to hear a frame that began now with a power; return what ends it."""


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
class AirFrame:
    """What is on the air at once: flights of one sending; none, if nobody hears it."""

    number: int
    sender: Address
    entered: float
    duration: float
    flights: list[Flight]
    tried: int = 0
    begin: float = 0.0
    end: float = 0.0
    places: Iterable[Place] = ()
    powers: dict[Place, float] | None = None
    """dBm by place, where a radio says them; that at the sender itself is inf."""
    spoilt: set[Place] = field(default_factory=set)
    lost: dict[Place, str] = field(default_factory=dict)
    """The receivers that do not hear all of it, each with the reason."""
    follows: list[Callable[[], None]] = field(default_factory=list)


class SharedMedium:
    """Frames at `bit_rate` bits a second, on one medium for all, or for those in reach of a radio.

    `overhead` bytes are added to each message; `queue` frames may wait at each node, behind the one it
    sends. Without `collisions` frames only take their time. `capture` is the threshold of the SINR in dB at
    which a frame survives others; without it, frames that overlap are lost. It needs the powers of a radio.
    """

    is_reliable = False
    is_in_order = True

    def __init__(
        self,
        bit_rate: float,
        *,
        sense: CarrierSense | None = None,
        collisions: bool = True,
        capture: float | None = None,
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
        if capture is not None and not collisions:
            raise ValueError("a capture threshold is for frames that collide, and without collisions none do")
        self.capture = None if capture is None else as_number(capture, "the capture threshold in dB")

    def join(self, network: SimulatedNetwork, onward: Onward, powers: Powers | None = None) -> Onward:
        """Become part of a network; a radio whose medium it is says the powers."""
        if self.capture is not None and powers is None:
            raise NetworkError(
                "a capture threshold compares powers; give this medium to a radio, as "
                "RadioWaves(ether, medium=SharedMedium(...))"
            )
        network.carry_unheard()
        return in_time(network, Air(self, network, onward, powers).enter, onward)


class Air:
    """The state of a shared medium on one network: what waits, and what is on the air where."""

    def __init__(
        self, medium: SharedMedium, network: SimulatedNetwork, onward: Onward, powers: Powers | None = None
    ) -> None:
        self._medium = medium
        self._network = network
        self._onward = onward
        # Reception is judged again at the beginning of a frame only where its power then matters.
        is_weighed = powers is not None and (
            medium.capture is not None or powers.fading > 0.0 or powers.judged == "throughout"
        )
        self._powers = powers if is_weighed else None
        self._ratio = None if medium.capture is None else pow(10.0, medium.capture / 10.0)
        noise = None if powers is None else powers.noise_floor
        self._noise = 0.0 if noise is None else milliwatts(noise)
        self._chance = network.chance_of(medium)
        self._waiting: dict[Address, deque[AirFrame]] = {}  # the first of each is tried, or on the air
        self._on_air: dict[Place, list[AirFrame]] = {}

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
        frame = AirFrame(flight.number, flight.sender, time, 8 * size / self._medium.bit_rate, [flight])
        if type(flight) is UnheardFlight:
            frame.flights.clear()
            self._network.drop(flight, OUT_OF_REACH)
        waiting.append(frame)
        if len(waiting) == 1:
            self._network.at(time, partial(self._try, frame))

    def _try(self, frame: AirFrame) -> None:
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
        there = self._on_air.get(place, ())
        return max((one.end for one in there if one.begin < now and self._is_heard(one, place)), default=now)

    def _is_heard(self, frame: AirFrame, place: Place) -> bool:
        """Whether a frame that is on the air at a place can be told from noise there."""
        return self._powers is None or frame.powers is None or self._powers.is_heard(frame.powers[place])

    def _begin(self, frame: AirFrame, now: float) -> None:
        frame.begin, frame.end = now, now + frame.duration
        reach = self._network.reach
        if self._powers is not None:
            self._weigh(frame, self._powers)
        if self._medium.collisions or self._medium.sense is not None:
            if frame.powers is not None:
                frame.places = frame.powers
            elif reach is None:
                frame.places = (EVERYWHERE,)
            else:
                frame.places = (frame.sender, *reach.hearers(frame.sender))
            for place in frame.places:
                self._fill(place, frame)
        self._network.at(frame.end, partial(self._done, frame, None))

    def _weigh(self, frame: AirFrame, powers: Powers) -> None:
        """Find the powers of a frame, and who of its receivers does not hear it now, or ceases to."""
        frame.powers = {frame.sender: inf, **powers.arrivals(frame.sender)}
        for flight in frame.flights:
            to = flight.to
            flight.rssi = frame.powers.get(to)
            if flight.rssi is None or not powers.is_heard(flight.rssi):
                frame.lost[to] = FADED if powers.hears(to, frame.sender) else OUT_OF_REACH
            elif powers.judged == "throughout":
                lose = partial(self._lose, frame, to)
                frame.follows.append(powers.follow(frame.sender, to, flight.rssi, frame.end, lose))

    def _lose(self, frame: AirFrame, place: Place) -> None:
        """Let a frame be lost at a place, unless it ends now."""
        if self._network.now < frame.end:
            frame.lost[place] = OUT_OF_REACH

    def _fill(self, place: Place, frame: AirFrame) -> None:
        """Let a frame be on the air at a place; it spoils those that are there, and they it."""
        self._clear(place, frame.begin)
        there = self._on_air.setdefault(place, [])
        there.append(frame)
        if len(there) == 1:
            return
        for one in there:
            if self._ratio is None or not self._stands_out(one, place, there, self._ratio):
                one.spoilt.add(place)

    def _stands_out(self, frame: AirFrame, place: Place, there: list[AirFrame], ratio: float) -> bool:
        """Whether the SINR of a frame among those on the air at a place is at least a ratio."""
        signal = self._milliwatts(frame, place)
        others = fsum(self._milliwatts(other, place) for other in there if other is not frame)
        return signal * EVEN >= ratio * (self._noise + others)

    def _milliwatts(self, frame: AirFrame, place: Place) -> float:
        assert frame.powers is not None
        return milliwatts(frame.powers[place])

    def _clear(self, place: Place, now: float) -> None:
        """Forget what is no longer on the air at a place."""
        left = [other for other in self._on_air.get(place, ()) if other.end > now]
        if left:
            self._on_air[place] = left
        else:
            self._on_air.pop(place, None)

    def _done(self, frame: AirFrame, failure: str | None) -> None:
        """Hand on what was not spoilt, and let the next frame of the sender come."""
        network, now = self._network, self._network.now
        waiting = self._waiting[frame.sender]
        waiting.popleft()
        for place in frame.places:
            self._clear(place, now)
        for close in frame.follows:
            close()
        if waiting:
            network.at(now, partial(self._try, waiting[0]))
        else:
            del self._waiting[frame.sender]
        with network.gathering():
            for flight in frame.flights:
                place = EVERYWHERE if network.reach is None else flight.to
                if failure is not None:
                    network.drop(flight, failure)
                elif place in frame.lost:
                    network.drop(flight, frame.lost[place])
                elif place in frame.spoilt and self._medium.collisions:
                    network.drop(flight, COLLISION)
                else:
                    self._onward(flight, now)


def milliwatts(power: float) -> float:
    """Return a power in dBm as milliwatts."""
    return pow(10.0, power / 10.0)
