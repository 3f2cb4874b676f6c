"""Links to neighbours that notice when a neighbour is gone.

Each message is sent again until the neighbour says that it has it, and given up after `tries` times: then
the link counts as broken. A neighbour may have got what counts as lost. What comes twice is told once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.network import Timer
from kumi.protocols.guarantees import RECOVERY, WITHOUT_CRASHES, FairLossLinks
from kumi.protocols.layer import Layer
from kumi.protocols.numbering import refuse
from kumi.protocols.routing import Recent


@dataclass(frozen=True, slots=True)
class Hop(Message):
    """A message to a neighbour, under a number of the sender."""

    number: int
    inside: Message


@dataclass(frozen=True, slots=True)
class HopReceipt(Message):
    """The message of that number has come."""

    number: int


@dataclass(frozen=True, slots=True)
class GivenUpHop(Message):
    """A message that was given up; the node tells it to itself, with the neighbour as its sender."""

    inside: Message


class Hops(Layer[Message, Address]):
    """Tells what neighbours send, and `GivenUpHop` with what did not reach one."""

    bears = WITHOUT_CRASHES | RECOVERY

    requests: ClassVar[tuple[str, ...]] = ("send",)
    links: FairLossLinks

    def __init__(self, patience: float = 0.1, tries: int = 4, remember: int = 1000) -> None:
        if not patience > 0.0 or tries < 1:
            raise ValueError(
                f"a hop needs a patience above 0 s and at least 1 try, not {patience!r} and {tries!r}"
            )
        self.patience = patience
        self.tries = tries
        self._heard: Recent[tuple[Address, int], bool] = Recent(remember)
        self._waiting: dict[int, Timer] = {}
        self._next = 0

    def begin(self) -> None:
        """Listen; numbers begin anywhere, so that those of an earlier life do not come again."""
        self._next = self.node.chance.integer(0, 2**52)
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send to a neighbour."""
        self._next += 1
        self._try(Hop(self._next, message), to, self.tries)

    def _try(self, hop: Hop, to: Address, tries: int) -> None:
        self.links.send(hop, to)
        self._waiting[hop.number] = self.node.after(self.patience, lambda: self._again(hop, to, tries - 1))

    def _again(self, hop: Hop, to: Address, tries: int) -> None:
        if hop.number not in self._waiting:
            return  # it was heard while the node stood still
        if tries > 0:
            self._try(hop, to, tries)
        else:
            del self._waiting[hop.number]
            self.tell(GivenUpHop(hop.inside), to)

    def _receive(self, message: Message, sender: Address) -> None:
        match message:
            case Hop(number, inside):
                self.links.send(HopReceipt(number), sender)
                if (sender, number) not in self._heard:
                    self._heard.put((sender, number), True)
                    self.tell(inside, sender)
            case HopReceipt(number):
                timer = self._waiting.pop(number, None)
                if timer is not None:
                    timer.cancel()
            case _:
                refuse(self.node)
