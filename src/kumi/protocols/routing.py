"""Routing over several hops: the promise, what `Aodv` says to keep it, and its table of routes.

A route is as fresh as the number its destination gave it. A fresher one replaces an older one, and of two
that are equally fresh the shorter is kept. When a route breaks, its number is raised by one: no route that
was made before the break can take its place. On a way of routes the freshness never falls, and where it
stays the same the way gets shorter, so no way leads back to where it began.

Numbers are kept over crashes; a node that comes back and had forgotten them could take up an old route that
leads through itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from kumi.contract.messages import Address, Message
from kumi.network import Node
from kumi.protocols.guarantees import FairLossLinks


class Routing(FairLossLinks):
    """Sends to nodes out of earshot over others; the ways it uses are never circles."""

    requests: ClassVar[tuple[str, ...]] = ("send", "route")

    def route(self, destination: Address, via: Address | None) -> None:
        """Say that a neighbour is next on the way to a node now, or that no way is known; monitors watch."""


@dataclass(frozen=True, slots=True)
class RouteRequest(Message):
    """Who knows a way to `wanted` that is at least so fresh? Comes from `origin`, so many hops away."""

    origin: Address
    number: int
    origin_freshness: int
    wanted: Address
    wanted_freshness: int
    hops: int


@dataclass(frozen=True, slots=True)
class RouteReply(Message):
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


STORED = "route "
"""What the names begin with under which freshness is kept; the destination follows."""


@dataclass(slots=True)
class Route:
    """The next node on the way to a destination, how far that is, and how fresh; None: it is broken."""

    via: Address | None
    hops: int
    freshness: int
    used: float = 0.0


class Routes:
    """One route for each destination at most; one that is not used for `lifetime` seconds counts as broken.

    `changed` is told each destination and the next node on the way there, None where there is none now.
    """

    def __init__(
        self, node: Node, lifetime: float, changed: Callable[[Address, Address | None], object]
    ) -> None:
        self._node = node
        self._lifetime = lifetime
        self._changed = changed
        self._routes: dict[Address, Route] = {}
        stored = sorted(int(name.removeprefix(STORED)) for name in node.storage if name.startswith(STORED))
        for address in stored:  # of a former life; a new node has none, however large the group
            self._routes[address] = Route(None, 0, node.storage.get(f"{STORED}{address}") + 1)

    def freshness(self, destination: Address) -> int:
        """Return the number below which no route is taken any more; 0 where nothing is known."""
        route = self._routes.get(destination)
        return 0 if route is None else route.freshness

    def find(self, destination: Address) -> Route | None:
        """Return the route to a destination, if there is one that is not broken and not too old."""
        route = self._routes.get(destination)
        if route is None or route.via is None:
            return None
        if self._node.now - route.used > self._lifetime:
            self.break_off(destination, route.freshness + 1)
            return None
        return route

    def use(self, destination: Address) -> Route | None:
        """Return the route to a destination, and keep it from getting old."""
        route = self.find(destination)
        if route is not None:
            route.used = self._node.now
        return route

    def offer(self, destination: Address, via: Address, hops: int, freshness: int) -> bool:
        """Take a route if it is better than what there is; return whether it was taken."""
        if destination == self._node.address:
            return False
        old = self._routes.get(destination)
        if old is not None and not self.is_better(old, hops, freshness):
            return False
        self._keep(destination, Route(via, hops, freshness, self._node.now))
        return True

    def is_better(self, old: Route, hops: int, freshness: int) -> bool:
        """Return whether a route so long and so fresh should replace an old one."""
        if freshness != old.freshness:
            return freshness > old.freshness
        return old.via is None or hops < old.hops

    def break_off(self, destination: Address, freshness: int) -> None:
        """Take a route for broken, and from now on only such that are at least so fresh."""
        old = self._routes.get(destination)
        if old is None or freshness > old.freshness:
            self._keep(destination, Route(None, 0, freshness))

    def through(self, via: Address) -> list[tuple[Address, int]]:
        """Return the destinations to which a neighbour is the next node, and how fresh the routes are."""
        return [
            (destination, route.freshness) for destination, route in self._routes.items() if route.via == via
        ]

    def _keep(self, destination: Address, route: Route) -> None:
        self._routes[destination] = route
        self._node.storage.put(f"{STORED}{destination}", route.freshness)
        self._changed(destination, route.via)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The last `limit` keys with their values; a key that is put again keeps its place."""

    __slots__ = ("_values", "limit")

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"at least 1 is remembered, not {limit!r}")
        self.limit = limit
        self._values: dict[K, V] = {}

    def put(self, key: K, value: V) -> None:
        """Keep a value; the oldest goes when there are too many."""
        self._values[key] = value
        if len(self._values) > self.limit:
            del self._values[next(iter(self._values))]

    def get(self, key: K) -> V | None:
        """Return the value of a key that is still remembered."""
        return self._values.get(key)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)
