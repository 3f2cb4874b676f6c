"""What is on its way, and who can hear it?

A flight is a message on its way to one receiver. Effects take flights and hand them on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

import msgspec

from kumi.contract.messages import Address, Message

OUT_OF_REACH = "out of reach"
"""Why a message to one who is too far away is dropped."""

Onward: TypeAlias = Callable[["Flight", float], None]
"""Takes a flight and the instant it has got to, which is not before now."""

Gate: TypeAlias = Callable[["Flight"], str | None]
"""Asked at the instant of an arrival: why it does not happen, or None if it does."""


class Flight(msgspec.Struct, gc=False):
    """A message on its way to one receiver; flights of one sending have its number."""

    number: int
    sender: Address
    to: Address
    message: Message
    sent: float
    """When it was sent: an effect that is judged at sending is judged by this, wherever it stands."""
    rssi: float | None = None
    """The power in dBm at which its receiver hears it; None where no radio says so."""

    def copy(self) -> Flight:
        """Make another one with the same message; `SimulatedNetwork.copy` counts it, too."""
        return type(self)(self.number, self.sender, self.to, self.message, self.sent, self.rssi)


class UnheardFlight(Flight, gc=False):
    """A message on its way to the air alone: nobody hears it, but it disturbs.

    It is to its own sender, so that effects of links and of receivers leave it alone, and ends at the medium.
    """


class Reach(Protocol):
    """The links that work now."""

    def hears(self, address: Address, sender: Address) -> bool:
        """Whether one hears another."""

    def hearers(self, sender: Address) -> Iterable[Address]:
        """All who hear the sender, in the same order in every run."""


class PowerReach(Reach, Protocol):
    """The links that work now, with their quality: messages then have an RSSI."""

    def rssi(self, address: Address, sender: Address) -> float | None:
        """The power in dBm at which one hears another; None: not at all."""

    def heard(self, sender: Address) -> dict[Address, float]:
        """All who hear the sender, with the power in dBm for each, in the same order in every run."""
