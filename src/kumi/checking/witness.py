"""What happened before what? A layer that adds vector clocks to messages, for monitors and not for protocols.

It lies between a protocol and its links. A monitor that wants to know whether one event could have caused
another asks the clock of the layer at the node where the event is.
"""

from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Address, Message
from kumi.protocols import PerfectLinks
from kumi.protocols.logical_clocks import VectorClock


@dataclass(frozen=True, slots=True)
class Witnessed(Message):
    """A message and the vector time of its sending."""

    time: tuple[int, ...]
    inside: Message


class Witness(PerfectLinks):
    """Passes everything on, and keeps a vector clock."""

    links: PerfectLinks
    clock: VectorClock

    def begin(self) -> None:
        """Listen to the links."""
        group = self.node.group
        self.clock = VectorClock(group.index(self.node.address), len(group))
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send with the time."""
        self.links.send(Witnessed(self.clock.tick(), message), to)

    def _receive(self, message: Message, sender: Address) -> None:
        assert isinstance(message, Witnessed)
        self.clock.witness(message.time)
        self.tell(message.inside, sender)
