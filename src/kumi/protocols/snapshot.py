"""A distributed snapshot: what did all nodes, and all messages under way, look like at one moment?

There is no such moment that all could see, but there is a cut that could have been one: nothing is received
before it that is sent after it. The initiator records its state and sends a marker to all. A node that first gets a
marker does the same. From then on it writes down what comes from each other node until the marker of that
node comes: since links keep the order, exactly that was under way (Chandy and Lamport 1985). The parts go to
the initiator, which reports the whole.

Assumes FIFO links, and for progress that nobody crashes. Several snapshots may be under way at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, FifoLinks
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class SnapshotPart(Message):
    """A node's share: its state, and what was under way to it from each other node."""

    state: object
    channels: Mapping[Address, tuple[Message, ...]]


class Snapshots(FifoLinks):
    """FIFO links under which a consistent picture of all nodes and all links can be taken."""

    requests: ClassVar[tuple[str, ...]] = ("send", "take", "record", "collect")

    def take(self) -> int:
        """Begin a snapshot; return its number at this node."""
        raise NotImplementedError

    def record(self, snapshot: tuple[Address, int], state: object) -> None:
        """Write down the state of this node; monitors watch."""
        raise NotImplementedError

    def collect(self, number: int, parts: Mapping[Address, SnapshotPart]) -> None:
        """Have the whole of a snapshot that this node began; monitors watch."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Plain(Message):
    """A message of those above."""

    inside: Message


@dataclass(frozen=True, slots=True)
class Marker(Message):
    """What its sender sends from now on is after the snapshot."""

    snapshot: tuple[Address, int]


@dataclass(frozen=True, slots=True)
class SnapshotDone(Message):
    """The sender's part of a snapshot is complete."""

    number: int
    part: SnapshotPart


@dataclass(slots=True)
class PartialSnapshot:
    """A part that is not complete: the state, and from whom markers are still to come."""

    state: object
    open: set[Address]
    channels: dict[Address, list[Message]] = field(default_factory=dict)


class ChandyLamport(Snapshots):
    """Takes snapshots of what those above say is their state, by `state_is`."""

    bears = WITHOUT_CRASHES

    links: FifoLinks

    def __init__(self) -> None:
        self._state: Callable[[], object] = lambda: None
        self._collected: list[Callable[[int, Mapping[Address, SnapshotPart]], object]] = []
        self._recordings: dict[tuple[Address, int], PartialSnapshot] = {}
        self._parts: dict[int, dict[Address, SnapshotPart]] = {}
        self._taken = 0

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def state_is(self, state: Callable[[], object]) -> None:
        """Say how the state of this node is asked for; it must be a value that does not change."""
        self._state = state

    def when_collected(self, told: Callable[[int, Mapping[Address, SnapshotPart]], object]) -> None:
        """Call `told` with each snapshot that this node began: its number, and the part of each node."""
        self._collected.append(told)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        self.links.send(Plain(message), to)

    def take(self) -> int:
        """Begin a snapshot."""
        number = self._taken
        self._taken += 1
        self._parts[number] = {}
        self._begin_part((self.node.address, number))
        return number

    def _begin_part(self, snapshot: tuple[Address, int]) -> None:
        self.record(snapshot, self._state())
        for address in self.node.group:  # itself, too: it may have sent something to itself
            self.links.send(Marker(snapshot), address)
        self._finish_part(snapshot)

    def record(self, snapshot: tuple[Address, int], state: object) -> None:
        """Write down the state, and from now on what comes."""
        self._recordings[snapshot] = PartialSnapshot(state, set(self.node.group))

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Plain(inside):
                for recording in self._recordings.values():
                    if sender in recording.open:
                        recording.channels.setdefault(sender, []).append(inside)
                self.tell(inside, sender)
            case Marker(snapshot):
                self._mark(snapshot, sender)
            case SnapshotDone(number, part) if number in self._parts:
                self._gather(number, part, sender)
            case _:
                refuse(self.node)

    def _mark(self, snapshot: tuple[Address, int], sender: Address) -> None:
        if snapshot not in self._recordings:
            self._begin_part(snapshot)
        self._recordings[snapshot].open.discard(sender)
        self._finish_part(snapshot)

    def _finish_part(self, snapshot: tuple[Address, int]) -> None:
        recording = self._recordings[snapshot]
        if not recording.open:
            del self._recordings[snapshot]  # all markers are here: none comes that would begin it anew
            channels = {sender: tuple(recording.channels[sender]) for sender in sorted(recording.channels)}
            self.links.send(SnapshotDone(snapshot[1], SnapshotPart(recording.state, channels)), snapshot[0])

    def _gather(self, number: int, part: SnapshotPart, sender: Address) -> None:
        parts = self._parts[number]
        parts[sender] = part
        if len(parts) == len(self.node.group):
            self.collect(number, {address: parts[address] for address in self.node.group})

    def collect(self, number: int, parts: Mapping[Address, SnapshotPart]) -> None:
        """Hand on the whole."""
        del self._parts[number]
        for told in self._collected:
            told(number, parts)
