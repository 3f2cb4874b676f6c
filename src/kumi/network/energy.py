"""What does a message cost in joules?

Sending costs some joules a frame and some a byte, and so does receiving. The sender pays once for a message
to several, when it sends, whoever hears it; a receiver pays when the message arrives. Who pays is told with
the joules, so that a battery can be drained: `Energy(lambda address, joules: batteries[address].drain(joules))`.
"""

from __future__ import annotations

from collections.abc import Callable

from kumi.contract.messages import Address, Message
from kumi.network.checks import as_energy
from kumi.network.network import Received, Sent, Traffic
from kumi.network.wire import encoded_size


class Energy:
    """Charges nodes for messages by `charge(address, joules)`; what a node tells itself is free.

    Give it to a radio, or let it watch any network: `network.watch(energy)`.
    """

    def __init__(
        self,
        charge: Callable[[Address, float], object],
        *,
        per_sending: float = 0.0,
        per_byte_sent: float = 1e-6,
        per_receiving: float = 0.0,
        per_byte_received: float = 1e-6,
        size: Callable[[Message], int] = encoded_size,
    ) -> None:
        self.charge = charge
        self.per_sending = as_energy(per_sending, "the energy of a sending")
        self.per_byte_sent = as_energy(per_byte_sent, "the energy of a byte sent")
        self.per_receiving = as_energy(per_receiving, "the energy of a receiving")
        self.per_byte_received = as_energy(per_byte_received, "the energy of a byte received")
        self.size = size

    def __call__(self, traffic: Traffic) -> None:
        """Charge for what happens on a network."""
        match traffic:
            case Sent(sender=sender, receivers=receivers, message=message) if receivers != (sender,):
                self.charge(sender, self.per_sending + self.size(message) * self.per_byte_sent)
            case Received(sender=sender, receiver=receiver, message=message) if receiver != sender:
                self.charge(receiver, self.per_receiving + self.size(message) * self.per_byte_received)
