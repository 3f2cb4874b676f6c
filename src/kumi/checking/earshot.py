"""Who hears whom, for protocols of nodes that reach only their neighbours: a layer at the bottom of a stack.

The network of a trial carries everything to everybody. This layer lets through what comes from a neighbour,
by a function of two addresses and the time. On a `ring` each node hears those beside it; on a `broken_ring` one
link at a time is cut, another one every few seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kumi.contract.messages import Address, Message
from kumi.devs.chance import stream
from kumi.network import Node
from kumi.protocols import Broadcast, FairLossLinks

Hears: TypeAlias = Callable[[Node, Address], bool]
"""Whether a node hears another one now."""


class Earshot(FairLossLinks, Broadcast):
    """Hears neighbours alone, and itself."""

    requests = ("send", "broadcast")
    links: FairLossLinks
    air: Broadcast

    def __init__(self, hears: Hears) -> None:
        self._hears = hears

    def begin(self) -> None:
        """Listen to the network."""
        self.links.listen(self._hear)
        self.air.listen(self._hear)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        self.links.send(message, to)

    def broadcast(self, message: Message) -> None:
        """Send to all who hear it."""
        self.air.broadcast(message)

    def _hear(self, message: Message, sender: Address) -> None:
        if sender == self.node.address or self._hears(self.node, sender):
            self.tell(message, sender)
        else:
            self.node.network.count_drop("out of earshot")


def ring(reach: int = 1) -> Hears:
    """Hear those up to so many places before and after on a ring."""

    def hears(node: Node, other: Address) -> bool:
        return steps_apart(node.address, other, len(node.group)) <= reach

    return hears


def broken_ring(every: float, until: float) -> Hears:
    """Hear those beside on a ring with one link cut, another one `every` so often; the last for good."""

    def hears(node: Node, other: Address) -> bool:
        simulation, size = node.simulation, len(node.group)
        if steps_apart(node.address, other, size) > 1:
            return False
        epoch = int(min(simulation.now, until) / every)
        cut = stream(simulation.seed, f"cut {epoch}").integer(0, size - 1)
        return {cut, (cut + 1) % size} != {node.address, other}

    return hears


def steps_apart(one: Address, other: Address, size: int) -> int:
    """Return the distance of two places on a ring."""
    return min((one - other) % size, (other - one) % size)
