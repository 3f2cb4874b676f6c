"""Layers put together: who talks to whom, checked when they are composed.

`Stack(InOrder(), Acknowledged(retry_after=0.5))` lists layers from the top down. Each need of a layer is
filled with the nearest layer below that offers it; below the last one lies the network, which offers
`FairLossLinks` and plain `Broadcast`, and more where it is reliable. Where two layers need the same one,
they share it. A need that was filled in by hand is left as it is, so any graph can be written:

    Stack(App(orders=a, votes=b), a := LamportOrder(), b := LamportOrder(), InOrder(), Acknowledged())

Two users of one carrier of messages must not see each other's: each sends under a number of its own, the
same at all nodes, since all compose the same stack.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from kumi.contract.messages import Address, Message
from kumi.devs import KumiError
from kumi.network import Network, Node
from kumi.protocols.guarantees import Broadcast, FairLossLinks, FifoLinks, Links, PerfectLinks
from kumi.protocols.layer import Layer

L = TypeVar("L", bound=Layer[*tuple[Any, ...]])
AnyLayer = Layer[*tuple[Any, ...]]


class StackError(KumiError):
    """Layers that do not fit together."""


@dataclass(frozen=True, slots=True)
class InChannel(Message):
    """A message of one of several users of a layer."""

    channel: int
    inside: Message


@dataclass(frozen=True, slots=True)
class Observation:
    """Something asked of a layer, or told by it, at a node; `what` is a request's name, or "tell"."""

    time: float
    address: Address
    layer: AnyLayer
    what: str
    event: tuple[Any, ...]


Observe = Callable[[Observation], object]


class Bottom:
    """What lies below all layers: the network as a layer."""

    node: Node

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        self.node.send(message, to)

    def multicast(self, message: Message, to: Sequence[Address]) -> None:
        """Send to several nodes."""
        self.node.multicast(message, to)

    def broadcast(self, message: Message) -> None:
        """Send to all who hear it."""
        self.node.broadcast(message)


class FairLossNetwork(Bottom, FairLossLinks, Broadcast):
    """A network on which messages may be lost."""

    requests = ("send", "multicast", "broadcast")


class ReliableNetwork(Bottom, PerfectLinks, Broadcast):
    """A network on which nothing is lost."""

    requests = ("send", "multicast", "broadcast")


class OrderedNetwork(Bottom, FifoLinks, Broadcast):
    """A network on which nothing is lost, and messages between two nodes keep their order."""

    requests = ("send", "multicast", "broadcast")


def network_layer(network: Network) -> AnyLayer:
    """Return a network as a layer that offers what the network promises."""
    if not network.is_reliable:
        return FairLossNetwork()
    return OrderedNetwork() if network.is_in_order else ReliableNetwork()


class Stack:
    """Layers from the top down; see the module. One stack serves one life of one node."""

    def __init__(self, *layers: AnyLayer) -> None:
        for layer in layers:
            if not isinstance(layer, Layer):
                raise StackError(f"a stack is made of layers, such as Acknowledged(), not {layer!r}")
        if len({id(layer) for layer in layers}) < len(layers):
            raise StackError("a layer is twice in one stack; share it by needing it, or make another one")
        self.layers = layers
        self._bottom: AnyLayer | None = None
        self._observe: Observe | None = None
        self._observed: tuple[AnyLayer, ...] = ()

    def __getitem__(self, kind: type[L]) -> L:
        """Return the topmost layer that offers `kind`."""
        for layer in (*self.layers, self._bottom):
            if isinstance(layer, kind):
                return layer
        raise StackError(f"there is no {kind.__name__} in {self}")

    def settle(
        self, node: Node, observe: Observe | None = None, *, of: Iterable[type[AnyLayer]] | None = None
    ) -> Stack:
        """Become what lives on a node: check every need and fill it in.

        `observe` is told of all that is asked of layers and told by them, or only of the topmost layer that
        offers each guarantee in `of`.
        """
        users = self._resolve(node.network)
        assert self._bottom is not None
        everyone = (*self.layers, self._bottom)
        for layer in everyone:
            layer.node = node
        if observe is not None:
            seen = everyone if of is None else [self[kind] for kind in of]
            self._observed = tuple({id(layer): layer for layer in seen}.values())
            for layer in self._observed:
                watch_requests(layer, node, observe)
        for layer in everyone:
            self._connect(layer, users.get(id(layer), []))
        self._observe = observe
        return self

    def check(self, network: Network) -> None:
        """Raise StackError where a need is not met on a network; what was checked is used up."""
        self._resolve(network)

    def _resolve(self, network: Network) -> dict[int, list[tuple[AnyLayer, str]]]:
        """Fill in all needs; return who uses which layer, under which name."""
        if self._bottom is not None:
            raise StackError(f"{self} lives on a node already; make a stack for each node and each life")
        self._bottom = bottom = network_layer(network)
        everyone = (*self.layers, bottom)
        users: dict[int, list[tuple[AnyLayer, str]]] = {}
        for place, layer in enumerate(self.layers):
            for name, wanted, is_optional in _needs(type(layer)):
                found = self._fill(layer, name, wanted, everyone, place, is_optional)
                if found is not None:
                    users.setdefault(id(found), []).append((layer, name))
        return users

    def _fill(
        self,
        layer: AnyLayer,
        name: str,
        wanted: type[AnyLayer],
        everyone: tuple[AnyLayer, ...],
        place: int,
        is_optional: bool,
    ) -> AnyLayer | None:
        given = layer.__dict__.get(name)
        if given is not None:
            if not any(given is other for other in everyone):
                raise StackError(f"{layer} was given {given} as its '{name}', which is not in {self}")
            if given is layer or not isinstance(given, wanted):
                raise StackError(
                    f"{layer} was given {given} as its '{name}', which takes a {wanted.__name__}"
                )
            return given
        for other in everyone[place + 1 :]:
            if isinstance(other, wanted):
                setattr(layer, name, other)
                return other
        if is_optional:
            setattr(layer, name, None)
            return None
        raise StackError(missing(layer, name, wanted, self, everyone[-1]))

    def _connect(self, layer: AnyLayer, users: list[tuple[AnyLayer, str]]) -> None:
        """Give each user of a carrier its own channel; others are shared as they are."""
        if not isinstance(layer, Links | Broadcast) or len({id(user) for user, _ in users}) < 2:
            return
        own: dict[int, Channel] = {}
        for user, name in users:
            channel = own.setdefault(id(user), Channel(layer, len(own)))
            setattr(user, name, channel)
        channels = list(own.values())

        def sort(message: Message, sender: Address) -> None:
            if isinstance(message, InChannel) and 0 <= message.channel < len(channels):
                channels[message.channel].tell(message.inside, sender)
            else:
                layer.node.network.count_drop("message for no layer")

        cast("Layer[Message, Address]", layer).listen(sort)

    def begin(self) -> None:
        """Start all layers, from the bottom up."""
        assert self._bottom is not None
        for layer in reversed(self.layers):
            layer.begin()
        if self._observe is not None:
            for layer in self._observed:
                watch_telling(layer, layer.node, self._observe)
        for layer in self.layers:
            if type(layer).run is not Layer.run:
                layer.node.begin_task(layer.run, type(layer).__name__)

    def receive(self, message: Message, sender: Address) -> None:
        """Take a message from the network."""
        assert self._bottom is not None
        self._bottom.tell(message, sender)

    def __repr__(self) -> str:
        return f"Stack({', '.join(type(layer).__name__ for layer in self.layers)})"


class Channel(Links, Broadcast):
    """A carrier of messages as one of its users sees it."""

    def __init__(self, carrier: AnyLayer, number: int) -> None:
        self.node = carrier.node
        self._number = number
        self._carrier = carrier
        self._send = getattr(carrier, "send", None)
        self._broadcast = getattr(carrier, "broadcast", None)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        assert self._send is not None
        self._send(InChannel(self._number, message), to)

    def multicast(self, message: Message, to: Sequence[Address]) -> None:
        """Send to several nodes."""
        self._carrier.multicast(InChannel(self._number, message), to)  # type: ignore[attr-defined]

    def broadcast(self, message: Message) -> None:
        """Send to all."""
        assert self._broadcast is not None
        self._broadcast(InChannel(self._number, message))

    def __getattr__(self, name: str) -> Any:
        """Ask the carrier for what else it offers."""
        return getattr(self._carrier, name)


def needs(kind: type[AnyLayer]) -> tuple[tuple[str, type[AnyLayer], bool], ...]:
    """Return what a layer needs: the names, the guarantees, and whether it can do without."""
    found: list[tuple[str, type[AnyLayer], bool]] = []
    for name, hint in typing.get_type_hints(kind).items():
        choices = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        layers = [choice for choice in choices if isinstance(choice, type) and issubclass(choice, Layer)]
        found += [(name, layer, type(None) in choices) for layer in layers]
    return tuple(found)


# Reading annotations costs more than composing; a class is read once.
_needs = cast(
    "Callable[[type[AnyLayer]], tuple[tuple[str, type[AnyLayer], bool], ...]]", lru_cache(1024)(needs)
)


def missing(layer: AnyLayer, name: str, wanted: type[AnyLayer], stack: Stack, bottom: AnyLayer) -> str:
    """Say what to put where a need is not met."""
    offers = sorted(
        kind.__name__
        for kind in offering(wanted)
        if not any(issubclass(need, wanted) for _, need, is_optional in _needs(kind) if not is_optional)
    )
    advice = f"put one of {', '.join(f'{offer}()' for offer in offers)} below it" if offers else "write one"
    return (
        f"{type(layer).__name__} needs {wanted.__name__} ('{name}') below it, and neither a layer there nor "
        f"the network ({type(bottom).__name__}) offers it in {stack}; {advice}"
    )


def offering(wanted: type[AnyLayer]) -> set[type[AnyLayer]]:
    """Return the layers that ship and offer a guarantee; what only promises never begins anything."""
    found = set().union(*(offering(kind) for kind in wanted.__subclasses__()))
    is_shipped = wanted.__module__.startswith("kumi.protocols.")
    return found | {wanted} if is_shipped and wanted.begin is not Layer.begin else found


def watch_requests(layer: AnyLayer, node: Node, observe: Observe) -> None:
    """Show what is asked of a layer."""
    for what in type(layer).requests:
        ask = getattr(layer, what)

        def watched(*event: Any, _ask: Callable[..., Any] = ask, _what: str = what) -> Any:
            if node.is_up:
                observe(Observation(node.simulation.now, node.address, layer, _what, event))
            return _ask(*event)

        layer.__dict__[what] = watched


def watch_telling(layer: AnyLayer, node: Node, observe: Observe) -> None:
    """Show what a layer tells."""
    tell = layer.__dict__.get("tell")  # the method itself would come back here: it looks this name up

    def watched(*event: Any) -> None:
        if node.is_up:
            observe(Observation(node.simulation.now, node.address, layer, "tell", event))
        if tell is not None:
            tell(*event)

    layer.__dict__["tell"] = watched
