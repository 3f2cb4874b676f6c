"""Which nodes forget to send, or to receive?

A node with an omission fault works, but some of what it sends never leaves it, or some of what arrives is
not taken in. It does not notice. Sending is judged when a message is sent, receiving when it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kumi.contract.messages import Address
from kumi.network.checks import as_probability, check_window
from kumi.network.flights import Flight, Onward
from kumi.network.simulated import SimulatedNetwork

SENDING = "send omission"
RECEIVING = "receive omission"


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """From `start` until just before `end`, a node omits to send or receive with these probabilities."""

    node: Address
    sending: float = 0.0
    receiving: float = 0.0
    start: float = 0.0
    end: float = inf

    def __post_init__(self) -> None:
        as_probability(self.sending, "the probability of a send omission")
        as_probability(self.receiving, "the probability of a receive omission")
        check_window(self.start, self.end, "an omission")


class Omissions:
    """Omission faults of nodes; what a node sends to itself is not touched."""

    is_reliable = False
    is_in_order = True

    def __init__(self, *omissions: Omission) -> None:
        self._of: dict[Address, list[Omission]] = {}
        for omission in omissions:
            if not isinstance(omission, Omission):
                raise TypeError(f"an omission on a schedule is an Omission, not {omission!r}")
            self._of.setdefault(omission.node, []).append(omission)

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        happens, of = network.chance_of(self).happens, self._of

        def omits(node: Address, now: float) -> list[Omission]:
            return [one for one in of.get(node, ()) if one.start <= now < one.end]

        def gate(flight: Flight) -> str | None:
            is_omitted = flight.sender != flight.to and any(
                happens(one.receiving) for one in omits(flight.to, network.now)
            )
            return RECEIVING if is_omitted else None

        def carry(flight: Flight, time: float) -> None:
            if flight.sender != flight.to and any(
                happens(one.sending) for one in omits(flight.sender, flight.sent)
            ):
                network.drop(flight, SENDING)
            else:
                onward(flight, time)

        network.add_gate(gate)
        return carry
