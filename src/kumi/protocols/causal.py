"""Causal broadcast: nobody delivers a message before those that may have caused it.

Each message carries a vector clock: how many messages of each node its sender had delivered, and how many
it had sent. It waits until as many have been delivered here (Birman, Schiper and Stephenson 1991). Over a
uniform broadcast it is uniform, else not. As many nodes may crash, for good, as the broadcast below stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import le

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import WITH_CRASHES, CausalBroadcast, ReliableBroadcast
from kumi.protocols.numbering import refuse


@dataclass(frozen=True, slots=True)
class Caused(Message):
    """A message, and how many of each node's messages, in the order of the group, come before it."""

    causes: tuple[int, ...]
    inside: Message


class CausesFirst(CausalBroadcast):
    """Delivers a message when all is delivered that its sender had delivered or sent before it.

    What waits is what comes after a message that is still under way. If a message was lost with a node
    that crashed, what only crashed nodes said after it waits for ever; there is no more of it than they sent.
    """

    bears = WITH_CRASHES

    spread: ReliableBroadcast

    def __init__(self) -> None:
        self._sent = 0
        self._own = 0
        self._delivered: list[int] = []
        self._places: dict[Address, int] = {}
        self._early: list[dict[int, Caused]] = []
        self._waiting = 0

    def begin(self) -> None:
        """Listen to the broadcast below."""
        group = self.node.group
        self._delivered = [0] * len(group)
        self._places = {address: place for place, address in enumerate(group)}
        self._own = self._places[self.node.address]
        self._early = [{} for _ in group]
        self.spread.listen(self._receive)

    def broadcast(self, message: Message) -> None:
        """Broadcast together with the count of what came before."""
        causes = self._delivered.copy()
        causes[self._own] = self._sent
        self._sent += 1
        self.spread.broadcast(Caused(tuple(causes), message))

    def _receive(self, message: Message, sender: Address) -> None:
        place = self._places.get(sender)
        if place is None or not isinstance(message, Caused) or len(message.causes) != len(self._places):
            refuse(self.node)
            return
        if not self._is_due(message):
            self._early[place][message.causes[place]] = message
            self._waiting += 1
            return
        self._deliver(message, place)
        while self._waiting and self._deliver_early():
            pass

    def _is_due(self, message: Caused) -> bool:
        return all(map(le, message.causes, self._delivered))

    def _deliver(self, message: Caused, place: int) -> None:
        self._delivered[place] += 1
        self.tell(message.inside, self.node.group[place])

    def _deliver_early(self) -> bool:
        """Deliver what has waited and is due now, at most one of each sender; return whether any was."""
        any_was = False
        for place, early in enumerate(self._early):
            message = early.get(self._delivered[place])
            if message is not None and self._is_due(message):
                del early[message.causes[place]]
                self._waiting -= 1
                self._deliver(message, place)
                any_was = True
        return any_was
