"""Faults of messages as an effect on a simulated network, which asks those that are active."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kumi.checking.faults import LOSING, MessageFault
from kumi.checking.monitors import Violation
from kumi.devs import Chance
from kumi.network import Flight, Onward, SimulatedNetwork

FLOOD = 200_000
"""Messages; a run in which more are sent is ended, since its protocol answers without end."""


class Disturbance:
    """An effect that does what the active faults say; without any, a message passes as it is.

    `kinds` are those that may become active at some time: a stack is composed for the worst of them. A flood
    of messages is a violation.
    """

    is_in_order = False

    def __init__(self, kinds: Iterable[str]) -> None:
        self.is_reliable = LOSING.isdisjoint(kinds)
        self.counts: Counter[str] = Counter()
        self._left = FLOOD
        self._active: dict[MessageFault, Chance] = {}
        self._network: SimulatedNetwork | None = None

    def add(self, fault: MessageFault) -> None:
        """Let a fault be active; its random numbers depend on nothing but the seed and itself."""
        assert self._network is not None
        self._active[fault] = self._network.simulation.chance(f"fault {fault!r}")

    def remove(self, fault: MessageFault) -> None:
        """Let a fault be active no more."""
        self._active.pop(fault, None)

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        self._network = network
        active, simulation = self._active, network.simulation

        def carry(flight: Flight, delay: float) -> None:
            self._left -= 1
            if self._left < 0:
                raise Violation("no flood", flooded(flight, simulation.now))
            if not active or flight.sender == flight.to:
                onward(flight, delay)
                return
            copies: tuple[float, ...] = (delay,)
            for fault, chance in active.items():
                fate = fault.fate(flight.sender, flight.to, simulation.now, chance)
                if fate is None:
                    continue
                self.counts[fault.kind] += 1
                if not fate:
                    network.drop(flight, fault.kind)
                    return
                copies = tuple(before + later for before in copies for later in fate)
            for number, at in enumerate(copies):
                onward(flight if number == 0 else flight.copy(), at)

        return carry


def flooded(flight: Flight, now: float) -> str:
    """Say what the last message of a flood was."""
    what = type(flight.message).__name__
    return (
        f"{FLOOD:,} messages were sent by {now:.3f} s, the last a {what} from {flight.sender} to {flight.to}"
    )
