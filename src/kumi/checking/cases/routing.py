"""Routing on a ring of nodes that hear only the two beside them, while links come and go: cases, and the monitors that judge them.

The network of a trial carries everything to everybody. `Earshot` lets through what comes from a neighbour,
by a function of two addresses and the time. On a `ring` each node hears those beside it; on a `broken_ring` one
link at a time is cut, another one every few seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from kumi.checking.case import Case, nobody
from kumi.checking.cases.links import NoCreation, NoDuplication, ReliableDelivery
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.checking.talking import ToSome
from kumi.contract.messages import Address, Message
from kumi.devs.chance import stream
from kumi.network import Node
from kumi.protocols import Acknowledged, Broadcast, FairLossLinks, Stack
from kumi.protocols.aodv import Aodv
from kumi.protocols.flood import FloodedBroadcast
from kumi.protocols.guarantees import BAD_NETWORK, RECOVERY
from kumi.protocols.hops import Hops
from kumi.protocols.routing import Route, RouteRequest, Routes, Routing


class AnyRoute(Aodv):
    """Takes every route it hears of, however old."""

    def begin(self) -> None:
        """Start with a table that takes everything."""
        super().begin()
        self.routes = Gullible(self.node, self.lifetime, self.route)


class Gullible(Routes):
    """Believes that the last route is the best."""

    def is_better(self, old: Route, hops: int, freshness: int) -> bool:
        """Take it."""
        return True


class SameFreshness(Aodv):
    """Does not raise the freshness of a route that broke, so that an old one can take its place."""

    def begin(self) -> None:
        """Start with a table that forgets too much."""
        super().begin()
        self.routes = Forgetful(self.node, self.lifetime, self.route)


class Forgetful(Routes):
    """Drops a broken route without a trace."""

    def break_off(self, destination: Address, freshness: int) -> None:
        """Forget it."""
        if self._routes.pop(destination, None) is not None:
            self._changed(destination, None)


class NoticesNothing(Aodv):
    """Goes on using a link that is broken."""

    def _link_broke(self, unheard: Message, neighbour: Address) -> None:
        pass


class AsksNeighbours(Aodv):
    """Does not pass questions on."""

    def _hear_question(self, asked: RouteRequest, neighbour: Address) -> None:
        if asked.wanted == self.node.address:
            super()._hear_question(asked, neighbour)


def stack_with(kind: type[Aodv]) -> Stack:
    """Make perfect links of routes over a ring."""
    hears = broken_ring(every=2.5, until=9.0)
    return Stack(ToSome(), Acknowledged(longest_pause=2.0), kind(), Hops(), Earshot(hears))


CASES: tuple[Case, ...] = (
    Case(
        name="routing",
        promise="what is sent again and again over several hops arrives; routes never lead in circles",
        stack=lambda: stack_with(Aodv),
        monitors=lambda: [NoCircles(), NoCreation(), NoDuplication(), ReliableDelivery()],
        faults=BAD_NETWORK | RECOVERY,
        mutants={
            "any-route": lambda: stack_with(AnyRoute),
            "same-freshness": lambda: stack_with(SameFreshness),
            "notices-nothing": lambda: stack_with(NoticesNothing),
            "asks-neighbours": lambda: stack_with(AsksNeighbours),
        },
        crashes=nobody,
        settling=40.0,
        fewest=3,
        above=2,
    ),
)


class FloodReaches(Monitor):
    """All within `hops` hops over correct nodes deliver; nothing comes twice or from nowhere.

    Nodes stand on a ring and hear those up to `reach` places away. Messages of a run differ.
    """

    watches = FloodedBroadcast

    def __init__(self, hops: int, reach: int) -> None:
        self.hops = hops
        self.reach = reach
        self._sent: dict[Message, tuple[float, Address]] = {}
        self._delivered: dict[tuple[Message, Address], float] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Remember who sent what."""
        self._sent[event[0]] = (time, address)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Refuse copies, and what nobody sent."""
        message, sender = event
        if message not in self._sent or self._sent[message][1] != sender:
            raise broken(
                "no creation",
                f"node {address} delivered {message} from node {sender} at {time:.3f} s",
                f"node {sender} never broadcast it",
            )
        before = self._delivered.get((message, address))
        if before is not None:
            raise broken(
                "no duplication",
                f"node {address} delivered {message} at {before:.3f} s and again at {time:.3f} s",
            )
        self._delivered[message, address] = time

    def finish(self, ending: RunEnding) -> None:
        """All whom correct nodes connect to a correct sender have delivered."""
        for message, (time, sender) in self._sent.items():
            if sender not in ending.correct:
                continue
            missing = [
                address
                for address in around(sender, ending, self.hops, self.reach)
                if (message, address) not in self._delivered
            ]
            if missing:
                raise broken(
                    "reach",
                    f"node {sender} broadcast {message} at {time:.3f} s",
                    f"within {self.hops} hops over nodes that never crashed, {names(missing)} did not deliver it",
                )


def around(start: Address, ending: RunEnding, hops: int, reach: int) -> list[Address]:
    """Return who can be reached over correct nodes on a ring."""
    found = [start]
    edge = found
    for _ in range(hops):
        edge = [
            other
            for other in sorted(ending.correct - frozenset(found))
            if any(steps_apart(one, other, len(ending.group)) <= reach for one in edge)
        ]
        found = found + edge
    return found


class NoCircles(Monitor):
    """The routes to a node, followed from neighbour to neighbour, have no loop."""

    watches = Routing

    def __init__(self) -> None:
        self._next: dict[tuple[Address, Address], Address | None] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Follow a route that is new."""
        if what != "route":
            return
        to, via = event
        self._next[address, to] = via
        way = [address]
        while via is not None and via != to:
            way.append(via)
            if via in way[:-1]:
                raise broken(
                    "no circles",
                    f"at {time:.3f} s node {address} takes {way[1]} as the next on the way to {to}",
                    f"the routes to {to} lead from {' to '.join(map(str, way))}",
                )
            via = self._next.get((via, to))

    def crashed(self, time: float, address: Address) -> None:
        """Forget the routes of a node that is down."""
        for key in [key for key in self._next if key[0] == address]:
            del self._next[key]


Hears: TypeAlias = Callable[[Node, Address], bool]
"""Whether a node hears another one now."""


class Earshot(FairLossLinks, Broadcast):
    """Hears neighbours alone, and itself."""

    requests = ("send", "broadcast")
    links: FairLossLinks
    air: Broadcast

    def __init__(self, hears: Hears) -> None:
        self._hears = hears

    def begin(self) -> None:
        """Listen to the network."""
        self.links.listen(self._hear)
        self.air.listen(self._hear)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node."""
        self.links.send(message, to)

    def broadcast(self, message: Message) -> None:
        """Send to all who hear it."""
        self.air.broadcast(message)

    def _hear(self, message: Message, sender: Address) -> None:
        if sender == self.node.address or self._hears(self.node, sender):
            self.tell(message, sender)
        else:
            self.node.network.count_drop("out of earshot")


def ring(reach: int = 1) -> Hears:
    """Hear those up to so many places before and after on a ring."""

    def hears(node: Node, other: Address) -> bool:
        return steps_apart(node.address, other, len(node.group)) <= reach

    return hears


def broken_ring(every: float, until: float) -> Hears:
    """Hear those beside on a ring with one link cut, another one `every` so often; the last for good."""

    def hears(node: Node, other: Address) -> bool:
        simulation, size = node.simulation, len(node.group)
        if steps_apart(node.address, other, size) > 1:
            return False
        epoch = int(min(simulation.now, until) / every)
        cut = stream(simulation.seed, f"cut {epoch}").integer(0, size - 1)
        return {cut, (cut + 1) % size} != {node.address, other}

    return hears


def steps_apart(one: Address, other: Address, size: int) -> int:
    """Return the distance of two places on a ring."""
    return min((one - other) % size, (other - one) % size)
