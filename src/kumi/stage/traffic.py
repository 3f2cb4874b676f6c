"""Messages in the journal of a run: what was sent, what arrived, what was dropped, in words.

A simulated network numbers what it sends, and arrivals have the number of their sending. A real one cannot
know it: there, an arrival belongs to the oldest sending of an equal message between the same two robots. One
that was sent by another process is written down as sent when it arrives.
"""

from __future__ import annotations

from collections import deque

from kumi.contract.messages import Address, Message
from kumi.network import Dropped, Received, Sent, Traffic, encode
from kumi.network.wire import content
from kumi.recording import dropped_record, note_record, received_record, sent_record
from kumi.world import SimulatedBody, World

EQUAL_KEPT = 1_000
KEPT = 100_000
"""How many messages are remembered until they arrive."""


def write_traffic(world: World, traffic: Traffic) -> None:
    """Write what happens on a simulated network into the journal of a world."""
    match traffic:
        case Sent(_, number, sender, receivers, message):
            record = sent_record(number, sender, receivers, type(message).__name__, content(message))
            world.write_record(record)
        case Received(_, number, _, receiver, _):
            world.write_record(received_record(number, receiver))
        case Dropped(_, number, _, receiver, _, reason):
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
            case Sent(_, _, sender, receivers, message):
                self._send(sender, receivers, message)
            case Received(_, _, sender, receiver, message):
                self._world.write_record(received_record(self._number(sender, receiver, message), receiver))
            case Dropped(_, _, sender, receiver, message, reason):
                number = self._number(sender, receiver, message)
                self._world.write_record(dropped_record(number, receiver, reason))

    def _send(self, sender: Address, receivers: tuple[Address, ...], message: Message) -> None:
        number, self._next = self._next, self._next + 1
        write_traffic(self._world, Sent(0.0, number, sender, receivers, message))
        written = encode(message)
        for receiver in receivers:
            self._under_way.setdefault((sender, receiver, written), deque(maxlen=EQUAL_KEPT)).append(number)
        if len(self._under_way) > KEPT:
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
