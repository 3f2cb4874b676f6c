"""Faults of messages on their way: lost, doubled, held back, slow, cut off.

They act where messages travel, see `Disturbance`. A message from a node to itself never leaves the node, and
no fault touches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kumi.checking.fault import Fault, Lasting, MessageFault
from kumi.contract.messages import Address
from kumi.devs import Chance
from kumi.network import faults
from kumi.network.faults import LOST, Fate


@dataclass(frozen=True, slots=True)
class Lossy(MessageFault):
    """Messages are lost with a probability, on one link or on all."""

    kind = "loss"
    probability: float
    link: tuple[Address, Address] | None = None

    @property
    def involved(self) -> tuple[Address, ...]:
        """The two ends of the link."""
        return self.link or ()

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> Fate:
        """Lose it, perhaps."""
        if self.link is not None and self.link != (sender, to):
            return None
        return faults.Loss(self.probability).fate(chance)

    def simpler(self) -> Iterator[Fault]:
        """Lose all, rather than some."""
        if self.probability < 1.0:
            yield replace(self, probability=1.0)
        yield from Lasting.simpler(self)

    def __str__(self) -> str:
        which = "messages" if self.link is None else f"messages from {self.link[0]} to {self.link[1]}"
        share = "all" if self.probability >= 1.0 else f"{self.probability:.0%} of"
        return f"{self._window()}: {share} {which} are lost"


@dataclass(frozen=True, slots=True)
class Doubling(MessageFault):
    """Messages come twice with a probability, the copy up to `later` seconds after."""

    kind = "duplication"
    probability: float
    later: float

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> Fate:
        """Make a copy, perhaps."""
        return faults.Duplication(self.probability, within=self.later).fate(chance)

    def __str__(self) -> str:
        return (
            f"{self._window()}: {self.probability:.0%} of messages come twice, the copy up to "
            f"{self.later:g} s later"
        )


@dataclass(frozen=True, slots=True)
class Reordering(MessageFault):
    """Messages are held back with a probability, for up to `by` seconds, so that later ones overtake them."""

    kind = "reordering"
    probability: float
    by: float

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> Fate:
        """Hold it back, perhaps."""
        return faults.Overtaking(self.probability, within=self.by).fate(chance)

    def __str__(self) -> str:
        return f"{self._window()}: {self.probability:.0%} of messages are held back for up to {self.by:g} s"


@dataclass(frozen=True, slots=True)
class SlowLink(MessageFault):
    """Messages from one node to another take longer; those the other way do not."""

    kind = "slow-links"
    link: tuple[Address, Address]
    delay: float

    @property
    def involved(self) -> tuple[Address, ...]:
        """The two ends of the link."""
        return self.link

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> Fate:
        """Let it be late."""
        return (self.delay,) if (sender, to) == self.link else None

    def __str__(self) -> str:
        sender, to = self.link
        return f"{self._window()}: messages from {sender} to {to} take {self.delay:g} s longer"


@dataclass(frozen=True, slots=True)
class Partition(MessageFault):
    """Nothing passes between one side and the rest; `way` says which of the two directions is cut.

    With a `period` it flaps: cut for so long, then whole for so long.
    """

    kind = "partition"
    side: tuple[Address, ...]
    way: str = "both"
    period: float | None = None

    @property
    def involved(self) -> tuple[Address, ...]:
        """Those on the one side."""
        return self.side

    def fate(self, sender: Address, to: Address, now: float, chance: Chance) -> Fate:
        """Cut what goes across."""
        goes_out, goes_in = (
            sender in self.side and to not in self.side,
            to in self.side and sender not in self.side,
        )
        if not (goes_out and self.way != "in") and not (goes_in and self.way != "out"):
            return None
        if self.period is not None and int((now - self.time) / self.period) % 2 == 1:
            return None
        return LOST

    def simpler(self) -> Iterator[Fault]:
        """Cut for good, and both ways."""
        if self.period is not None:
            yield replace(self, period=None)
        if self.way != "both":
            yield replace(self, way="both")
        if len(self.side) > 1:
            for left_out in self.side:
                yield replace(self, side=tuple(node for node in self.side if node != left_out))
        yield from Lasting.simpler(self)

    def __str__(self) -> str:
        side = ", ".join(map(str, self.side))
        how = {
            "both": f"{side} | the others: cut off from each other",
            "out": f"{side} | the others: nothing comes out",
            "in": f"{side} | the others: nothing goes in",
        }[self.way]
        flaps = "" if self.period is None else f", on and off every {self.period:g} s"
        return f"{self._window()}: {how}{flaps}"
