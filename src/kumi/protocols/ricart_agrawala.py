"""Mutual exclusion by asking everyone: requests are granted in the order of Lamport's clock.

A node that wants to come in sends a timestamped request to all others and enters when all have replied. A node that
is inside, or has a request of its own that is earlier, puts its reply off until it leaves. So of two
requests the earlier is granted first; equal times are ordered by address. Since a request that could be
caused by another is later, requests are granted in the order in which they happened (Ricart and Agrawala
1981). An entry costs 2 (n - 1) messages for n nodes.

Assumes perfect links, and for progress that nobody crashes: everyone waits for everyone. When a node has
crashed, nobody else comes in who needs its reply, and at most one is inside all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITHOUT_CRASHES, MutualExclusion, PerfectLinks
from kumi.protocols.logical_clocks import LamportClock
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class MayI(Message):
    """The sender wants to come in; `time` is that of its request."""

    time: int


@dataclass(frozen=True, slots=True)
class YouMay(Message):
    """The sender has nothing against it; the time of its reply."""

    time: int


class RicartAgrawala(MutualExclusion):
    """Comes in when all others have agreed.

    The token it tells is made of the time and the address of the request, so it grows over all nodes.
    """

    bears = WITHOUT_CRASHES

    links: PerfectLinks

    def __init__(self) -> None:
        self._clock = LamportClock()
        self._requested: int | None = None
        self._is_inside = False
        self._missing: set[Address] = set()
        self._put_off: list[Address] = []

    def begin(self) -> None:
        """Listen to the links."""
        self.links.listen(self._receive)

    def enter(self) -> None:
        """Ask to come in."""
        if self._requested is not None:
            raise RuntimeError(f"{self.node.name} has asked already; call leave() before the next enter()")
        self._requested = self._clock.tick()
        self._missing = set(self.node.others)
        self._ask(self._requested)
        self.node.after(0.0, self._go_in)  # for a group of one

    def leave(self) -> None:
        """Go out, and let those in who wait."""
        if not self._is_inside:
            raise RuntimeError(f"{self.node.name} is not inside; leave() comes after the telling of enter()")
        self._is_inside = False
        self._requested = None
        waiting, self._put_off = self._put_off, []
        for address in waiting:
            self.links.send(YouMay(self._clock.tick()), address)

    def _ask(self, time: int) -> None:
        for address in self.node.others:
            self.links.send(MayI(time), address)

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case MayI(time):
                self._clock.witness(time)
                if self._comes_first(time, sender):
                    self._put_off.append(sender)
                else:
                    self.links.send(YouMay(self._clock.tick()), sender)
            case YouMay(time):
                self._clock.witness(time)
                self._missing.discard(sender)
                self._go_in()
            case _:
                refuse(self.node)

    def _comes_first(self, time: int, sender: Address) -> bool:
        """Return whether this node goes before a request of another one."""
        if self._requested is None:
            return False
        return self._is_inside or (self._requested, self.node.address) < (time, sender)

    def _go_in(self) -> None:
        if self._requested is not None and not self._is_inside and not self._missing:
            self._is_inside = True
            group = self.node.group
            self.tell(self._requested * len(group) + group.index(self.node.address))
