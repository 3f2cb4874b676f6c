"""Where are the nodes of a radio, and what does a message cost there in joules?

A radio asks an ether, such as `kumi.world.WorldEther`, or one of your own.

Sending costs some joules a frame and some a byte, and so does receiving. The sender pays once for a message
to several, when it sends, whoever hears it; a receiver pays when the message arrives. The payer is given with
the joules, so that a battery can be drained: `Energy(lambda address, joules: batteries[address].drain(joules))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kumi.contract.messages import Address, Message
from kumi.network.checks import as_energy
from kumi.network.network import MessageReceived, MessageSent, Traffic
from kumi.network.wire import encoded_size

Between: TypeAlias = Sequence[tuple[float, float]]
"""What stands on a line: how many metres of each obstacle, at how many decibels a metre."""


class Ether(Protocol):
    """Where nodes are, and what stands between them.

    One with `is_clear` is not asked for obstacles while that is true.
    """

    def near(self, address: Address, within: float) -> Iterable[tuple[Address, float]]:
        """All others within a distance of a node now, with their distances, in the same order in every run."""

    def distance(self, one: Address, other: Address) -> float | None:
        """The metres between two nodes now; None if one of them is nowhere."""

    def obstacles_between(self, one: Address, other: Address) -> Between:
        """What stands on the line between two nodes."""

    def watch(
        self, address: Address, within: float, told: Callable[[bool, Address], object]
    ) -> Callable[[], None]:
        """Tell who comes within a distance of a node (True), or leaves it, at the instant; return what ends it."""


class MovingEther(Ether, Protocol):
    """An ether that knows how nodes move, and so when the line between two of them changes."""

    def watch_shadow(
        self, one: Address, other: Address, told: Callable[[bool], object]
    ) -> Callable[[], None]:
        """Tell when an obstacle comes onto the line between two nodes (True), and when there is none again."""

    def watch_hearing(
        self,
        one: Address,
        other: Address,
        within: float,
        passes: Callable[[float, Between], bool],
        until: float,
        told: Callable[[bool], object],
    ) -> Callable[[], None]:
        """Tell when two nodes cease to be within a distance of each other, or what is between them to let pass.

        `passes` is asked with the distance and the obstacles where there are some. True tells of the reverse.
        Nobody asks for what happens after `until`.
        """


@dataclass(frozen=True, slots=True)
class InRange:
    """A node came within range of another one's radio."""

    time: float
    address: Address
    neighbour: Address


@dataclass(frozen=True, slots=True)
class OutOfRange:
    """A node went out of range of another one's radio."""

    time: float
    address: Address
    neighbour: Address


@dataclass(frozen=True, slots=True)
class Shadowed:
    """The straight line between two nodes begins to go through an obstacle."""

    time: float
    address: Address
    neighbour: Address


@dataclass(frozen=True, slots=True)
class Unshadowed:
    """The straight line between two nodes goes through no obstacle any more."""

    time: float
    address: Address
    neighbour: Address


Meeting: TypeAlias = InRange | OutOfRange
Shadow: TypeAlias = Shadowed | Unshadowed


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
            case MessageSent(sender=sender, receivers=receivers, message=message) if receivers != (sender,):
                self.charge(sender, self.per_sending + self.size(message) * self.per_byte_sent)
            case MessageReceived(sender=sender, receiver=receiver, message=message) if receiver != sender:
                self.charge(receiver, self.per_receiving + self.size(message) * self.per_byte_received)
