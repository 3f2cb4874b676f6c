"""One node whose partners are played by the test: it hears what the test says, and what it sends is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.protocols.company import Company

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.contract.messages import Message
    from kumi.network import Flight, Onward, SimulatedNetwork
    from kumi.protocols import Layer


class Alone:
    """One node of a group whose others are down; `sent` holds whom it sent what."""

    is_reliable = True
    is_in_order = True

    def __init__(
        self, layers: Callable[[], tuple[Layer[*tuple[Any, ...]], ...]], *, size: int = 3, address: int = 0
    ) -> None:
        self.sent: list[tuple[int, Message]] = []
        self.address = address
        self.company = Company(layers, self, size=size)
        for node in self.company.nodes:
            if node.address != address:
                node.crash()
        self.top = self.company.top(address)
        self.run(0.0)

    def join(self, _network: SimulatedNetwork, _onward: Onward) -> Onward:
        def carry(flight: Flight, _delay: float) -> None:
            self.sent.append((flight.to, flight.message))

        return carry

    def hear(self, message: Message, sender: int, through: str = "links") -> list[tuple[int, Message]]:
        """Let the top layer hear a message; return what is sent because of it, and to whom."""
        self.sent.clear()
        getattr(self.top, through).tell(message, sender)
        return self.sent.copy()

    def run(self, until: float) -> list[tuple[int, Message]]:
        """Let time pass; return what is sent meanwhile."""
        self.sent.clear()
        self.company.run(until)
        found = self.sent.copy()
        self.sent.clear()
        return found

    def told(self) -> list[tuple[Any, ...]]:
        """What the top layer has told."""
        return self.company.events(self.address)

    @property
    def refused(self) -> int:
        """How many messages were refused."""
        return self.company.network.dropped["message for no layer"]
