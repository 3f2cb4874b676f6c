"""Flooding: a message goes from neighbour to neighbour until all who are connected have heard it.

Each node tells a message when it first hears it, and says it again, once, for its own neighbours. A copy
carries how many hops it may still go. A later copy may have come by a shorter way; one with more hops left
than any before is said again, though not told, so the reach does not depend on which copy was faster.

What is lost in the air is not sent again: where that happens, `repeats` says each message several times.
A node remembers the last `remember` messages; a copy older than all of them would count as new.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import SUSPICION, Broadcast
from kumi.protocols.numbering import refuse
from kumi.protocols.routing import Recent


class FloodedBroadcast(Broadcast):
    """Every node connected by a chain of correct neighbours delivers, the sender included; nothing twice.

    That all in reach deliver holds where the air loses nothing.
    """


@dataclass(frozen=True, slots=True)
class Flooded(Message):
    """A message with its origin, its number there, and how many hops it may still go."""

    origin: Address
    number: int
    hops_left: int
    inside: Message


class Flood(FloodedBroadcast):
    """Says again what it hears for the first time, up to `hops` hops from the sender.

    Needs no links and no list of neighbours: whoever hears a node is its neighbour.
    """

    bears = SUSPICION | {"reordering", "slow-links", "pause", "crash"}

    air: Broadcast

    def __init__(
        self, hops: int = 32, *, repeats: int = 1, pause: float = 0.05, remember: int = 1000
    ) -> None:
        if hops < 1 or repeats < 1:
            raise ValueError(f"a flood needs at least 1 hop and 1 repeat, not {hops!r} and {repeats!r}")
        if not pause > 0.0:
            raise ValueError(f"the pause between repeats is a positive number of seconds, not {pause!r}")
        self.hops = hops
        self.repeats = repeats
        self.pause = pause
        self._heard: Recent[tuple[Address, int], int] = Recent(remember)  # with the hops left
        self._next = 0

    def begin(self) -> None:
        """Listen; numbers begin anywhere, so that those of an earlier life do not come again."""
        self._next = self.node.chance.integer(0, 2**52)
        self.air.listen(self._hear)

    def broadcast(self, message: Message) -> None:
        """Send to all who can be reached, itself included."""
        self._next += 1
        self._hear(Flooded(self.node.address, self._next, self.hops, message), self.node.address)

    def _hear(self, message: Message, _neighbour: Address) -> None:
        if not isinstance(message, Flooded):
            refuse(self.node)
            return
        key = (message.origin, message.number)
        best = self._heard.get(key)
        if best is None or message.hops_left > best:
            self._heard.put(key, message.hops_left)
            self._say(message, self.repeats)
        if best is None:
            self.tell(message.inside, message.origin)

    def _say(self, message: Flooded, times: int) -> None:
        if message.hops_left < 1:
            return
        self.air.broadcast(Flooded(message.origin, message.number, message.hops_left - 1, message.inside))
        if times > 1:
            self.node.after(self.pause, lambda: self._say(message, times - 1))
