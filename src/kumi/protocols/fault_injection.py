"""Faults as layers: messages are dropped, delayed, doubled, put out of order or cut off anywhere in a stack.

`disturbed(PerfectLinks, Dropping(0.1))` is a layer that passes for perfect links and loses one message in
ten. So one can see what a layer does for those above it, and what becomes of a layer when those below break
their promise:

    Stack(App(), Acknowledged(), disturbed(FairLossLinks, Dropping(0.3), Delaying(0.05)))

What is sent goes down as it is; what comes up goes through the disturbances in the order given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from kumi.contract.messages import Address, Message
from kumi.network import Node
from kumi.protocols.guarantees import Broadcast, Links

Onward: TypeAlias = Callable[[Message, Address], object]
Carrier = TypeVar("Carrier", bound=Links | Broadcast)


class Disturbance(Protocol):
    """Something that happens to messages on their way up."""

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand a message on: now or later, once, twice or not at all."""


class Dropping:
    """Loses each message with this probability; they are counted with the network's."""

    def __init__(self, probability: float) -> None:
        self.probability = _probability(probability)

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand the message on, or not."""
        if node.chance.happens(self.probability):
            node.network.count_drop("disturbed")
        else:
            onward(message, sender)


class Delaying:
    """Holds each message back for a random time with this mean, in seconds; so the order changes."""

    def __init__(self, mean: float) -> None:
        self.mean = _duration(mean)

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand the message on later."""
        node.after(node.chance.exponential(self.mean), partial(onward, message, sender))


class Doubling:
    """Hands a message on again with this probability, after `later` seconds."""

    def __init__(self, probability: float, later: float = 0.1) -> None:
        self.probability = _probability(probability)
        self.later = _duration(later)

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand the message on, and perhaps once more."""
        if node.chance.happens(self.probability):
            node.after(self.later, partial(onward, message, sender))
        onward(message, sender)


class Overtaking:
    """Holds a message back with this probability until the next one has passed, or `at_most` seconds."""

    def __init__(self, probability: float, at_most: float = 1.0) -> None:
        self.probability = _probability(probability)
        self.at_most = _duration(at_most)
        self._held: list[tuple[Message, Address]] = []

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand the message on, and what was held back after it."""
        if not self._held and node.chance.happens(self.probability):
            self._held.append((message, sender))
            node.after(self.at_most, partial(self._release, onward))
        else:
            onward(message, sender)
            self._release(onward)

    def _release(self, onward: Onward) -> None:
        while self._held:
            onward(*self._held.pop())


class Cut:
    """Loses what comes from some nodes, or from all others, from one time to another of the node's clock."""

    def __init__(self, begin: float, end: float, senders: frozenset[Address] | None = None) -> None:
        if not begin <= end:
            raise ValueError(f"a cut ends after it begins, not from {begin!r} to {end!r}")
        self.begin = begin
        self.end = end
        self.senders = senders

    def take(self, node: Node, message: Message, sender: Address, onward: Onward) -> None:
        """Hand the message on if the way is open."""
        is_cut = sender != node.address if self.senders is None else sender in self.senders
        if is_cut and self.begin <= node.now < self.end:
            node.network.count_drop("disturbed")
        else:
            onward(message, sender)


def disturbed(guarantee: type[Carrier], *disturbances: Disturbance) -> Carrier:
    """Make a layer that passes for a guarantee, needs it below, and breaks it."""
    if not issubclass(guarantee, Links | Broadcast):
        raise TypeError(f"only links and broadcasts can be disturbed, not {guarantee!r}")

    def begin(layer: Any) -> None:
        onward: Onward = partial(_tell, layer)
        for disturbance in reversed(disturbances):
            onward = partial(_pass, disturbance.take, layer.node, onward)
        layer.below.listen(onward)

    def send(layer: Any, message: Message, to: Address) -> None:
        layer.below.send(message, to)

    def broadcast(layer: Any, message: Message) -> None:
        layer.below.broadcast(message)

    kind = type(
        f"Disturbed{guarantee.__name__}",
        (guarantee,),
        {
            "__annotations__": {"below": guarantee},
            "__module__": __name__.rpartition(".")[0],  # it is nothing to advise for a need
            "__doc__": f"{guarantee.__name__} that break their promise.",
            "begin": begin,
            **({"send": send} if issubclass(guarantee, Links) else {}),
            **({"broadcast": broadcast} if issubclass(guarantee, Broadcast) else {}),
        },
    )
    return cast(Carrier, kind())


def _tell(layer: Any, message: Message, sender: Address) -> None:
    layer.tell(message, sender)


def _pass(take: Any, node: Node, onward: Onward, message: Message, sender: Address) -> None:
    take(node, message, sender, onward)


def _probability(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"a probability is between 0 and 1, not {value!r}")
    return value


def _duration(value: float) -> float:
    if not (isfinite(value) and value > 0.0):
        raise ValueError(f"a duration is a positive number of seconds, not {value!r}")
    return value
