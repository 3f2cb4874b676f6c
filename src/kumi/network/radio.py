"""Who hears a radio, and what does it cost?

The power that arrives falls with the distance by the log-distance law: a loss at one metre, and ten times
the exponent in decibels for each factor of ten. What stands on the straight line between two nodes takes
some decibels a metre of its thickness, by its material. A node hears what is not weaker than its
sensitivity. Nearer than a metre counts as a metre.

Hearing is judged once, at the instant at which a message is sent, for all of its receivers: before it waits
for a medium, and whatever moves while it is on its way. A message to a node out of reach is dropped. A
broadcast is one frame for all who hear it, and costs as much as there are neighbours.

Where the nodes are, and what stands between them, comes from outside, as an `Ether`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Protocol, TypeAlias

from kumi.contract.messages import Address
from kumi.geometry.points import as_number
from kumi.network.checks import as_positive
from kumi.network.energy import Energy
from kumi.network.errors import NetworkError
from kumi.network.shared_medium import SharedMedium
from kumi.network.simulated import Onward, SimulatedNetwork

MATERIALS: Mapping[str, float] = {
    "concrete": 65.0,
    "brick": 23.0,
    "plasterboard": 19.0,
    "wood": 14.0,
    "glass": 8.0,
    "metal": 1e6,
}
"""Decibels a metre at 2.4 GHz, rounded, from the conductivities and permittivities in ITU-R P.2040."""


BORDER = 1.0 + 1e-9
"""The range as it is judged: who comes to its border, by rounding a little outside, hears from that instant on."""


class Ether(Protocol):
    """Where nodes are, and what stands between them."""

    def near(self, address: Address, within: float) -> Iterable[tuple[Address, float]]:
        """All others within a distance of a node now, with their distances, in the same order in every run."""

    def distance(self, one: Address, other: Address) -> float | None:
        """The metres between two nodes now; None if one of them is nowhere."""

    def obstacles_between(self, one: Address, other: Address) -> Sequence[tuple[float, str]]:
        """What stands on the line between two nodes: how many metres of it, of which material."""

    def watch(
        self, address: Address, within: float, told: Callable[[bool, Address], object]
    ) -> Callable[[], None]:
        """Tell who comes within a distance of a node (True), or leaves it, at the instant; return what ends it."""


@dataclass(frozen=True, slots=True)
class Gained:
    """A node came within range of another one's radio."""

    time: float
    address: Address
    neighbour: Address


@dataclass(frozen=True, slots=True)
class Lost:
    """A node went out of range of another one's radio."""

    time: float
    address: Address
    neighbour: Address


Meeting: TypeAlias = Gained | Lost


class RadioWaves:
    """An effect that says who is in reach; dBm for powers, dB for losses, metres and joules.

    `powers` are those of nodes that do not send at `power`; `materials` adds to the ones known. Without a
    `medium` a frame takes no time; `energy` is what messages cost.
    """

    is_reliable = False
    is_in_order = True

    def __init__(
        self,
        ether: Ether,
        *,
        power: float = 20.0,
        sensitivity: float = -90.0,
        exponent: float = 2.5,
        loss_at_one_metre: float = 40.0,
        powers: Mapping[Address, float] | None = None,
        materials: Mapping[str, float] | None = None,
        medium: SharedMedium | None = None,
        energy: Energy | None = None,
    ) -> None:
        if not all(hasattr(ether, name) for name in ("near", "distance", "obstacles_between", "watch")):
            raise TypeError(f"a radio takes an ether, such as WorldEther(world), not {ether!r}")
        self.ether = ether
        self.power = as_number(power, "the power of a radio in dBm")
        self.sensitivity = as_number(sensitivity, "the sensitivity of a radio in dBm")
        self.exponent = as_positive(exponent, "the exponent of path loss")
        self.loss_at_one_metre = as_number(loss_at_one_metre, "the loss at one metre in dB")
        self.powers = {
            node: as_number(own, f"the power of node {node} in dBm") for node, own in (powers or {}).items()
        }
        self.materials = {**MATERIALS, **(materials or {})}
        for material, loss in self.materials.items():
            if not loss >= 0.0:
                raise ValueError(f"the loss in {material} is a number of dB a metre from 0 on, not {loss!r}")
        self.medium = medium
        self.energy = energy
        self._network: SimulatedNetwork | None = None
        self._ranges: dict[float, float] = {}

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        if self._network is not None:
            raise NetworkError("this radio is part of a network already; make one for each")
        self._network = network
        network.limit_reach(self)
        if self.medium is not None:
            onward = self.medium.join(network, onward)
        if self.energy is not None:
            network.watch(self.energy)
        return onward

    def path_loss(self, distance: float, obstacles: Iterable[tuple[float, str]] = ()) -> float:
        """Return the decibels lost over a distance, and behind obstacles: metres of a material each."""
        loss = self.loss_at_one_metre + 10.0 * self.exponent * log10(max(1.0, distance))
        for thickness, material in obstacles:
            if material not in self.materials:
                known = ", ".join(sorted(self.materials))
                raise NetworkError(
                    f"nobody said how much {material!r} takes of a radio's power; known are {known}"
                )
            loss += thickness * self.materials[material]
        return loss

    def received_power(
        self, distance: float, obstacles: Iterable[tuple[float, str]] = (), *, sender: Address | None = None
    ) -> float:
        """Return the power in dBm that arrives from a sender at a distance."""
        return self._power_of(sender) - self.path_loss(distance, obstacles)

    def range_of(self, sender: Address | None = None) -> float:
        """Return how many metres a sender is heard where nothing stands in between; 0: not at all."""
        power = self._power_of(sender)
        if power not in self._ranges:
            spare = power - self.loss_at_one_metre - self.sensitivity
            self._ranges[power] = 0.0 if spare < 0.0 else 10.0 ** (spare / (10.0 * self.exponent))
        return self._ranges[power]

    def hears(self, address: Address, sender: Address) -> bool:
        """Whether one node hears another now."""
        distance = self.ether.distance(sender, address)
        if distance is None or distance > self.range_of(sender) * BORDER:
            return False
        obstacles = self.ether.obstacles_between(sender, address)
        return not obstacles or self.received_power(distance, obstacles, sender=sender) >= self.sensitivity

    def hearers(self, sender: Address) -> list[Address]:
        """Return all who hear a sender now, in order; those without a radio included."""
        within = self.range_of(sender)
        if within == 0.0:
            return []
        between, heard = self.ether.obstacles_between, []
        for other, away in self.ether.near(sender, within * BORDER):
            obstacles = between(sender, other)
            if not obstacles or self.received_power(away, obstacles, sender=sender) >= self.sensitivity:
                heard.append(other)
        heard.sort()
        return heard

    def neighbours(self, address: Address) -> tuple[Address, ...]:
        """Return who on the network hears a node now, in order."""
        network = self._joined()
        return tuple(other for other in self.hearers(address) if other in network and other != address)

    def watch(self, address: Address, told: Callable[[Meeting], object]) -> Callable[[], None]:
        """Tell who comes within the range of a node's radio, and who leaves it, at the exact instant.

        The range is that without obstacles: who is in a shadow is a neighbour that hears nothing. Those who
        are there already are not told. Call what is returned to hear no more.
        """
        network = self._joined()

        def passed(has_entered: bool, neighbour: Address) -> None:
            if neighbour in network:
                told((Gained if has_entered else Lost)(network.now, address, neighbour))

        return self.ether.watch(address, self.range_of(address), passed)

    def _power_of(self, sender: Address | None) -> float:
        return self.power if sender is None else self.powers.get(sender, self.power)

    def _joined(self) -> SimulatedNetwork:
        if self._network is None:
            raise NetworkError("this radio is part of no network yet; give it to a SimulatedNetwork")
        return self._network

    def __repr__(self) -> str:
        return f"<RadioWaves of {self.power:g} dBm, {self.range_of():g} m>"
