"""Best-effort and reliable broadcast: what one correct node delivers, all correct ones do.

`EagerRelay`: each node passes a message on to all before it delivers it, so it does not matter whether the sender lived
to reach everyone (Hadzilacos and Toueg 1994). It costs n² messages for n nodes. Any number of nodes may
crash, for good. It is not uniform: a node that delivers and crashes at once may have been the only one.

`ToEach` is best effort: what a correct node broadcasts, every correct node delivers.
It is sent to each over a perfect link (Cachin, Guerraoui and Rodrigues 2011). Any number of nodes may crash;
nothing is promised of what a node broadcast that crashes.

`LazyRelay` costs little while nobody crashes. Each node keeps what it delivered, and passes it on when the failure detector suspects its sender, since
only a sender that crashed may have reached some and not others (Cachin, Guerraoui and Rodrigues 2011). The
detector must suspect each crashed node in the end; a wrong suspicion costs messages, and nothing else. Any
number of nodes may crash, for good. It is not uniform.

Nodes tell each other now and then how far they have got, and forget what all have. Someone who is gone says
nothing: then what is beyond `limit` is passed on at once, and forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import (
    WITH_CRASHES,
    BestEffortBroadcast,
    EventuallyStrong,
    PerfectLinks,
    ReliableBroadcast,
)
from kumi.protocols.numbering import Identified, SeenNumbers, refuse


class EagerRelay(ReliableBroadcast):
    """Passes every message on when it first comes, and then delivers it."""

    bears = WITH_CRASHES

    best: BestEffortBroadcast

    def __init__(self) -> None:
        self._sent = 0
        self._seen: dict[Address, SeenNumbers] = {}

    def begin(self) -> None:
        """Listen to what others send and pass on."""
        self._seen = {address: SeenNumbers() for address in self.node.group}
        self.best.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all under a number of its own."""
        self.best.broadcast(Identified(self.node.address, self._sent, message))
        self._sent += 1

    def _receive(self, message: Message, _sender: Address) -> None:
        if not isinstance(message, Identified) or message.origin not in self._seen:
            refuse(self.node)
            return
        if self._seen[message.origin].add(message.number):
            self._pass_on(message)
            self.tell(message.inside, message.origin)

    def _pass_on(self, message: Identified) -> None:
        if message.origin != self.node.address:
            self.best.broadcast(message)


class ToEach(BestEffortBroadcast):
    """Sends a message to each node of the group, itself included.

    If the sender crashes in between, some get it and some do not.
    """

    bears = WITH_CRASHES

    links: PerfectLinks

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        for address in self.node.group:
            self.links.send(message, address)

    def _receive(self, message: Message, sender: Address) -> None:
        self.tell(message, sender)


@dataclass(frozen=True, slots=True)
class GotSoFar(Message):
    """Of each node of the group, in order, the sender of this has all messages below a number."""

    numbers: tuple[int, ...]


class LazyRelay(ReliableBroadcast):
    """Delivers at once; passes on what came from nodes that are suspected.

    It says every `report_every` seconds how far it has got, if that has changed, and keeps at most `limit`
    messages of one sender.
    """

    bears = WITH_CRASHES

    best: BestEffortBroadcast
    detector: EventuallyStrong

    def __init__(self, report_every: float = 1.0, limit: int = 1000) -> None:
        if not (isfinite(report_every) and report_every > 0.0):
            raise ValueError(f"report_every is a positive number of seconds, not {report_every!r}")
        if limit < 0:
            raise ValueError(f"limit is a number of messages from 0 on, not {limit!r}")
        self.report_every = report_every
        self.limit = limit
        self._sent = 0
        self._seen: dict[Address, SeenNumbers] = {}
        self._kept: dict[Address, dict[int, Identified]] = {}
        self._got: dict[Address, tuple[int, ...]] = {}
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Listen to the others, and to the detector."""
        group = self.node.group
        self._seen = {address: SeenNumbers() for address in group}
        self._kept = {address: {} for address in group}
        self._got = dict.fromkeys(group, (0,) * len(group))
        self.best.listen(self._receive)
        self.detector.listen(self._suspicion_changed)

    def broadcast(self, message: Message) -> None:
        """Send to all under a number of its own."""
        self.best.broadcast(Identified(self.node.address, self._sent, message))
        self._sent += 1

    @property
    def kept(self) -> int:
        """How many messages it keeps."""
        return sum(map(len, self._kept.values()))

    def _receive(self, message: Message, sender: Address) -> None:
        if isinstance(message, GotSoFar) and sender in self._got and len(message.numbers) == len(self._got):
            self._forget(message.numbers, sender)
            return
        if not isinstance(message, Identified) or message.origin not in self._seen:
            refuse(self.node)
            return
        origin = message.origin
        if self._seen[origin].add(message.number):
            if self._timer is None:
                self._timer = self.node.after(self.report_every, self._report)
            if origin != self.node.address:
                self._kept[origin][message.number] = message
                if origin in self.detector.suspected:
                    self._pass_on(origin, leaving=0)
                elif len(self._kept[origin]) > self.limit:
                    self._pass_on(origin, leaving=self.limit)
            self.tell(message.inside, origin)

    def _suspicion_changed(self, address: Address, is_suspected: bool) -> None:
        if is_suspected:
            self._pass_on(address, leaving=0)

    def _pass_on(self, origin: Address, leaving: int) -> None:
        """Broadcast the oldest messages of a sender; it is for this node's own links to bring them now."""
        kept = self._kept[origin]
        while len(kept) > leaving:
            self.best.broadcast(kept.pop(next(iter(kept))))

    def _report(self) -> None:
        self._timer = None
        self.best.broadcast(GotSoFar(tuple(self._seen[address].floor for address in self.node.group)))

    def _forget(self, numbers: tuple[int, ...], sender: Address) -> None:
        self._got[sender] = tuple(map(max, self._got[sender], numbers))
        for origin, with_all in zip(self.node.group, map(min, *self._got.values()), strict=True):
            kept = self._kept[origin]
            for number in [number for number in kept if number < with_all]:
                del kept[number]
