"""Routing over several hops: the promise, and what `Aodv` says to keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import FairLossLinks


class Routing(FairLossLinks):
    """Sends to nodes out of earshot over others; the ways it uses are never circles."""

    requests: ClassVar[tuple[str, ...]] = ("send", "route")

    def route(self, destination: Address, via: Address | None) -> None:
        """Say that a neighbour is next on the way to a node now, or that no way is known; monitors watch."""


@dataclass(frozen=True, slots=True)
class Question(Message):
    """Who knows a way to `wanted` that is at least so fresh? Comes from `origin`, so many hops away."""

    origin: Address
    number: int
    origin_freshness: int
    wanted: Address
    wanted_freshness: int
    hops: int


@dataclass(frozen=True, slots=True)
class Answer(Message):
    """The sender is so many hops from `found`; for the one who asked."""

    found: Address
    freshness: int
    hops: int
    asker: Address


@dataclass(frozen=True, slots=True)
class Broken(Message):
    """The sender knows no way to these nodes any more, and takes only fresher ones."""

    lost: tuple[tuple[Address, int], ...]


@dataclass(frozen=True, slots=True)
class Parcel(Message):
    """A message on its way, and how fresh the route was by which it came."""

    origin: Address
    number: int
    to: Address
    freshness: int
    hops_left: int
    inside: Message
